package lucid

import (
	"strings"
	"testing"
)

// TestGradientOfPieces: the gradient of a tensor that is taken apart is its pieces' gradients one behind the other, without tensors of
// zeros; where pieces overlap or leave something out, it is a sum as ever.
func TestGradientOfPieces(t *testing.T) {
	Seed(6)
	x := Randn(4, 6, 5)
	for name, c := range map[string]struct {
		f      func(x *Tensor) *Tensor
		joined bool
	}{
		"thirds": {func(x *Tensor) *Tensor {
			return x.Narrow(1, 0, 2).Mul(2).Add(x.Narrow(1, 2, 2).Sin()).Mul(x.Narrow(1, 4, 2)).Sum()
		}, true},
		"disorder": {func(x *Tensor) *Tensor { return x.Narrow(1, 3, 3).Exp().Mul(x.Narrow(1, 0, 3)).Sum() }, true},
		"all steps": {func(x *Tensor) *Tensor {
			return x.Select(0, 0).Mul(x.Select(0, 1)).Sub(x.Select(0, 2).Mul(x.Select(0, 3))).Sum()
		}, true},
		"and whole": {func(x *Tensor) *Tensor {
			return x.Narrow(1, 3, 3).Exp().Mul(x.Narrow(1, 0, 3)).Sum().Add(x.Square().Sum())
		}, true},
		"overlap":  {func(x *Tensor) *Tensor { return x.Narrow(1, 0, 4).Exp().Mul(x.Narrow(1, 2, 4)).Sum() }, false},
		"a gap":    {func(x *Tensor) *Tensor { return x.Narrow(1, 0, 2).Exp().Mul(x.Narrow(1, 4, 2)).Sum() }, false},
		"two ways": {func(x *Tensor) *Tensor { return x.Narrow(1, 0, 3).Exp().Sum().Add(x.Narrow(2, 3, 2).Sin().Sum()) }, false},
	} {
		if err := GradCheck(func(in []*Tensor) []*Tensor { return []*Tensor{c.f(in[0])} }, []*Tensor{x.To(Float64)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := GradGradCheck(func(in []*Tensor) []*Tensor { return []*Tensor{c.f(in[0])} }, []*Tensor{x.To(Float64)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if updates := strings.Count(Dump(Grad(c.f)(x)), "slice_update"); (updates == 0) != c.joined {
			t.Errorf("%s: %d tensors of zeros", name, updates)
		}
	}
}
