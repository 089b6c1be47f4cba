package special

import (
	"math"
	"testing"
)

// TestValues compares with values computed to 30 digits by mpmath; one, where its zeta is wrong, by summing.
func TestValues(t *testing.T) {
	pick := func(n int) func(float64) float64 { return func(x float64) float64 { return Polygamma(n, x) } }
	zeta := func(s float64) func(float64) float64 { return func(q float64) float64 { return Zeta(s, q) } }
	for _, c := range values {
		f := map[string]func(float64) float64{"digamma": Digamma, "polygamma1": pick(1), "polygamma2": pick(2), "polygamma5": pick(5),
			"zeta1.5": zeta(1.5), "zeta3": zeta(3), "zeta30": zeta(30), "i0": I0, "i0e": I0e, "i1": I1, "i1e": I1e, "k0": K0, "k1": K1,
			"erfcx": Erfcx, "log_ndtr": LogNdtr, "ndtri": Ndtri, "log": Log, "log10": Log10}[c.f]
		got := f(c.x)
		if e := math.Abs(got-c.want) / math.Abs(c.want); !(e < 1e-14) {
			t.Errorf("%s(%v) = %v, want %v: relative error %.1e", c.f, c.x, got, c.want, e)
		}
	}
}
