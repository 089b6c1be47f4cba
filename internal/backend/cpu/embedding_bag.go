package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/conv/kernel"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// bagDirectCols is the number of columns from which on kernel.Direct is faster than plain loops.
const bagDirectCols = 64

func init() {
	register(backend.Table{"bag": func(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
		if out[0].DType == dtype.Float64 {
			return bagOf[float64](c, out[0], in)
		}
		return bagOf[float32](c, out[0], in)
	}})
}

// bagSum is the op "bag", as of an embedding bag: it sums rows of x, cols long, times weights, terms of them for each row of z.
type bagSum[T gemm.Float] struct {
	x, w, z                 []T
	at                      []int64
	rows, cols, terms, sums int
	plain                   bool // all weights are 1
}

func bagOf[T gemm.Float](c *backend.Ctx, out backend.View, in []backend.View) error {
	j := &bagSum[T]{z: backend.Slice[T](out), rows: in[0].Shape.Dims()[0], cols: in[0].Shape.Dims()[1], terms: in[1].Shape.Dims()[0],
		sums: in[1].Shape.Dims()[1]}
	for i, v := range in {
		base, err := dense(c, v)
		if err != nil {
			return err
		}
		switch i {
		case 0:
			j.x = elems[T](base, v.Numel())
		case 1:
			j.at = elems[int64](base, v.Numel())
		default:
			j.w = elems[T](base, v.Numel())
			j.plain = allOnes(v, j.w) && j.cols >= bagDirectCols
		}
	}
	for _, i := range j.at {
		if i < -1 || i >= int64(j.rows) {
			return fault.New(fault.Index, "bag", "row %d of %d", i, j.rows)
		}
	}
	if len(j.z) == 0 {
		return nil
	}
	each := max(1, blockElems/max(1, j.cols*j.terms))
	return c.For(ceil(j.sums, each), func(b int) { j.block(b*each, min((b+1)*each, j.sums)) })
}

// block computes some rows. Terms are added in order, one product each; index -1 is left out.
func (j *bagSum[T]) block(from, to int) {
	off, w := newScratch[int](j.terms)[:0], newScratch[T](j.terms)[:0]
	at := newScratch[int](j.terms)[:0]
	vectorCols := 0
	if j.cols >= bagDirectCols {
		vectorCols = j.cols / kernel.DirectColumns * kernel.DirectColumns
	}
	for r := from; r < to; r++ {
		if j.plain {
			at = at[:0]
			for p := r; p < len(j.at); p += j.sums {
				if i := j.at[p]; i >= 0 {
					at = append(at, int(i))
				}
			}
			if addRowsOf(j.z[r*j.cols:][:j.cols], j.x, at) {
				continue
			}
		}
		off, w = off[:0], w[:0]
		for p := r; p < len(j.at); p += j.sums {
			if i := j.at[p]; i >= 0 {
				off, w = append(off, int(i)*j.cols), append(w, j.w[p])
			}
		}
		z := j.z[r*j.cols:][:j.cols]
		if vectorCols > 0 && len(off) > 0 {
			kernel.Direct(1, vectorCols, w, off, j.x, z, j.cols, false)
			j.rest(z, vectorCols, off, w)
			continue
		}
		j.rest(z, 0, off, w)
	}
}

// rest computes a row from column q on.
func (j *bagSum[T]) rest(z []T, q int, off []int, w []T) {
	z = z[q:]
	if len(z) == 0 {
		return
	}
	row := func(t int) []T { return j.x[off[t]+q:][:len(z)] }
	t := 0
	if len(off) >= 4 { // the usual number, in one pass
		x0, x1, x2, x3, w0, w1, w2, w3 := row(0), row(1), row(2), row(3), w[0], w[1], w[2], w[3]
		for i := range z {
			z[i] = w0*x0[i] + w1*x1[i] + w2*x2[i] + w3*x3[i]
		}
		t = 4
	} else {
		clear(z)
	}
	for ; t < len(off); t++ {
		x, w := row(t), w[t]
		for i := range z {
			z[i] += w * x[i]
		}
	}
}
