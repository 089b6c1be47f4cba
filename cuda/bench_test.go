package cuda

import (
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// synchronize waits for the GPU.
func synchronize() error { return lucid.Try(func() { lucid.Synchronize(lucid.CUDA(0)) }) }

// bench measures the evaluation of what f gives after a warm-up that raises the clocks; the device is idle before and
// after. Results are freed at once: otherwise every one would be new memory of the driver.
func bench(b *testing.B, bytes, flops float64, value func() *lucid.Tensor) {
	f := func() {
		y := value()
		must(b, lucid.Eval(y))
		y.Free()
	}
	for start := time.Now(); time.Since(start) < 300*time.Millisecond; {
		f()
		must(b, synchronize())
	}
	before, err := KernelTimes(0)
	must(b, err)
	b.ResetTimer()
	for range b.N {
		f()
	}
	must(b, synchronize())
	s := b.Elapsed().Seconds() / float64(b.N)
	spent(b, before)
	if bytes > 0 {
		b.ReportMetric(bytes/s/1e12, "TB/s")
	}
	if flops > 0 {
		b.ReportMetric(flops/s/1e12, "TFLOP/s")
	}
}

func must(b testing.TB, err error) {
	if err != nil {
		b.Fatal(err)
	}
}

func random(b *testing.B, d lucid.DType, sizes ...int) *lucid.Tensor {
	var x *lucid.Tensor
	lucid.WithDevice(gpu(b), func() { x = lucid.Rand(sizes...).To(d) })
	must(b, lucid.Eval(x))
	if x.Device() != lucid.CUDA(0) {
		b.Fatalf("made on %v", x.Device())
	}
	return x
}

func BenchmarkChain(b *testing.B) {
	const n = 1 << 28
	x := random(b, lucid.Float32, n)
	bench(b, 8*n, 0, func() *lucid.Tensor {
		return x.Mul(2).Add(1).Tanh().Mul(x).Sub(0.5).Abs().Sqrt().Neg().Exp()
	})
}

func BenchmarkMatmul(b *testing.B) {
	for _, c := range []struct {
		name string
		d    lucid.DType
		n    int
	}{{"bf16/1024", lucid.BFloat16, 1024}, {"bf16/4096", lucid.BFloat16, 4096}, {"bf16/8192", lucid.BFloat16, 8192},
		{"f32/4096", lucid.Float32, 4096}} {
		b.Run(c.name, func(b *testing.B) {
			x, y := random(b, c.d, c.n, c.n), random(b, c.d, c.n, c.n)
			n := float64(c.n)
			bench(b, 0, 2*n*n*n, func() *lucid.Tensor { return x.MatMul(y) })
		})
	}
}

func BenchmarkRows(b *testing.B) {
	x := random(b, lucid.BFloat16, 16384, 8192)
	w := random(b, lucid.BFloat16, 8192)
	bytes := float64(4 * 16384 * 8192)
	for name, f := range map[string]func() *lucid.Tensor{
		"softmax":    func() *lucid.Tensor { return x.Softmax(-1) },
		"layer_norm": func() *lucid.Tensor { return F.LayerNorm(x, []int{8192}, F.LayerNormOptions{Weight: w, Bias: w}) },
		"rms_norm":   func() *lucid.Tensor { return F.RMSNorm(x, []int{8192}, F.RMSNormOptions{Weight: w}) },
	} {
		b.Run(name, func(b *testing.B) { bench(b, bytes, 0, func() *lucid.Tensor { return f() }) })
	}
}

func BenchmarkSum(b *testing.B) {
	x := random(b, lucid.Float32, 16384, 16384)
	for name, dim := range map[string]int{"last": 1, "first": 0} {
		b.Run(name, func(b *testing.B) { bench(b, 4*16384*16384, 0, func() *lucid.Tensor { return x.Sum(dim) }) })
	}
	b.Run("all", func(b *testing.B) { bench(b, 4*16384*16384, 0, func() *lucid.Tensor { return x.Sum() }) })
}

func BenchmarkTranspose(b *testing.B) {
	x := random(b, lucid.Float32, 16384, 16384)
	bench(b, 8*16384*16384, 0, func() *lucid.Tensor { return x.Transpose(0, 1).Contiguous() })
}

func BenchmarkBias(b *testing.B) {
	x, y := random(b, lucid.Float32, 1<<16, 4096), random(b, lucid.Float32, 4096)
	bench(b, 8*4096*(1<<16), 0, func() *lucid.Tensor { return x.Add(y) })
}

// BenchmarkLoss is the mean cross-entropy of logits and its gradient: two reads of them and one write.
func BenchmarkLoss(b *testing.B) {
	x := random(b, lucid.BFloat16, 8192, 50304)
	at := positions(b, 50304, 8192)
	f := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return F.CrossEntropy(x, at) })
	bench(b, 3*2*8192*50304, 0, func() *lucid.Tensor { return f(x) })
}

func positions(b *testing.B, high int, sizes ...int) *lucid.Tensor {
	var x *lucid.Tensor
	lucid.WithDevice(gpu(b), func() { x = lucid.RandInt(0, high, sizes...) })
	must(b, lucid.Eval(x))
	return x
}

// BenchmarkEmbedding is the gradient of a lookup of 32768 rows: the rows' cotangents are read, the table is written.
func BenchmarkEmbedding(b *testing.B) {
	const words, width, count = 50304, 768, 32768
	w, at, g := random(b, lucid.Float32, words, width), positions(b, words, count), random(b, lucid.Float32, count, width)
	f := lucid.Grad(func(w *lucid.Tensor) *lucid.Tensor { return F.Embedding(at, w).Mul(g).Sum() })
	bench(b, 4*width*(count+words), 0, func() *lucid.Tensor { return f(w) })
}

func BenchmarkSort(b *testing.B) {
	x := random(b, lucid.Float32, 1<<24)
	y := random(b, lucid.Float32, 4096, 50304)
	b.Run("sort", func(b *testing.B) {
		bench(b, 0, 0, func() *lucid.Tensor { v, _ := x.Sort(0); return v })
	})
	b.Run("topk", func(b *testing.B) {
		bench(b, 4*4096*50304, 0, func() *lucid.Tensor { v, _ := y.TopK(50); return v })
	})
	b.Run("cumsum", func(b *testing.B) { bench(b, 8*(1<<24), 0, func() *lucid.Tensor { return x.CumSum(0) }) })
}

func BenchmarkDropout(b *testing.B) {
	x := random(b, lucid.Float32, 1<<26)
	bench(b, 8*(1<<26), 0, func() (y *lucid.Tensor) {
		lucid.WithDevice(lucid.CUDA(0), func() { y = lucid.Where(lucid.RandLike(x).Lt(0.9), x.Mul(1/0.9), 0.0) })
		return y
	})
}

// BenchmarkConv is a layer of a residual network, in both layouts.
func BenchmarkConv(b *testing.B) {
	for _, c := range []struct {
		name string
		d    lucid.DType
		last bool
		n    int
	}{{"f32", lucid.Float32, false, 64}, {"bf16", lucid.BFloat16, false, 256}, {"bf16/last", lucid.BFloat16, true, 256}} {
		x, w := random(b, c.d, c.n, 64, 56, 56), random(b, c.d, 64, 64, 3, 3)
		if c.last {
			x, w = lastInMemory(x), lastInMemory(w)
		}
		flops := 2.0 * float64(c.n) * 64 * 56 * 56 * 64 * 9
		o := F.ConvOptions{Padding: 1}
		b.Run(c.name+"/forward", func(b *testing.B) {
			bench(b, 0, flops, func() *lucid.Tensor { return F.Conv2d(x, w, o) })
		})
		f := lucid.Grad(func(w *lucid.Tensor) *lucid.Tensor { return F.Conv2d(x, w, o).Sum() })
		b.Run(c.name+"/weight", func(b *testing.B) { bench(b, 0, flops, func() *lucid.Tensor { return f(w) }) })
	}
}

// BenchmarkAttention is the attention of a large model; its gradient is counted with the forward pass.
func BenchmarkAttention(b *testing.B) {
	const n, heads, length, width = 4, 32, 4096, 128
	q, k, v := random(b, lucid.BFloat16, n, heads, length, width), random(b, lucid.BFloat16, n, heads, length, width),
		random(b, lucid.BFloat16, n, heads, length, width)
	flops := 4.0 * n * heads * length * length * width / 2 // causal: half of it
	attend := func(q, k, v *lucid.Tensor) *lucid.Tensor {
		return F.ScaledDotProductAttention(q, k, v, F.ScaledDotProductAttentionOptions{IsCausal: true})
	}
	b.Run("forward", func(b *testing.B) { bench(b, 0, flops, func() *lucid.Tensor { return attend(q, k, v) }) })
	g := random(b, lucid.BFloat16, n, heads, length, width)
	b.Run("both", func(b *testing.B) {
		bench(b, 0, 3.5*flops, func() *lucid.Tensor {
			y, all := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{attend(in[0], in[1], in[2])} },
				[]*lucid.Tensor{q, k, v}, []*lucid.Tensor{g})
			must(b, lucid.Eval(append(y, all...)...))
			for _, x := range all {
				x.Free()
			}
			return y[0]
		})
	})
}

func BenchmarkTiny(b *testing.B) {
	x := random(b, lucid.Float32, 64)
	bench(b, 0, 0, func() *lucid.Tensor { return x.Add(1) })
}

// BenchmarkTinyCompiled is 64 softmax and 64 subtractions, alternating.
func BenchmarkTinyCompiled(b *testing.B) {
	x, w := random(b, lucid.Float32, 16, 16), random(b, lucid.Float32, 16, 16)
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		for range 64 {
			x = x.Softmax(-1).Sub(w)
		}
		return x
	})
	bench(b, 0, 0, func() *lucid.Tensor { return f(x) })
}

func BenchmarkTrain(b *testing.B) {
	gpu(b)
	for _, compiled := range []bool{false, true} {
		b.Run(map[bool]string{false: "eager", true: "compiled"}[compiled], func(b *testing.B) {
			train(lucid.CUDA(0), 3, compiled)
			b.ResetTimer()
			train(lucid.CUDA(0), b.N, compiled)
		})
	}
}
