package simd

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// testReduce runs a reduction of one or two inputs against its twin.
func testReduce(t *testing.T, name string, f, twin func(x, y []float32) float32) {
	t.Run(name, func(t *testing.T) {
		const most = 4100
		r := rand.New(rand.NewPCG(5, 6))
		var x, y [2][]float32
		for i, end := range []bool{true, false} {
			x[i], y[i] = view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end))
		}
		asmvariant.ForEach(t, "simd", func(variant string) {
			for _, n := range lengths() {
				for i := range x {
					for _, edgy := range []bool{false, true} {
						a, b := x[i][:n], y[i][:n]
						if i == 0 {
							a, b = x[i][most-n:], y[i][most-n:]
						}
						for j := range a {
							a[j], b[j] = float32(r.NormFloat64()), float32(r.NormFloat64())
						}
						if edgy {
							fill(r, a)
						}
						if got, want := f(a, b), twin(a, b); !same(got, want) {
							t.Fatalf("%s, n=%d: got %v, twin %v", variant, n, got, want)
						}
					}
				}
			}
		})
	})
}

func TestReduce(t *testing.T) {
	one := func(f func(x []float32) float32) func(x, y []float32) float32 {
		return func(x, y []float32) float32 { return f(x) }
	}
	ext := func(f func(x []float32) (float32, int32)) func(x, y []float32) float32 {
		return func(x, y []float32) float32 { return orNaN(f(x)) }
	}
	testReduce(t, "SumF32", one(SumF32), one(sumF32Generic))
	testReduce(t, "SumSqF32", one(SumSqF32), one(sumSqF32Generic))
	testReduce(t, "DotF32", DotF32, dotF32Generic)
	testReduce(t, "MaxOfF32", one(MaxOfF32), ext(maxOfF32Generic))
	testReduce(t, "MinOfF32", one(MinOfF32), ext(minOfF32Generic))
}

// TestDot runs the sums of products of float64 and of the half types against their twins, at the edge of readable memory.
func TestDot(t *testing.T) {
	const most = 4100
	r := rand.New(rand.NewPCG(9, 10))
	for _, end := range []bool{true, false} {
		x, y := view[float64](fence(t, 8*most, end)), view[float64](fence(t, 8*most, end))
		h, w := view[uint16](fence(t, 2*most, end)), view[float32](fence(t, 4*most, end))
		asmvariant.ForEach(t, "simd", func(variant string) {
			for _, n := range lengths() {
				from := 0
				if end {
					from = most - n
				}
				x, y, h, w := x[from:][:n], y[from:][:n], h[from:][:n], w[from:][:n]
				for i := range x {
					x[i], y[i], h[i], w[i] = r.NormFloat64(), r.NormFloat64(), uint16(r.Uint32()), float32(r.NormFloat64())
				}
				whole, of := n&^(doubleLanes-1), n&^(lanes-1)
				u, v := make([]float64, doubleLanes), make([]float64, doubleLanes)
				copy(u, x[whole:])
				copy(v, y[whole:])
				if got, want := DotF64(x, y), dotF64Generic(x[:whole], y[:whole])+dotF64Generic(u, v); got != want {
					t.Fatalf("%s, float64, n=%d: got %v, twin %v", variant, n, got, want)
				}
				if got, want := SumF64(x), sumF64Generic(x[:whole])+sumF64Generic(u); got != want {
					t.Fatalf("%s, sum of float64, n=%d: got %v, twin %v", variant, n, got, want)
				}
				hs, ws := make([]uint16, lanes), make([]float32, lanes)
				copy(hs, h[of:])
				copy(ws, w[of:])
				if got, want := SumBF16(h), sumBF16Generic(h[:of])+sumBF16Generic(hs); !same(got, want) {
					t.Fatalf("%s, sum of bfloat16, n=%d: got %v, twin %v", variant, n, got, want)
				}
				if got, want := SumF16(h), sumF16Generic(h[:of])+sumF16Generic(hs); !same(got, want) {
					t.Fatalf("%s, sum of float16, n=%d: got %v, twin %v", variant, n, got, want)
				}
				if got, want := DotBF16(h, w), dotBF16Generic(h[:of], w[:of])+dotBF16Generic(hs, ws); !same(got, want) {
					t.Fatalf("%s, bfloat16, n=%d: got %v, twin %v", variant, n, got, want)
				}
				if got, want := DotF16(h, w), dotF16Generic(h[:of], w[:of])+dotF16Generic(hs, ws); !same(got, want) {
					t.Fatalf("%s, float16, n=%d: got %v, twin %v", variant, n, got, want)
				}
			}
		})
	}
}

// TestFma compares the emulated fused multiply-add with exact arithmetic.
func TestFma(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x := make([]float32, 3)
	for range 200000 {
		fill(r, x)
		if r.IntN(2) == 0 { // let the addend nearly cancel or round the product
			x[2] = -x[0] * x[1] * (1 + float32(r.IntN(3)-1)*0x1p-20)
		}
		if got, want := fma(x[0], x[1], x[2]), exactFma(x[0], x[1], x[2]); !same(got, want) {
			t.Fatalf("fma(%x, %x, %x) = %x, want %x", x[0], x[1], x[2], got, want)
		}
	}
}
