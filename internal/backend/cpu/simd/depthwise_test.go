package simd

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// TestDepthwise3x3 compares both routines with their twins, next to protected pages.
func TestDepthwise3x3(t *testing.T) {
	const most = 8192
	r := rand.New(rand.NewPCG(7, 10))
	for _, end := range []bool{true, false} {
		xs, zs := view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end))
		asmvariant.ForEach(t, "simd", func(variant string) {
			for i := range 600 {
				w := Window3x3{Rows: 1 + r.IntN(9), Cols: 1 + r.IntN(70), InRows: 1 + r.IntN(9), InCols: 1 + r.IntN(70), Row: r.IntN(5) - 3,
					Col: r.IntN(5) - 3}
				w.ZStride, w.XStride = w.Cols+r.IntN(3), w.InCols+r.IntN(3)
				w.Prepare()
				x, z := xs[:(w.InRows-1)*w.XStride+w.InCols], zs[:(w.Rows-1)*w.ZStride+w.Cols]
				if end {
					x, z = xs[most-len(x):], zs[most-len(z):]
				}
				for i := range x {
					x[i] = float32(r.NormFloat64())
				}
				if i%5 == 0 {
					fill(r, x)
				}
				var taps [9]float32
				var sums, twin [9][16]float32
				for i := range taps {
					taps[i] = float32(r.NormFloat64())
					for l := range 16 {
						sums[i][l] = float32(r.NormFloat64())
					}
				}
				for i := range z {
					z[i] = 3
				}
				want := append([]float32(nil), z...)
				Depthwise3x3F32(z, x, &taps, &w)
				depthwise3x3Generic(want, x, &taps, &w)
				for i := range z {
					if !same(z[i], want[i]) {
						t.Fatalf("%s, %+v: element %d is %v, twin %v", variant, w, i, z[i], want[i])
					}
				}
				for i := range z {
					z[i] = float32(r.NormFloat64())
				}
				twin = sums
				Correlate3x3F32(&sums, z, x, &w)
				correlate3x3Generic(&twin, z, x, &w)
				for u := range sums {
					for l := range sums[u] {
						if !same(sums[u][l], twin[u][l]) {
							t.Fatalf("%s, %+v: sum %d of tap %d is %v, twin %v", variant, w, l, u, sums[u][l], twin[u][l])
						}
					}
				}
			}
		})
	}
}
