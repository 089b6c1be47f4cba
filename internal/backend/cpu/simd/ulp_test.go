package simd

import (
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// accuracy is a float32 function with its meaning in float64 and the error it may have.
type accuracy struct {
	name string
	f    func(z, x []float32)
	ref  func(x float64) float64
	ulp  float64
}

// The bounds were found by LUCID_LONG=1, which tries every float32, and rounded up.
var accuracies = []accuracy{
	{"ExpF32", ExpF32, math.Exp, 1.1},
	{"Exp2F32", Exp2F32, math.Exp2, 0.9},
	{"Expm1F32", Expm1F32, math.Expm1, 1.6},
	{"LogF32", LogF32, math.Log, 1},
	{"Log2F32", Log2F32, math.Log2, 2},
	{"Log1pF32", Log1pF32, math.Log1p, 1},
	{"TanhF32", TanhF32, math.Tanh, 1.4},
	{"SigmoidF32", SigmoidF32, sigmoid, 2},
	{"SiluF32", SiluF32, func(x float64) float64 { return xTimes(x, sigmoid(x)) }, 1.2},
	{"ErfF32", ErfF32, math.Erf, 1.1},
	{"GeluF32", GeluF32, func(x float64) float64 { return x * (math.Erfc(-x/math.Sqrt2) / 2) }, 1.95},
	{"GeluTanhF32", GeluTanhF32, func(x float64) float64 {
		return xTimes(x, sigmoid(2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	}, 1.4},
	{"SinF32", SinF32, math.Sin, 1.6},
	{"CosF32", CosF32, math.Cos, 1.6},
}

func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// xTimes is x*s with the limit -0 at -Inf.
func xTimes(x, s float64) float64 {
	if math.IsInf(x, -1) {
		return math.Copysign(0, -1)
	}
	return x * s
}

// ulps is the distance of got from the exact value in ulps of
// the float32 nearest to it; infinite if they differ in kind.
func ulps(got float32, want float64) float64 {
	w := float32(want)
	switch {
	case want != want || got != got:
		if want != want && got != got {
			return 0
		}
		return math.Inf(1)
	case math.IsInf(float64(w), 0) || math.IsInf(float64(got), 0) || want == 0:
		if math.Float32bits(got) == math.Float32bits(w) {
			return 0
		}
		if want != 0 && !math.IsInf(want, 0) && math.Abs(float64(got)) >= math.MaxFloat32 && math.Abs(want) < math.MaxFloat32*(1+0x1p-23) {
			return 1 // one side of the overflow threshold instead of the other
		}
		return math.Inf(1)
	}
	_, e := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e-24, -149))
}

// TestEdges has the special values and their neighbours go through every function.
func TestEdges(t *testing.T) {
	var x []float32
	for _, u := range edges {
		for d := range uint32(5) {
			x = append(x, math.Float32frombits(u+d-2))
		}
	}
	z := make([]float32, len(x))
	asmvariant.ForEach(t, "simd", func(name string) {
		for _, a := range accuracies {
			a.f(z, x)
			for i, v := range x {
				if e := ulps(z[i], a.ref(float64(v))); e > a.ulp {
					t.Errorf("%s: %s(%v) = %v, want %v", name, a.name, v, z[i], a.ref(float64(v)))
				}
			}
		}
	})
}

// TestULP sweeps the bit patterns of float32 and reports the largest error of each
// function; with LUCID_LONG=1 it takes every one of them. One variant is enough,
// since the twin tests show that all give the same bits.
func TestULP(t *testing.T) {
	step := uint64(1021)
	if os.Getenv("LUCID_LONG") == "1" {
		step = 1
	} else if testing.Short() {
		step = 257 * 257
	}
	for _, a := range accuracies {
		t.Run(a.name, func(t *testing.T) {
			var wg sync.WaitGroup
			type worst struct {
				ulp float64
				x   float32
			}
			part := make([]worst, 2)
			for p := range uint64(2) {
				wg.Go(func() {
					var x, z [2048]float32
					w := &part[p]
					for u := p << 31; u < (p+1)<<31; {
						n := 0
						for ; n < len(x) && u < (p+1)<<31; n++ {
							x[n] = math.Float32frombits(uint32(u))
							u += step
						}
						a.f(z[:n], x[:n])
						for i, v := range x[:n] {
							if e := ulps(z[i], a.ref(float64(v))); e > w.ulp {
								*w = worst{e, v}
							}
						}
					}
				})
			}
			wg.Wait()
			for _, w := range part {
				t.Logf("%.3f ulp at %v (%#x)", w.ulp, w.x, math.Float32bits(w.x))
				if w.ulp > a.ulp {
					t.Errorf("more than %v ulp", a.ulp)
				}
			}
		})
	}
}

// TestPow compares PowF32 with math.Pow: all pairs of special values, and pairs
// whose result is in range.
func TestPow(t *testing.T) {
	var x, y []float32
	special := []float32{0, 0.5, 1, 1.5, 2, 3, 4, 0x1p22 + 0.5, 0x1p23 + 1, 0x1p24, 0x1p24 + 2, 0x1p31, 0x1p-149, 0x1p-126, math.MaxFloat32,
		float32(math.Inf(1)), float32(math.NaN())}
	for _, a := range special {
		special = append(special, -a)
	}
	for _, a := range special {
		for _, b := range special {
			x, y = append(x, a), append(y, b)
		}
	}
	r := rand.New(rand.NewPCG(15, 16))
	for range 1000000 {
		a := float32(math.Exp2(r.Float64()*270 - 145))
		x = append(x, a)
		y = append(y, float32((r.Float64()*290-150)/math.Log2(float64(a))))
	}
	z := make([]float32, len(x))
	PowF32(z, x, y)
	worst := 0.0
	for i := range z {
		want := math.Pow(float64(x[i]), float64(y[i]))
		e := ulps(z[i], want)
		if math.Abs(want) < 0x1p-150 && math.Abs(float64(z[i])) <= 0x1p-149 && math.Signbit(want) == math.Signbit(float64(z[i])) {
			e = 0 // underflow
		}
		if e > 0.6 {
			t.Fatalf("%v ^ %v = %v, want %v", x[i], y[i], z[i], want)
		}
		worst = max(worst, e)
	}
	t.Logf("%.3f ulp", worst)
}
