package nn_test

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

func init() {
	for name, f := range map[string]any{
		"mlx.relu2": F.ReLU2, "mlx.gelu_fast_approx": F.GELUFastApprox, "mlx.step": F.Step,
		"mlx.log_cosh_loss": F.LogCoshLoss, "mlx.hinge_loss": F.HingeLoss, "mlx.cosine_similarity_loss": F.CosineSimilarityLoss,
		"mlx.RoPE": func(x *lucid.Tensor, dims, offset int, o ...nn.RoPEOptions) *lucid.Tensor {
			return nn.NewRoPE(dims, o...).ForwardAt(x, offset)
		},
		"mlx.SinusoidalPositionalEncoding": func(x *lucid.Tensor, dims int, o ...nn.SinusoidalPositionalEncodingOptions) *lucid.Tensor {
			return nn.NewSinusoidalPositionalEncoding(dims, o...).Forward(x)
		},
		"mlx.RoPE_from": func(x, starts *lucid.Tensor, dims int) *lucid.Tensor {
			if starts.NumElement() == 1 {
				starts = starts.Reshape()
			}
			return nn.NewRoPE(dims).ForwardFrom(x, starts)
		},
		"mlx.attention":          mlxAttention,
		"mlx.MultiHeadAttention": mlxMultiHead,
		"mlx.ALiBi":              func(x *lucid.Tensor, offset int) *lucid.Tensor { return nn.NewALiBi().ForwardAt(x, nil, offset) },
		"mlx.Conv1d":             mlxConv(nn.NewConv1d), "mlx.Conv2d": mlxConv(nn.NewConv2d), "mlx.Conv3d": mlxConv(nn.NewConv3d),
		"mlx.ConvTranspose1d": mlxConvTranspose(nn.NewConvTranspose1d), "mlx.ConvTranspose2d": mlxConvTranspose(nn.NewConvTranspose2d),
		"mlx.ConvTranspose3d": mlxConvTranspose(nn.NewConvTranspose3d),
		"mlx.MaxPool1d":       mlxPool(nn.NewMaxPool1d), "mlx.MaxPool2d": mlxPool(nn.NewMaxPool2d),
		"mlx.MaxPool3d": mlxPool(nn.NewMaxPool3d),
		"mlx.AvgPool1d": mlxPool(nn.NewAvgPool1d), "mlx.AvgPool2d": mlxPool(nn.NewAvgPool2d), "mlx.AvgPool3d": mlxPool(nn.NewAvgPool3d),
		"mlx.BatchNorm1d": mlxBatchNorm(nn.NewBatchNorm1d), "mlx.BatchNorm2d": mlxBatchNorm(nn.NewBatchNorm2d),
		"mlx.InstanceNorm1d": mlxInstanceNorm(nn.NewInstanceNorm1d), "mlx.InstanceNorm2d": mlxInstanceNorm(nn.NewInstanceNorm2d),
		"mlx.InstanceNorm3d": mlxInstanceNorm(nn.NewInstanceNorm3d),
		"mlx.GroupNorm": func(x, w, b *lucid.Tensor) *lucid.Tensor {
			m := nn.NewGroupNorm(2, 4)
			setAll(m, w, b)
			return nn.NewChannelsLast(m).Forward(x)
		},
		"mlx.Upsample": func(x *lucid.Tensor) *lucid.Tensor {
			return nn.NewChannelsLast(nn.NewUpsample(F.InterpolateOptions{ScaleFactor: []float64{2}})).Forward(x)
		},
	} {
		functions[name] = f
	}
}

// setAll assigns to the parameters of a layer, in order.
func setAll(m nn.Module, values ...*lucid.Tensor) {
	lucid.NoGrad(func() {
		for i, p := range nn.Parameters(m) {
			p.Assign(values[i])
		}
	})
}

// mlxConv is MLX's convolution: channels are last in the input and, behind the kernel, in the weight.
func mlxConv[M nn.Layer](f func(in, out int, kernel []int, opts ...nn.ConvOptions) M) any {
	return func(x, w, b *lucid.Tensor, o struct{ Stride, Padding, Dilation int }) *lucid.Tensor {
		opt := nn.ConvOptions{ChannelsLast: true, Padding: o.Padding}
		if o.Stride != 0 {
			opt.Stride = []int{o.Stride}
		}
		if o.Dilation != 0 {
			opt.Dilation = []int{o.Dilation}
		}
		w = w.MoveDim(-1, 1)
		m := f(w.Size(1), w.Size(0), w.Shape()[2:], opt)
		setAll(m, w, b)
		return m.Forward(x)
	}
}

func mlxConvTranspose[M nn.Layer](f func(in, out int, kernel []int, opts ...nn.ConvTransposeOptions) M) any {
	return func(x, w, b *lucid.Tensor, o struct{ Stride, Padding int }) *lucid.Tensor {
		opt := nn.ConvTransposeOptions{ChannelsLast: true, Padding: []int{o.Padding}}
		if o.Stride != 0 {
			opt.Stride = []int{o.Stride}
		}
		w = w.MoveDim(-1, 0)
		m := f(w.Size(0), w.Size(1), w.Shape()[2:], opt)
		setAll(m, w, b)
		return m.Forward(x)
	}
}

func mlxPool[M nn.Layer, O any](f func(kernel []int, opts ...O) M) any {
	return func(x *lucid.Tensor) *lucid.Tensor { return nn.NewChannelsLast(f([]int{2})).Forward(x) }
}

func mlxBatchNorm[M nn.Layer](f func(features int, opts ...nn.BatchNormOptions) M) any {
	return func(x, w, b *lucid.Tensor) *lucid.Tensor {
		m := f(4, nn.BatchNormOptions{ChannelsLast: true})
		setAll(m, w, b)
		return m.Forward(x)
	}
}

func mlxInstanceNorm[M nn.Layer](f func(features int, opts ...nn.InstanceNormOptions) M) any {
	return func(x, w, b *lucid.Tensor) *lucid.Tensor {
		m := f(4, nn.InstanceNormOptions{Affine: true})
		setAll(m, w, b)
		return nn.NewChannelsLast(m).Forward(x)
	}
}

// mlxAttentionOptions are keywords of the golden cases; Seen has positive numbers where a bool mask is true.
type mlxAttentionOptions struct {
	Causal            bool
	Sinks, Mask, Seen *lucid.Tensor
}

// mlxAttention is MLX's function: heads of keys and values are shared, causal is at the bottom right.
func mlxAttention(q, k, v *lucid.Tensor, c mlxAttentionOptions) *lucid.Tensor {
	o := F.ScaledDotProductAttentionOptions{EnableGQA: true, IsCausal: c.Causal, BottomRight: c.Causal, Sinks: c.Sinks, AttnMask: c.Mask}
	if c.Seen != nil {
		o.AttnMask = c.Seen.Gt(0)
	}
	y := F.ScaledDotProductAttention(q, k, v, o)
	z, _ := F.ScaledDotProductAttentionWithWeights(q, k, v, o) // the form that holds the weights
	if !lucid.AllClose(y, z, lucid.CloseOptions{ATol: new(1e-5)}) {
		panic("attention and attention with weights differ")
	}
	return y
}

// mlxMultiHead is MLX's layer with sizes of its own for queries, keys, values and the result.
func mlxMultiHead(q, k, v, wq, wk, wv, wo *lucid.Tensor, heads int, o struct{ Causal bool }) *lucid.Tensor {
	m := nn.NewMultiheadAttention(wq.Size(0), heads, nn.MultiheadAttentionOptions{NoBias: true, BatchFirst: true, QDim: wq.Size(1),
		KDim: wk.Size(1), VDim: wv.Size(1), ValueDim: wv.Size(0), OutDim: wo.Size(0)})
	lucid.NoGrad(func() {
		if m.InProjWeight != nil {
			m.InProjWeight.Assign(lucid.Cat([]*lucid.Tensor{wq, wk, wv}, 0))
		} else {
			for i, p := range []*lucid.Tensor{m.QProjWeight, m.KProjWeight, m.VProjWeight} {
				p.Assign([]*lucid.Tensor{wq, wk, wv}[i])
			}
		}
		m.OutProj.Weight.Assign(wo)
	})
	opt := nn.AttentionOptions{}
	if o.Causal {
		opt.AttnMask = F.CausalMask(q.Size(1), k.Size(1), q.DType())
	}
	y, weights := m.Forward(q, k, v, opt)
	opt.NoWeights = true
	if z, _ := m.Forward(q, k, v, opt); !lucid.AllClose(y, z, lucid.CloseOptions{ATol: new(1e-5)}) ||
		!slices.Equal(weights.Shape(), []int{q.Size(0), q.Size(1), k.Size(1)}) {
		panic("attention with and without weights differ")
	}
	return y
}
