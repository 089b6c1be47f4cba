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

// TestEdges has the values at poles and infinities.
func TestEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	at := func(x float64) *lucid.Tensor { return lucid.New([]float64{x}) }
	same := func(x, y float64) bool { return x == y || x != x && y != y }
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"i0(Inf)", special.I0(at(inf)).Item(), inf}, {"i0(-Inf)", special.I0(at(-inf)).Item(), inf},
		{"i1(Inf)", special.I1(at(inf)).Item(), inf}, {"i1(-Inf)", special.I1(at(-inf)).Item(), -inf},
		{"i1(NaN)", special.I1(at(nan)).Item(), nan},
		{"polygamma(1, 0)", special.Polygamma(at(0), 1).Item(), inf}, {"polygamma(1, -2)", special.Polygamma(at(-2), 1).Item(), inf},
		{"polygamma(2, 0)", special.Polygamma(at(0), 2).Item(), -inf}, {"polygamma(1, Inf)", special.Polygamma(at(inf), 1).Item(), 0},
		{"zeta(1, 2)", special.Zeta(at(1), 2.0).Item(), inf}, {"zeta(0.5, 2)", special.Zeta(at(0.5), 2.0).Item(), nan},
		{"zeta(3, -1)", special.Zeta(at(3), -1.0).Item(), inf}, {"zeta(2.5, -0.5)", special.Zeta(at(2.5), -0.5).Item(), nan},
		{"legendre(3, -2)", special.LegendrePolynomialP(at(3), -2).Item(), 0},
		{"chebyshev t(-7, -1)", special.ChebyshevPolynomialT(at(-7), -1).Item(), 0},
		{"laguerre(1e300, -5)", special.LaguerrePolynomialL(at(1e300), -5).Item(), 0},
		{"airy(Inf)", special.AiryAi(at(inf)).Item(), 0}, {"airy(1e300)", special.AiryAi(at(1e300)).Item(), 0},
		{"erfcinv(0)", special.Erfcinv(at(0)).Item(), inf},
		{"erfcinv(2)", special.Erfcinv(at(2)).Item(), -inf},
		{"erfcinv(3)", special.Erfcinv(at(3)).Item(), nan}, {"gammainc(0, 1)", special.Gammainc(at(0), 1.0).Item(), 1},
		{"gammainc(1, -1)", special.Gammainc(at(1), -1.0).Item(), nan}, {"betainc(1, 1, 2)", special.Betainc(1.0, 1.0, at(2)).Item(), nan},
	} {
		if !same(c.got, c.want) {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}

// TestDerivativesFarOut has first and second derivatives where simple formulas overflow or cancel.
func TestDerivativesFarOut(t *testing.T) {
	for _, c := range []struct {
		name             string
		f                func(x *lucid.Tensor) *lucid.Tensor
		x, first, second float64
	}{
		// With t large, the derivative of log Φ(-t) by -t is t + 1/t - 2/t³ + …, its slope -1 + 1/t² - 6/t⁴ + ….
		{"log_ndtr", special.LogNdtr, -1e3, 1000.00099999800001, -0.99999900000599995},
		{"log_ndtr", special.LogNdtr, -1e8, 1e8, -1}, {"log_ndtr", special.LogNdtr, -1e200, 1e200, -1},
		{"log_ndtr", special.LogNdtr, 20, 5.5209483621597632e-88, -1.1041896724319526e-86}, {"log_ndtr", special.LogNdtr, 60, 0, 0},
		{"log_ndtr", special.LogNdtr, 0, math.Sqrt(2 / math.Pi), -2 / math.Pi},
		{"digamma", special.Digamma, 1e10, 1.00000000005e-10, -1.0000000001e-20}, {"digamma", special.Digamma, 1e200, 1e-200, 0},
		{"erfcx", special.Erfcx, 1e6, -5.6418958354691e-13, 1.128379167092127e-18},
		{"i1", special.I1, 800, math.Inf(1), math.Inf(1)},
	} {
		x := lucid.New([]float64{c.x})
		sum := func(f func(x *lucid.Tensor) *lucid.Tensor) func(x *lucid.Tensor) *lucid.Tensor {
			return func(x *lucid.Tensor) *lucid.Tensor { return f(x).Sum() }
		}
		g := lucid.Grad(sum(c.f))
		first, second := g(x).Item(), lucid.Grad(sum(g))(x).Item()
		if !(first == c.first || math.Abs(first-c.first) <= 1e-11*math.Abs(c.first)) {
			t.Errorf("%s has the derivative %v at %v, want %v", c.name, first, c.x, c.first)
		}
		if c.name == "i1" {
			continue // its second derivative is a difference of infinities
		}
		if !(second == c.second || math.Abs(second-c.second) <= 1e-11*math.Abs(c.second)) {
			t.Errorf("%s has the second derivative %v at %v, want %v", c.name, second, c.x, c.second)
		}
	}
}

// TestFloat32Facts has two that were wrong: the slope of sinc near 0, and y0 of subnormal numbers.
func TestFloat32Facts(t *testing.T) {
	x := lucid.New([]float32{1e-4})
	g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Sinc(x).Sum() })(x).Item()
	if want := -math.Pi * math.Pi / 3 * 1e-4; math.Abs(g-want) > 1e-5*math.Abs(want) {
		t.Errorf("the slope of sinc at 1e-4 is %v, want %v", g, want)
	}
	if y, want := special.BesselY0(lucid.New([]float32{1e-40})).Item(),
		2/math.Pi*(math.Log(float64(float32(1e-40))/2)+0.5772156649015329); math.Abs(y-want) > 1e-5 {
		t.Errorf("y0(1e-40) is %v, want %v", y, want)
	}
}
