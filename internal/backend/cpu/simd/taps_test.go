package simd

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/impl"
)

// TestSumTaps compares sums of taps with axpy tap by tap, beside pages no one may touch: what a tap leaves out must not
// be read.
func TestSumTaps(t *testing.T) {
	const most = 4100
	r := rand.New(rand.NewPCG(7, 8))
	for _, end := range []bool{true, false} {
		xs, zs := view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end))
		want := make([]float32, most)
		impl.ForEach(t, "simd", func(variant string) {
			for _, n := range lengths() {
				x, z := xs[:n], zs[:n]
				if end {
					x, z = xs[most-n:], zs[most-n:]
				}
				for _, edgy := range []bool{false, true} {
					for i := range x {
						x[i] = float32(r.NormFloat64())
						z[i] = 3
					}
					if edgy {
						fill(r, x)
					}
					taps := make([]Tap, r.IntN(12))
					for i := range taps {
						by := r.IntN(7) - 3
						taps[i] = Tap{Offset: by - 5, W: float32(r.NormFloat64())}
						taps[i].Limit(n, min(max(0, -by), n), max(0, min(n, n-by)))
					}
					SumTapsF32(z, x, 5, taps)
					sumTapsGeneric(want[:n], x, 5, taps)
					for i := range z {
						if !same(z[i], want[i]) {
							t.Fatalf("%s, n=%d, %d taps: element %d is %v, twin %v", variant, n, len(taps), i, z[i], want[i])
						}
					}
				}
			}
		})
	}
}
