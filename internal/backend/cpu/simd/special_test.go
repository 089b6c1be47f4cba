package simd

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid/internal/backend/special"
)

// specialUnaries are the special functions of one argument with package special's as reference.
var specialUnaries = []struct {
	name    string
	f, twin func(z, x []float32)
	ref     func(float64) float64
	ulp     float64
}{
	{"LgammaF32", LgammaF32, lgammaF32Generic, special.Lgamma, 0.51},
	{"DigammaF32", DigammaF32, digammaF32Generic, special.Digamma, 0.52},
	{"TrigammaF32", TrigammaF32, trigammaF32Generic, func(x float64) float64 { return special.Polygamma(1, x) }, 0.52},
	{"NdtrF32", NdtrF32, ndtrF32Generic, special.Ndtr, 0.51},
	{"ErfcxF32", ErfcxF32, erfcxF32Generic, special.Erfcx, 0.51},
	{"ErfinvF32", ErfinvF32, erfinvF32Generic, math.Erfinv, 1.3},
	{"NdtriF32", NdtriF32, ndtriF32Generic, special.Ndtri, 2.6},
	{"LogNdtrF32", LogNdtrF32, logNdtrF32Generic, special.LogNdtr, 0.51},
	{"BesselI0F32", BesselI0F32, besselI0F32Generic, special.I0, 0.51},
	{"BesselI1F32", BesselI1F32, besselI1F32Generic, special.I1, 0.52},
	{"BesselI0eF32", BesselI0eF32, besselI0eF32Generic, special.I0e, 0.51},
	{"BesselI1eF32", BesselI1eF32, besselI1eF32Generic, special.I1e, 0.52},
}

func TestSpecial(t *testing.T) {
	for _, w := range specialUnaries {
		testUnary(t, w.name, w.f, w.twin)
	}
	testBinary(t, "ZetaF32", ZetaF32, zetaF32Generic)
	testBinary(t, "GammaincF32", GammaincF32, gammaincF32Generic)
	testBinary(t, "BetaF32", BetaF32, betaF32Generic)
	testBinary(t, "BetalnF32", BetalnF32, betalnF32Generic)
	testBinary(t, "GammaincLowF32", GammaincLowF32, gammaincLowF32Generic)
}

// TestSpecialULP holds the kernels against float64 over all of float32.
func TestSpecialULP(t *testing.T) {
	step := uint64(400009)
	if testing.Short() {
		step = 4000037
	}
	for _, w := range specialUnaries {
		worst, at := 0.0, float32(0)
		var x, z [256]float32
		for u := uint64(0); u < 1<<32; {
			for i := range x {
				x[i] = math.Float32frombits(uint32(u))
				u += step
			}
			w.f(z[:], x[:])
			for i, v := range x {
				if e := ulps(z[i], w.ref(float64(v))); !(e <= worst) {
					worst, at = e, v
				}
			}
		}
		t.Logf("%s: %.3f ulp at %v", w.name, worst, at)
		if !(worst <= w.ulp) {
			t.Errorf("%s: %.3f ulp at %v", w.name, worst, at)
		}
	}
}

// TestLgammaHigh: the kernel of large arguments has the bits of the one of all.
func TestLgammaHigh(t *testing.T) {
	testUnary(t, "LgammaHighF32", LgammaHighF32, lgammaHighF32Generic)
	var x, all, high [1000]float32
	for u := math.Float32bits(LgammaSplit); u < math.Float32bits(float32(math.Inf(1))); {
		for i := range x {
			x[i] = math.Float32frombits(min(u, math.Float32bits(float32(math.Inf(1)))))
			u += 3001
		}
		LgammaF32(all[:], x[:])
		LgammaHighF32(high[:], x[:])
		if all != high {
			t.Fatalf("from %v on: other bits", x[0])
		}
	}
}

// TestSpecialPairs holds the functions of two arguments against float64 on a grid with edges.
func TestSpecialPairs(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	var grid []float32
	for v := float32(0.003); v < 3000; v *= 1.07 {
		grid = append(grid, v)
	}
	grid = append(grid, 0, -1, -0.5, 1, 2, 12, 18, inf, -inf, nan, 1e-38, 1e20)
	var x, y []float32
	for _, a := range grid {
		for _, b := range grid {
			x, y = append(x, a), append(y, b)
		}
	}
	z := make([]float32, len(x))
	for _, w := range []struct {
		name string
		f    func(z, x, y []float32)
		ref  func(x, y float64) float64
	}{{"zeta", ZetaF32, special.Zeta}, {"gammainc", GammaincF32, special.Gammainc},
		{"gammaincLow", GammaincLowF32, special.Gammainc}, {"beta", BetaF32, special.Beta},
		{"betaln", BetalnF32, special.Betaln}} {
		w.f(z, x, y)
		worst, at := 0.0, 0
		for i := range z {
			want := w.ref(float64(x[i]), float64(y[i]))
			if math.Abs(want) < 1e-37 {
				continue // float32 has fewer bits there
			}
			if w.name == "betaln" && math.Abs(want) < 1 && math.Abs(float64(z[i])-want) < 1e-8 {
				continue // near its zero the error is that of its terms
			}
			if e := ulps(z[i], want); !(e <= worst) {
				worst, at = e, i
			}
		}
		t.Logf("%s: %.3f ulp at %v, %v", w.name, worst, x[at], y[at])
		if !(worst <= 1) {
			t.Errorf("%s: %.3f ulp at %v, %v", w.name, worst, x[at], y[at])
		}
	}
}

func BenchmarkSpecial(b *testing.B) {
	x, y, z := make([]float32, 1024), make([]float32, 1024), make([]float32, 1024)
	for i := range x {
		x[i], y[i] = 0.5+9.5*float32(i*37%1024)/1024, 0.5+9.5*float32(i*101%1024)/1024
	}
	high := make([]float32, 1024)
	for i := range high {
		high[i] = LgammaSplit + x[i]
	}
	p := make([]float32, 1024)
	for i := range p {
		p[i] = (float32(i) + 0.5) / 1024
	}
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/element")
		})
	}
	for _, w := range specialUnaries {
		in := x
		if w.name == "NdtriF32" || w.name == "ErfinvF32" {
			in = p
		}
		run(w.name, func() { w.f(z, in) })
	}
	run("GammaincF32", func() { GammaincF32(z, x, y) })
	run("LgammaHighF32", func() { LgammaHighF32(z, high) })
	run("GammaincLowF32", func() { GammaincLowF32(z, x, y) })
	for i := range x {
		x[i]++
	}
	run("ZetaF32", func() { ZetaF32(z, x, y) })
}
