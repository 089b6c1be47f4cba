package latency

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

func benchmark(b *testing.B, bytes int, f func() []*lucid.Tensor) {
	b.SetBytes(int64(bytes))
	for b.Loop() {
		if err := lucid.Eval(f()...); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReduce measures reductions, scans and sorts of 4 MB and more of float32.
func BenchmarkReduce(b *testing.B) {
	n := 1 << 20
	flat := lucid.New(tensortest.RandomFloats(n), n).Eval()
	mat := flat.Reshape(1024, 1024).Eval()
	big := lucid.New(tensortest.RandomFloats(16*n), 4096, 4096).Eval()
	one := func(f func() *lucid.Tensor) func() []*lucid.Tensor {
		return func() []*lucid.Tensor { return []*lucid.Tensor{f()} }
	}
	b.Run("sum/all/16M", func(b *testing.B) { benchmark(b, 64<<20, one(func() *lucid.Tensor { return big.Sum() })) })
	b.Run("sum/last/16M", func(b *testing.B) { benchmark(b, 64<<20, one(func() *lucid.Tensor { return big.Sum(1) })) })
	b.Run("sum/first/16M", func(b *testing.B) { benchmark(b, 64<<20, one(func() *lucid.Tensor { return big.Sum(0) })) })
	b.Run("max/last/16M", func(b *testing.B) { benchmark(b, 64<<20, one(func() *lucid.Tensor { return big.Max(1) })) })
	b.Run("var/last/1M", func(b *testing.B) { benchmark(b, 4<<20, one(func() *lucid.Tensor { return mat.Var(1) })) })
	b.Run("var/first/1M", func(b *testing.B) { benchmark(b, 4<<20, one(func() *lucid.Tensor { return mat.Var(0) })) })
	b.Run("norm/all/1M", func(b *testing.B) { benchmark(b, 4<<20, one(func() *lucid.Tensor { return flat.Norm() })) })
	b.Run("logsumexp/last/1M", func(b *testing.B) { benchmark(b, 4<<20, one(func() *lucid.Tensor { return mat.LogSumExp(1) })) })
	b.Run("logsumexp/first/1M", func(b *testing.B) { benchmark(b, 4<<20, one(func() *lucid.Tensor { return mat.LogSumExp(0) })) })
	b.Run("argmax/last/1M", func(b *testing.B) { benchmark(b, 4<<20, one(func() *lucid.Tensor { return mat.ArgMax(1) })) })
	b.Run("argmax/first/1M", func(b *testing.B) { benchmark(b, 4<<20, one(func() *lucid.Tensor { return mat.ArgMax(0) })) })
	b.Run("median/1M", func(b *testing.B) {
		benchmark(b, 4<<20, one(func() *lucid.Tensor { v, _ := lucid.Median(flat); return v }))
	})
	b.Run("cumsum/last/1M", func(b *testing.B) { benchmark(b, 4<<20, one(func() *lucid.Tensor { return mat.CumSum(1) })) })
	b.Run("cumsum/first/1M", func(b *testing.B) { benchmark(b, 4<<20, one(func() *lucid.Tensor { return mat.CumSum(0) })) })
	pair := func(f func() (*lucid.Tensor, *lucid.Tensor)) func() []*lucid.Tensor {
		return func() []*lucid.Tensor { v, i := f(); return []*lucid.Tensor{v, i} }
	}
	b.Run("sort/1M", func(b *testing.B) {
		benchmark(b, 4<<20, pair(func() (*lucid.Tensor, *lucid.Tensor) { return flat.Sort(0) }))
	})
	b.Run("sort/1024x1024", func(b *testing.B) {
		benchmark(b, 4<<20, pair(func() (*lucid.Tensor, *lucid.Tensor) { return mat.Sort(1) }))
	})
	b.Run("sort/first", func(b *testing.B) {
		benchmark(b, 4<<20, pair(func() (*lucid.Tensor, *lucid.Tensor) { return mat.Sort(0) }))
	})
	b.Run("topk10/1M", func(b *testing.B) {
		benchmark(b, 4<<20, pair(func() (*lucid.Tensor, *lucid.Tensor) { return flat.TopK(10) }))
	})
	b.Run("topk10/1024x1024", func(b *testing.B) {
		benchmark(b, 4<<20, pair(func() (*lucid.Tensor, *lucid.Tensor) { return mat.TopK(10) }))
	})
}
