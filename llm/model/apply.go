package model

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
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
	case "gelu":
		return F.GELU(x)
	}
	return F.GELU(x, F.GELUOptions{Approximate: "tanh"})
}

func project(x, weight *lucid.Tensor) *lucid.Tensor { return F.Linear(x, weight) }

func attend(q, k, v, mask *lucid.Tensor, causal bool, scale float64) *lucid.Tensor {
	return F.ScaledDotProductAttention(q, k, v,
		F.ScaledDotProductAttentionOptions{AttnMask: mask, IsCausal: causal, Scale: &scale, EnableGQA: true})
}

// attendWithSinks is attention in which every head has a score, of (heads), for no key at all: the sums of exponentials grow by that
// of the score, so results shrink.
func attendWithSinks(q, k, v, mask *lucid.Tensor, causal bool, scale float64, sinks *lucid.Tensor) *lucid.Tensor {
	y, logSums := attendLSE(q, k, v, mask, causal, scale)
	seen := logSums.Sub(sinks.To(logSums.DType()).Reshape(1, -1, 1)).Sigmoid().Unsqueeze(-1)
	return y.Mul(seen.To(y.DType()))
}

// attendLSE returns the logarithms of the sums of exponentials too, (B, heads, T).
func attendLSE(q, k, v, mask *lucid.Tensor, causal bool, scale float64) (y, logSums *lucid.Tensor) {
	in := []*lucid.Tensor{q, k, v, mask}
	nodes := make([]*graph.Node, len(in))
	for i, t := range in {
		if t != nil {
			nodes[i] = (*graph.Array)(t).Acquire()
			defer nodes[i].Unref()
		}
	}
	a, b := ops.AttentionLSE(nodes[0], nodes[1], nodes[2], nodes[3],
		ops.ScaledDotProductAttentionOptions{IsCausal: causal, Scale: &scale, EnableGQA: true})
	return (*lucid.Tensor)(door.Wrap(a)), (*lucid.Tensor)(door.Wrap(b))
}

// capped bounds values smoothly.
func capped(x *lucid.Tensor, most float64) *lucid.Tensor {
	if most == 0 {
		return x
	}
	return x.Div(most).Tanh().Mul(most)
}
