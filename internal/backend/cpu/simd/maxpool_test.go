package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// TestMaxPool2x2 compares the variants with the twin, with equal elements and NaNs, next to protected pages.
func TestMaxPool2x2(t *testing.T) {
	const most = 8192
	r := rand.New(rand.NewPCG(7, 11))
	for _, end := range []bool{true, false} {
		xs, zs, is := view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end)), view[int64](fence(t, 8*most, end))
		asmvariant.ForEach(t, "simd", func(variant string) {
			for cols := 1; cols <= 130; cols++ {
				for range 3 {
					rows := 1 + r.IntN(5)
					stride := 2*cols + r.IntN(3)
					x, z, at := xs[:(2*rows-1)*stride+2*cols], zs[:rows*cols], is[:rows*cols]
					if end {
						x, z, at = xs[most-len(x):], zs[most-len(z):], is[most-len(at):]
					}
					for i := range x {
						x[i] = float32(r.IntN(7) - 3)
						if r.IntN(30) == 0 {
							x[i] = float32(math.NaN())
						}
						if r.IntN(30) == 0 {
							x[i] = float32(math.Inf(r.IntN(2)*2 - 1))
						}
						if x[i] == 0 && r.IntN(2) == 0 {
							x[i] = float32(math.Copysign(0, -1))
						}
					}
					want, indices := make([]float32, len(z)), make([]int64, len(z))
					MaxPool2x2F32(z, at, x, rows, cols, stride)
					maxPool2x2Generic(want, indices, x, rows, cols, stride)
					for i := range z {
						if !same(z[i], want[i]) || at[i] != indices[i] {
							t.Fatalf("%s, %d rows, %d columns: element %d is %v at %d, twin %v at %d", variant, rows, cols, i, z[i], at[i],
								want[i], indices[i])
						}
					}
					for i := range at { // indices outside every window
						switch r.IntN(12) {
						case 0:
							at[i] += int64(1) << 32
						case 1:
							at[i] = int64(r.IntN(len(x)+4)) - 2
						}
					}
					long := make([]float32, len(x))
					for i := range x {
						x[i], long[i] = 77, 77 // what is between rows stays
					}
					MaxUnpool2x2F32(x, z, at, rows, cols, stride)
					maxUnpool2x2Generic(long, z, at, rows, cols, stride)
					for i := range x {
						if !same(x[i], long[i]) {
							t.Fatalf("%s, %d rows, %d columns: element %d is %v, twin %v", variant, rows, cols, i, x[i], long[i])
						}
					}
				}
			}
		})
	}
}
