package threefry

import (
	"bytes"
	"math"
	"testing"
)

// TestHash pins the known answers of Random123's Threefry-2x32-20.
func TestHash(t *testing.T) {
	for _, c := range [][6]uint32{
		{0, 0, 0, 0, 0x6b200159, 0x99ba4efe},
		{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x1cb996fc, 0xbb002be7},
		{0x13198a2e, 0x03707344, 0x243f6a88, 0x85a308d3, 0xc4923a9c, 0x483df7a0},
	} {
		if x, y := Hash(c[0], c[1], c[2], c[3]); x != c[4] || y != c[5] {
			t.Errorf("Hash(%x) = %08x %08x, want %08x %08x", c[:4], x, y, c[4], c[5])
		}
	}
}

// TestFillPart fills in parts of every size and compares with the definition of the order.
func TestFillPart(t *testing.T) {
	for n := range 70 {
		words := (n + 3) / 4
		want := make([]byte, 4*words)
		half := words / 2
		step := words - half
		for i := range half {
			x, y := Hash(7, 9, uint32(i), uint32(i+step))
			put(want, i, x)
			put(want, i+step, y)
		}
		if words%2 == 1 {
			x, _ := Hash(7, 9, uint32(half), 0)
			put(want, half, x)
		}
		for part := 1; part <= 9; part++ {
			got := make([]byte, n)
			for lo := 0; lo < Hashes(n); lo += part {
				FillPart(7, 9, got, lo, min(lo+part, Hashes(n)))
			}
			if !bytes.Equal(got, want[:n]) {
				t.Fatalf("%d bytes in parts of %d: %x, want %x", n, part, got, want[:n])
			}
		}
	}
}

// moments of n draws.
func moments(n int, f func(s *Stream) float64) (mean, variance float64) {
	sum, sq := 0.0, 0.0
	for i := range n {
		s := Element(1, 2, uint64(i))
		v := f(&s)
		sum += v
		sq += v * v
	}
	mean = sum / float64(n)
	return mean, sq/float64(n) - mean*mean
}

func TestSamplers(t *testing.T) {
	const n = 40000
	check := func(name string, mean, variance float64, f func(s *Stream) float64) {
		t.Helper()
		m, v := moments(n, f)
		// Five standard errors; the variance's is wider for skewed laws.
		if math.Abs(m-mean) > 5*math.Sqrt(variance/n)+1e-12 || math.Abs(v-variance) > 0.1*variance+1e-12 {
			t.Errorf("%s: mean %.4f, variance %.4f, want %.4f and %.4f", name, m, v, mean, variance)
		}
	}
	for _, rate := range []float64{0, 0.1, 1, 9.9, 10, 30, 1e4, 1e9} {
		check("poisson", rate, rate, func(s *Stream) float64 { return s.Poisson(rate) })
	}
	for _, c := range [][2]float64{{0, 0.5}, {1, 0.3}, {20, 0.1}, {20, 0.5}, {20, 0.95}, {100, 0.3}, {1e6, 0.4}, {1e6, 1e-6},
		{5, 0}, {5, 1}} {
		check("binomial", c[0]*c[1], c[0]*c[1]*(1-c[1]), func(s *Stream) float64 {
			k := s.Binomial(c[0], c[1])
			if k < 0 || k > c[0] || k != math.Trunc(k) {
				t.Fatalf("binomial(%v) gives %v", c, k)
			}
			return k
		})
	}
	check("uniform", 0.5, 1.0/12, (*Stream).Float)
	check("below 6", 2.5, 35.0/12, func(s *Stream) float64 { return float64(s.Below(6)) })
	// Where nearly half of all words are too many, rejection shows: without it the lower half would be twice as likely.
	const wide = 3 << 62
	check("below 3·2⁶²", 0.5, 1.0/12, func(s *Stream) float64 { return float64(s.Below(wide)) / float64(uint64(wide)) })
	s := Element(1, 2, 3)
	for _, v := range []float64{s.Poisson(-1), s.Poisson(math.NaN()), s.Poisson(math.Inf(1)), s.Binomial(-1, 0.5), s.Binomial(3, 1.5),
		s.Binomial(3, math.NaN())} {
		if !math.IsNaN(v) {
			t.Errorf("arguments out of range give %v, want NaN", v)
		}
	}
}

func BenchmarkFill(b *testing.B) {
	buf := make([]byte, 1<<16)
	b.SetBytes(1 << 16)
	for b.Loop() {
		Fill(1, 2, buf)
	}
}
