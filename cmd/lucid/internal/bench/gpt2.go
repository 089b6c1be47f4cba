package bench

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/optim"
)

// The sizes of GPT-2 124M and of its batch.
const (
	gptVocab, gptContext, gptWidth, gptHeads, gptLayers = 50257, 1024, 768, 12, 12

	gptBatch, gptLength = 4, 64

	// gpt2Flops are six for each weight that multiplies and each token, and the attention's.
	gpt2Flops = 6*gptBatch*gptLength*(gptLayers*12*gptWidth*gptWidth+gptVocab*gptWidth) + 6*2*gptLayers*gptBatch*gptLength*gptLength*gptWidth
)

// block makes one layer: attention and two linear layers, each after a normalisation and added to its input.
func (p *params) block() func(x *lucid.Tensor) *lucid.Tensor {
	norm := func() func(x *lucid.Tensor) *lucid.Tensor {
		w, b := p.add(1, gptWidth), p.add(0.02, gptWidth)
		return func(x *lucid.Tensor) *lucid.Tensor { return lucid.LayerNorm(x, []int{gptWidth}, w, b) }
	}
	n1, qkv, proj := norm(), p.linear(gptWidth, 3*gptWidth), p.linear(gptWidth, gptWidth)
	n2, up, down := norm(), p.linear(gptWidth, 4*gptWidth), p.linear(4*gptWidth, gptWidth)
	heads := func(x *lucid.Tensor, i int) *lucid.Tensor {
		return x.Narrow(-1, i*gptWidth, gptWidth).Reshape(gptBatch, gptLength, gptHeads, gptWidth/gptHeads).Transpose(1, 2)
	}
	return func(x *lucid.Tensor) *lucid.Tensor {
		h := qkv(n1(x))
		h = lucid.ScaledDotProductAttention(heads(h, 0), heads(h, 1), heads(h, 2), nil, lucid.ScaledDotProductAttentionOptions{IsCausal: true})
		x = x.Add(proj(h.Transpose(1, 2).Reshape(gptBatch, gptLength, gptWidth)))
		return x.Add(down(lucid.Gelu(up(n2(x)), lucid.GeluOptions{Approximate: "tanh"})))
	}
}

func gpt2() job {
	var p params
	tokens, places := p.add(0.03, gptVocab, gptWidth), p.add(0.03, gptContext, gptWidth)
	var layers []func(x *lucid.Tensor) *lucid.Tensor
	for range gptLayers {
		layers = append(layers, p.block())
	}
	w, b := p.add(1, gptWidth), p.add(0.02, gptWidth)
	forward := func(x *lucid.Tensor) *lucid.Tensor {
		h := lucid.Embedding(x, tokens).Add(places.Narrow(0, 0, gptLength))
		for _, layer := range layers {
			h = layer(h)
		}
		h = lucid.LayerNorm(h, []int{gptWidth}, w, b)
		return lucid.Linear(h, tokens, nil).Reshape(-1, gptVocab)
	}
	x, y := integers(1, gptVocab, gptBatch*gptLength).Reshape(gptBatch, gptLength).Eval(), integers(2, gptVocab, gptBatch*gptLength)
	decay := math.Pow(10, -1)
	return train(&p, optim.NewAdamW(p.all, optim.AdamWOptions{LR: 1e-4, WeightDecay: &decay}), forward, x, y)
}
