package lucid

import (
	"errors"
	"testing"
)

func TestJacobians(t *testing.T) {
	f := func(x *Tensor) *Tensor { return x.Square().Mul(x.Sum()) }
	x := New([]float64{1, 2, 3}, 3)
	same(t, "forward and reverse", Jacobian(f)(x), JacobianForward(f)(x))
	h := Hessian(func(x *Tensor) *Tensor { return x.Pow(3).Sum() })(x)
	same(t, "hessian", h, Diag(x.Mul(6)))
}

func TestGradCheck(t *testing.T) {
	in := []*Tensor{New([]float64{.3, -.7, 1.1, .5}, 2, 2), New([]float64{.9, .2, -.4, .6}, 2, 2)}
	f := func(x []*Tensor) []*Tensor { return []*Tensor{x[0].MatMul(x[1]).Tanh(), x[0].Sin().Mul(x[1])} }
	if err := GradCheck(f, in); err != nil {
		t.Error(err)
	}
	if err := GradGradCheck(f, in); err != nil {
		t.Error(err)
	}
	wrong := Custom(CustomFunc{
		Forward: func(x []*Tensor) []*Tensor { return []*Tensor{x[0].Square()} },
		VJP:     func(x, _, c []*Tensor) []*Tensor { return []*Tensor{c[0].Mul(x[0])} },
		JVP:     func(x, v []*Tensor) []*Tensor { return []*Tensor{v[0].Mul(x[0])} },
	})
	if err := GradCheck(func(x []*Tensor) []*Tensor { return wrong(x[0]) }, in[:1]); !errors.Is(err, ErrGradient) {
		t.Errorf("a wrong rule went through: %v", err)
	}
}
