package cuda

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// TestFastBlocks compares products that may round x with those that may not, for every way that numbers of rows choose.
func TestFastBlocks(t *testing.T) {
	dev := gpu(t)
	lucid.Seed(5)
	for _, format := range []ggml.Type{ggml.Q4_0, ggml.Q4_1, ggml.Q5_0, ggml.Q5_1, ggml.Q8_0, ggml.Q4_K, ggml.Q5_K, ggml.Q6_K} {
		const n, k = 75, 4352
		bytes, _ := format.RowBytes(k)
		data := make([]byte, n*bytes)
		ggml.Quantize(format, data, lucid.ToSlice[float32](lucid.Randn(n, k)))
		w := lucid.New(data, n, bytes).To(dev)
		for _, m := range []int{1, 3, 8, 9, 32, 33, 200} {
			x := lucid.Randn(m, k).To(dev)
			product := func(fast bool) *lucid.Tensor {
				a, b := (*graph.Array)(x).Acquire(), (*graph.Array)(w).Acquire()
				defer a.Unref()
				defer b.Unref()
				return (*lucid.Tensor)(door.Wrap(ops.BlockMatmul(a, b, format, fast)))
			}
			want := product(false)
			if e := product(true).Sub(want).Norm().Div(want.Norm()).Item(); !(e < 1e-2) {
				t.Errorf("%v, %d rows: off by %.2g", format, m, e)
			}
		}
	}
}
