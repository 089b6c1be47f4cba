package gemm

import (
	"sync"
	"testing"
	"time"
)

func BenchmarkZKernel(b *testing.B) {
	for _, kc := range []int{64, 128, 256, 384, 512} {
		e := engine32()
		a := make([]float32, 14*(kc+16))
		bb := make([]float32, kc*32)
		c := make([]float32, 14*32)
		for i := range a {
			a[i] = float32(i % 7)
		}
		for i := range bb {
			bb[i] = float32(i % 5)
		}
		for _, lay := range []string{"rows", "cols"} {
			rs, cs := kc+16, 1
			if lay == "cols" {
				rs, cs = 1, 14
			}
			b.Run(lay, func(b *testing.B) {
				top := peak(PeakFMAProbe32)
				for b.Loop() {
					e.kernel(14, 32)(kc, a, rs, cs, bb, 32, c, 32, 32, false)
				}
				rate := 2 * 14 * 32 * float64(kc) * float64(b.N) / b.Elapsed().Seconds()
				b.ReportMetric(100*rate/top, "%peak")
				b.ReportMetric(float64(kc), "kc")
			})
		}
	}
}

func BenchmarkZProbe2(b *testing.B) {
	for b.Loop() {
		var wg sync.WaitGroup
		t := time.Now()
		var f [2]float64
		for i := range 2 {
			wg.Go(func() { f[i] = PeakFMAProbe32(200000) })
		}
		wg.Wait()
		b.ReportMetric((f[0]+f[1])/time.Since(t).Seconds()/1e9, "GF2")
		t = time.Now()
		x := PeakFMAProbe32(200000)
		b.ReportMetric(x/time.Since(t).Seconds()/1e9, "GF1")
	}
}
