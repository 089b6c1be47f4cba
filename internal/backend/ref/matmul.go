package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(backend.Table{"matmul": matmul}) }

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
