package kernel

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkNHWC runs two rows of positions of a 3 by 3 convolution of 64 channels, as stored in the cache.
func BenchmarkNHWC(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	const channels, wide = 64, 56
	h, cols := NHWCRowLen[float32](), 2*PositionLanes[float32]()
	x, w, c := random[float32](r, 8*wide*channels), random[float32](r, 9*channels*cols), make([]float32, 4*wide*channels)
	var taps []NHWCTap
	for u := range 9 {
		taps = append(taps, NHWCTap{X: (u/3*wide + u%3) * channels, W: u})
	}
	t := NewNHWCTaps(h, channels, taps)
	for b.Loop() {
		NHWC(2, cols, channels, t, x, &[4]int{0, wide * channels}, w, c, &[4]int{0, wide * channels}, channels, false)
	}
	b.ReportMetric(float64(2*2*h*cols*channels*9)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
}
