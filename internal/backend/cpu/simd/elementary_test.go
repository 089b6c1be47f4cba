package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// elementaries are the functions that are evaluated in float64 for both types, with package math's as reference where that is
// accurate enough.
var elementaries = []struct {
	name       string
	f32, twin1 func(z, x []float32)
	f64, twin2 func(z, x []float64)
	ref        func(float64) float64
	ulp        float64 // of float64; float32 is rounded once
}{
	{"Atan", AtanF32, atanF32Generic, AtanF64, atanF64Generic, math.Atan, 2},
	{"Asin", AsinF32, asinF32Generic, AsinF64, asinF64Generic, math.Asin, 2},
	{"Acos", AcosF32, acosF32Generic, AcosF64, acosF64Generic, math.Acos, 2},
	{"Sinh", SinhF32, sinhF32Generic, SinhF64, sinhF64Generic, sinhOf, 2},
	{"Cosh", CoshF32, coshF32Generic, CoshF64, coshF64Generic, math.Cosh, 2},
	{"Asinh", AsinhF32, asinhF32Generic, AsinhF64, asinhF64Generic, math.Asinh, 2},
	{"Acosh", AcoshF32, acoshF32Generic, AcoshF64, acoshF64Generic, math.Acosh, 2},
	{"Atanh", AtanhF32, atanhF32Generic, AtanhF64, atanhF64Generic, math.Atanh, 2},
	{"Log10", Log10F32, log10F32Generic, Log10F64, log10F64Generic, func(x float64) float64 { return logOf(x) / math.Ln10 }, 2},
	{"Logit", LogitF32, logitF32Generic, LogitF64, logitF64Generic, func(x float64) float64 { return logOf(x) - math.Log1p(-x) }, 2.2},
	{"Erfc", ErfcF32, erfcF32Generic, ErfcF64, erfcF64Generic, math.Erfc, 3},
	{"Tan", TanF32, tanF32Generic, TanF64, tanF64Generic, math.Tan, 2.2},
	{"Erf", nil, nil, ErfF64, erfF64Generic, math.Erf, 2},
	{"Gelu", nil, nil, GeluF64, geluF64Generic, func(x float64) float64 { return 0.5 * x * math.Erfc(-x/math.Sqrt2) }, 4},
	{"Exp2", nil, nil, Exp2F64, exp2F64Generic, math.Exp2, 2},
	{"Expm1", nil, nil, Expm1F64, expm1F64Generic, math.Expm1, 2},
	{"Log1p", nil, nil, Log1pF64, log1pF64Generic, math.Log1p, 2},
	{"Log2", nil, nil, Log2F64, log2F64Generic, func(x float64) float64 { return logOf(x) / math.Ln2 }, 2},
}

// sinhOf is math.Sinh, which is off by some units between 0.5 and 21.
func sinhOf(x float64) float64 {
	if a := math.Abs(x); a < 20 {
		m := math.Expm1(a)
		return math.Copysign((m+m/(m+1))/2, x)
	}
	return math.Sinh(x)
}

func init() {
	for _, w := range elementaries {
		doubles[w.name+"F64"] = double{w.f64, w.twin2, w.ref, w.ulp}
	}
}

func TestElementary(t *testing.T) {
	for _, w := range elementaries {
		if w.f32 != nil {
			testUnary(t, w.name+"F32", w.f32, w.twin1)
		}
	}
	for name, f := range map[string][2]func(z, x, y []float32){"Atan2F32": {Atan2F32, atan2F32Generic},
		"HypotF32": {HypotF32, hypotF32Generic}, "LogAddExpF32": {LogAddExpF32, logAddExpF32Generic},
		"FmodF32": {FmodF32, fmodF32Generic}, "RemainderF32": {RemainderF32, remainderF32Generic},
		"FloorDivideF32": {FloorDivideF32, floorDivideF32Generic}} {
		testBinary(t, name, f[0], f[1])
	}
	for name, f := range map[string][2]func(z, x, y []float64){"Atan2F64": {Atan2F64, atan2F64Generic},
		"HypotF64": {HypotF64, hypotF64Generic}, "LogAddExpF64": {LogAddExpF64, logAddExpF64Generic},
		"FmodF64": {FmodF64, fmodF64Generic}, "RemainderF64": {RemainderF64, remainderF64Generic},
		"FloorDivideF64": {FloorDivideF64, floorDivideF64Generic}} {
		testBinary(t, name, f[0], f[1])
	}
}

// TestElementaryULP holds the float32 forms against float64, over all of their range: they are rounded once, so that they are
// next to never off by more than half a unit.
func TestElementaryULP(t *testing.T) {
	for _, w := range elementaries {
		if w.f32 == nil {
			continue
		}
		worst, at := 0.0, float32(0)
		var x, z [4096]float32
		for u := uint64(0); u < 1<<32; {
			for i := range x {
				x[i] = math.Float32frombits(uint32(u))
				u += 4001
			}
			w.f32(z[:], x[:])
			for i, v := range x {
				if e := ulps(z[i], w.ref(float64(v))); e > worst {
					worst, at = e, v
				}
			}
		}
		t.Logf("%s: %.3f ulp at %v", w.name, worst, at)
		if worst > 0.502 {
			t.Errorf("%s: %.3f ulp at %v", w.name, worst, at)
		}
	}
}

// TestTwoArguments holds the functions of two arguments against package math.
func TestTwoArguments(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ends := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 3, -3, 0.5, 1e-310, 1e308, -1e308,
		math.MaxFloat64, 5e-324, 1e17, 7}
	var xs, ys []float64
	for _, a := range ends {
		for _, b := range ends {
			xs, ys = append(xs, a), append(ys, b)
		}
	}
	for range 20000 {
		s := math.Exp(r.NormFloat64() * 8)
		xs, ys = append(xs, r.NormFloat64()*s), append(ys, r.NormFloat64())
	}
	for _, c := range []struct {
		name string
		f    func(z, x, y []float64)
		ref  func(x, y float64) float64
		ulp  float64
	}{{"atan2", Atan2F64, math.Atan2, 2}, {"hypot", HypotF64, math.Hypot, 2}, {"fmod", FmodF64, math.Mod, 0},
		{"remainder", RemainderF64, remainderFar64, 0}, {"floor_divide", FloorDivideF64, floorDivideFar64, 0},
		{"logaddexp", LogAddExpF64, func(x, y float64) float64 {
			if x == y {
				return x + math.Ln2
			}
			return max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
		}, 3}} {
		asmvariant.ForEach(t, "simd", func(variant string) {
			z := make([]float64, len(xs))
			c.f(z, xs, ys)
			for i, got := range z {
				want := c.ref(xs[i], ys[i])
				if got == want && math.Signbit(got) == math.Signbit(want) || got != got && want != want {
					continue
				}
				a := math.Abs(want)
				if c.name == "logaddexp" {
					a = max(a, 1) // it goes through zero, where its terms do not
				}
				if e := math.Abs(got-want) / (math.Nextafter(a, math.Inf(1)) - a); !(e <= c.ulp) {
					t.Fatalf("%s, %s(%v, %v) = %v, want %v, off by %.1f", variant, c.name, xs[i], ys[i], got, want, e)
				}
			}
		})
	}
}
