package bench

import (
	"math"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// The sizes of GPT-2 124M and of its batch.
const (
	gptVocab, gptContext, gptWidth, gptHeads, gptLayers = 50257, 1024, 768, 12, 12
)

// gpt is a batch of GPT-2.
type gpt struct {
	batch, length int
	half          bool    // mixed precision, bfloat16
	again         float64 // share of the work that may be done again to hold less
}

// flops are six for each weight that multiplies and each token, and the attention's.
func (g gpt) flops() float64 {
	tokens := float64(g.batch * g.length)
	return 6*tokens*(gptLayers*12*gptWidth*gptWidth+gptVocab*gptWidth) + 6*2*gptLayers*tokens*float64(g.length)*gptWidth
}

// block makes one layer: attention and two linear layers, each after a normalisation and added to its input.
func (p *params) block(g gpt) func(x *lucid.Tensor) *lucid.Tensor {
	norm := func() func(x *lucid.Tensor) *lucid.Tensor {
		w, b := p.add(1, gptWidth), p.add(0.02, gptWidth)
		return func(x *lucid.Tensor) *lucid.Tensor {
			return F.LayerNorm(x, []int{gptWidth}, F.LayerNormOptions{Weight: p.use(w), Bias: p.use(b)})
		}
	}
	n1, qkv, proj := norm(), p.linear(gptWidth, 3*gptWidth), p.linear(gptWidth, gptWidth)
	n2, up, down := norm(), p.linear(gptWidth, 4*gptWidth), p.linear(4*gptWidth, gptWidth)
	return func(x *lucid.Tensor) *lucid.Tensor {
		thirds := qkv(n1(x)).Reshape(g.batch, g.length, 3, gptHeads, gptWidth/gptHeads)
		heads := func(i int) *lucid.Tensor { return thirds.Select(2, i).Transpose(1, 2) }
		h := F.ScaledDotProductAttention(heads(0), heads(1), heads(2), F.ScaledDotProductAttentionOptions{IsCausal: true})
		x = x.Add(proj(h.Transpose(1, 2).Reshape(g.batch, g.length, gptWidth)))
		return x.Add(down(F.GELU(up(n2(x)), F.GELUOptions{Approximate: "tanh"})))
	}
}

func (g gpt) job() job {
	p := params{half: g.half}
	tokens, positions := p.add(0.03, gptVocab, gptWidth), p.add(0.03, gptContext, gptWidth)
	var layers []func(x *lucid.Tensor) *lucid.Tensor
	for range gptLayers {
		layers = append(layers, p.block(g))
	}
	w, b := p.add(1, gptWidth), p.add(0.02, gptWidth)
	// The loss takes the last layer with it: it never holds all logits, 3.3 GB of them on the GPU.
	loss := func(x, y *lucid.Tensor) (l *lucid.Tensor) {
		h := F.Embedding(x, p.use(tokens)).Add(p.use(positions.Narrow(0, 0, g.length)))
		for _, layer := range layers {
			h = layer(h)
		}
		h = F.LayerNorm(h, []int{gptWidth}, F.LayerNormOptions{Weight: p.use(w), Bias: p.use(b)}).Reshape(-1, gptWidth)
		if !g.half {
			return F.LinearCrossEntropy(h, tokens, y)
		}
		lucid.Autocast(lucid.BFloat16, func() { l = F.LinearCrossEntropy(h, tokens, y) })
		return l
	}
	x, y := integers(1, gptVocab, g.batch*g.length).Reshape(g.batch, g.length).Eval(), integers(2, gptVocab, g.batch*g.length)
	decay := math.Pow(10, -1)
	return trainLoss(optim.NewAdamW(p.all, optim.AdamWOptions{LR: 1e-4, WeightDecay: &decay}), loss, x, y,
		lucid.CompileOptions{Recompute: g.again})
}
