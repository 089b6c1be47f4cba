package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/special"
)

// polynomialB evaluates orthogonal polynomials. A tile whose elements have one degree goes through the recurrence as a whole, with the
// roundings that an element alone has.
func polynomialB[T floats](n int, z, x, y, _ unsafe.Pointer, a attr.Attr) {
	p, v, d, out := a.(attr.Polynomial), elems[T](x, n), elems[T](y, n), elems[T](z, n)
	narrow := unsafe.Sizeof(out[0]) == 4
	f := special.Polynomial
	if narrow {
		f = special.PolynomialNarrow
	}
	buf := wideTiles.Get().(*wideTile)
	defer wideTiles.Put(buf)
	step := tileElems
	if !narrow {
		step /= 4 // the buffers stay in the first cache
	}
	for at := 0; at < n; at += step {
		end := min(n, at+step)
		degree := float64(d[at])
		if p.Derivative == 0 && special.IsDegree(degree) && allEqual(d[at:end]) {
			in := buf[0][:end-at]
			recast(in, v[at:end])
			if narrow || degree < 2 {
				recast(out[at:end], recur(p.Family, degree, in, buf))
				continue
			}
			w, finite := recurLost(p.Family, degree, in, buf)
			recast(out[at:end], w)
			for i := 0; i < len(w) && !finite; i++ {
				if w[i]-w[i] != 0 { // some product has overflowed in its two parts
					out[at+i] = T(special.PolynomialNarrow(p, in[i], degree))
				}
			}
			continue
		}
		for i := at; i < end; i++ {
			out[i] = T(f(p, float64(v[i]), float64(d[i])))
		}
	}
}

// recurLost is special.Polynomial from degree 2 on of x, which is the first of the buffers, and whether all results are finite.
func recurLost(f attr.Family, n float64, x []float64, buf *wideTile) (p []float64, finite bool) {
	part := func(k int) []float64 { return buf[k][:len(x)] }
	now, lost, before, lostBefore := part(1), part(2), part(3), part(4)
	a, b := special.FirstDegree(f)
	simd.PolynomialLineF64(now, lost, x, a, b)
	for i := range before {
		before[i] = 1
	}
	clear(lostBefore)
	chebyshev := f < attr.HermiteH
	w, v := part(5), part(6)
	if chebyshev {
		a, b, _, _ = special.Whole(f, 1)
		simd.PolynomialLineF64(w, v, x, a, b)
	}
	for m := 1.0; m+1 <= n; m++ {
		if chebyshev {
			simd.ChebyshevStepF64(before, lostBefore, now, lost, w, v)
		} else {
			a, b, c, d := special.Whole(f, m)
			simd.PolynomialStepF64(before, lostBefore, now, lost, x, a, b, c, d, 1/d)
		}
		now, lost, before, lostBefore = before, lostBefore, now, lost
	}
	simd.AddF64(now, now, lost)
	simd.SubF64(lost, now, now)
	return now, simd.SumF64(lost) == 0
}

// recur gives the polynomial of degree n at x, which is the first of the buffers, in another.
func recur(f attr.Family, n float64, x []float64, buf *wideTile) []float64 {
	now, before, t, u := buf[1][:len(x)], buf[2][:len(x)], buf[3][:len(x)], buf[4][:len(x)]
	line := func(a, b float64) { // a·x + b
		simd.ScaleF64(t, x, a)
		simd.AddScalarF64(t, t, b)
	}
	for i := range before {
		before[i] = 1
	}
	a, b := special.FirstDegree(f)
	line(a, b)
	copy(now, t)
	a, b = 0, 0
	for m := 1.0; m+1 <= n; m++ {
		p, q, c := special.Recurrence(f, m)
		if p != a || q != b {
			a, b = p, q
			line(a, b)
		}
		if c != 1 {
			simd.ScaleF64(before, before, c)
		}
		simd.MulF64(u, t, now)
		simd.SubF64(before, u, before)
		now, before = before, now
	}
	return now
}

func allEqual[T floats](v []T) bool {
	for _, w := range v {
		if w != v[0] {
			return false
		}
	}
	return true
}

// recast copies between the native floats.
func recast[S, T floats](z []S, x []T) {
	switch z := any(z).(type) {
	case []float64:
		if x, ok := any(x).([]float32); ok {
			simd.F32ToF64(z, x)
			return
		}
		copy(z, any(x).([]float64))
	case []float32:
		simd.F64ToF32(z, any(x).([]float64))
	}
}
