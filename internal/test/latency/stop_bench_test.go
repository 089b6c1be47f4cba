package latency

import (
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// BenchmarkStops runs kernels one family at a time and asks all the while, from another goroutine, for the processor and for
// the world to stop. A kernel that is long in one piece of assembly, or in one loop that does not yield, shows in every
// tenth answer; what the machine does to us shows in the longest ones alone, so the verdict is p90 < 200 µs and p99 < 1 ms.
func BenchmarkStops(b *testing.B) {
	loops := []longKernel{
		{"nothing", func() func() { return func() { time.Sleep(time.Millisecond) } }},
		{"loops", func() func() { return both(idleLoops()[0]) }},
		{"yielding loops", func() func() { return both(yieldingLoops()[0]) }},
	}
	for _, k := range append(loops, longKernels()...) {
		b.Run(k.name, func(b *testing.B) {
			f := k.make()
			f()
			for b.Loop() {
				s := measureStops(400*time.Millisecond, f)
				s.report(b)
			}
		})
	}
}

// stops are the answers to a goroutine that asks for the processor, and for the world to stop.
type stops struct {
	waits []time.Duration
	stop  *metrics.Float64Histogram
}

func (s *stops) report(b *testing.B) {
	slices.Sort(s.waits)
	wait := func(q float64) float64 {
		return float64(s.waits[min(int(q*float64(len(s.waits))), len(s.waits)-1)].Nanoseconds()) / 1e3
	}
	for _, q := range []float64{0.5, 0.9, 0.99} {
		b.ReportMetric(wait(q), fmt.Sprintf("wait-p%02.0f-µs", 100*q))
		b.ReportMetric(quantile(s.stop, q)*1e6, fmt.Sprintf("stop-p%02.0f-µs", 100*q))
	}
	b.ReportMetric(0, "ns/op")
}

// quantile is the upper end of the bucket that holds part q of a histogram.
func quantile(h *metrics.Float64Histogram, q float64) float64 {
	all := uint64(0)
	for _, n := range h.Counts {
		all += n
	}
	seen := uint64(0)
	for i, n := range h.Counts {
		if seen += n; float64(seen) >= q*float64(all) && seen > 0 {
			if up := h.Buckets[i+1]; !math.IsInf(up, 1) {
				return up
			}
			return h.Buckets[i]
		}
	}
	return 0
}

func measureStops(d time.Duration, f func()) *stops {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-quit:
				return
			default:
				f()
			}
		}
	}()
	s, m := &stops{}, new(runtime.MemStats)
	before := stopping("other")
	for end := time.Now().Add(d); time.Now().Before(end); {
		t := time.Now()
		runtime.Gosched()
		s.waits = append(s.waits, time.Since(t))
		runtime.ReadMemStats(m) // stops the world
		time.Sleep(200 * time.Microsecond)
	}
	s.stop = since(stopping("other"), before)
	close(quit)
	<-ended
	return s
}

// since is what was added to a histogram.
func since(h, before *metrics.Float64Histogram) *metrics.Float64Histogram {
	for i, n := range before.Counts {
		h.Counts[i] -= n
	}
	return h
}

// stopping is how long the world took to stop, for the collector ("gc") or not ("other").
func stopping(what string) *metrics.Float64Histogram {
	list := []metrics.Sample{{Name: "/sched/pauses/stopping/" + what + ":seconds"}}
	metrics.Read(list)
	h := list[0].Value.Float64Histogram()
	return &metrics.Float64Histogram{Counts: slices.Clone(h.Counts), Buckets: h.Buckets}
}

// both runs f on two goroutines.
func both(f func()) func() {
	return func() {
		done := make(chan struct{})
		go func() { f(); close(done) }()
		f()
		<-done
	}
}

// kernelList collects kernels to be measured.
type kernelList []longKernel

type longKernel struct {
	name string
	make func() func()
}

func (l *kernelList) add(name string, make func() func()) { *l = append(*l, longKernel{name, make}) }

// of runs f over a tensor of a dtype.
func (l *kernelList) of(name string, d lucid.DType, f func(x *lucid.Tensor) *lucid.Tensor, size ...int) {
	l.add(name, func() func() {
		x := lucid.With{DType: lucid.Float32}.Uniform(0.1, 0.9, size...).To(d).Eval()
		return func() { y := f(x).Eval(); y.Free() }
	})
}

// grad runs the gradient of f.
func (l *kernelList) grad(name string, f func(x *lucid.Tensor) *lucid.Tensor, size ...int) {
	l.add(name, func() func() {
		x := lucid.With{DType: lucid.Float32}.Uniform(0.1, 0.9, size...).Eval()
		u := lucid.Randn(f(x).Shape()...).Eval()
		return func() { _, g := lucid.VJP(f, x, u); g.Eval(); g.Free() }
	})
}

// longKernels are kernels of every family at sizes where each takes milliseconds.
func longKernels() []longKernel {
	lucid.Seed(1)
	var list kernelList
	list.moves()
	list.products()
	return list
}

// moves are kernels that move, reduce and order elements, or compute them one by one.
func (l *kernelList) moves() {
	l.of("copy", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return x.Add(0).Clone() }, 1<<24)
	l.of("transpose", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return x.T().Contiguous() }, 4096, 4096)
	l.of("chain", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(2).Add(1).Tanh().Mul(x).Exp() }, 1<<22)
	l.of("cast", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return x.To(lucid.Float64) }, 1<<22)
	l.of("lgamma", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return lucid.Lgamma(x) }, 1<<20)
	l.of("pow64", lucid.Float64, func(x *lucid.Tensor) *lucid.Tensor { return x.Pow(1.7) }, 1<<20)
	for _, axis := range []int{0, 1} {
		l.of(fmt.Sprintf("sum%d", axis), lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return x.Sum(axis) }, 4096, 4096)
		l.of(fmt.Sprintf("argmax%d", axis), lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return x.ArgMax(axis) }, 2048, 2048)
		l.of(fmt.Sprintf("cumsum%d", axis), lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return lucid.CumSum(x, axis) }, 2048, 2048)
		l.of(fmt.Sprintf("softmax%d", axis), lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return x.Softmax(axis) }, 2048, 2048)
	}
	l.of("var", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return lucid.Var(x) }, 4096, 4096)
	l.of("prod", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return lucid.Prod(x) }, 1<<22)
	l.of("cumsum long", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return lucid.CumSum(x, 0) }, 1<<23)
	l.of("softmax long", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return x.Softmax(0) }, 1<<22)
	l.of("sort", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { v, _ := lucid.Sort(x); return v }, 1<<20)
	l.of("sort rows", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { v, _ := lucid.Sort(x); return v }, 1024, 1024)
	l.of("sort int64", lucid.Int64, func(x *lucid.Tensor) *lucid.Tensor { v, _ := lucid.Sort(x); return v }, 1<<20)
	l.of("topk", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { v, _ := lucid.TopK(x, 100); return v }, 1<<21)
	l.of("median", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { v, _ := lucid.Median(x); return v }, 1<<20)
	l.of("unique", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { v, _, _ := lucid.Unique(x); return v }, 1<<20)
	l.of("nonzero", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return lucid.Nonzero(x.Gt(0.5)) }, 1<<21)
	l.of("histc", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return lucid.Histc(x) }, 1<<21)
	l.of("flip", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return lucid.Flip(x, 0, 1).Contiguous() }, 2048, 2048)
	l.of("cat", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return lucid.Cat([]*lucid.Tensor{x, x}, 1) }, 2048, 2048)
	l.of("pad", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return F.Pad(x, []int{3, 3, 3, 3}) }, 2048, 2048)
	l.of("repeat", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return x.Repeat(64).Contiguous() }, 1<<18)
	l.add("random", func() func() { return func() { y := lucid.Randn(1 << 22).Eval(); y.Free() } })
	l.add("permutation", func() func() { return func() { y := lucid.RandPerm(1 << 20).Eval(); y.Free() } })
	l.add("zeros", func() func() { return func() { y := lucid.Zeros(1 << 24).Contiguous().Eval(); y.Free() } })
	l.add("from slice", func() func() {
		s := tensortest.RandomFloats(1 << 24)
		return func() { y := lucid.New(s, len(s)).Eval(); y.Free() }
	})
	l.add("gather", func() func() {
		x, i := lucid.Randn(50000, 768).Eval(), lucid.RandInt(0, 50000, 8192).Eval()
		return func() { y := lucid.IndexSelect(x, 0, i).Eval(); y.Free() }
	})
	l.add("scatter", func() func() {
		x, i, s := lucid.Zeros(50000, 768).Eval(), lucid.RandInt(0, 50000, 8192).Eval(), lucid.Randn(8192, 768).Eval()
		return func() { y := lucid.IndexAdd(x, 0, i, s).Eval(); y.Free() }
	})
}

// products are products, convolutions, attention and what else networks have.
func (l *kernelList) products() {
	for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16, lucid.Int8, lucid.Int64, lucid.Complex64} {
		l.of(fmt.Sprintf("matmul %v", d), d, func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(x) }, 768, 768)
	}
	l.of("matmul wide", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(x.T()) }, 64, 1<<16)
	l.of("matmul tall", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(x.T()) }, 2048, 16)
	l.of("vector", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(x.At(0)) }, 4096, 4096)
	l.of("batched", lucid.Float32, func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(x) }, 256, 96, 96)
	attend := func(x *lucid.Tensor) *lucid.Tensor {
		return F.ScaledDotProductAttention(x, x, x, F.ScaledDotProductAttentionOptions{IsCausal: true})
	}
	l.of("attention", lucid.Float32, attend, 12, 1024, 64)
	l.grad("attention grad", attend, 12, 512, 64)
	for _, c := range []struct {
		name             string
		in, out, k, size int
		o                F.ConvOptions
	}{{"conv 3x3", 64, 64, 3, 56, F.ConvOptions{Padding: []int{1}}}, {"conv 1x1", 64, 256, 1, 56, F.ConvOptions{}},
		{"conv 7x7", 3, 64, 7, 224, F.ConvOptions{Stride: []int{2}, Padding: []int{3}}},
		{"depthwise", 64, 64, 3, 56, F.ConvOptions{Padding: []int{1}, Groups: 64}}} {
		in := c.in
		if c.o.Groups != 0 {
			in = 1
		}
		w := lucid.With{DType: lucid.Float32}.Uniform(-1, 1, c.out, in, c.k, c.k)
		f := func(x *lucid.Tensor) *lucid.Tensor { return F.Conv2d(x, w, c.o) }
		l.of(c.name, lucid.Float32, f, 8, c.in, c.size, c.size)
		l.grad(c.name+" grad", f, 8, c.in, c.size, c.size)
		l.add(c.name+" weight grad", func() func() {
			x := lucid.Randn(8, c.in, c.size, c.size).Eval()
			u := lucid.Randn(f(x).Shape()...).Eval()
			return func() {
				_, g := lucid.VJP(func(w *lucid.Tensor) *lucid.Tensor { return F.Conv2d(x, w, c.o) }, w, u)
				g.Eval().Free()
			}
		})
	}
	pool := func(x *lucid.Tensor) *lucid.Tensor { y := F.MaxPool2d(x, []int{2}); return y }
	l.of("max pool", lucid.Float32, pool, 8, 64, 112, 112)
	l.grad("max pool grad", pool, 8, 64, 112, 112)
	w, bias := lucid.Randn(1024), lucid.Randn(1024)
	norm := func(x *lucid.Tensor) *lucid.Tensor {
		return F.LayerNorm(x, []int{1024}, F.LayerNormOptions{Weight: w, Bias: bias})
	}
	l.of("layer norm", lucid.Float32, norm, 2048, 1024)
	l.grad("layer norm grad", norm, 2048, 1024)
	batch := func(x *lucid.Tensor) *lucid.Tensor {
		y := F.BatchNorm(x, F.BatchNormOptions{Training: true})
		return y
	}
	l.of("batch norm", lucid.Float32, batch, 8, 64, 112, 112)
	l.grad("batch norm grad", batch, 8, 64, 112, 112)
	l.grad("cross entropy", func(x *lucid.Tensor) *lucid.Tensor {
		return F.CrossEntropy(x, lucid.Zeros(256).To(lucid.Int64))
	}, 256, 50257)
	l.grad("bilinear", func(x *lucid.Tensor) *lucid.Tensor {
		return F.Interpolate(x, F.InterpolateOptions{ScaleFactor: []float64{2}, Mode: "bilinear"})
	}, 8, 16, 56, 56)
}
