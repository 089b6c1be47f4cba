package linalg_test

import (
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/linalg"
)

// TestEqualValues: where singular values or eigenvalues are equal, functions that are smooth there have first and second derivatives.
func TestEqualValues(t *testing.T) {
	lucid.Seed(21)
	type tensors = []*lucid.Tensor
	q, _ := linalg.QR(randn(lucid.Float64, 4, 4))
	same := q.Narrow(-1, 0, 4) // singular values 1
	two := q.MatMul(lucid.Diag(lucid.New([]float64{2, 2, 2, 0.5}, 4))).MatMul(q.T())
	for name, c := range map[string]struct {
		f func(x *lucid.Tensor) tensors
		x *lucid.Tensor
	}{
		"polar":           {func(x *lucid.Tensor) tensors { u, p := linalg.Polar(x); return tensors{u, p} }, same},
		"polar, definite": {func(x *lucid.Tensor) tensors { u, p := linalg.Polar(x); return tensors{u, p} }, two},
		"polar, tall":     {func(x *lucid.Tensor) tensors { u, p := linalg.Polar(x); return tensors{u, p} }, same.Narrow(1, 0, 2)},
		"polar, left": {func(x *lucid.Tensor) tensors {
			u, p := linalg.Polar(x, linalg.PolarOptions{Left: true})
			return tensors{u, p}
		}, same.Narrow(0, 0, 3)},
		"root": {func(x *lucid.Tensor) tensors { return tensors{linalg.MatrixSqrtH(x.Add(adjoint(x)))} }, two},
		"nuclear norm": {func(x *lucid.Tensor) tensors {
			return tensors{linalg.MatrixNorm(x, linalg.MatrixNormOptions{Ord: "nuc"})}
		}, same},
		"nuclear norm, wide": {func(x *lucid.Tensor) tensors {
			return tensors{linalg.MatrixNorm(x, linalg.MatrixNormOptions{Ord: "nuc"})}
		}, same.Narrow(0, 0, 2)},
		"pseudoinverse": {func(x *lucid.Tensor) tensors { return tensors{linalg.PInv(x)} }, same},
		"exponential":   {func(x *lucid.Tensor) tensors { return tensors{linalg.MatrixExp(x)} }, two},
	} {
		for _, complex := range []bool{false, true} {
			in := tensors{c.x}
			if complex {
				in = append(in, lucid.ZerosLike(c.x))
			}
			first := func(in tensors) tensors {
				x := in[0]
				if complex {
					x = lucid.Complex(in[0], in[1])
				}
				outs := c.f(x)
				for i, y := range outs {
					if y.DType().IsComplex() {
						outs[i] = lucid.ViewAsReal(y)
					}
				}
				return outs
			}
			weight := func(y *lucid.Tensor) *lucid.Tensor { // any loss that is not symmetric
				n := y.NumElement()
				return y.Mul(lucid.With{DType: lucid.Float64}.Arange(1, n+1).Sin().Reshape(y.Shape()...)).Sum()
			}
			second := func(in tensors) tensors {
				loss := func(x *lucid.Tensor) *lucid.Tensor {
					sum := lucid.Scalar(0.0).Double()
					for _, y := range first(append(tensors{x}, in[1:]...)) {
						sum = sum.Add(weight(y))
					}
					return sum
				}
				return tensors{lucid.Grad(loss)(in[0])}
			}
			for order, g := range []func(tensors) tensors{first, second} {
				if err := lucid.GradCheck(g, in); err != nil {
					t.Errorf("%s, complex %v, derivative %d: %v", name, complex, order+1, err)
				}
			}
			each := lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor { return second(append(tensors{x}, in[1:]...))[0] })
			batch := lucid.Stack(tensors{in[0], in[0].Mul(2)}, 0)
			near(t, fmt.Sprint(name, " vmap ", complex), each(batch).At(1), second(append(tensors{in[0].Mul(2)}, in[1:]...))[0])
		}
	}
}
