package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// TestLaneSums compares the variants with the twin, next to protected pages.
func TestLaneSums(t *testing.T) {
	const most = 1 << 14
	r := rand.New(rand.NewPCG(3, 11))
	for _, end := range []bool{true, false} {
		xs, ws, zs := view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end))
		for i := range xs {
			xs[i], ws[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
		}
		asmvariant.ForEach(t, "simd", func(variant string) {
			l := max(1, LaneWidth())
			for n := range 27 {
				for count := range 10 {
					zstep, xstep := l*(1+r.IntN(2)), l*r.IntN(3)
					var taps LaneTaps
					for range count {
						taps.Add(l*r.IntN(9), l*r.IntN(9))
					}
					x, w, z := xs[:max(0, (n-1)*xstep)+taps.far+l], ws[:taps.top+l], zs[:max(0, (n-1)*zstep+l)]
					if end {
						x, w, z = xs[most-len(x):], ws[most-len(w):], zs[most-len(z):]
					}
					for i := range z {
						z[i] = 3
					}
					want := append([]float32(nil), z...)
					LaneSums(z, x, w, &taps, n, zstep, xstep)
					if n > 0 {
						laneSumsGeneric(want, x, w, &taps, n, zstep, xstep, l)
					}
					sameBits(t, variant, z, want, n, count)
				}
			}
		})
	}
}

// TestLaneGrads does so for the gradient of taps.
func TestLaneGrads(t *testing.T) {
	const most = 1 << 14
	r := rand.New(rand.NewPCG(5, 11))
	for _, end := range []bool{true, false} {
		xs, gs, zs := view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end))
		for i := range xs {
			xs[i], gs[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
		}
		asmvariant.ForEach(t, "simd", func(variant string) {
			l := max(1, LaneWidth())
			for n := range 19 {
				for taps := range LaneTapsMost + 1 {
					for rows := range 4 {
						d := LaneGrad{Rows: rows, Taps: taps, N: n, GStep: l * r.IntN(3), XStep: l * (1 + r.IntN(2)),
							TapStep: l * (1 + r.IntN(2)), RowStep: 10 * l, SumStep: l * (taps + r.IntN(2))}
						x := xs[:max(0, (n-1)*d.XStep)+max(0, (taps-1)*d.TapStep)+max(0, (rows-1)*d.RowStep)+l]
						g, z := gs[:max(0, (n-1)*d.GStep)+l], zs[:max(0, (rows-1)*d.SumStep)+taps*l]
						if end {
							x, g, z = xs[most-len(x):], gs[most-len(g):], zs[most-len(z):]
						}
						for i := range z {
							z[i] = float32(r.NormFloat64())
						}
						want := append([]float32(nil), z...)
						LaneGrads(z, g, x, &d)
						laneGradsGeneric(want, g, x, &d, l)
						sameBits(t, variant, z, want, n, taps)
					}
				}
			}
		})
	}
}

func sameBits(t *testing.T, variant string, z, want []float32, n, taps int) {
	t.Helper()
	for i := range z {
		if math.Float32bits(z[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s, %d vectors, %d taps: element %d is %v, twin %v", variant, n, taps, i, z[i], want[i])
		}
	}
}
