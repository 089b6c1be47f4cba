package simd

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// double is a float64 function, its twin, its meaning at special arguments and the error it may have.
type double struct {
	f, twin func(z, x []float64)
	ref     func(float64) float64
	ulp     float64
}

var doubles = map[string]double{
	"ExpF64":     {ExpF64, expF64Generic, math.Exp, 1},
	"LogF64":     {LogF64, logF64Generic, logOf, 1},
	"TanhF64":    {TanhF64, tanhF64Generic, math.Tanh, 2},
	"SigmoidF64": {SigmoidF64, sigmoidF64Generic, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 2},
	"SinF64":     {SinF64, sinF64Generic, math.Sin, 1.6},
	"CosF64":     {CosF64, cosF64Generic, math.Cos, 1.6},
}

// logOf is math.Log, whose assembly on some machines forgets subnormal numbers.
func logOf(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

func TestDouble(t *testing.T) {
	for name, d := range doubles {
		testUnary(t, name, d.f, d.twin)
	}
}

// TestDoubleULP compares with results that were computed to 60 digits: see scripts/simd_f64_table.py.
func TestDoubleULP(t *testing.T) {
	f, err := os.Open("testdata/f64.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	worst := map[string]float64{}
	for s := bufio.NewScanner(f); s.Scan(); {
		w := strings.Fields(s.Text())
		x, want, left := number(w[1]), number(w[2]), number(w[3])
		d := doubles[w[0]]
		asmvariant.ForEach(t, "simd", func(variant string) {
			var z [1]float64
			d.f(z[:], []float64{x})
			a := math.Abs(want)
			ulp := math.Nextafter(a, math.Inf(1)) - a
			e := math.Abs((z[0]-want)/ulp - left)
			worst[w[0]] = max(worst[w[0]], e)
			if !(e <= d.ulp) {
				t.Errorf("%s, %s(%x) = %x, want %x: off by %.2f ulp", variant, w[0], x, z[0], want, e)
			}
		})
	}
	for name, d := range doubles {
		if worst[name] == 0 {
			t.Errorf("%s has no line in the table", name)
		}
		t.Logf("%s: %.3f ulp, at most %v allowed", name, worst[name], d.ulp)
	}
}

// TestDoubleEdges holds special arguments against package math.
func TestDoubleEdges(t *testing.T) {
	x := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -5e-324, 1e-310, 1, -1, 710, -746, 745, -745.2,
		1e300, -1e300, 1 << 21, -(1 << 21), math.MaxFloat64, 0x1p-1022}
	z := make([]float64, len(x))
	asmvariant.ForEach(t, "simd", func(variant string) {
		for name, d := range doubles {
			d.f(z, x)
			for i, v := range x {
				want := d.ref(v)
				near := math.Abs(z[i]-want) <= 4e-16*math.Abs(want)+5e-324
				if same(z[i], want) || near && math.Signbit(z[i]) == math.Signbit(want) {
					continue
				}
				t.Errorf("%s, %s(%v) = %v, want %v", variant, name, v, z[i], want)
			}
		}
	})
}
