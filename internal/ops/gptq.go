package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/quantize"
)

// FromE4M3 is the value of a float of eight bits.
func FromE4M3(code byte) float32 { return quantize.FromE4M3(code) }

// NewGPTQ begins to quantize rows of k numbers; scales and biases get the precision of a dtype.
func NewGPTQ(op string, o QuantizedOptions, w []float32, k int, order []int, d dtype.DType) *quantize.GPTQ {
	round := func(v float32) float32 { return v }
	switch d {
	case dtype.BFloat16:
		round = func(v float32) float32 { return dtype.ToBF16(v).Float32() }
	case dtype.Float16:
		round = func(v float32) float32 { return dtype.ToF16(v).Float32() }
	}
	return quantize.NewGPTQ(o.format(op), w, k, order, round)
}
