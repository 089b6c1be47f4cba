package special

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
)

// TestValues compares with values computed to 30 digits by mpmath; one, where its zeta is wrong, by summing.
func TestValues(t *testing.T) {
	pick := func(n int) func(float64) float64 { return func(x float64) float64 { return Polygamma(n, x) } }
	zeta := func(s float64) func(float64) float64 { return func(q float64) float64 { return Zeta(s, q) } }
	for _, c := range values {
		f := map[string]func(float64) float64{"digamma": Digamma, "polygamma1": pick(1), "polygamma2": pick(2), "polygamma5": pick(5),
			"zeta1.5": zeta(1.5), "zeta3": zeta(3), "zeta30": zeta(30), "i0": I0, "i0e": I0e, "i1": I1, "i1e": I1e, "k0": K0, "k1": K1,
			"k0e": K0e, "k1e": K1e,
			"erfcx": Erfcx, "log_ndtr": LogNdtr, "ndtri": Ndtri, "log": Log, "log10": Log10}[c.f]
		got := f(c.x)
		if e := math.Abs(got-c.want) / math.Abs(c.want); !(e < 1e-14) {
			t.Errorf("%s(%v) = %v, want %v: relative error %.1e", c.f, c.x, got, c.want, e)
		}
	}
}

// TestPolynomial compares with closed forms, and derivatives with differences.
func TestPolynomial(t *testing.T) {
	const x = 0.37
	a := math.Acos(x)
	b := math.Acos(2*x - 1)
	for _, c := range []struct {
		f    attr.Family
		n    float64
		want float64
	}{
		{attr.ChebyshevT, 7, math.Cos(7 * a)},
		{attr.ChebyshevU, 7, math.Sin(8*a) / math.Sin(a)},
		{attr.ChebyshevV, 7, math.Cos(7.5*a) / math.Cos(a/2)},
		{attr.ChebyshevW, 7, math.Sin(7.5*a) / math.Sin(a/2)},
		{attr.ShiftedChebyshevT, 5, math.Cos(5 * b)},
		{attr.ShiftedChebyshevU, 5, math.Sin(6*b) / math.Sin(b)},
		{attr.ShiftedChebyshevV, 5, math.Cos(5.5*b) / math.Cos(b/2)},
		{attr.ShiftedChebyshevW, 5, math.Sin(5.5*b) / math.Sin(b/2)},
		{attr.HermiteH, 4, 16*math.Pow(x, 4) - 48*x*x + 12},
		{attr.HermiteHe, 4, math.Pow(x, 4) - 6*x*x + 3},
		{attr.Laguerre, 3, (-x*x*x + 9*x*x - 18*x + 6) / 6},
		{attr.Legendre, 4, (35*math.Pow(x, 4) - 30*x*x + 3) / 8},
		{attr.Legendre, 0, 1}, {attr.Legendre, -1, 0}, {attr.HermiteH, 1.9, 2 * x},
	} {
		if got := Polynomial(attr.Polynomial{Family: c.f}, x, c.n); math.Abs(got-c.want) > 1e-13*(1+math.Abs(c.want)) {
			t.Errorf("family %d, degree %v: %v, want %v", c.f, c.n, got, c.want)
		}
		for k := 1; k < 4; k++ {
			const h = 1e-5
			f := func(x float64) float64 { return Polynomial(attr.Polynomial{Family: c.f, Derivative: k - 1}, x, c.n) }
			got, want := Polynomial(attr.Polynomial{Family: c.f, Derivative: k}, x, c.n), (f(x+h)-f(x-h))/(2*h)
			if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("family %d, degree %v, derivative %d: %v, want %v", c.f, c.n, k, got, want)
			}
		}
	}
}

// TestY0Subnormal compares with the first term of the series, down to the smallest number.
func TestY0Subnormal(t *testing.T) {
	for _, x := range []float64{5e-324, 1e-310, 0x1p-1023, 0x1p-1022, 1e-300} {
		want := 2 / math.Pi * (math.Log(x*0x1p600) - 601*math.Ln2 + 0.57721566490153286)
		if got := Y0(x); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("y0(%g) is %v, want %v", x, got, want)
		}
	}
}

// TestErfcxDerivative compares with differences of the order below.
func TestErfcxDerivative(t *testing.T) {
	for _, x := range []float64{-2, 0, 0.3, 0.49, 0.51, 0.9, 2, 7, 40} {
		for n := 1; n < 5; n++ {
			h := 1e-4 * (1 + math.Abs(x))
			want := (ErfcxDerivative(n-1, x+h) - ErfcxDerivative(n-1, x-h)) / (2 * h)
			if got := ErfcxDerivative(n, x); !(math.Abs(got-want) <= 1e-6*math.Abs(want)) {
				t.Errorf("derivative %d at %v is %v, want %v", n, x, got, want)
			}
		}
	}
}

// TestErfcxDerivativeFarOut compares with the first term of the series: the recurrence grows by a factor x in each step.
func TestErfcxDerivativeFarOut(t *testing.T) {
	for _, x := range []float64{1e9, 1e11, 1e30, 1e100, 1e300} {
		for n, want := 1, -1/(x*math.Sqrt(math.Pi))/x; n < 4; n, want = n+1, -want*float64(n+1)/x {
			if got := ErfcxDerivative(n, x); !(math.Abs(got-want) <= 1e-14*math.Abs(want)) {
				t.Errorf("derivative %d at %v is %v, want %v", n, x, got, want)
			}
		}
	}
}
