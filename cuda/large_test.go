package cuda

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestLarge computes what small shapes do not reach: rows that are split, sorted by tiles or too long for registers, loops
// with prefetching, split sums. The same function runs on the CPU and on the GPU over the same values.
func TestLarge(t *testing.T) {
	dev := gpu(t)
	lucid.Seed(5)
	one := func(f func(x *lucid.Tensor) *lucid.Tensor) func(x []*lucid.Tensor) []*lucid.Tensor {
		return func(x []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{f(x[0])} }
	}
	pair := func(a, b *lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{a, b} }
	last, first := -1, 0
	two := 2
	rows := lucid.Randn(3, 30011)
	ties := lucid.RandInt(0, 500, 2, 20001)
	long := lucid.Randn(1<<20 + 3)
	huge := lucid.Rand(1<<23 + 5) // kernels loop from here on
	indices := lucid.RandInt(0, 37, 5003)
	for _, c := range []struct {
		name string
		tol  float64
		in   []*lucid.Tensor
		f    func(x []*lucid.Tensor) []*lucid.Tensor
	}{
		{"chain", 1e-5, []*lucid.Tensor{huge}, one(func(x *lucid.Tensor) *lucid.Tensor {
			return x.Mul(2).Add(1).Tanh().Mul(x).Sub(0.5).Abs().Sqrt().Neg().Exp()
		})},
		{"chain/unaligned", 1e-5, []*lucid.Tensor{huge}, one(func(x *lucid.Tensor) *lucid.Tensor {
			return x.Narrow(0, 1, 1<<23+1).Sigmoid().Mul(x.Narrow(0, 3, 1<<23+1)).Sin()
		})},
		{"chain/bfloat16", 1e-2, []*lucid.Tensor{long.To(lucid.BFloat16)},
			one(func(x *lucid.Tensor) *lucid.Tensor { return x.Exp().Add(x).Mul(0.5) })},
		{"columns", 1e-5, []*lucid.Tensor{rows, lucid.Randn(3, 1), lucid.Randn(30011)}, func(x []*lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{x[0].Sub(x[1]).Exp().Mul(x[2]), x[0].Narrow(1, 3, 30008).Mul(x[1])}
		}},
		{"loss", 1e-4, []*lucid.Tensor{rows.Narrow(1, 0, 30000), lucid.New([]int64{5, 29999, 17}, 3)},
			func(x []*lucid.Tensor) []*lucid.Tensor {
				return []*lucid.Tensor{lucid.Grad(func(y *lucid.Tensor) *lucid.Tensor { return F.CrossEntropy(y, x[1]) })(x[0])}
			}},
		{"sort", 0, []*lucid.Tensor{rows}, func(x []*lucid.Tensor) []*lucid.Tensor { return pair(x[0].Sort(1)) }},
		{"sort/ties", 0, []*lucid.Tensor{ties}, func(x []*lucid.Tensor) []*lucid.Tensor {
			return pair(lucid.Sort(x[0], lucid.SortOptions{Dim: &last, Descending: true}))
		}},
		{"sort/first", 0, []*lucid.Tensor{ties.Transpose(0, 1)}, func(x []*lucid.Tensor) []*lucid.Tensor {
			return pair(lucid.Sort(x[0], lucid.SortOptions{Dim: &first}))
		}},
		{"topk", 0, []*lucid.Tensor{ties}, func(x []*lucid.Tensor) []*lucid.Tensor { return pair(x[0].TopK(700)) }},
		{"topk/most", 0, []*lucid.Tensor{rows}, func(x []*lucid.Tensor) []*lucid.Tensor { return pair(x[0].TopK(29000)) }},
		{"median", 0, []*lucid.Tensor{rows}, func(x []*lucid.Tensor) []*lucid.Tensor {
			return pair(lucid.Median(x[0], lucid.ArgOptions{Dim: &last}))
		}},
		{"mode", 0, []*lucid.Tensor{ties}, func(x []*lucid.Tensor) []*lucid.Tensor { return pair(x[0].Mode(1)) }},
		{"isin", 0, []*lucid.Tensor{rows, long.Narrow(0, 0, 3001)}, func(x []*lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{lucid.IsIn(x[0], x[1])}
		}},
		{"cumsum", 0, []*lucid.Tensor{ties}, one(func(x *lucid.Tensor) *lucid.Tensor { return x.CumSum(1) })},
		{"cumsum/float", 1e-3, []*lucid.Tensor{rows}, one(func(x *lucid.Tensor) *lucid.Tensor { return x.CumSum(1) })},
		{"softmax", 1e-5, []*lucid.Tensor{rows}, one(func(x *lucid.Tensor) *lucid.Tensor { return x.Softmax(1) })},
		{"softmax/held", 1e-5, []*lucid.Tensor{rows.Narrow(1, 0, 9000)}, one(func(x *lucid.Tensor) *lucid.Tensor { return x.Softmax(1) })},
		{"layer_norm", 1e-4, []*lucid.Tensor{rows}, one(func(x *lucid.Tensor) *lucid.Tensor { return F.LayerNorm(x, []int{30011}) })},
		{"sum", 1e-3, []*lucid.Tensor{long}, one(func(x *lucid.Tensor) *lucid.Tensor { return x.Sum() })},
		{"sum/columns", 1e-4, []*lucid.Tensor{long.Narrow(0, 0, 1<<18).Reshape(4096, 64)},
			one(func(x *lucid.Tensor) *lucid.Tensor { return x.Sum(0) })},
		{"index_add", 1e-3, []*lucid.Tensor{lucid.Zeros(37, 6), indices, lucid.Randn(5003, 6)}, func(x []*lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{x[0].IndexAdd(0, x[1], x[2])}
		}},
		{"scatter_add", 1e-3, []*lucid.Tensor{lucid.Zeros(500, 2), ties.Transpose(0, 1).To(lucid.Int64),
			rows.Narrow(0, 0, 2).Narrow(1, 0, 20001).Transpose(0, 1)}, func(x []*lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{x[0].ScatterAdd(0, x[1], x[2])}
		}},
		{"bincount", 0, []*lucid.Tensor{indices}, one(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Bincount(x) })},
		{"conv", 1e-3, []*lucid.Tensor{lucid.Randn(2, 16, 20, 20), lucid.Randn(24, 8, 3, 3)}, func(x []*lucid.Tensor) []*lucid.Tensor {
			loss := func(x, w *lucid.Tensor) *lucid.Tensor {
				return F.Conv2d(x, w, F.ConvOptions{Groups: two, Stride: []int{2, 1}, Padding: 1}).Square().Sum()
			}
			return []*lucid.Tensor{lucid.Grad(loss, 0)(x[0], x[1]), lucid.Grad(loss, 1)(x[0], x[1])}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var moved []*lucid.Tensor
			for _, x := range c.in {
				moved = append(moved, x.To(dev))
			}
			want, got := c.f(c.in), c.f(moved)
			for k := range want {
				same(t, got[k], want[k], c.tol)
			}
		})
	}
}

// same compares results of two devices.
func same(t *testing.T, got, want *lucid.Tensor, tol float64) {
	t.Helper()
	g, w := lucid.ToSlice[float64](got.To(lucid.CPU).To(lucid.Float64).Reshape(-1)),
		lucid.ToSlice[float64](want.To(lucid.Float64).Reshape(-1))
	if len(g) != len(w) {
		t.Fatalf("%d elements, want %d", len(g), len(w))
	}
	for i := range w {
		if d := math.Abs(g[i] - w[i]); !(d <= tol*(1+math.Abs(w[i]))) {
			t.Fatalf("element %d of %d is %v, want %v", i, len(w), g[i], w[i])
		}
	}
}
