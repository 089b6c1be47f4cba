package transforms

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

func TestJacobians(t *testing.T) {
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.Square().Mul(x.Sum()) }
	x := lucid.New([]float64{1, 2, 3}, 3)
	tensortest.Same(t, "forward and reverse", lucid.Jacobian(f)(x), lucid.JacobianForward(f)(x))
	h := lucid.Hessian(func(x *lucid.Tensor) *lucid.Tensor { return x.Pow(3).Sum() })(x)
	tensortest.Same(t, "hessian", h, lucid.Diag(x.Mul(6)))
}

func TestGradCheck(t *testing.T) {
	in := []*lucid.Tensor{lucid.New([]float64{.3, -.7, 1.1, .5}, 2, 2), lucid.New([]float64{.9, .2, -.4, .6}, 2, 2)}
	f := func(x []*lucid.Tensor) []*lucid.Tensor {
		return []*lucid.Tensor{x[0].MatMul(x[1]).Tanh(), x[0].Sin().Mul(x[1])}
	}
	if err := lucid.GradCheck(f, in); err != nil {
		t.Error(err)
	}
	if err := lucid.GradGradCheck(f, in); err != nil {
		t.Error(err)
	}
	wrong := lucid.Custom(lucid.CustomFunc{
		Forward: func(x []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{x[0].Square()} },
		VJP:     func(x, _, c []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{c[0].Mul(x[0])} },
		JVP:     func(x, v []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{v[0].Mul(x[0])} },
	})
	if err := lucid.GradCheck(func(x []*lucid.Tensor) []*lucid.Tensor { return wrong(x[0]) }, in[:1]); !errors.Is(err, lucid.ErrGradient) {
		t.Errorf("a wrong rule went through: %v", err)
	}
}
