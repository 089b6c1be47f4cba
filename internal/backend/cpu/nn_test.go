package cpu

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/ref"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/shape"
	"github.com/lucid-go/lucid/internal/testutil"
)

func host(n int, d dtype.DType) *mem.Buffer {
	return mem.FromGo(dtype.Bytes(make([]uint64, (n*d.Size()+7)/8))[:n*d.Size()])
}

// layouts shows the same random numbers in row-major order, with the dimensions of memory transposed round, backwards, and
// spread out.
func layouts(r *rand.Rand, d dtype.DType, dims []int) map[string]backend.View {
	s := shape.Of("test", dims...)
	n := s.Numel()
	buf := host(2*n+3, d)
	for i := range 2*n + 3 {
		d.Put(buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: float64(r.IntN(65)-32) / 8})
	}
	transposed, step := make([]int, len(dims)), 1
	for i, m := range dims {
		transposed[i] = step
		step *= m
	}
	back, spread := s.Strides(), s.Strides()
	back, spread = append([]int(nil), back...), append([]int(nil), spread...)
	for i := range back {
		back[i] = -back[i]
		spread[i] *= 2
	}
	return map[string]backend.View{
		"row-major":  {Buf: buf, DType: d, Shape: s},
		"transposed": {Buf: buf, DType: d, Shape: s, Lay: &shape.Layout{Strides: transposed, Offset: 1}},
		"backwards":  {Buf: buf, DType: d, Shape: s, Lay: &shape.Layout{Strides: back, Offset: max(0, n-1)}},
		"spread":     {Buf: buf, DType: d, Shape: s, Lay: &shape.Layout{Strides: spread, Offset: 3}},
		"repeated":   {Buf: buf, DType: d, Shape: s, Lay: &shape.Layout{Strides: make([]int, len(dims)), Offset: 2}},
	}
}

type nnCall struct {
	op   string
	a    attr.Attr
	in   [][]int // shapes
	out  [][]int
	kind []dtype.DType // of outputs that have not the input's dtype
	// stats are inputs that are float32 where the others are of a half type.
	stats []int
}

func window(in, out, kernel, stride, pad, dilation int, k int) attr.Pool {
	all := func(v int) attr.Ints {
		l := make([]int, k)
		for i := range l {
			l[i] = v
		}
		return attr.MakeInts(l...)
	}
	return attr.Pool{Kernel: all(kernel), Stride: all(stride), Pad: all(pad), Dilation: all(dilation), In: all(in), Out: all(out)}
}

func nnCalls() []nnCall {
	w1, w2, w3 := window(9, 5, 3, 2, 1, 1, 1), window(7, 3, 3, 2, 1, 2, 2), window(4, 2, 2, 2, 0, 1, 3)
	mean := w1
	mean.Count = attr.CountPadded
	valid := window(7, 4, 3, 2, 1, 1, 2)
	valid.Count = attr.CountValid
	cut := attr.Pool{In: attr.MakeInts(7, 5), Out: attr.MakeInts(3, 8), Adaptive: true, Count: attr.CountValid}
	i64 := []dtype.DType{0, dtype.Int64}
	var calls []nnCall
	for _, axis := range []int{0, 1, 2} {
		for _, op := range []string{"softmax", "log_softmax"} {
			calls = append(calls, nnCall{op: op, a: attr.Axis{Axis: axis}, in: [][]int{{5, 37, 70}}, out: [][]int{{5, 37, 70}}})
		}
		calls = append(calls, nnCall{op: "softmax_grad", a: attr.Axis{Axis: axis}, in: [][]int{{5, 37, 70}, {5, 37, 70}},
			out: [][]int{{5, 37, 70}}})
	}
	return append(calls,
		nnCall{op: "softmax", a: attr.Axis{Axis: 1}, in: [][]int{{3, 0}}, out: [][]int{{3, 0}}},
		nnCall{op: "softmax", a: attr.Axis{Axis: 0}, in: [][]int{{40000}}, out: [][]int{{40000}}},
		nnCall{op: "log_softmax", a: attr.Axis{Axis: 1}, in: [][]int{{2, 70001}}, out: [][]int{{2, 70001}}},
		nnCall{op: "layer_norm", a: attr.RowNorm{Dims: 1, Eps: 1e-5}, in: [][]int{{6, 37}, {37}, {37}},
			out: [][]int{{6, 37}, {6, 1}, {6, 1}}},
		nnCall{op: "layer_norm", a: attr.RowNorm{Dims: 2, Eps: 1e-3}, in: [][]int{{6, 5, 7}, {5, 7}},
			out: [][]int{{6, 5, 7}, {6, 1, 1}, {6, 1, 1}}},
		nnCall{op: "rms_norm", a: attr.RowNorm{Dims: 1, Eps: 1e-5}, in: [][]int{{600, 70}, {70}}, out: [][]int{{600, 70}, {600, 1}}},
		nnCall{op: "layer_norm", a: attr.RowNorm{Dims: 1, Eps: 1e-5}, in: [][]int{{0, 4}}, out: [][]int{{0, 4}, {0, 1}, {0, 1}}},
		nnCall{op: "layer_norm_grad", a: attr.RowNorm{Dims: 1}, in: [][]int{{6, 37}, {6, 37}, {6, 1}, {6, 1}, {37}}, out: [][]int{{6, 37}},
			stats: []int{2, 3}},
		nnCall{op: "layer_norm_grad", a: attr.RowNorm{Dims: 2}, in: [][]int{{6, 5, 7}, {6, 5, 7}, {6, 1, 1}, {6, 1, 1}},
			out: [][]int{{6, 5, 7}}, stats: []int{2, 3}},
		nnCall{op: "rms_norm_grad", a: attr.RowNorm{Dims: 1}, in: [][]int{{600, 70}, {600, 70}, {600, 1}, {70}}, out: [][]int{{600, 70}},
			stats: []int{2}},
		nnCall{op: "pool_max", a: w1, in: [][]int{{3, 9}}, out: [][]int{{3, 5}, {3, 5}}, kind: i64},
		nnCall{op: "pool_max", a: w2, in: [][]int{{2, 3, 7, 7}}, out: [][]int{{2, 3, 3, 3}, {2, 3, 3, 3}}, kind: i64},
		nnCall{op: "pool_max", a: w3, in: [][]int{{2, 4, 4, 4}}, out: [][]int{{2, 2, 2, 2}, {2, 2, 2, 2}}, kind: i64},
		nnCall{op: "pool_max", a: cut, in: [][]int{{2, 7, 5}}, out: [][]int{{2, 3, 8}, {2, 3, 8}}, kind: i64},
		nnCall{op: "pool_mean", a: mean, in: [][]int{{700, 9}}, out: [][]int{{700, 5}}},
		nnCall{op: "pool_mean", a: valid, in: [][]int{{2, 7, 7}}, out: [][]int{{2, 4, 4}}},
		nnCall{op: "pool_mean", a: cut, in: [][]int{{2, 7, 5}}, out: [][]int{{2, 3, 8}}},
		nnCall{op: "pool_mean_t", a: mean, in: [][]int{{700, 5}}, out: [][]int{{700, 9}}},
		nnCall{op: "pool_mean_t", a: valid, in: [][]int{{2, 4, 4}}, out: [][]int{{2, 7, 7}}},
		nnCall{op: "pool_mean_t", a: cut, in: [][]int{{2, 3, 8}}, out: [][]int{{2, 7, 5}}},
		nnCall{op: "pool_unfold", a: w2, in: [][]int{{2, 7, 7}}, out: [][]int{{2, 3, 3, 3, 3}}},
		nnCall{op: "pool_fold", a: w2, in: [][]int{{2, 3, 3, 3, 3}}, out: [][]int{{2, 7, 7}}},
		nnCall{op: "pool_fold", a: w3, in: [][]int{{2, 2, 2, 2, 2, 2, 2}}, out: [][]int{{2, 4, 4, 4}}},
	)
}

func (c nnCall) outputs(d dtype.DType) []backend.View {
	out := make([]backend.View, len(c.out))
	for i, dims := range c.out {
		e := d
		if c.kind != nil && c.kind[i] != 0 {
			e = c.kind[i]
		} else if i > 0 && d.IsHalf() {
			e = dtype.Float32
		}
		s := shape.Of("test", dims...)
		out[i] = backend.View{Buf: host(s.Numel(), e), DType: e, Shape: s}
	}
	return out
}

// TestNNAgainstRef runs every kernel of this family over dtypes and layouts, and compares with the oracle, and the bits
// with those of one thread.
func TestNNAgainstRef(t *testing.T) {
	ctx := &backend.Ctx{Context: context.Background(), For: par.For}
	alone := &backend.Ctx{Context: context.Background(), For: func(n int, f func(int)) error {
		for b := range n {
			f(n - 1 - b)
		}
		return nil
	}}
	for _, c := range nnCalls() {
		for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16} {
			r := rand.New(rand.NewPCG(1, 2))
			views := make([]map[string]backend.View, len(c.in))
			for i, dims := range c.in {
				e := d
				if slices.Contains(c.stats, i) && d.IsHalf() {
					e = dtype.Float32
				}
				views[i] = layouts(r, e, dims)
			}
			for lay := range views[0] {
				t.Run(fmt.Sprintf("%s/%v/%v/%s", c.op, c.in[0], d, lay), func(t *testing.T) {
					in := make([]backend.View, len(views))
					for i := range in {
						in[i] = views[i][lay]
					}
					got, again, want := c.outputs(d), c.outputs(d), c.outputs(d)
					for _, run := range []struct {
						k   backend.Kernel
						ctx *backend.Ctx
						out []backend.View
					}{{table[c.op], ctx, got}, {table[c.op], alone, again}, {ref.Device.Table[c.op], ctx, want}} {
						if err := run.k(run.ctx, c.a, run.out, in); err != nil {
							t.Fatal(err)
						}
					}
					for i := range want {
						if !bytes.Equal(got[i].Buf.Mem, again[i].Buf.Mem) {
							t.Fatal("bits depend on the order of blocks")
						}
						tol := testutil.Tol(want[i].DType, i > 0)
						for k := range want[i].Numel() {
							g, w := got[i].DType.Get(got[i].Buf.Mem, k), want[i].DType.Get(want[i].Buf.Mem, k)
							if !tol.Close(g.Float(), w.Float()) {
								t.Fatalf("output %d, element %d: %v, want %v", i, k, g.Float(), w.Float())
							}
						}
					}
				})
			}
		}
	}
}
