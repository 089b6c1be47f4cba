package lucid

import (
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
	"time"
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

type longKernel struct {
	name string
	make func() func()
}

// longKernels are kernels of every family at sizes where each takes milliseconds.
func longKernels() (list []longKernel) {
	Seed(1)
	add := func(name string, make func() func()) { list = append(list, longKernel{name, make}) }
	// of runs f over a tensor of a dtype.
	of := func(name string, d DType, f func(x *Tensor) *Tensor, size ...int) {
		add(name, func() func() {
			x := With{DType: Float32}.Uniform(0.1, 0.9, size...).To(d).Eval()
			return func() { y := f(x).Eval(); y.Free() }
		})
	}
	grad := func(name string, f func(x *Tensor) *Tensor, size ...int) {
		add(name, func() func() {
			x := With{DType: Float32}.Uniform(0.1, 0.9, size...).Eval()
			u := Randn(f(x).Shape()...).Eval()
			return func() { _, g := VJP(f, x, u); g.Eval(); g.Free() }
		})
	}
	of("copy", Float32, func(x *Tensor) *Tensor { return x.Add(0).Clone() }, 1<<24)
	of("transpose", Float32, func(x *Tensor) *Tensor { return x.T().Contiguous() }, 4096, 4096)
	of("chain", Float32, func(x *Tensor) *Tensor { return x.Mul(2).Add(1).Tanh().Mul(x).Exp() }, 1<<22)
	of("cast", Float32, func(x *Tensor) *Tensor { return x.To(Float64) }, 1<<22)
	of("lgamma", Float32, func(x *Tensor) *Tensor { return Lgamma(x) }, 1<<20)
	of("pow64", Float64, func(x *Tensor) *Tensor { return x.Pow(1.7) }, 1<<20)
	for _, axis := range []int{0, 1} {
		of(fmt.Sprintf("sum%d", axis), Float32, func(x *Tensor) *Tensor { return x.Sum(axis) }, 4096, 4096)
		of(fmt.Sprintf("argmax%d", axis), Float32, func(x *Tensor) *Tensor { return x.ArgMax(axis) }, 2048, 2048)
		of(fmt.Sprintf("cumsum%d", axis), Float32, func(x *Tensor) *Tensor { return CumSum(x, axis) }, 2048, 2048)
		of(fmt.Sprintf("softmax%d", axis), Float32, func(x *Tensor) *Tensor { return x.Softmax(axis) }, 2048, 2048)
	}
	of("var", Float32, func(x *Tensor) *Tensor { return Var(x) }, 4096, 4096)
	of("prod", Float32, func(x *Tensor) *Tensor { return Prod(x) }, 1<<22)
	of("cumsum long", Float32, func(x *Tensor) *Tensor { return CumSum(x, 0) }, 1<<23)
	of("softmax long", Float32, func(x *Tensor) *Tensor { return x.Softmax(0) }, 1<<22)
	of("sort", Float32, func(x *Tensor) *Tensor { v, _ := Sort(x); return v }, 1<<20)
	of("sort rows", Float32, func(x *Tensor) *Tensor { v, _ := Sort(x); return v }, 1024, 1024)
	of("sort int64", Int64, func(x *Tensor) *Tensor { v, _ := Sort(x); return v }, 1<<20)
	of("topk", Float32, func(x *Tensor) *Tensor { v, _ := TopK(x, 100); return v }, 1<<21)
	of("median", Float32, func(x *Tensor) *Tensor { v, _ := Median(x); return v }, 1<<20)
	of("unique", Float32, func(x *Tensor) *Tensor { v, _, _ := Unique(x); return v }, 1<<20)
	of("nonzero", Float32, func(x *Tensor) *Tensor { return Nonzero(x.Gt(0.5)) }, 1<<21)
	of("histc", Float32, func(x *Tensor) *Tensor { return Histc(x) }, 1<<21)
	of("flip", Float32, func(x *Tensor) *Tensor { return Flip(x, 0, 1).Contiguous() }, 2048, 2048)
	of("cat", Float32, func(x *Tensor) *Tensor { return Cat([]*Tensor{x, x}, 1) }, 2048, 2048)
	of("pad", Float32, func(x *Tensor) *Tensor { return Pad(x, []int{3, 3, 3, 3}) }, 2048, 2048)
	of("repeat", Float32, func(x *Tensor) *Tensor { return Repeat(x, 64).Contiguous() }, 1<<18)
	add("random", func() func() { return func() { y := Randn(1 << 22).Eval(); y.Free() } })
	add("permutation", func() func() { return func() { y := RandPerm(1 << 20).Eval(); y.Free() } })
	add("zeros", func() func() { return func() { y := Zeros(1 << 24).Contiguous().Eval(); y.Free() } })
	add("from slice", func() func() {
		s := randomFloats(1 << 24)
		return func() { y := New(s, len(s)).Eval(); y.Free() }
	})
	add("gather", func() func() {
		x, i := Randn(50000, 768).Eval(), RandInt(0, 50000, 8192).Eval()
		return func() { y := IndexSelect(x, 0, i).Eval(); y.Free() }
	})
	add("scatter", func() func() {
		x, i, s := Zeros(50000, 768).Eval(), RandInt(0, 50000, 8192).Eval(), Randn(8192, 768).Eval()
		return func() { y := IndexAdd(x, 0, i, s).Eval(); y.Free() }
	})
	for _, d := range []DType{Float32, Float64, BFloat16, Int8, Int64, Complex64} {
		of(fmt.Sprintf("matmul %v", d), d, func(x *Tensor) *Tensor { return x.MatMul(x) }, 768, 768)
	}
	of("matmul wide", Float32, func(x *Tensor) *Tensor { return x.MatMul(x.T()) }, 64, 1<<16)
	of("matmul tall", Float32, func(x *Tensor) *Tensor { return x.MatMul(x.T()) }, 2048, 16)
	of("vector", Float32, func(x *Tensor) *Tensor { return x.MatMul(x.At(0)) }, 4096, 4096)
	of("batched", Float32, func(x *Tensor) *Tensor { return x.MatMul(x) }, 256, 96, 96)
	attend := func(x *Tensor) *Tensor {
		return ScaledDotProductAttention(x, x, x, nil, ScaledDotProductAttentionOptions{IsCausal: true})
	}
	of("attention", Float32, attend, 12, 1024, 64)
	grad("attention grad", attend, 12, 512, 64)
	for _, c := range []struct {
		name             string
		in, out, k, size int
		o                ConvOptions
	}{{"conv 3x3", 64, 64, 3, 56, ConvOptions{Padding: []int{1}}}, {"conv 1x1", 64, 256, 1, 56, ConvOptions{}},
		{"conv 7x7", 3, 64, 7, 224, ConvOptions{Stride: []int{2}, Padding: []int{3}}}, {"depthwise", 64, 64, 3, 56, ConvOptions{Padding: []int{1}, Groups: new(64)}}} {
		in := c.in
		if c.o.Groups != nil {
			in = 1
		}
		w := With{DType: Float32}.Uniform(-1, 1, c.out, in, c.k, c.k)
		f := func(x *Tensor) *Tensor { return Conv2d(x, w, nil, c.o) }
		of(c.name, Float32, f, 8, c.in, c.size, c.size)
		grad(c.name+" grad", f, 8, c.in, c.size, c.size)
		add(c.name+" weight grad", func() func() {
			x := Randn(8, c.in, c.size, c.size).Eval()
			u := Randn(f(x).Shape()...).Eval()
			return func() {
				_, g := VJP(func(w *Tensor) *Tensor { return Conv2d(x, w, nil, c.o) }, w, u)
				g.Eval().Free()
			}
		})
	}
	pool := func(x *Tensor) *Tensor { y, _ := MaxPool2d(x, []int{2}); return y }
	of("max pool", Float32, pool, 8, 64, 112, 112)
	grad("max pool grad", pool, 8, 64, 112, 112)
	w, bias := Randn(1024), Randn(1024)
	norm := func(x *Tensor) *Tensor { return LayerNorm(x, []int{1024}, w, bias) }
	of("layer norm", Float32, norm, 2048, 1024)
	grad("layer norm grad", norm, 2048, 1024)
	batch := func(x *Tensor) *Tensor {
		y, _, _ := BatchNorm(x, nil, nil, nil, nil, BatchNormOptions{Training: true})
		return y
	}
	of("batch norm", Float32, batch, 8, 64, 112, 112)
	grad("batch norm grad", batch, 8, 64, 112, 112)
	grad("cross entropy", func(x *Tensor) *Tensor { return CrossEntropy(x, Zeros(256).To(Int64), nil) }, 256, 50257)
	grad("bilinear", func(x *Tensor) *Tensor {
		return Interpolate(x, InterpolateOptions{ScaleFactor: []float64{2}, Mode: "bilinear"})
	}, 8, 16, 56, 56)
	return list
}
