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
		"mlx.ALiBi": func(x *lucid.Tensor, offset int) *lucid.Tensor { return nn.NewALiBi().ForwardAt(x, nil, offset) },
	} {
		functions[name] = f
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
