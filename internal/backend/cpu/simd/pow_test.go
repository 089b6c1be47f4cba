package simd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// exactPower is x^n to many digits, for x > 0.
func exactPower(x float64, n int) *big.Float {
	z, f := big.NewFloat(1).SetPrec(300), new(big.Float).SetPrec(300).SetFloat64(x)
	for k := max(n, -n); k > 0; k >>= 1 {
		if k&1 == 1 {
			z.Mul(z, f)
		}
		f.Mul(f, f)
	}
	if n < 0 {
		z.Quo(big.NewFloat(1).SetPrec(300), z)
	}
	return z
}

// TestPowF64 compares PowF64 with math.Pow, which has lost some bits of large powers, for all pairs of special values,
// and with exact powers: integer ones, and fractions of numbers
// that are eighth powers. What a float64 holds must come out as it is.
func TestPowF64(t *testing.T) {
	testBinary(t, "PowF64", PowF64, powF64Generic)
	var x, y []float64
	special := []float64{0, 0.5, 1, 1.5, 2, 3, 4, 0x1p51 + 0.5, 0x1p52 + 1, 0x1p53, 0x1p53 + 2, 0x1p63, 0x1p-1074, 0x1p-1022,
		math.MaxFloat64, math.Inf(1), math.NaN()}
	for _, a := range special {
		special = append(special, -a)
	}
	for _, a := range special {
		for _, b := range special {
			x, y = append(x, a), append(y, b)
		}
	}
	pairs := len(x)
	var want []*big.Float
	r := rand.New(rand.NewPCG(15, 16))
	for i := range 20000 {
		var n int
		a := math.Exp2(r.Float64()*4-2) * math.Exp2(float64(r.IntN(3)*r.IntN(100)-r.IntN(100)))
		switch l := math.Abs(math.Log2(a)); i % 3 {
		case 0: // all of the range
			n = int((r.Float64()*2 - 1) * min(1020/l, 4000))
			x, y = append(x, a), append(y, float64(n))
		case 1: // small powers of small numbers
			a, n = float64(1+r.IntN(200)), r.IntN(12)
			x, y = append(x, a), append(y, float64(n))
		default:
			a = float64(1+r.IntN(63)) / 16
			n = int((r.Float64()*2 - 1) * 250)
			x, y = append(x, a*a*a*a*a*a*a*a), append(y, float64(n)/8)
		}
		want = append(want, exactPower(a, n))
	}
	asmvariant.ForEach(t, "simd", func(variant string) {
		z := make([]float64, len(x))
		PowF64(z, x, y)
		for i, got := range z[:pairs] {
			w := math.Pow(x[i], y[i])
			if d := math.Abs(got - w); got != w && !(got != got && w != w) && !(d <= math.Abs(w)*0x1p-44) || got == got &&
				math.Signbit(got) != math.Signbit(w) {
				t.Fatalf("%s: %v ^ %v = %v, want %v", variant, x[i], y[i], got, w)
			}
		}
		if PowF64(z[:1], []float64{1 - 0x1p-53}, []float64{0x1p53}); math.Abs(z[0]-math.Exp(-1-0x1p-54)) > 0x1p-54 {
			t.Fatalf("%s: a huge power of a number next to 1 is %v, want 1/e", variant, z[0])
		}
		worst := 0.0
		for i, w := range want {
			got := z[pairs+i]
			near, accuracy := w.Float64()
			if accuracy == big.Exact && got != near {
				t.Fatalf("%s: %v ^ %v = %v, which is %v exactly", variant, x[pairs+i], y[pairs+i], got, near)
			}
			if near < 0x1p-1022 || math.IsInf(near, 0) {
				continue
			}
			off, _ := new(big.Float).Sub(new(big.Float).SetPrec(300).SetFloat64(got), w).Float64()
			worst = max(worst, math.Abs(off)/(math.Nextafter(near, math.Inf(1))-near))
		}
		if t.Logf("%s: %.3f ulp", variant, worst); worst > 0.75 {
			t.Errorf("%s: off by %.3f ulp", variant, worst)
		}
	})
}
