package ops

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// nnCase is a function of one float64 tensor of the given shape.
type nnCase struct {
	name  string
	shape []int
	f     func(x *lucid.Tensor) *lucid.Tensor
}

func nnCases() []nnCase {
	lucid.Seed(3)
	d := lucid.With{DType: lucid.Float64}
	w3, b3 := d.Randn(3), d.Randn(3)
	w43 := d.Randn(4, 3)
	target := lucid.New([]int64{1, 0, 2, 1}, 4)
	soft := d.Rand(4, 3)
	keys := d.Randn(2, 4, 3)
	mask := lucid.New([]bool{true, false, true, true, false, false, false, false}, 2, 4)
	first := func(v, _ *lucid.Tensor) *lucid.Tensor { return v }
	plane := []int{2, 3, 5, 6}
	return []nnCase{
		{"relu", []int{4, 3}, F.ReLU}, {"silu", []int{4, 3}, F.SiLU},
		{"gelu", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return F.GELU(x) }},
		{"gelu_tanh", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return F.GELU(x, F.GELUOptions{Approximate: "tanh"}) }},
		{"softplus", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return F.Softplus(x, F.SoftplusOptions{Beta: 1.5}) }},
		{"logsigmoid", []int{4, 3}, F.LogSigmoid}, {"mish", []int{4, 3}, F.Mish}, {"selu", []int{4, 3}, F.SELU},
		{"hardswish", []int{4, 3}, F.Hardswish},
		{"softmax", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return lucid.Softmax(x, -1) }},
		{"softmax dim 0", []int{4, 3, 2}, func(x *lucid.Tensor) *lucid.Tensor { return lucid.Softmax(x, 0) }},
		{"log_softmax", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return lucid.LogSoftmax(x, 1) }},
		{"layer_norm", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.LayerNorm(x, []int{3}, F.LayerNormOptions{Weight: w3, Bias: b3})
		}},
		{"layer_norm weight", []int{3}, func(w *lucid.Tensor) *lucid.Tensor {
			return F.LayerNorm(w43, []int{3}, F.LayerNormOptions{Weight: w})
		}},
		{"layer_norm bias", []int{3}, func(b *lucid.Tensor) *lucid.Tensor {
			return F.LayerNorm(w43, []int{3}, F.LayerNormOptions{Weight: w3, Bias: b})
		}},
		{"layer_norm 2 dims", []int{2, 4, 3}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.LayerNorm(x, []int{4, 3}, F.LayerNormOptions{Weight: w43})
		}},
		{"rms_norm", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return F.RMSNorm(x, []int{3}, F.RMSNormOptions{Weight: w3}) }},
		{"rms_norm weight", []int{3}, func(w *lucid.Tensor) *lucid.Tensor { return F.RMSNorm(w43, []int{3}, F.RMSNormOptions{Weight: w}) }},
		{"group_norm", []int{2, 4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return F.GroupNorm(x, 2) }},
		{"batch_norm", []int{4, 3, 2}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.BatchNorm(x, F.BatchNormOptions{Weight: w3, Bias: b3, Training: true})
		}},
		{"instance_norm", []int{2, 3, 4}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.InstanceNorm(x, F.InstanceNormOptions{Weight: w3, Bias: b3})
		}},
		{"local_response_norm", []int{2, 5, 3}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.LocalResponseNorm(x, 3, F.LocalResponseNormOptions{Alpha: new(0.5)})
		}},
		{"cross_entropy", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.CrossEntropy(x, target, F.CrossEntropyOptions{Weight: w3.Square(), LabelSmoothing: 0.1, Reduction: "none"})
		}},
		{"cross_entropy soft", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return F.CrossEntropy(x, soft) }},
		{"bce", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return F.BinaryCrossEntropy(x.Sigmoid(), soft) }},
		{"bce logits", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.BinaryCrossEntropyWithLogits(x, soft, F.BinaryCrossEntropyWithLogitsOptions{PosWeight: w3.Square()})
		}},
		{"kl_div", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return F.KLDiv(x, soft) }},
		{"multilabel_margin", []int{2, 4}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.MultiLabelMarginLoss(x, lucid.New([]int64{3, 0, -1, 1, 2, -1, 0, 0}, 2, 4))
		}},
		{"normalize", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return F.Normalize(x, F.NormalizeOptions{P: new(3.0)}) }},
		{"cosine_similarity", []int{4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return F.CosineSimilarity(x, w43) }},
		{"attention", []int{2, 2, 3}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.ScaledDotProductAttention(x, keys, keys, F.ScaledDotProductAttentionOptions{AttnMask: mask})
		}},
		{"attention causal", []int{2, 4, 3}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.ScaledDotProductAttention(x, keys, x, F.ScaledDotProductAttentionOptions{IsCausal: true})
		}},
		{"embedding", []int{4, 3}, func(w *lucid.Tensor) *lucid.Tensor { return F.Embedding(target, w) }},
		{"max_pool2d", plane, func(x *lucid.Tensor) *lucid.Tensor {
			return first(F.MaxPool2dWithIndices(x, []int{3}, F.MaxPoolOptions{Stride: []int{2}, Padding: []int{1}, CeilMode: true}))
		}},
		{"adaptive_max_pool1d", []int{2, 7}, func(x *lucid.Tensor) *lucid.Tensor {
			return first(F.AdaptiveMaxPool1dWithIndices(x, []int{3}))
		}},
		{"avg_pool2d", plane, func(x *lucid.Tensor) *lucid.Tensor {
			return F.AvgPool2d(x, []int{3, 2}, F.AvgPoolOptions{Stride: []int{2}, Padding: []int{1, 0}, CeilMode: true, ExcludePad: true})
		}},
		{"adaptive_avg_pool2d", plane, func(x *lucid.Tensor) *lucid.Tensor { return F.AdaptiveAvgPool2d(x, []int{2, 4}) }},
		{"lp_pool1d", []int{2, 9}, func(x *lucid.Tensor) *lucid.Tensor { return F.LPPool1d(x, 2, []int{3}) }},
		{"unfold_image", []int{2, 4, 5}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.Unfold(x, []int{2, 3}, F.FoldOptions{Padding: []int{1}})
		}},
		{"fold", []int{1, 8, 6}, func(x *lucid.Tensor) *lucid.Tensor { return F.Fold(x, []int{3, 4}, []int{2}) }},
	}
}

// imageCases are the ops that pad and resample.
func imageCases() []nnCase {
	lucid.Seed(4)
	d := lucid.With{DType: lucid.Float64}
	grid := d.Rand(1, 2, 3, 2).Mul(1.6).Sub(0.8)
	keys, channels := d.Randn(2, 4, 3), d.Randn(1, 9, 4, 3)
	return []nnCase{
		{"pad", []int{3, 4}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.Pad(x, []int{-1, 2, 1, 0}, F.PadOptions{Value: 2.0})
		}},
		{"pad reflect", []int{3, 4}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.Pad(x, []int{2, 1, 1, 2}, F.PadOptions{Mode: "reflect"})
		}},
		{"pad symmetric", []int{3, 4}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.Pad(x, []int{4, 1, 0, 3}, F.PadOptions{Mode: "symmetric"})
		}},
		{"pad circular", []int{3, 4}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.Pad(x, []int{3, -1}, F.PadOptions{Mode: "circular"})
		}},
		{"bilinear", []int{1, 2, 3, 4}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.Interpolate(x, F.InterpolateOptions{Size: []int{5, 3}, Mode: "bilinear"})
		}},
		{"bicubic antialias", []int{1, 1, 6, 5}, func(x *lucid.Tensor) *lucid.Tensor {
			return F.Interpolate(x, F.InterpolateOptions{Size: []int{3, 7}, Mode: "bicubic", Antialias: true})
		}},
		{"grid_sample", []int{1, 2, 4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return F.GridSample(x, grid) }},
		{"grid_sample grid", []int{1, 2, 2, 2}, func(g *lucid.Tensor) *lucid.Tensor {
			return F.GridSample(keys.Reshape(1, 2, 4, 3), g.Mul(0.3), F.GridSampleOptions{Mode: "bicubic", PaddingMode: "reflection"})
		}},
		{"grid_sample many", []int{1, 9, 4, 3}, func(x *lucid.Tensor) *lucid.Tensor { return F.GridSample(x, grid) }},
		{"grid_sample many grid", []int{1, 2, 2, 2}, func(g *lucid.Tensor) *lucid.Tensor {
			return F.GridSample(channels, g.Mul(0.3))
		}},
		{"affine_grid", []int{1, 2, 3}, func(x *lucid.Tensor) *lucid.Tensor { return F.AffineGrid(x, []int{1, 1, 2, 3}) }},
	}
}

// TestNNRules checks the rules of the ops for networks against each other and against differences, twice over.
func TestNNRules(t *testing.T) {
	for _, c := range append(nnCases(), imageCases()...) {
		t.Run(c.name, func(t *testing.T) {
			d := lucid.With{DType: lucid.Float64}
			lucid.Seed(7)
			x, v := d.Randn(c.shape...), d.Randn(c.shape...)
			y := c.f(x)
			u := d.Randn(y.Shape()...)
			slope := func(f func(*lucid.Tensor) *lucid.Tensor) float64 { // of f along v
				const h = 1e-5
				return (f(x.Add(v.Mul(h))).Sum().Item() - f(x.Sub(v.Mul(h))).Sum().Item()) / (2 * h)
			}
			weighed := func(x *lucid.Tensor) *lucid.Tensor { return c.f(x).Mul(u) }
			_, g := lucid.VJP(c.f, x, u)
			tensortest.Near(t, "vjp", g.Mul(v).Sum().Item(), slope(weighed))
			_, dy := lucid.JVP(c.f, x, v)
			if dy != nil {
				tensortest.Near(t, "jvp", dy.Mul(u).Sum().Item(), g.Mul(v).Sum().Item())
			}
			// The gradient's own slope: vjp of vjp, and jvp of vjp.
			back := func(x *lucid.Tensor) *lucid.Tensor { _, g := lucid.VJP(c.f, x, u); return g.Mul(v) }
			_, gg := lucid.VJP(back, x, lucid.OnesLike(x))
			want := slope(back)
			if gg != nil {
				tolerance := 1e-4 * (1 + math.Abs(want))
				if got := gg.Mul(v).Sum().Item(); math.Abs(got-want) > tolerance {
					t.Errorf("second order: got %v, want %v", got, want)
				}
			}
			// Over a batch, and its gradient.
			batch := pile([]*lucid.Tensor{x, v, x.Add(v)})
			tensortest.Same(t, "vmap", lucid.VMap(c.f)(batch), pile([]*lucid.Tensor{c.f(x), c.f(v), c.f(x.Add(v))}))
			one := func(x *lucid.Tensor) *lucid.Tensor { _, g := lucid.VJP(c.f, x, u); return g }
			tensortest.Same(t, "vmap of vjp", lucid.VMap(one)(batch), pile([]*lucid.Tensor{one(x), one(v), one(x.Add(v))}))
		})
	}
}

// pile puts tensors side by side along a new first dimension.
func pile(ts []*lucid.Tensor) *lucid.Tensor {
	out := make([]*lucid.Tensor, len(ts))
	for i, t := range ts {
		out[i] = t.Unsqueeze(0)
	}
	return lucid.Cat(out, 0)
}

// TestNNMappedWeights maps over weights alone.
func TestNNMappedWeights(t *testing.T) {
	lucid.Seed(1)
	x := lucid.Randn(4, 3)
	ws, bs := []*lucid.Tensor{lucid.Randn(3), lucid.Randn(3)}, []*lucid.Tensor{lucid.Randn(3), lucid.Randn(3)}
	norm := func(w, b *lucid.Tensor) *lucid.Tensor {
		return F.LayerNorm(x, []int{3}, F.LayerNormOptions{Weight: w, Bias: b})
	}
	tensortest.Same(t, "both", lucid.VMap(norm)(pile(ws), pile(bs)), pile([]*lucid.Tensor{norm(ws[0], bs[0]), norm(ws[1], bs[1])}))
}

// TestConvOfNothing: a result without elements takes no time, however long it is along other dimensions.
func TestConvOfNothing(t *testing.T) {
	for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Complex64, lucid.Int32} {
		out, err := lucid.Call("conv_general", []*lucid.Tensor{lucid.Ones(3, 4, 5).To(d), lucid.Zeros(0, 4, 3).To(d)},
			map[string]any{"input_dilation": []int{1 << 30}, "padding": 1 << 30})
		if err != nil || out[0].Eval().NumElement() != 0 {
			t.Errorf("%v: %v, %v", d, out, err)
		}
	}
}
