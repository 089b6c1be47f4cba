package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// TestRepeatRuns compares the variants with the twin, next to protected pages; bits are moved as they are.
func TestRepeatRuns(t *testing.T) {
	const most = 2048
	r := rand.New(rand.NewPCG(7, 11))
	for _, end := range []bool{true, false} {
		xs, zs := view[float32](fence(t, 4*most, end)), view[float32](fence(t, 4*most, end))
		for i := range xs {
			xs[i] = math.Float32frombits(r.Uint32())
		}
		asmvariant.ForEach(t, "simd", func(variant string) {
			for run := range 131 {
				for count := range 9 {
					for _, step := range []int{0, 1, 3} {
						x, z := xs[:max(0, (count-1)*step+min(count, 1))], zs[:run*count]
						if end {
							x, z = xs[most-len(x):], zs[most-len(z):]
						}
						for i := range z {
							z[i] = 3
						}
						want := append([]float32(nil), z...)
						RepeatRunsF32(z, x, step, run, count)
						repeatRunsGeneric(want, x, step, run, count)
						for i := range z {
							if math.Float32bits(z[i]) != math.Float32bits(want[i]) {
								t.Fatalf("%s, %d runs of %d, step %d: element %d is %x, twin %x", variant, count, run, step,
									i, math.Float32bits(z[i]), math.Float32bits(want[i]))
							}
						}
					}
				}
			}
		})
	}
}
