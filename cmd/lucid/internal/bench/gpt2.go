package bench

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/optim"
)

// The sizes of GPT-2 124M and of its batch.
const (
	gptVocab, gptContext, gptWidth, gptHeads, gptLayers = 50257, 1024, 768, 12, 12
)

// gpt is a batch of GPT-2.
type gpt struct {
	batch, length int
	half          bool // mixed precision, bfloat16
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
		return func(x *lucid.Tensor) *lucid.Tensor { return lucid.LayerNorm(x, []int{gptWidth}, w, b) }
	}
	n1, qkv, proj := norm(), p.linear(gptWidth, 3*gptWidth), p.linear(gptWidth, gptWidth)
	n2, up, down := norm(), p.linear(gptWidth, 4*gptWidth), p.linear(4*gptWidth, gptWidth)
	heads := func(x *lucid.Tensor, i int) *lucid.Tensor {
		return x.Narrow(-1, i*gptWidth, gptWidth).Reshape(g.batch, g.length, gptHeads, gptWidth/gptHeads).Transpose(1, 2)
	}
	return func(x *lucid.Tensor) *lucid.Tensor {
		h := qkv(n1(x))
		h = lucid.ScaledDotProductAttention(heads(h, 0), heads(h, 1), heads(h, 2), nil, lucid.ScaledDotProductAttentionOptions{IsCausal: true})
		x = x.Add(proj(h.Transpose(1, 2).Reshape(g.batch, g.length, gptWidth)))
		return x.Add(down(lucid.Gelu(up(n2(x)), lucid.GeluOptions{Approximate: "tanh"})))
	}
}

func (g gpt) job() job {
	var p params
	tokens, places := p.add(0.03, gptVocab, gptWidth), p.add(0.03, gptContext, gptWidth)
	var layers []func(x *lucid.Tensor) *lucid.Tensor
	for range gptLayers {
		layers = append(layers, p.block(g))
	}
	w, b := p.add(1, gptWidth), p.add(0.02, gptWidth)
	forward := func(x *lucid.Tensor) *lucid.Tensor {
		h := lucid.Embedding(x, tokens).Add(places.Narrow(0, 0, g.length))
		for _, layer := range layers {
			h = layer(h)
		}
		h = lucid.LayerNorm(h, []int{gptWidth}, w, b)
		return lucid.Linear(h, tokens, nil).Reshape(-1, gptVocab)
	}
	x, y := integers(1, gptVocab, g.batch*g.length).Reshape(g.batch, g.length).Eval(), integers(2, gptVocab, g.batch*g.length)
	if g.half {
		plain := forward
		forward = func(x *lucid.Tensor) (y *lucid.Tensor) {
			lucid.Autocast(lucid.BFloat16, func() { y = plain(x) })
			return y.To(lucid.Float32)
		}
	}
	decay := math.Pow(10, -1)
	return train(&p, optim.NewAdamW(p.all, optim.AdamWOptions{LR: 1e-4, WeightDecay: &decay}), forward, x, y)
}
