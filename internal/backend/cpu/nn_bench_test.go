package cpu

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

func benchNN(b *testing.B, d dtype.DType, c nnCall) {
	ctx := &backend.Ctx{Context: context.Background(), For: par.For}
	var in []backend.View
	bytes := 0
	for _, dims := range c.in {
		v := layouts(rand.New(rand.NewPCG(1, 2)), d, dims)["row-major"]
		in = append(in, v)
		bytes += v.Numel() * d.Size()
	}
	out := c.outputs(d)
	for _, v := range out {
		bytes += v.Numel() * v.DType.Size()
	}
	b.SetBytes(int64(bytes))
	for b.Loop() {
		if err := table[c.op](ctx, c.a, out, in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNN(b *testing.B) {
	image := window(112, 56, 3, 2, 1, 1, 2)
	image.Count = attr.CountPadded
	small := window(112, 56, 2, 2, 0, 1, 2)
	small.Count = attr.CountPadded
	i64 := []dtype.DType{0, dtype.Int64}
	big, less := []int{64, 112, 112}, []int{64, 56, 56}
	for _, c := range []struct {
		name string
		d    dtype.DType
		call nnCall
	}{
		{"softmax/1024x1024", dtype.Float32, nnCall{op: "softmax", a: attr.Axis{Axis: 1}, in: [][]int{{1024, 1024}},
			out: [][]int{{1024, 1024}}}},
		{"softmax/1024x1024/bf16", dtype.BFloat16, nnCall{op: "softmax", a: attr.Axis{Axis: 1}, in: [][]int{{1024, 1024}},
			out: [][]int{{1024, 1024}}}},
		{"softmax/64x32000", dtype.Float32, nnCall{op: "softmax", a: attr.Axis{Axis: 1}, in: [][]int{{64, 32000}},
			out: [][]int{{64, 32000}}}},
		{"softmax/dim1_8x100x4096", dtype.Float32, nnCall{op: "softmax", a: attr.Axis{Axis: 1}, in: [][]int{{8, 100, 4096}},
			out: [][]int{{8, 100, 4096}}}},
		{"log_softmax/64x32000", dtype.Float32, nnCall{op: "log_softmax", a: attr.Axis{Axis: 1}, in: [][]int{{64, 32000}},
			out: [][]int{{64, 32000}}}},
		{"layer_norm/4096x1024", dtype.Float32, nnCall{op: "layer_norm", a: attr.RowNorm{Dims: 1, Eps: 1e-5},
			in: [][]int{{4096, 1024}, {1024}, {1024}}, out: [][]int{{4096, 1024}, {4096, 1}, {4096, 1}}}},
		{"rms_norm/4096x1024", dtype.Float32, nnCall{op: "rms_norm", a: attr.RowNorm{Dims: 1, Eps: 1e-5}, in: [][]int{{4096, 1024}, {1024}},
			out: [][]int{{4096, 1024}, {4096, 1}}}},
		{"max_pool2d/3s2/64x112", dtype.Float32, nnCall{op: "pool_max", a: image, in: [][]int{big}, out: [][]int{less, less}, kind: i64}},
		{"max_pool2d/2s2/64x112", dtype.Float32, nnCall{op: "pool_max", a: small, in: [][]int{big}, out: [][]int{less, less}, kind: i64}},
		{"avg_pool2d/3s2/64x112", dtype.Float32, nnCall{op: "pool_mean", a: image, in: [][]int{big}, out: [][]int{less}}},
		{"avg_pool2d_t/3s2/64x112", dtype.Float32, nnCall{op: "pool_mean_t", a: image, in: [][]int{less}, out: [][]int{big}}},
		{"unfold/3s2/64x112", dtype.Float32, nnCall{op: "pool_unfold", a: image, in: [][]int{big}, out: [][]int{{64, 3, 3, 56, 56}}}},
		{"fold/3s2/64x112", dtype.Float32, nnCall{op: "pool_fold", a: image, in: [][]int{{64, 3, 3, 56, 56}}, out: [][]int{big}}},
	} {
		b.Run(c.name, func(b *testing.B) { benchNN(b, c.d, c.call) })
	}
}
