package transforms

import (
	"testing"

	"github.com/lucid-go/lucid"
)

// A rule that reads the outputs has the right second derivatives, in both modes.
func TestCustomSecondDerivatives(t *testing.T) {
	exp := func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{in[0].Exp()} }
	for name, jvp := range map[string]func(in, tan []*lucid.Tensor) []*lucid.Tensor{
		"by hand":  func(in, tan []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{tan[0].Mul(in[0].Exp())} },
		"composed": func(in, tan []*lucid.Tensor) []*lucid.Tensor { _, d := lucid.JVPN(exp, in, tan); return d },
	} {
		f := lucid.Custom(lucid.CustomFunc{Name: "exp", Forward: exp,
			VJP: func(in, out, cot []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{cot[0].Mul(out[0])} }, JVP: jvp})
		x := []*lucid.Tensor{lucid.With{DType: lucid.Float64}.Randn(3)}
		g := func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{f(in...)[0].Square()} }
		if err := lucid.GradCheck(g, x); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := lucid.GradGradCheck(g, x); err != nil {
			t.Errorf("%s, second: %v", name, err)
		}
	}
}
