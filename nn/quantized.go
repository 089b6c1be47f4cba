package nn

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/quant"
)

// QuantizedLinear is x·Wᵀ + b with a quantized weight, which is not trained.
type QuantizedLinear struct {
	Base
	Weight  *lucid.Tensor `nn:"weight,buffer"` // packed levels
	Scales  *lucid.Tensor `nn:"scales,buffer"`
	Biases  *lucid.Tensor `nn:"biases,buffer"` // of groups; nil for the modes of floats
	Bias    *lucid.Tensor // (out), nil without bias
	Divisor *lucid.Tensor `nn:"divisor,buffer"` // (in), what inputs are divided by first: see quant.AWQ; nil: nothing
	Options quant.Options // the format
	Fast    bool          // rounds inputs to int8: see quant.MatMulOptions
}

// NewQuantizedLinear quantizes the weight of a layer. The bias stays what it is, in the same tensor.
func NewQuantizedLinear(from *Linear, opts ...quant.Options) *QuantizedLinear {
	m := &QuantizedLinear{Bias: from.Bias}
	m.Options, m.Weight, m.Scales, m.Biases = quantized(from.Weight, opts)
	return m
}

// quantized quantizes a weight for good.
func quantized(w *lucid.Tensor, opts []quant.Options) (o quant.Options, packed, scales, biases *lucid.Tensor) {
	if len(opts) > 0 {
		o = opts[0]
	}
	lucid.NoGrad(func() {
		packed, scales, biases = quant.QuantizeGroups(w.Detach(), opts...)
		packed, scales = packed.Eval(), scales.Eval()
		if biases != nil {
			biases = biases.Eval()
		}
	})
	return o, packed, scales, biases
}

// Forward takes x of (..., in) to (..., out).
func (m *QuantizedLinear) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	in := x
	if m.Divisor != nil {
		in = x.Div(m.Divisor)
	}
	y := quant.MatMulGroups(in, m.Weight, m.Scales, m.Biases, quant.MatMulOptions{Options: m.Options, Fast: m.Fast})
	if m.Bias != nil {
		y = y.Add(Use(m, m.Bias))
	}
	return Leave(m, x, y)
}

// QuantizedEmbedding is a table of quantized vectors looked up by number. Only the rows that are asked for are dequantized.
type QuantizedEmbedding struct {
	Base
	Weight  *lucid.Tensor `nn:"weight,buffer"` // packed levels
	Scales  *lucid.Tensor `nn:"scales,buffer"`
	Biases  *lucid.Tensor `nn:"biases,buffer"` // nil for the modes of floats
	Options quant.Options // the format
	DType   lucid.DType   // of the vectors
}

// NewQuantizedEmbedding quantizes the table of an embedding.
func NewQuantizedEmbedding(from *Embedding, opts ...quant.Options) *QuantizedEmbedding {
	m := &QuantizedEmbedding{DType: from.Weight.DType()}
	m.Options, m.Weight, m.Scales, m.Biases = quantized(from.Weight, opts)
	return m
}

// Forward takes numbers of any shape to vectors, in a new last dimension.
func (m *QuantizedEmbedding) Forward(ids *lucid.Tensor) *lucid.Tensor {
	ids = Enter(m, ids)
	flat := ids.Reshape(-1)
	rows := func(t *lucid.Tensor) *lucid.Tensor {
		if t == nil {
			return nil
		}
		return t.IndexSelect(0, flat)
	}
	y := quant.DequantizeGroups(rows(m.Weight), rows(m.Scales), rows(m.Biases), quant.DequantizeOptions{Options: m.Options, DType: m.DType})
	return Leave(m, ids, owned(y.Reshape(append(slices.Clone(ids.Shape()), y.Size(-1))...)))
}

// AsLinear is x·Wᵀ with the table: the head of a model whose head is its embedding.
func (m *QuantizedEmbedding) AsLinear(x *lucid.Tensor) *lucid.Tensor {
	return quant.MatMulGroups(x, m.Weight, m.Scales, m.Biases, quant.MatMulOptions{Options: m.Options})
}

// Quantize replaces each Linear and each Embedding inside a module by a quantized one, and returns how many. predicate says which, by
// its name in the module; nil: all. They are replaced where a field, or an element of a slice or map, has an interface
// type such as Layer; one in a field of type *Linear is refused.
func Quantize(m Module, o quant.Options, predicate func(name string, m Module) bool) int {
	return QuantizeMixed(m, func(name string, m Module) (quant.Options, bool) {
		return o, predicate == nil || predicate(name, m)
	})
}

// QuantizeMixed is Quantize with a format for each layer: recipe returns it by the layer's name, and false for one that stays.
func QuantizeMixed(m Module, recipe func(name string, m Module) (o quant.Options, ok bool)) int {
	return quantizeInside(m, recipe, func(l *Linear, o quant.Options) *QuantizedLinear { return NewQuantizedLinear(l, o) })
}

// quantizeInside replaces layers inside a module; linear makes what replaces a Linear.
func quantizeInside(m Module, recipe func(name string, m Module) (o quant.Options, ok bool),
	linear func(l *Linear, o quant.Options) *QuantizedLinear) int {
	r := replacer{op: "quantize", other: func(name string, m Module) Module {
		switch m := m.(type) {
		case *Linear:
			if o, ok := recipe(name, m); ok {
				return linear(m, o)
			}
		case *Embedding:
			if o, ok := recipe(name, m); ok {
				return NewQuantizedEmbedding(m, o)
			}
		}
		return nil
	}, advice: "leave it out by the predicate"}
	return r.inside(m)
}
