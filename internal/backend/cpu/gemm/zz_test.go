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
	pitch, rows, taps := 57, 9, 9
	plane := rows*pitch + 1
	x := random[float32](r, 64*plane+64)
	w := random[float32](r, 64*576)
	c := make([]float32, 2*392*32)
	off := []int{0, 1, 2, 57, 58, 59, 114, 115, 116}
	for _, sub := range []int{8, 16, 32, 64} {
		best := math.Inf(1)
		for range 100 {
			s := time.Now()
			for p := range 2 {
				for c0 := 0; c0 < 64; c0 += sub {
					for row := range 7 {
						for q := 0; q < 8; q += 2 {
							at := row*pitch + q*7
							to := p*392*32 + (row*56+q*7)*32
							Places(7, 32, sub, NewPlaceTaps(off), x[c0*plane:], [2]int{at, at + 7}, plane, w[p*32*576+c0*taps*32:], taps*32, c, [2]int{to, to + 7*32}, c0 > 0)
						}
					}
				}
			}
			best = min(best, time.Since(s).Seconds())
		}
		probe()
		fmt.Printf("sub %d: %.1f%%\n", sub, 100*2*392*64*576/best/peak)
	}
	// hot: one tile
	best := math.Inf(1)
	for range 500 {
		s := time.Now()
		for range 20 {
			Places(7, 32, 16, NewPlaceTaps(off), x, [2]int{0, 7}, plane, w, taps*32, c, [2]int{0, 7 * 32}, false)
		}
		best = min(best, time.Since(s).Seconds())
	}
	fmt.Printf("hot: %.1f%%\n", 100*2*20*14*32*144/best/peak)
	a := make([]float32, 13*576)
	var offs []int
	for ch := range 64 {
		for _, o := range off {
			offs = append(offs, ch*plane+o)
		}
	}
	PackTaps(a, 13, 576, w, 576, 1)
	best = math.Inf(1)
	for range 100 {
		s := time.Now()
		Taps(13, 6*57+56, a, offs, x, c, 400, false)
		best = min(best, time.Since(s).Seconds())
	}
	fmt.Printf("taps 13 rows: %.1f%%\n", 100*2*13*400*576/best/peak)
}
