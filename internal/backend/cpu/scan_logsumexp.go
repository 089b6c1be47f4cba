package cpu

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/par"
)

const (
	lseTile = 256
	// lseSpan is how far below the largest element so far one may be, so that its exponential still has all its digits.
	lseSpan = 600
)

// logCumSumExp is the scan of float32. Rows that follow each other go by vectors: of a tile, exponentials of the differences to the
// largest element so far, their running sum, and its logarithm, all in float64.
func logCumSumExp(steps scanner) scanner {
	return func(c *backend.Ctx, a attr.Attr, out, in backend.View) error {
		s := a.(attr.Scan)
		if volume(in.Shape.Dims()[s.Axis+1:]) > 1 {
			return steps(c, a, out, in)
		}
		x, err := rowsAlong(c, in, s.Axis)
		if err != nil || x.n == 0 || x.count() == 0 {
			return err
		}
		xs, z := elems[float32](x.base, x.count()*x.n), backend.Slice[float32](out)
		return x.groups(c, foldChunk/4, func(lo, hi int) {
			pace := par.NewPace()
			var r lseRow
			for i := lo; i < hi; i++ {
				r.scaledSum = noSum
				from, to := xs[i*x.n:][:x.n], z[i*x.n:][:x.n]
				for k := 0; k < x.n; k += lseTile {
					n := min(lseTile, x.n-k)
					if s.Reverse {
						r.back(to[x.n-k-n:x.n-k], from[x.n-k-n:x.n-k])
					} else {
						r.next(to[k:k+n], from[k:k+n])
					}
					pace.StepElems(4 * n)
				}
			}
		})
	}
}

// lseRow is Σ exp(x) of the elements so far, with room for a tile.
type lseRow struct {
	scaledSum
	t, u [lseTile]float64
}

func (r *lseRow) next(z, x []float32) {
	t := r.t[:len(x)]
	simd.F32ToF64(t, x)
	r.scan(t)
	for i, v := range t {
		z[i] = float32(v)
	}
}

// back is next from the last element to the first.
func (r *lseRow) back(z, x []float32) {
	t := r.t[:len(x)]
	for i, v := range x {
		t[len(t)-1-i] = float64(v)
	}
	r.scan(t)
	for i, v := range t {
		z[len(z)-1-i] = float32(v)
	}
}

// scan replaces the elements of a tile by the results.
func (r *lseRow) scan(t []float64) {
	top, least, odd := math.Inf(-1), math.Inf(1), false
	for _, v := range t {
		odd = odd || !(v < math.Inf(1)) // NaN or +Inf
		if v > top {
			top = v
		}
		if v < least && v > math.Inf(-1) {
			least = v
		}
	}
	if odd || r.top != r.top || math.IsInf(r.sum, 1) || max(top, r.top)-least > lseSpan {
		r.steps(t)
		return
	}
	top = max(top, r.top)
	shift := finite(top)
	sum := 0.0
	if r.sum > 0 {
		sum = r.sum * math.Exp(r.top-shift)
	}
	u := r.u[:len(t)]
	simd.AddScalarF64(u, t, -shift)
	simd.ExpF64(u, u)
	for i, v := range u {
		sum += v
		u[i] = sum
	}
	r.top, r.sum = top, sum
	simd.LogF64(t, u)
	for i := range t {
		t[i] += shift
	}
}

// steps takes one element after the other.
func (r *lseRow) steps(t []float64) {
	acc := math.Inf(-1)
	if r.sum != 0 {
		acc = r.top + math.Log(r.sum)
	}
	for i, v := range t {
		acc = logAddExp(acc, v)
		t[i] = acc
	}
	r.top, r.sum = acc, 1
	if math.IsInf(acc, -1) {
		r.scaledSum = noSum
	}
}
