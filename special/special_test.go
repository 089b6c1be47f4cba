package special_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/special"
)

func Example() {
	x := lucid.New([]float64{-1, 0.5, 1}, 3)
	fmt.Println(special.Ndtr(x))
	fmt.Println(special.LegendrePolynomialP(x, 3))
	// Output:
	// tensor([0.1587, 0.6915, 0.8413], dtype=float64)
	// tensor([-1.0000, -0.4375,  1.0000], dtype=float64)
}

func TestSameFunctions(t *testing.T) {
	x := lucid.New([]float64{0.25, 0.75}, 2)
	for name, pair := range map[string][2]*lucid.Tensor{
		"Expit": {lucid.Sigmoid(x), x.Sigmoid()}, "Psi": {special.Digamma(x), x.Digamma()}, "Gammaln": {lucid.Lgamma(x), x.Lgamma()},
		"I0": {special.I0(x), x.I0()}, "Logit": {special.Logit(x, special.LogitOptions{Eps: new(0.3)}), special.Logit(x.Clamp(0.3, 0.7))},
	} {
		if !lucid.Equal(pair[0], pair[1]) {
			t.Errorf("%s differs: %v and %v", name, pair[0], pair[1])
		}
	}
	if err := lucid.Try(func() { special.Xlogy((*lucid.Tensor)(nil), 1) }); err == nil {
		t.Error("a nil tensor is accepted")
	}
}

func TestGradient(t *testing.T) {
	x := lucid.New([]float64{0.5}, 1)
	g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return special.Zeta(2, x).Sum() })(x)
	h := 1e-5
	z := func(x float64) float64 { return special.Zeta(2.0, lucid.New([]float64{x})).Item() }
	if want := (z(0.5+h) - z(0.5-h)) / (2 * h); math.Abs(g.Item()-want) > 1e-6*math.Abs(want) {
		t.Errorf("the derivative of zeta is %v, want %v", g.Item(), want)
	}
}
