package lucid_test

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/special"
)

// TestZetaByExponent compares the derivative of the zeta function by its exponent with values of the literature:
// ζ'(2) = -0.9375482543158437…, ζ'(3) = -0.1981262428858…, ζ'(4) = -0.0689112658961…
func TestZetaByExponent(t *testing.T) {
	x := lucid.New([]float64{2, 3, 4, 1, 0.5}, 5)
	g := lucid.ToSlice[float64](lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
		return special.Zeta(x, lucid.New([]float64{1, 1, 1, 1, 1}, 5)).Sum()
	})(x))
	for i, want := range []float64{-0.93754825431584375, -0.19812624288563685, -0.068911265896125379} {
		if math.Abs(g[i]-want) > 1e-13 {
			t.Errorf("the derivative at %d is %.17g, want %.17g", i+2, g[i], want)
		}
	}
	if !math.IsNaN(g[3]) || !math.IsNaN(g[4]) {
		t.Errorf("at 1 and below the derivative is %v, want NaN", g[3:])
	}
}
