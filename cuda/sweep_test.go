package cuda

import (
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// sweepCase is an op and the bytes it must move.
type sweepCase struct {
	name  string
	bytes float64
	f     func() *lucid.Tensor
}

// BenchmarkSweep runs ops of every family over large operands and reports the bandwidth of the bytes that must move: inputs
// and outputs, once each. An elementwise op is the first, for comparison. One iteration of -test.benchtime is ten
// evaluations. With LUCID_CUDA_SYNC=1 it also reports the time of each kernel.
func BenchmarkSweep(b *testing.B) {
	gpu(b)
	for _, make := range []func(b *testing.B) []sweepCase{sweepMoves, sweepPositions, sweepFolds, sweepOrders, sweepWindows} {
		for _, c := range make(b) {
			b.Run(c.name, func(b *testing.B) { sweep(b, c) })
		}
	}
}

func sweep(b *testing.B, c sweepCase) {
	run := func() {
		v := c.f()
		must(b, lucid.Eval(v))
		v.Free()
	}
	run()
	run()
	must(b, synchronize())
	before, err := KernelTimes(0)
	must(b, err)
	b.ResetTimer()
	for range 10 * b.N {
		run()
	}
	must(b, synchronize())
	s := b.Elapsed().Seconds() / float64(10*b.N)
	spent(b, before)
	b.ReportMetric(c.bytes/s/1e12, "TB/s")
	b.ReportMetric(s*1e6, "µs")
}

const (
	side   = 8192
	mat    = 4.0 * side * side // bytes of a float32 matrix
	pixels = 64 * 64 * 128 * 128.0
)

// sweepMoves is elementwise ops and copies between layouts.
func sweepMoves(b *testing.B) []sweepCase {
	const n = side
	x := random(b, lucid.Float32, n, n)
	y := random(b, lucid.Float32, n, n)
	h := random(b, lucid.BFloat16, n, n)
	mask := random(b, lucid.Float32, n, n).Lt(0.5).Eval()
	image := random(b, lucid.BFloat16, 64, 64, 128, 128)
	return []sweepCase{
		{"neg", 2 * mat, func() *lucid.Tensor { return x.Neg() }},
		{"add", 3 * mat, func() *lucid.Tensor { return x.Add(y) }},
		{"add/bf16", mat, func() *lucid.Tensor { return h.Add(1) }},
		{"where", 3.25 * mat, func() *lucid.Tensor { return lucid.Where(mask, x, y) }},
		{"masked_fill", 2.25 * mat, func() *lucid.Tensor { return x.MaskedFill(mask, 0.0) }},
		{"lt", 1.25 * mat, func() *lucid.Tensor { return x.Lt(0.3) }},
		{"cast/bf16", 1.5 * mat, func() *lucid.Tensor { return x.To(lucid.BFloat16) }},
		{"cast/f32", 1.5 * mat, func() *lucid.Tensor { return h.To(lucid.Float32) }},
		{"cast/i64", 3 * mat, func() *lucid.Tensor { return x.To(lucid.Int64) }},
		{"full", mat, func() *lucid.Tensor { return on(func() *lucid.Tensor { return lucid.Full([]int{n, n}, 1.5) }) }},
		{"arange", 4 * n * n, func() *lucid.Tensor {
			return on(func() *lucid.Tensor { return lucid.Arange(0, n*n, 1).To(lucid.Float32) })
		}},
		{"flip/0", 2 * mat, func() *lucid.Tensor { return x.Flip(0).Contiguous() }},
		{"flip/1", 2 * mat, func() *lucid.Tensor { return x.Flip(1).Contiguous() }},
		{"roll/1", 2 * mat, func() *lucid.Tensor { return x.Roll(5, 1) }},
		{"tril", 2 * mat, func() *lucid.Tensor { return x.Tril() }},
		{"pad", 2 * mat, func() *lucid.Tensor { return x.Pad([]int{1, 1, 1, 1}) }},
		{"cat/0", 4 * mat, func() *lucid.Tensor { return lucid.Cat([]*lucid.Tensor{x, y}, 0) }},
		{"cat/1", 4 * mat, func() *lucid.Tensor { return lucid.Cat([]*lucid.Tensor{x, y}, 1) }},
		{"stack/2", 4 * mat, func() *lucid.Tensor { return lucid.Stack([]*lucid.Tensor{x, y}, 2) }},
		{"transpose", 2 * mat, func() *lucid.Tensor { return x.Transpose(0, 1).Contiguous() }},
		{"transpose/bf16", mat, func() *lucid.Tensor { return h.Transpose(0, 1).Contiguous() }},
		{"permute", 4 * pixels, func() *lucid.Tensor { return image.Permute(0, 2, 3, 1).Contiguous() }},
		{"narrow", mat, func() *lucid.Tensor { return x.Narrow(1, 3, n/2).Contiguous() }},
		{"repeat", 1.25 * mat, func() *lucid.Tensor { return x.Narrow(0, 0, n/4).Repeat(4, 1) }},
	}
}

// sweepPositions is gathers and scatters.
func sweepPositions(b *testing.B) []sweepCase {
	const n = side
	x := random(b, lucid.Float32, n, n)
	y := random(b, lucid.Float32, n, n)
	at := positions(b, n, n)
	many := positions(b, n, n/4, n)
	long := random(b, lucid.Float32, 1<<26)
	at64 := positions(b, 1<<20, 1<<24)
	table := random(b, lucid.Float32, 1<<20)
	words, said, told := random(b, lucid.BFloat16, 50304, 768), positions(b, 50304, 32768), random(b, lucid.BFloat16, 32768, 768)
	learn := lucid.Grad(func(w *lucid.Tensor) *lucid.Tensor { return F.Embedding(said, w).Mul(told).Sum() })
	return []sweepCase{
		{"take/rows", 2 * mat, func() *lucid.Tensor { return x.IndexSelect(0, at) }},
		{"take/columns", 2 * mat, func() *lucid.Tensor { return x.IndexSelect(1, at) }},
		{"gather/0", 4 * n * n / 4 * 4, func() *lucid.Tensor { return x.Gather(0, many) }},
		{"gather/1", 4 * n * n / 4 * 4, func() *lucid.Tensor { return x.Gather(1, many) }},
		{"embedding", 2 * mat, func() *lucid.Tensor { return F.Embedding(at, x) }},
		{"embedding/grad", 2 * 768 * (32768 + 50304), func() *lucid.Tensor { return learn(words) }},
		{"index_add/rows", 4 * mat, func() *lucid.Tensor { return x.IndexAdd(0, at, y) }},
		{"scatter_add/0", 3*mat + 2*mat/4, func() *lucid.Tensor { return x.ScatterAdd(0, many, y.Narrow(0, 0, n/4)) }},
		{"scatter_add/1", 3*mat + 2*mat/4, func() *lucid.Tensor { return x.ScatterAdd(1, many, y.Narrow(0, 0, n/4)) }},
		{"scatter_add/flat", (12 + 8) * (1 << 24), func() *lucid.Tensor { return table.ScatterAdd(0, at64, long.Narrow(0, 0, 1<<24)) }},
	}
}

// sweepFolds is reductions, softmax and norms.
func sweepFolds(b *testing.B) []sweepCase {
	const n = side
	x := random(b, lucid.Float32, n, n)
	y := random(b, lucid.Float32, n, n)
	h := random(b, lucid.BFloat16, n, n)
	w := random(b, lucid.Float32, n)
	mask := random(b, lucid.Float32, n, n).Lt(0.5).Eval()
	norm := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
		return F.LayerNorm(x, []int{n}, F.LayerNormOptions{Weight: w, Bias: w}).Mul(y).Sum()
	})
	soft := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return x.Softmax(-1).Mul(y).Sum() })
	return []sweepCase{
		{"sum/all", mat, func() *lucid.Tensor { return x.Sum() }},
		{"mean/0", mat, func() *lucid.Tensor { return x.Mean(0) }},
		{"max/1", mat, func() *lucid.Tensor { return x.Max(1) }},
		{"argmax/0", mat, func() *lucid.Tensor { return x.ArgMax(0) }},
		{"argmax/1", mat, func() *lucid.Tensor { return x.ArgMax(1) }},
		{"argmax/bf16", mat / 2, func() *lucid.Tensor { return h.ArgMax(1) }},
		{"any/1", mat / 4, func() *lucid.Tensor { return mask.Any(1) }},
		{"var/0", mat, func() *lucid.Tensor { return x.Var(0) }},
		{"var/1", mat, func() *lucid.Tensor { return x.Var(1) }},
		{"var/all", mat, func() *lucid.Tensor { return x.Var() }},
		{"norm/1", mat, func() *lucid.Tensor { return x.Norm(1) }},
		{"logsumexp/1", mat, func() *lucid.Tensor { return x.LogSumExp(1) }},
		{"softmax/0", 2 * mat, func() *lucid.Tensor { return x.Softmax(0) }},
		{"softmax/1", 2 * mat, func() *lucid.Tensor { return x.Softmax(1) }},
		{"softmax/grad", 4 * mat, func() *lucid.Tensor { return soft(x) }},
		{"layer_norm/grad", 3 * mat, func() *lucid.Tensor { return norm(x) }},
	}
}

// sweepOrders is scans and sorts.
func sweepOrders(b *testing.B) []sweepCase {
	const n = side
	x := random(b, lucid.Float32, n, n)
	long := random(b, lucid.Float32, 1<<26)
	table := random(b, lucid.Float32, 1<<20)
	some := positions(b, 1<<16, 1<<24)
	return []sweepCase{
		{"cumsum/0", 2 * mat, func() *lucid.Tensor { return x.CumSum(0) }},
		{"cumsum/1", 2 * mat, func() *lucid.Tensor { return x.CumSum(1) }},
		{"cumsum/flat", 2 * mat, func() *lucid.Tensor { return long.CumSum(0) }},
		{"cumsum/flat/2^24", mat / 2, func() *lucid.Tensor { return long.Narrow(0, 0, 1<<24).CumSum(0) }},
		{"cummax/1", 3 * mat, func() *lucid.Tensor { v, _ := x.CumMax(1); return v }},
		{"sort/rows", 4 * mat, func() *lucid.Tensor { v, _ := x.Sort(1); return v }},
		{"sort/flat", 4 * mat, func() *lucid.Tensor { v, _ := long.Sort(0); return v }},
		{"sort/flat/2^24", mat, func() *lucid.Tensor { v, _ := long.Narrow(0, 0, 1<<24).Sort(0); return v }},
		{"topk", mat, func() *lucid.Tensor { v, _ := x.TopK(50); return v }},
		{"kthvalue", mat, func() *lucid.Tensor { v, _ := x.KthValue(n / 3); return v }},
		{"unique", 8 * (1 << 24), func() *lucid.Tensor { v, _, _ := lucid.Unique(some); return v }},
		{"bincount", 8 * (1 << 24), func() *lucid.Tensor { return lucid.Bincount(some) }},
		{"histc", 4 * (1 << 24), func() *lucid.Tensor { return long.Narrow(0, 0, 1<<24).Histc(100) }},
		{"masked_select", 4.25 * (1 << 24), func() *lucid.Tensor { v := long.Narrow(0, 0, 1<<24); return v.MaskedSelect(v.Lt(0.5)) }},
		{"median/all", mat, func() *lucid.Tensor { v, _ := lucid.Median(long, lucid.ArgOptions{}); return v }},
		{"topk/flat", mat, func() *lucid.Tensor { v, _ := long.TopK(100); return v }},
		{"median", mat, func() *lucid.Tensor { v, _ := lucid.Median(x, lucid.ArgOptions{Dim: new(1)}); return v }},
		{"searchsorted", 12 * (1 << 24), func() *lucid.Tensor {
			return lucid.SearchSorted(table.CumSum(0), long.Narrow(0, 0, 1<<24).Mul(5e5))
		}},
	}
}

// sweepWindows is pooling, random numbers, and broadcasts.
func sweepWindows(b *testing.B) []sweepCase {
	const n = side
	x := random(b, lucid.Float32, n, n)
	at := positions(b, n, n)
	image := random(b, lucid.BFloat16, 64, 64, 128, 128)
	wide := random(b, lucid.Float32, 64, 64, 128, 128)
	grid := random(b, lucid.Float32, 16, 128, 128, 2).Mul(2).Sub(1).Eval()
	pooled := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { v := F.MaxPool2d(x, []int{2, 2}); return v.Mul(v).Sum() })
	average := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return F.AvgPool2d(x, []int{2, 2}).Square().Sum() })
	return []sweepCase{
		{"max_pool", 2.5 * pixels * 2, func() *lucid.Tensor { v := F.MaxPool2d(image, []int{2, 2}); return v }},
		{"max_pool/f32", 5 * pixels, func() *lucid.Tensor { v := F.MaxPool2d(wide, []int{2, 2}); return v }},
		{"max_pool/grad", 9 * pixels, func() *lucid.Tensor { return pooled(wide) }},
		{"avg_pool", 2.5 * pixels, func() *lucid.Tensor { return F.AvgPool2d(image, []int{2, 2}) }},
		{"avg_pool/grad", 4 * pixels, func() *lucid.Tensor { return average(wide) }},
		{"interpolate/nearest", 2 * 5 * pixels, func() *lucid.Tensor {
			return F.Interpolate(image, F.InterpolateOptions{ScaleFactor: []float64{2, 2}})
		}},
		{"interpolate/bilinear", 2 * 5 * pixels, func() *lucid.Tensor {
			return F.Interpolate(image, F.InterpolateOptions{ScaleFactor: []float64{2, 2}, Mode: "bilinear"})
		}},
		{"grid_sample", 8 * pixels / 4, func() *lucid.Tensor { return F.GridSample(wide.Narrow(0, 0, 16), grid) }},
		{"adaptive_avg_pool", 4 * pixels, func() *lucid.Tensor { return F.AdaptiveAvgPool2d(wide, []int{7, 7}) }},
		{"max_pool/3", 8 * pixels, func() *lucid.Tensor {
			v := F.MaxPool2d(wide, []int{3, 3}, F.MaxPoolOptions{Stride: []int{1, 1}, Padding: []int{1, 1}})
			return v
		}},
		{"rand", mat, func() *lucid.Tensor { return on(func() *lucid.Tensor { return lucid.Rand(n, n) }) }},
		{"randn", mat, func() *lucid.Tensor { return on(func() *lucid.Tensor { return lucid.Randn(n, n) }) }},
		{"randint", 2 * mat, func() *lucid.Tensor { return on(func() *lucid.Tensor { return lucid.RandInt(0, 1000, n, n) }) }},
		{"bernoulli", 2 * mat, func() *lucid.Tensor { return on(func() *lucid.Tensor { return lucid.Bernoulli(x) }) }},
		{"dropout", 2 * mat, func() *lucid.Tensor { return on(func() *lucid.Tensor { return F.Dropout(x) }) }},
		{"one_hot", 8 * n * n, func() *lucid.Tensor { return F.OneHot(at, F.OneHotOptions{NumClasses: n}) }},
		{"unfold", 4 * 9 * pixels / 4, func() *lucid.Tensor {
			return wide.Narrow(0, 0, 16).Unfold(2, 3, 1).Unfold(3, 3, 1).Contiguous()
		}},
	}
}

// spent logs the time of each kernel since `before`, with LUCID_CUDA_SYNC=1.
func spent(b *testing.B, before map[string]Spent) {
	now, err := KernelTimes(0)
	must(b, err)
	for label, t := range now {
		if n := t.Launches - before[label].Launches; n > 0 {
			b.Logf("%.48s: %d launches, %v each", label, n, (t.Time-before[label].Time)/time.Duration(n))
		}
	}
}

// on makes a value on the GPU.
func on(f func() *lucid.Tensor) (x *lucid.Tensor) {
	lucid.WithDevice(lucid.CUDA(0), func() { x = f() })
	return x
}
