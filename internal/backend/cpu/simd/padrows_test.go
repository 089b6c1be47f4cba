package simd

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// TestPadRows compares the variants with the twin, next to protected pages.
func TestPadRows(t *testing.T) {
	const most = 4096
	r := rand.New(rand.NewPCG(7, 9))
	for _, end := range []bool{true, false} {
		xs, zs := view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end))
		for i := range xs {
			xs[i] = float32(r.NormFloat64())
		}
		asmvariant.ForEach(t, "simd", func(variant string) {
			for n := range 131 {
				for range 6 {
					lo, hi, step, rows := r.IntN(4), r.IntN(4), r.IntN(5), 1+r.IntN(3)
					if r.IntN(8) == 0 {
						lo, hi = r.IntN(40), r.IntN(40)
					}
					drs, srs := lo+n+hi+r.IntN(3), n*step+r.IntN(3)
					x, z := xs[:(rows-1)*srs+max(0, (n-1)*step+min(n, 1))], zs[:(rows-1)*drs+lo+n+hi]
					if end {
						x, z = xs[most-len(x):], zs[most-len(z):]
					}
					for i := range z {
						z[i] = 3
					}
					want := append([]float32(nil), z...)
					PadRowsF32(z, drs, x, srs, step, rows, lo, n, hi, r.IntN(1<<20))
					padRowsGeneric(want, drs, x, srs, step, rows, lo, n, hi)
					for i := range z {
						if z[i] != want[i] {
							t.Fatalf("%s, %d+%d+%d, step %d, %d rows: element %d is %v, twin %v", variant, lo, n, hi, step, rows,
								i, z[i], want[i])
						}
					}
				}
			}
		})
	}
}
