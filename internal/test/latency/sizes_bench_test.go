package latency

import (
	"slices"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
)

// layers is a function of about eight ops a layer over rows of 8 numbers.
func layers(depth int) (f func(x *lucid.Tensor) *lucid.Tensor, ops int) {
	w, b := lucid.Randn(8, 8), lucid.Randn(8)
	lucid.Eval(w, b)
	return func(x *lucid.Tensor) *lucid.Tensor {
		for range depth {
			y := x.MatMul(w).Add(b).Tanh()
			x = x.Sub(y.Mean(0)).Mul(0.5).Add(y.Reshape(-1).Reshape(-1, 8))
		}
		return x.Softmax(1).Sum()
	}, 9*depth + 2
}

// BenchmarkFirstSight measures what the first call with a new size takes in addition to a later one: tracing, and binding the sizes of
// the plan. It reports the whole, and the whole by op traced.
func BenchmarkFirstSight(b *testing.B) {
	for _, c := range []struct {
		name  string
		depth int
	}{{"20 ops", 2}, {"100 ops", 11}, {"1000 ops", 111}} {
		b.Run(c.name, func(b *testing.B) {
			f, ops := layers(c.depth)
			g := lucid.Compile(f)
			g(lucid.Ones(40, 8)).Item()
			var extra []time.Duration
			for n := 0; b.Loop(); n++ {
				if n%1000 == 999 {
					b.StopTimer()
					g = lucid.Compile(f)
					g(lucid.Ones(40, 8)).Item()
					b.StartTimer()
				}
				x := lucid.Ones(41+n%1000, 8).Eval()
				from := time.Now()
				g(x).Item()
				first := time.Since(from)
				again := time.Duration(1 << 62)
				for range 3 {
					from = time.Now()
					g(x).Item()
					again = min(again, time.Since(from))
				}
				extra = append(extra, first-again)
			}
			if p := lucid.Explain(g).Plans; p > 2 {
				b.Fatalf("%d plans", p)
			}
			slices.Sort(extra)
			whole := extra[len(extra)/2]
			b.ReportMetric(float64(whole.Nanoseconds())/1e3, "µs/size")
			b.ReportMetric(float64(whole.Nanoseconds())/float64(ops), "ns/traced-op")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkSharedReplay compares a replay of a plan that was made for another size with that of a plan of its own.
func BenchmarkSharedReplay(b *testing.B) {
	f, _ := layers(11)
	x := lucid.Randn(96, 8).Eval()
	own, shared := lucid.Compile(f), lucid.Compile(f)
	shared(lucid.Ones(40, 8))
	for name, g := range map[string]func(*lucid.Tensor) *lucid.Tensor{"own": own, "shared": shared} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				g(x).Item()
			}
		})
	}
}
