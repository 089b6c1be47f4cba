package model

import (
	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// The ops the blocks are made of, each in one line, so that they read as formulas there.

func rmsNorm(x, weight *lucid.Tensor, eps float64) *lucid.Tensor {
	return F.RMSNorm(x, []int{x.Size(-1)}, F.RMSNormOptions{Weight: weight, Eps: &eps})
}

func layerNorm(x, weight, bias *lucid.Tensor, eps float64) *lucid.Tensor {
	return F.LayerNorm(x, []int{x.Size(-1)}, F.LayerNormOptions{Weight: weight, Bias: bias, Eps: &eps})
}

func activate(kind string, x *lucid.Tensor) *lucid.Tensor {
	switch kind {
	case "silu":
		return F.SiLU(x)
	case "relu":
		return F.ReLU(x)
	case "gelu":
		return F.GELU(x)
	}
	return F.GELU(x, F.GELUOptions{Approximate: "tanh"})
}

func project(x, weight *lucid.Tensor) *lucid.Tensor { return F.Linear(x, weight) }

func attend(q, k, v, mask *lucid.Tensor, causal bool, scale float64) *lucid.Tensor {
	return attendWithSinks(q, k, v, mask, causal, scale, nil)
}

// attendWithSinks is attention in which every head has a score, of (heads), for no key at all.
func attendWithSinks(q, k, v, mask *lucid.Tensor, causal bool, scale float64, sinks *lucid.Tensor) *lucid.Tensor {
	return F.ScaledDotProductAttention(q, k, v,
		F.ScaledDotProductAttentionOptions{AttnMask: mask, IsCausal: causal, Scale: &scale, EnableGQA: true, Sinks: sinks})
}

// capped bounds values smoothly.
func capped(x *lucid.Tensor, most float64) *lucid.Tensor {
	if most == 0 {
		return x
	}
	return x.Div(most).Tanh().Mul(most)
}
