package model

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/nn"
)

// Blocks is a matrix whose rows stay in a block format of GGUF files: (rows, bytes of a row) of uint8.
type Blocks struct {
	Data *lucid.Tensor
	Type ggml.Type
}

// QuantSource is a Source that may give matrices as blocks. ok is false for one that is not stored so.
type QuantSource interface {
	Source
	Blocks(name string, shape ...int) (b Blocks, ok bool)
}

// QuantLinear is x·Wᵀ + b for a weight in blocks and float32 x. The weight is dequantised some rows at a time, so the result is
// that of the dequantised matrix. Gradients pass to x and to the bias.
type QuantLinear struct {
	nn.Base
	Weight *lucid.Tensor `nn:"weight,buffer"` // bytes
	Bias   *lucid.Tensor
	Type   ggml.Type
}

// Forward takes x of (…, in) to (…, out).
func (m *QuantLinear) Forward(x *lucid.Tensor) *lucid.Tensor {
	y := blockProduct(x, m.Weight, m.Type)
	if m.Bias != nil {
		y = y.Add(m.Bias)
	}
	return y
}

func blockProduct(x, w *lucid.Tensor, t ggml.Type) *lucid.Tensor {
	a, b := (*graph.Array)(x).Acquire(), (*graph.Array)(w).Acquire()
	defer a.Unref()
	defer b.Unref()
	return (*lucid.Tensor)(door.Wrap(ops.BlockMatmul(a, b, t)))
}
