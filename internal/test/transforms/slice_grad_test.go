package transforms

import (
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestGradientOfPieces: the gradient of a tensor that is taken apart is its pieces' gradients one behind the other, without tensors of
// zeros; where pieces overlap or leave something out, it is a sum as ever.
func TestGradientOfPieces(t *testing.T) {
	lucid.Seed(6)
	x := lucid.Randn(4, 6, 5)
	for name, c := range map[string]struct {
		f      func(x *lucid.Tensor) *lucid.Tensor
		joined bool
	}{
		"thirds": {func(x *lucid.Tensor) *lucid.Tensor {
			return x.Narrow(1, 0, 2).Mul(2).Add(x.Narrow(1, 2, 2).Sin()).Mul(x.Narrow(1, 4, 2)).Sum()
		}, true},
		"disorder": {func(x *lucid.Tensor) *lucid.Tensor { return x.Narrow(1, 3, 3).Exp().Mul(x.Narrow(1, 0, 3)).Sum() }, true},
		"all steps": {func(x *lucid.Tensor) *lucid.Tensor {
			return x.Select(0, 0).Mul(x.Select(0, 1)).Sub(x.Select(0, 2).Mul(x.Select(0, 3))).Sum()
		}, true},
		"and whole": {func(x *lucid.Tensor) *lucid.Tensor {
			return x.Narrow(1, 3, 3).Exp().Mul(x.Narrow(1, 0, 3)).Sum().Add(x.Square().Sum())
		}, true},
		"overlap": {func(x *lucid.Tensor) *lucid.Tensor { return x.Narrow(1, 0, 4).Exp().Mul(x.Narrow(1, 2, 4)).Sum() }, false},
		"a gap":   {func(x *lucid.Tensor) *lucid.Tensor { return x.Narrow(1, 0, 2).Exp().Mul(x.Narrow(1, 4, 2)).Sum() }, false},
		"two ways": {func(x *lucid.Tensor) *lucid.Tensor {
			return x.Narrow(1, 0, 3).Exp().Sum().Add(x.Narrow(2, 3, 2).Sin().Sum())
		}, false},
	} {
		if err := lucid.GradCheck(func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{c.f(in[0])} },
			[]*lucid.Tensor{x.To(lucid.Float64)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := lucid.GradGradCheck(func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{c.f(in[0])} },
			[]*lucid.Tensor{x.To(lucid.Float64)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if updates := strings.Count(lucid.Dump(lucid.Grad(c.f)(x)), "slice_update"); (updates == 0) != c.joined {
			t.Errorf("%s: %d tensors of zeros", name, updates)
		}
	}
}
