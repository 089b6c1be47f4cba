package cuda

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/quant"
)

// groupMatrix is a quantized matrix on a device.
type groupMatrix struct{ packed, scales, biases *lucid.Tensor }

func newGroupMatrix(o quant.Options, n, k int, t lucid.DType, dev lucid.Device) groupMatrix {
	w := lucid.With{Device: dev}.Randn(n, k).Mul(1 / math.Sqrt(float64(k))).To(t)
	p, s, b := quant.QuantizeGroups(w, o)
	if p.Eval(); b != nil {
		b.Eval()
	}
	return groupMatrix{p, s.Eval(), b}
}

func (m groupMatrix) times(x *lucid.Tensor, o quant.Options) *lucid.Tensor {
	return quant.MatMulGroups(x, m.packed, m.scales, m.biases, quant.MatMulOptions{Options: o})
}

var groupOptions = []quant.Options{{}, {Bits: 8}, {Bits: 2, GroupSize: 128}, {Bits: 3, GroupSize: 32}, {Bits: 5}, {Bits: 6, GroupSize: 128},
	{Bits: 4, GroupSize: 32}, {Mode: "mxfp4"}, {Mode: "mxfp8"}, {Mode: "nvfp4"}}

// TestGroupRows compares products of long rows with those of the dequantized matrix, for every way that numbers of rows choose. A row that
// is streamed has the same bits alone and with others.
func TestGroupRows(t *testing.T) {
	dev := gpu(t)
	lucid.Seed(5)
	const n, k = 203, 4352
	for i, o := range groupOptions {
		for j, d := range []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Float16} {
			if i > 1 && i%3 != j { // compiling takes most of the time
				continue
			}
			w := newGroupMatrix(o, n, k, d, dev)
			values := quant.DequantizeGroups(w.packed, w.scales, w.biases, quant.DequantizeOptions{Options: o, DType: d}).To(lucid.Float64)
			most := map[lucid.DType]float64{lucid.Float32: 2e-6, lucid.Float16: 2e-3, lucid.BFloat16: 1e-2}[d]
			all := lucid.With{Device: dev}.Randn(70, k).To(d).Eval()
			first := w.times(all.Narrow(0, 0, 1), o)
			for _, m := range []int{1, 3, 11, 16, 24, 40} {
				x := all.Narrow(0, 0, m)
				want := x.To(lucid.Float64).MatMul(values.Transpose(0, 1))
				got := w.times(x, o)
				if e := got.To(lucid.Float64).Sub(want).Norm().Div(want.Norm()).Item(); !(e < most) {
					t.Errorf("%v, %v, %d rows: off by %.2g", o, d, m, e)
				}
				if m <= 16 && !lucid.Equal(got.Narrow(0, 0, 1), first) {
					t.Errorf("%v, %v: a row among %d has other bits than alone", o, d, m)
				}
			}
		}
	}
}

// quantizedModel is a small transformer whose layers can be quantized.
type quantizedModel struct {
	nn.Base
	Table                nn.Module
	Q, K, V, O, Up, Down nn.Layer
	Norm1, Norm2         *nn.LayerNorm
}

func newQuantizedModel() *quantizedModel {
	linear := func(in, out int) nn.Layer { return nn.NewLinear(in, out) }
	return &quantizedModel{Table: nn.NewEmbedding(50, 64), Q: linear(64, 64), K: linear(64, 64), V: linear(64, 64), O: linear(64, 64),
		Up: linear(64, 128), Down: linear(128, 64), Norm1: nn.NewLayerNorm([]int{64}), Norm2: nn.NewLayerNorm([]int{64})}
}

// loss is a number that depends on all layers, and the hidden state behind the table.
func (m *quantizedModel) loss(ids *lucid.Tensor) (loss, hidden *lucid.Tensor) {
	table := m.Table.(*nn.QuantizedEmbedding)
	hidden = table.Forward(ids).Detach().RequiresGrad_(true)
	heads := func(l nn.Layer, x *lucid.Tensor) *lucid.Tensor {
		return l.Forward(x).Reshape(x.Size(0), x.Size(1), 4, 16).Transpose(1, 2)
	}
	y := m.Norm1.Forward(hidden)
	y = F.ScaledDotProductAttention(heads(m.Q, y), heads(m.K, y), heads(m.V, y), F.ScaledDotProductAttentionOptions{IsCausal: true})
	x := hidden.Add(m.O.Forward(y.Transpose(1, 2).Reshape(hidden.Shape()...)))
	x = x.Add(m.Down.Forward(F.GELU(m.Up.Forward(m.Norm2.Forward(x)))))
	return table.AsLinear(x).LogSumExp(-1).Mean(), hidden
}

// TestQuantizedModel runs a quantized transformer, forward and backward, on the GPU and on the CPU: no op may run on the host.
func TestQuantizedModel(t *testing.T) {
	dev := gpu(t)
	for _, o := range groupOptions {
		if o.GroupSize == 128 {
			continue
		}
		if o.GroupSize == 0 && o.Mode == "" {
			o.GroupSize = 32
		}
		var want []*lucid.Tensor
		for _, on := range []lucid.Device{lucid.CPU, dev} {
			lucid.Seed(3)
			m := newQuantizedModel()
			nn.To(m, on)
			before, err := Fallbacks(0)
			must(t, err)
			nn.Quantize(m, o, nil)
			up := m.Up.(*nn.QuantizedLinear)
			if up.Biases != nil {
				up.Scales.RequiresGrad_(true)
				up.Biases.RequiresGrad_(true)
			}
			loss, hidden := m.loss(lucid.With{Device: on}.New([]int64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, 2, 5))
			loss.Backward()
			got := []*lucid.Tensor{loss, hidden.Grad(), m.Q.(*nn.QuantizedLinear).Bias.Grad()}
			if up.Biases != nil {
				got = append(got, up.Scales.Grad(), up.Biases.Grad())
			}
			for i, g := range got {
				got[i] = g.To(lucid.CPU).Eval()
			}
			after, err := Fallbacks(0)
			must(t, err)
			if !maps.Equal(before, after) {
				t.Errorf("%v: ops ran on the host: %v, before %v", o, after, before)
			}
			for i, w := range want {
				if e := got[i].Sub(w).Norm().Div(w.Norm().Add(1e-9)).Item(); !(e < 1e-4) {
					t.Errorf("%v: value %d is off by %.2g", o, i, e)
				}
			}
			want = got
		}
	}
}

// BenchmarkGroups measures chains of products with quantized matrices, of MLX's formats and of GGUF's blocks, that no cache holds.
func BenchmarkGroups(b *testing.B) {
	const n, matrices = 8192, 8
	dev := gpu(b)
	run := func(name string, m int, d lucid.DType, bytes int, step func(x *lucid.Tensor) *lucid.Tensor) {
		b.Run(fmt.Sprintf("%s/%v/%d", name, d, m), func(b *testing.B) {
			f := lucid.Compile(func(x *lucid.Tensor) (y *lucid.Tensor) {
				lucid.NoGrad(func() { y = step(x) })
				return y
			})
			x := lucid.With{Device: dev}.Randn(m, n).To(d).Eval()
			for i := range 4 + b.N {
				if i == 4 {
					b.ResetTimer()
				}
				f(x).Narrow(1, 0, 1).Sum().Item()
			}
			s := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(float64(bytes)/s/1e9, "GB/s")
			b.ReportMetric(2*n*n*matrices*float64(m)/s/1e12, "TFLOP/s")
		})
	}
	for i, o := range groupOptions {
		kinds := []lucid.DType{lucid.BFloat16}
		if i == 0 || i == 1 || o.Mode == "nvfp4" {
			kinds = []lucid.DType{lucid.BFloat16, lucid.Float16, lucid.Float32}
		}
		for _, d := range kinds {
			var list []groupMatrix
			bytes := 0
			for range matrices {
				w := newGroupMatrix(o, n, n, d, dev)
				list = append(list, w)
				for _, t := range []*lucid.Tensor{w.packed, w.scales, w.biases} {
					if t != nil {
						bytes += t.Size(0) * t.Size(1) * t.ElementSize()
					}
				}
			}
			rows := []int{1}
			if len(kinds) > 1 && d != lucid.Float16 {
				rows = []int{1, 4, 8, 16, 24, 25, 512}
			}
			for _, m := range rows {
				run(fmt.Sprintf("%s%d_%d", o.Mode, o.Bits, o.GroupSize), m, d, bytes, func(x *lucid.Tensor) *lucid.Tensor {
					for _, w := range list {
						x = w.times(x, o)
					}
					return x
				})
			}
		}
	}
	for _, format := range []string{"q4_0", "q4_k", "q8_0"} {
		one := quant.QuantizeBlocks(lucid.Randn(n/8, n).Div(math.Sqrt(n)), format)
		var list []*lucid.Tensor
		for range matrices {
			list = append(list, lucid.Cat([]*lucid.Tensor{one, one, one, one, one, one, one, one}, 0).To(dev).Eval())
		}
		bytes := matrices * n * list[0].Size(1)
		for _, m := range []int{1, 4, 8, 16, 64, 512} {
			for _, fast := range []bool{true, false} {
				run(fmt.Sprintf("%s_fast=%v", format, fast), m, lucid.Float32, bytes, func(x *lucid.Tensor) *lucid.Tensor {
					for _, w := range list {
						x = quant.MatMulBlocks(x, w, format, quant.BlockOptions{Fast: fast})
					}
					return x
				})
			}
		}
	}
}
