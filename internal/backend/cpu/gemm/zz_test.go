package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestZZPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	peak := 0.0
	probe := func() {
		for range 20 {
			s := time.Now()
			fl := PeakFMAProbe32(20000)
			peak = max(peak, fl/time.Since(s).Seconds())
		}
	}
	for _, W := range []int{14, 28, 56} {
		rows := 196 / W * 2
		pitch := W + 1
		plane := (rows + 2) * pitch
		x := random[float32](r, 32*plane+64)
		w := random[float32](r, rows*W*64)
		c := make([]float32, 32*3*3*64)
		off := make([]int, W)
		for i := range off {
			off[i] = i
		}
		for _, h := range []int{3, 6, 7} {
			best := math.Inf(1)
			for range 100 {
				s := time.Now()
				for p := range 2 {
					for q := 0; q < 96; q += 2 {
						a0, a1 := q/3*plane+q%3*pitch, (q+1)/3*plane+(q+1)%3*pitch
						Places(h, 32, rows, NewPlaceTaps(off), x, [2]int{a0, max(a0, a1)}, pitch, w[p*rows*W*32:], W*32, c, [2]int{0, 3 * 64}, true)
					}
				}
				best = min(best, time.Since(s).Seconds())
			}
			probe()
			fmt.Printf("W %d h %d: %.1f%%\n", W, h, 100*2*2*96*float64(h)*32*float64(rows*W)/best/peak)
		}
	}
}
