package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkDirect runs the taps of a strip of 4 rows of 56 positions, stored with their padding or scattered without it.
func BenchmarkDirect(b *testing.B) {
	const rows, width, pitch = 4, 56, 58
	n := (rows-1)*pitch + width
	for _, m := range []int{1, 3, 8, 14} {
		for _, k := range []int{9, 27, 576} {
			r := rand.New(rand.NewPCG(1, 2))
			wide := ceilDiv(n, DirectColumns) * DirectColumns
			a, x, c, off := random[float32](r, m*k), random[float32](r, wide+4096), make([]float32, m*wide), make([]int, k)
			for p := range off {
				off[p] = r.IntN(4096)
			}
			for _, add := range []bool{false, true} {
				b.Run(fmt.Sprintf("rows=%d/k=%d/add=%v", m, k, add), func(b *testing.B) {
					for b.Loop() {
						Direct(m, n, a, off, x, c, wide, add)
					}
				})
				s := NewScatter[float32](rows, width, pitch, width)
				if s == nil {
					continue
				}
				b.Run(fmt.Sprintf("scatter/rows=%d/k=%d/add=%v", m, k, add), func(b *testing.B) {
					for b.Loop() {
						DirectTo(m, a, off, x, c, wide, s, add)
					}
				})
			}
		}
	}
}
