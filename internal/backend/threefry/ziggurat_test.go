package threefry

import (
	"math"
	"slices"
	"testing"
)

// TestLayerEnds recomputes the table: layers of equal area under exp(-x²/2).
func TestLayerEnds(t *testing.T) {
	f := func(x float64) float64 { return math.Exp(-x * x / 2) }
	r := layerEnds[1]
	area := r*f(r) + math.Sqrt(math.Pi/2)*math.Erfc(r/math.Sqrt2)
	if d := layerEnds[0]*f(r) - area; math.Abs(d) > 1e-15 {
		t.Errorf("the first layer is off by %v", d)
	}
	for i := 1; i < 256; i++ {
		if got := layerEnds[i] * (f(layerEnds[i+1]) - f(layerEnds[i])); math.Abs(got/area-1) > 1e-11 {
			t.Errorf("layer %d has area %v, want %v", i, got, area)
		}
	}
}

// distance is the largest difference of the distribution function of samples from f.
func distance(n int, draw func(s *Stream) float64, f func(x float64) float64) float64 {
	x := make([]float64, n)
	for i := range x {
		s := Element(3, 4, uint64(i))
		x[i] = draw(&s)
	}
	slices.Sort(x)
	most := 0.0
	for i, v := range x {
		most = max(most, math.Abs(f(v)-float64(i)/float64(n)))
	}
	return most
}

// TestContinuous compares samples with distribution functions (Kolmogorov and Smirnov): 1.95/√n is exceeded once in a thousand runs.
func TestContinuous(t *testing.T) {
	const n = 40000
	check := func(name string, draw func(s *Stream) float64, f func(x float64) float64) {
		t.Helper()
		if d := distance(n, draw, f); d > 1.95/math.Sqrt(n) {
			t.Errorf("%s: the largest difference is %v", name, d)
		}
	}
	check("normal", (*Stream).Normal, func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 })
	gamma := func(alpha float64) func(s *Stream) float64 {
		var g GammaSampler
		g.Set(alpha)
		return g.Draw
	}
	check("gamma 1", gamma(1), func(x float64) float64 { return -math.Expm1(-x) })
	check("gamma 2", gamma(2), func(x float64) float64 { return 1 - math.Exp(-x)*(1+x) })
	check("gamma ½", gamma(0.5), func(x float64) float64 { return math.Erf(math.Sqrt(x)) })
	var v VonMisesSampler
	v.Set(0)
	check("von Mises 0", v.Draw, func(x float64) float64 { return (x + math.Pi) / (2 * math.Pi) })
	// The tail beyond the ziggurat: 2.6 of 10⁴ samples.
	beyond := 0
	for i := range 200000 {
		s := Element(3, 4, uint64(i))
		if math.Abs(s.Normal()) > layerEnds[1] {
			beyond++
		}
	}
	if want := 200000 * math.Erfc(layerEnds[1]/math.Sqrt2); math.Abs(float64(beyond)-want) > 5*math.Sqrt(want) {
		t.Errorf("%d samples beyond %v, want about %v", beyond, layerEnds[1], want)
	}
}

// TestAttempt: words hashed before and the first attempt change no sample.
func TestAttempt(t *testing.T) {
	var g GammaSampler
	accepted := 0
	for i := range 20000 {
		g.Set(1 + float64(i%7)/2)
		a := Element(8, 9, uint64(i))
		w0, w1, w2 := a.Word(), a.Word(), a.Word()
		b := Element(8, 9, uint64(i))
		want := g.Draw(&b)
		if square, v, u, some := g.Attempt(w0, w1); some && g.Accepts(square, v, math.Log(u), math.Log(v)) {
			if accepted++; g.Of(v) != want {
				t.Fatalf("element %d: the first attempt gives %v, want %v", i, g.Of(v), want)
			}
		}
		var c Stream
		if c.Start(8, 9, uint64(i), w0, w1, w2, 2); g.Draw(&c) != want {
			t.Fatalf("element %d: words hashed before give another sample", i)
		}
	}
	if accepted < 18000 {
		t.Errorf("the first attempt is accepted for %d of 20000", accepted)
	}
}
