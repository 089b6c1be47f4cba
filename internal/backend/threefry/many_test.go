package threefry

import (
	"math"
	"testing"
)

// many is a sampler of numbers of events.
type many interface {
	Decide(res []float64, at, again []int32, k, t []float64, pairs *Pairs) int
	Invert(res []float64, x, y []int32)
	Regular() (*Law, bool)
	Draw(s *Stream) float64
}

// drawMany draws n elements together.
func drawMany(s many, n int) []float64 {
	res, at, again := make([]float64, n), make([]int32, n), make([]int32, n)
	for i := range at {
		at[i] = int32(i)
	}
	law, _ := s.Regular()
	for next := 0; len(at) > 0; next += 2 {
		var p Pairs
		for j := range 2 {
			p.X[j], p.Y[j] = make([]int32, len(at)), make([]int32, len(at))
			for k, i := range at {
				x, y := Hash(1, 2, uint32(i), uint32(next+j))
				p.X[j][k], p.Y[j][k] = int32(x), int32(y)
			}
		}
		if law == nil {
			s.Invert(res, p.X[0], p.Y[0])
			return res
		}
		k, t := make([]float64, len(at)), make([]float64, len(at))
		for j := range k {
			var us, v float64
			if k[j], us, v, t[j] = law.attempt(p.word(0, j), p.word(1, j)); us < 0.013 {
				t[j] = math.Inf(1)
			} else if us >= 0.07 && v <= law.Quick {
				t[j] = 0
			}
		}
		left := s.Decide(res, at, again, k, t, &p)
		at, again = again[:left], at[:cap(at)]
	}
	return res
}

// TestMany: elements sampled together, with tables that grow, are those sampled one by one; also after other parameters.
func TestMany(t *testing.T) {
	var b BinomialSampler
	var p PoissonSampler
	check := func(s many, fresh func(s *Stream) float64, n int, what ...float64) {
		t.Helper()
		if _, ok := s.Regular(); !ok {
			t.Fatalf("%v is not served", what)
		}
		for i, got := range drawMany(s, n) {
			e := Element(1, 2, uint64(i))
			if want := fresh(&e); got != want {
				t.Fatalf("%T %v: element %d is %v, want %v", s, what, i, got, want)
			}
			if e := Element(1, 2, uint64(i)); i%17 == 0 && s.Draw(&e) != got {
				t.Fatalf("%T %v: element %d alone is another", s, what, i)
			}
		}
	}
	for _, n := range []int{9, 5000} {
		for _, c := range [][2]float64{{100, 0.3}, {100, 0.7}, {30, 0.2}, {30, 0.9}, {64, 0.5}, {1022, 0.5}, {1023, 0.25}, {1024, 0.75},
			{1e6, 0.4}, {1e6, 1e-5}, {100, 0.31}} {
			b.Set(c[0], c[1])
			check(&b, func(s *Stream) float64 { return s.Binomial(c[0], c[1]) }, n, c[0], c[1])
		}
		for _, rate := range []float64{0.1, 4, 9.9, 10, 31, 900, 1100, 1e5, 12} {
			p.Set(rate)
			check(&p, func(s *Stream) float64 { return s.Poisson(rate) }, n, rate)
		}
	}
}
