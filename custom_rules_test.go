package lucid_test

import (
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestCustomDerivedRules asks that rules of a custom function that are missing come from its Forward, in every transform, and that one
// that is there is used.
func TestCustomDerivedRules(t *testing.T) {
	forward := func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{in[0].Square().Mul(in[1])} }
	plain := lucid.Custom(lucid.CustomFunc{Name: "plain", Forward: forward})
	ruled := lucid.Custom(lucid.CustomFunc{Name: "ruled", Forward: forward,
		VJP: func(in, _, cot []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{cot[0].Mul(7), nil} }})
	x, w := lucid.Scalar(3.0), lucid.Scalar(5.0)
	of := func(f func(...*lucid.Tensor) []*lucid.Tensor) func(*lucid.Tensor) *lucid.Tensor {
		return func(x *lucid.Tensor) *lucid.Tensor { return f(x, w)[0] }
	}
	if got := lucid.Grad(of(plain))(x).Item(); got != 30 {
		t.Errorf("gradient %v", got)
	}
	if got := lucid.Grad(lucid.Grad(of(plain)))(x).Item(); got != 10 {
		t.Errorf("second derivative %v", got)
	}
	if _, d := lucid.JVP(of(plain), x, lucid.Scalar(2.0)); d.Item() != 60 {
		t.Errorf("tangent %v", d)
	}
	if got := fmt.Sprint(lucid.ToSlice[float64](lucid.VMap(lucid.Grad(of(plain)))(lucid.New([]float64{1, 2}, 2)))); got != "[10 20]" {
		t.Error(got)
	}
	if got := lucid.Grad(of(ruled))(x).Item(); got != 7 {
		t.Errorf("the rule that is there gives %v", got)
	}
	if _, d := lucid.JVP(of(ruled), x, lucid.Scalar(2.0)); d.Item() != 60 {
		t.Errorf("the rule that is missing gives %v", d)
	}
	leaf := lucid.Scalar(3.0).RequiresGrad_(true)
	plain(leaf, w)[0].Backward()
	if leaf.Grad().Item() != 30 {
		t.Errorf("Backward gives %v", leaf.Grad())
	}
}
