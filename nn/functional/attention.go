package functional

import (
	"math"

	"github.com/lucid-go/lucid"
)

// AdditiveMask returns a mask as numbers to be added to scores: of a bool mask, -inf where it is true and 0 elsewhere.
func AdditiveMask(mask *lucid.Tensor, d lucid.DType) *lucid.Tensor {
	if mask.DType() != lucid.Bool {
		return mask.To(d)
	}
	return lucid.Where(mask, lucid.With{DType: d, Device: mask.Device()}.Full([]int{}, math.Inf(-1)), 0)
}

// CausalMask returns (l, s) numbers that hide later elements: -inf above the diagonal, 0 elsewhere.
func CausalMask(l, s int, d lucid.DType) *lucid.Tensor {
	return AdditiveMask(lucid.Arange(s).Reshape(1, s).Gt(lucid.Arange(l).Reshape(l, 1)), d)
}

// RepeatKV repeats every head of (B, heads, S, D) n times, for query heads that share them.
func RepeatKV(x *lucid.Tensor, n int) *lucid.Tensor {
	if n == 1 {
		return x
	}
	B, H, S, D := x.Size(0), x.Size(1), x.Size(2), x.Size(3)
	return lucid.Expand(x.Unsqueeze(2), B, H, n, S, D).Reshape(B, H*n, S, D)
}

// SinusoidalEmbedding returns (positions, size) numbers that tell positions apart: sines and cosines of falling
// frequency, next to each other (Vaswani et al.). base is usually 10000.
func SinusoidalEmbedding(positions, size int, base float64) *lucid.Tensor {
	data := make([]float32, positions*size)
	for p := range positions {
		for i := range size {
			a := float64(p) * math.Pow(base, -float64(i/2*2)/float64(size))
			if i%2 == 0 {
				data[p*size+i] = float32(math.Sin(a))
			} else {
				data[p*size+i] = float32(math.Cos(a))
			}
		}
	}
	return lucid.New(data, positions, size)
}

// ApplyRotaryEmbOptions: Interleaved turns neighbouring elements together; otherwise each element of the first half
// turns with one of the second.
type ApplyRotaryEmbOptions struct{ Interleaved bool }

// ApplyRotaryEmb turns the vectors of x, (..., L, D), by the angles whose cosine and sine are (L, D) (Su et al.).
func ApplyRotaryEmb(x, cos, sin *lucid.Tensor, opts ...ApplyRotaryEmbOptions) *lucid.Tensor {
	o := option("apply_rotary_emb", opts)
	D := x.Size(-1)
	var turned *lucid.Tensor
	if o.Interleaved {
		s := x.Shape()
		pairs := x.Reshape(append(s[:len(s)-1:len(s)-1], D/2, 2)...)
		p := lucid.Unbind(pairs, -1)
		turned = lucid.Stack([]*lucid.Tensor{p[1].Neg(), p[0]}, -1).Reshape(s...)
	} else {
		p := lucid.Chunk(x, 2, -1)
		turned = lucid.Cat([]*lucid.Tensor{p[1].Neg(), p[0]}, -1)
	}
	return x.Mul(cos).Add(turned.Mul(sin))
}
