package lucid

import (
	"math"
	"testing"
)

// nnCase is a function of one float64 tensor of the given shape.
type nnCase struct {
	name  string
	shape []int
	f     func(x *Tensor) *Tensor
}

func nnCases() []nnCase {
	Seed(3)
	d := With{DType: Float64}
	w3, b3 := d.Randn(3), d.Randn(3)
	w43 := d.Randn(4, 3)
	target := New([]int64{1, 0, 2, 1}, 4)
	soft := d.Rand(4, 3)
	grid := d.Rand(1, 2, 3, 2).Mul(1.6).Sub(0.8)
	keys := d.Randn(2, 4, 3)
	mask := New([]bool{true, false, true, true, false, false, false, false}, 2, 4)
	first := func(v, _ *Tensor) *Tensor { return v }
	norm := func(y, _, _ *Tensor) *Tensor { return y }
	plane, channels := []int{2, 3, 5, 6}, d.Randn(1, 9, 4, 3)
	return []nnCase{
		{"relu", []int{4, 3}, Relu}, {"silu", []int{4, 3}, Silu},
		{"gelu", []int{4, 3}, func(x *Tensor) *Tensor { return Gelu(x) }},
		{"gelu_tanh", []int{4, 3}, func(x *Tensor) *Tensor { return Gelu(x, GeluOptions{Approximate: "tanh"}) }},
		{"softplus", []int{4, 3}, func(x *Tensor) *Tensor { return Softplus(x, SoftplusOptions{Beta: new(1.5)}) }},
		{"logsigmoid", []int{4, 3}, LogSigmoid}, {"mish", []int{4, 3}, Mish}, {"selu", []int{4, 3}, Selu}, {"hardswish", []int{4, 3}, Hardswish},
		{"softmax", []int{4, 3}, func(x *Tensor) *Tensor { return Softmax(x, -1) }},
		{"softmax dim 0", []int{4, 3, 2}, func(x *Tensor) *Tensor { return Softmax(x, 0) }},
		{"log_softmax", []int{4, 3}, func(x *Tensor) *Tensor { return LogSoftmax(x, 1) }},
		{"layer_norm", []int{4, 3}, func(x *Tensor) *Tensor { return LayerNorm(x, []int{3}, w3, b3) }},
		{"layer_norm weight", []int{3}, func(w *Tensor) *Tensor { return LayerNorm(w43, []int{3}, w, nil) }},
		{"layer_norm bias", []int{3}, func(b *Tensor) *Tensor { return LayerNorm(w43, []int{3}, w3, b) }},
		{"layer_norm 2 dims", []int{2, 4, 3}, func(x *Tensor) *Tensor { return LayerNorm(x, []int{4, 3}, w43, nil) }},
		{"rms_norm", []int{4, 3}, func(x *Tensor) *Tensor { return RMSNorm(x, []int{3}, w3) }},
		{"rms_norm weight", []int{3}, func(w *Tensor) *Tensor { return RMSNorm(w43, []int{3}, w) }},
		{"group_norm", []int{2, 4, 3}, func(x *Tensor) *Tensor { return GroupNorm(x, 2, nil, nil) }},
		{"batch_norm", []int{4, 3, 2}, func(x *Tensor) *Tensor {
			return norm(BatchNorm(x, nil, nil, w3, b3, BatchNormOptions{Training: true}))
		}},
		{"instance_norm", []int{2, 3, 4}, func(x *Tensor) *Tensor { return norm(InstanceNorm(x, nil, nil, w3, b3)) }},
		{"local_response_norm", []int{2, 5, 3}, func(x *Tensor) *Tensor { return LocalResponseNorm(x, 3, LocalResponseNormOptions{Alpha: new(0.5)}) }},
		{"cross_entropy", []int{4, 3}, func(x *Tensor) *Tensor {
			return CrossEntropy(x, target, w3.Square(), CrossEntropyOptions{LabelSmoothing: 0.1, Reduction: "none"})
		}},
		{"cross_entropy soft", []int{4, 3}, func(x *Tensor) *Tensor { return CrossEntropy(x, soft, nil) }},
		{"bce", []int{4, 3}, func(x *Tensor) *Tensor { return BinaryCrossEntropy(x.Sigmoid(), soft, nil) }},
		{"bce logits", []int{4, 3}, func(x *Tensor) *Tensor { return BinaryCrossEntropyWithLogits(x, soft, nil, w3.Square()) }},
		{"kl_div", []int{4, 3}, func(x *Tensor) *Tensor { return KLDiv(x, soft) }},
		{"multilabel_margin", []int{2, 4}, func(x *Tensor) *Tensor {
			return MultilabelMarginLoss(x, New([]int64{3, 0, -1, 1, 2, -1, 0, 0}, 2, 4))
		}},
		{"normalize", []int{4, 3}, func(x *Tensor) *Tensor { return Normalize(x, NormalizeOptions{P: new(3.0)}) }},
		{"cosine_similarity", []int{4, 3}, func(x *Tensor) *Tensor { return CosineSimilarity(x, w43) }},
		{"attention", []int{2, 2, 3}, func(x *Tensor) *Tensor { return ScaledDotProductAttention(x, keys, keys, mask) }},
		{"attention causal", []int{2, 4, 3}, func(x *Tensor) *Tensor {
			return ScaledDotProductAttention(x, keys, x, nil, ScaledDotProductAttentionOptions{IsCausal: true})
		}},
		{"embedding", []int{4, 3}, func(w *Tensor) *Tensor { return Embedding(target, w) }},
		{"max_pool2d", plane, func(x *Tensor) *Tensor {
			return first(MaxPool2d(x, []int{3}, MaxPoolOptions{Stride: []int{2}, Padding: []int{1}, CeilMode: true}))
		}},
		{"adaptive_max_pool1d", []int{2, 7}, func(x *Tensor) *Tensor { return first(AdaptiveMaxPool1d(x, []int{3})) }},
		{"avg_pool2d", plane, func(x *Tensor) *Tensor {
			return AvgPool2d(x, []int{3, 2}, AvgPoolOptions{Stride: []int{2}, Padding: []int{1, 0}, CeilMode: true, ExcludePad: true})
		}},
		{"adaptive_avg_pool2d", plane, func(x *Tensor) *Tensor { return AdaptiveAvgPool2d(x, []int{2, 4}) }},
		{"lp_pool1d", []int{2, 9}, func(x *Tensor) *Tensor { return LpPool1d(x, 2, []int{3}) }},
		{"unfold_image", []int{2, 4, 5}, func(x *Tensor) *Tensor { return UnfoldImage(x, []int{2, 3}, FoldOptions{Padding: []int{1}}) }},
		{"fold", []int{1, 8, 6}, func(x *Tensor) *Tensor { return Fold(x, []int{3, 4}, []int{2}) }},
		{"pad", []int{3, 4}, func(x *Tensor) *Tensor { return Pad(x, []int{-1, 2, 1, 0}, PadOptions{Value: 2.0}) }},
		{"pad reflect", []int{3, 4}, func(x *Tensor) *Tensor { return Pad(x, []int{2, 1, 1, 2}, PadOptions{Mode: "reflect"}) }},
		{"pad symmetric", []int{3, 4}, func(x *Tensor) *Tensor { return Pad(x, []int{4, 1, 0, 3}, PadOptions{Mode: "symmetric"}) }},
		{"pad circular", []int{3, 4}, func(x *Tensor) *Tensor { return Pad(x, []int{3, -1}, PadOptions{Mode: "circular"}) }},
		{"bilinear", []int{1, 2, 3, 4}, func(x *Tensor) *Tensor {
			return Interpolate(x, InterpolateOptions{Size: []int{5, 3}, Mode: "bilinear"})
		}},
		{"bicubic antialias", []int{1, 1, 6, 5}, func(x *Tensor) *Tensor {
			return Interpolate(x, InterpolateOptions{Size: []int{3, 7}, Mode: "bicubic", Antialias: true})
		}},
		{"grid_sample", []int{1, 2, 4, 3}, func(x *Tensor) *Tensor { return GridSample(x, grid) }},
		{"grid_sample grid", []int{1, 2, 2, 2}, func(g *Tensor) *Tensor {
			return GridSample(keys.Reshape(1, 2, 4, 3), g.Mul(0.3), GridSampleOptions{Mode: "bicubic", PaddingMode: "reflection"})
		}},
		{"grid_sample many", []int{1, 9, 4, 3}, func(x *Tensor) *Tensor { return GridSample(x, grid) }},
		{"grid_sample many grid", []int{1, 2, 2, 2}, func(g *Tensor) *Tensor {
			return GridSample(channels, g.Mul(0.3))
		}},
		{"affine_grid", []int{1, 2, 3}, func(x *Tensor) *Tensor { return AffineGrid(x, []int{1, 1, 2, 3}) }},
	}
}

// TestNNRules checks the rules of the ops for networks against each other and against differences, twice over.
func TestNNRules(t *testing.T) {
	for _, c := range nnCases() {
		t.Run(c.name, func(t *testing.T) {
			d := With{DType: Float64}
			Seed(7)
			x, v := d.Randn(c.shape...), d.Randn(c.shape...)
			y := c.f(x)
			u := d.Randn(y.Shape()...)
			slope := func(f func(*Tensor) *Tensor) float64 { // of f along v
				const h = 1e-5
				return (f(x.Add(v.Mul(h))).Sum().Item() - f(x.Sub(v.Mul(h))).Sum().Item()) / (2 * h)
			}
			weighed := func(x *Tensor) *Tensor { return c.f(x).Mul(u) }
			_, g := VJP(c.f, x, u)
			near(t, "vjp", g.Mul(v).Sum().Item(), slope(weighed))
			_, dy := JVP(c.f, x, v)
			if dy != nil {
				near(t, "jvp", dy.Mul(u).Sum().Item(), g.Mul(v).Sum().Item())
			}
			// The gradient's own slope: vjp of vjp, and jvp of vjp.
			back := func(x *Tensor) *Tensor { _, g := VJP(c.f, x, u); return g.Mul(v) }
			_, gg := VJP(back, x, OnesLike(x))
			want := slope(back)
			if gg != nil {
				tolerance := 1e-4 * (1 + math.Abs(want))
				if got := gg.Mul(v).Sum().Item(); math.Abs(got-want) > tolerance {
					t.Errorf("second order: got %v, want %v", got, want)
				}
			}
			// Over a batch, and its gradient.
			batch := pile([]*Tensor{x, v, x.Add(v)})
			same(t, "vmap", VMap(c.f)(batch), pile([]*Tensor{c.f(x), c.f(v), c.f(x.Add(v))}))
			one := func(x *Tensor) *Tensor { _, g := VJP(c.f, x, u); return g }
			same(t, "vmap of vjp", VMap(one)(batch), pile([]*Tensor{one(x), one(v), one(x.Add(v))}))
		})
	}
}

// pile puts tensors side by side along a new first dimension.
func pile(ts []*Tensor) *Tensor {
	out := make([]*Tensor, len(ts))
	for i, t := range ts {
		out[i] = t.Unsqueeze(0)
	}
	return Cat(out, 0)
}

// TestNNMappedWeights maps over weights alone.
func TestNNMappedWeights(t *testing.T) {
	Seed(1)
	x := Randn(4, 3)
	ws, bs := []*Tensor{Randn(3), Randn(3)}, []*Tensor{Randn(3), Randn(3)}
	norm := func(w, b *Tensor) *Tensor { return LayerNorm(x, []int{3}, w, b) }
	same(t, "both", VMap(norm)(pile(ws), pile(bs)), pile([]*Tensor{norm(ws[0], bs[0]), norm(ws[1], bs[1])}))
}

// TestConvOfNothing: a result without elements takes no time, however long it is along other dimensions.
func TestConvOfNothing(t *testing.T) {
	for _, d := range []DType{Float32, BFloat16, Complex64, Int32} {
		out, err := Call("conv_general", []*Tensor{Ones(3, 4, 5).To(d), Zeros(0, 4, 3).To(d)}, map[string]any{"input_dilation": []int{1 << 40}, "padding": 1 << 40})
		if err != nil || out[0].Eval().NumElement() != 0 {
			t.Errorf("%v: %v, %v", d, out, err)
		}
	}
}
