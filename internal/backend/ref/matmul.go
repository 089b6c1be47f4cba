package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(backend.Table{"matmul": matmul, "gather_mm": gatherMM}) }

func matmul(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	a, b := load(in[0]), load(in[1])
	r := in[0].Shape.Rank()
	m, k, n := in[0].Shape.Dim(r-2), in[0].Shape.Dim(r-1), in[1].Shape.Dim(r-1)
	res := make([]dtype.Scalar, out[0].Numel())
	x := make([]dtype.Scalar, k)
	if m*n == 0 {
		return nil
	}
	for i := range res {
		batch, row, col := i/(m*n), i/n%m, i%n
		for l := range x {
			x[l] = prodOf(in[0].DType, []dtype.Scalar{a[(batch*m+row)*k+l], b[(batch*k+l)*n+col]})
		}
		res[i] = sumOf(in[0].DType, x)
	}
	store(out[0], res)
	return nil
}

// gatherMM adds the product of each chosen pair to its output.
func gatherMM(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	a, b, l, r, o := load(in[0]), load(in[1]), load(in[2]), load(in[3]), load(in[4])
	m, k, n := in[0].Shape.Dim(1), in[0].Shape.Dim(2), in[1].Shape.Dim(2)
	d := out[0].DType
	terms := make([][]dtype.Scalar, out[0].Numel())
	for t := range l {
		x, y := position(l[t], in[0].Shape.Dim(0)), position(r[t], in[1].Shape.Dim(0))
		z := position(o[t], out[0].Shape.Dim(0))
		indices([]int{m, n, k}, func(at []int) {
			i := (z*m+at[0])*n + at[1]
			terms[i] = append(terms[i], prodOf(d, []dtype.Scalar{a[(x*m+at[0])*k+at[2]], b[(y*k+at[2])*n+at[1]]}))
		})
	}
	res := make([]dtype.Scalar, len(terms))
	for i := range res {
		res[i] = sumOf(d, terms[i])
	}
	store(out[0], res)
	return nil
}
