package lucid

import "testing"

// A rule that reads the outputs has the right second derivatives, in both modes.
func TestCustomSecondDerivatives(t *testing.T) {
	exp := func(in []*Tensor) []*Tensor { return []*Tensor{in[0].Exp()} }
	for name, jvp := range map[string]func(in, tan []*Tensor) []*Tensor{
		"by hand":  func(in, tan []*Tensor) []*Tensor { return []*Tensor{tan[0].Mul(in[0].Exp())} },
		"composed": func(in, tan []*Tensor) []*Tensor { _, d := JVPN(exp, in, tan); return d },
	} {
		f := Custom(CustomFunc{Name: "exp", Forward: exp,
			VJP: func(in, out, cot []*Tensor) []*Tensor { return []*Tensor{cot[0].Mul(out[0])} }, JVP: jvp})
		x := []*Tensor{With{DType: Float64}.Randn(3)}
		g := func(in []*Tensor) []*Tensor { return []*Tensor{f(in...)[0].Square()} }
		if err := GradCheck(g, x); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := GradGradCheck(g, x); err != nil {
			t.Errorf("%s, second: %v", name, err)
		}
	}
}
