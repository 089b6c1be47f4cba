package ops

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

// TestZetaTwice compares second derivatives, by both arguments in either order, with ζ”(2) = 1.98928023429890… and with
// differences of first ones; where there is no first derivative by the exponent there is no second.
func TestZetaTwice(t *testing.T) {
	s := lucid.New([]float64{2, 3, 2.5, 30, 1e21, 0.5}, 6)
	q := lucid.New([]float64{1, 0.5, 100, 2, 1, 1}, 6)
	byS := func(s, q *lucid.Tensor) *lucid.Tensor {
		return lucid.Grad(func(s *lucid.Tensor) *lucid.Tensor { return special.Zeta(s, q).Sum() })(s)
	}
	byQ := func(s, q *lucid.Tensor) *lucid.Tensor {
		return lucid.Grad(func(q *lucid.Tensor) *lucid.Tensor { return special.Zeta(s, q).Sum() })(q)
	}
	again := func(f func(x *lucid.Tensor) *lucid.Tensor, x *lucid.Tensor) []float64 {
		return lucid.ToSlice[float64](lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return f(x).Sum() })(x))
	}
	slope := func(f func(x *lucid.Tensor) *lucid.Tensor, x *lucid.Tensor) []float64 {
		return lucid.ToSlice[float64](f(x.Add(1e-5)).Sub(f(x.Sub(1e-5))).Div(2e-5))
	}
	ss := func(s *lucid.Tensor) *lucid.Tensor { return byS(s, q) }
	sq := func(q *lucid.Tensor) *lucid.Tensor { return byS(s, q) }
	qs := func(s *lucid.Tensor) *lucid.Tensor { return byQ(s, q) }
	for what, c := range map[string][2][]float64{
		"ss": {again(ss, s), slope(ss, s)}, "sq": {again(sq, q), slope(sq, q)}, "qs": {again(qs, s), slope(qs, s)},
		"sq, qs": {again(sq, q), again(qs, s)},
	} {
		for i := range 5 {
			if i == 4 && what != "sq, qs" { // too steep for differences
				continue
			}
			if got, want := c[0][i], c[1][i]; !(math.Abs(got-want) <= 1e-6*math.Abs(want)+1e-12) {
				t.Errorf("%s at %d: %v, want %v", what, i, got, want)
			}
		}
	}
	if got := again(ss, s)[0]; math.Abs(got-1.9892802342989010) > 1e-12 {
		t.Errorf("the second derivative at 2 is %.17g", got)
	}
	if a, b := again(ss, s)[5], again(sq, q)[5]; !math.IsNaN(a) || !math.IsNaN(b) {
		t.Errorf("second derivatives below 1 are %v and %v, want NaN", a, b)
	}
}
