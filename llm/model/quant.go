package model

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/nn"
)

// Blocks is a matrix whose rows stay in a block format of GGUF files: (rows, bytes of a row) of uint8. Fast lets products round
// activations to int8, or for bfloat16 to that, for speed.
type Blocks struct {
	Data *lucid.Tensor
	Type ggml.Type
	Fast bool
}

// QuantSource is a Source that may give matrices as blocks. ok is false for one that is not stored so.
type QuantSource interface {
	Source
	Blocks(name string, shape ...int) (b Blocks, ok bool)
}

// QuantLinear is x·Wᵀ + b for a weight in blocks and float32 x. The result is that of the dequantised matrix; with Fast, x is
// rounded first: to int8, 32 elements with one scale, or to bfloat16 for weights of it. Gradients pass to x and to the bias.
type QuantLinear struct {
	nn.Base
	Weight *lucid.Tensor `nn:"weight,buffer"` // bytes
	Bias   *lucid.Tensor
	Type   ggml.Type
	Fast   bool
}

// Forward takes x of (…, in) to (…, out).
func (m *QuantLinear) Forward(x *lucid.Tensor) *lucid.Tensor {
	y := blockProduct(x, m.Weight, m.Type, m.Fast)
	if m.Bias != nil {
		y = y.Add(m.Bias)
	}
	return y
}

// QuantEmbedding is rows of a matrix in blocks. Only the rows that are asked for are dequantised.
type QuantEmbedding struct {
	nn.Base
	Weight *lucid.Tensor `nn:"weight,buffer"` // bytes
	Type   ggml.Type
	Fast   bool
}

// Forward takes ids of any shape to (…, elements of a row).
func (m *QuantEmbedding) Forward(ids *lucid.Tensor) *lucid.Tensor {
	rows := (*graph.Array)(m.Weight.IndexSelect(0, ids.Reshape(-1))).Acquire()
	defer rows.Unref()
	y := (*lucid.Tensor)(door.Wrap(ops.BlockDequantize(rows, m.Type)))
	return y.Reshape(append(slices.Clone(ids.Shape()), y.Size(1))...)
}

// Project is x·Wᵀ: the head of a model whose head is its embedding.
func (m *QuantEmbedding) Project(x *lucid.Tensor) *lucid.Tensor {
	return blockProduct(x, m.Weight, m.Type, m.Fast)
}

func blockProduct(x, w *lucid.Tensor, t ggml.Type, fast bool) *lucid.Tensor {
	a, b := (*graph.Array)(x).Acquire(), (*graph.Array)(w).Acquire()
	defer a.Unref()
	defer b.Unref()
	return (*lucid.Tensor)(door.Wrap(ops.BlockMatmul(a, b, t, fast)))
}
