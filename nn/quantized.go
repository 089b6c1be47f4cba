package nn

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

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
	return Leave(m, ids, y.Reshape(append(slices.Clone(ids.Shape()), y.Size(-1))...))
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
	q := quantizer{recipe: recipe, seen: map[any]bool{}}
	q.linear = func(_ string, m *Linear, o quant.Options) Module { return NewQuantizedLinear(m, o) }
	q.value(reflect.ValueOf(m), "")
	return q.n
}

// quantizer replaces layers in values.
type quantizer struct {
	recipe func(name string, m Module) (quant.Options, bool)
	linear func(name string, m *Linear, o quant.Options) Module // what replaces one
	seen   map[any]bool
	n      int
}

// replaced is what stands for a value; nil: it stays.
func (q *quantizer) replaced(v any, name string) Module {
	switch m := v.(type) {
	case *Linear:
		if m == nil {
			break
		}
		if o, ok := q.recipe(name, m); ok {
			return q.linear(name, m, o)
		}
	case *Embedding:
		if m == nil {
			break
		}
		if o, ok := q.recipe(name, m); ok {
			return NewQuantizedEmbedding(m, o)
		}
	}
	return nil
}

// value replaces what is inside v.
func (q *quantizer) value(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		if m := q.replaced(v.Interface(), name); m != nil && v.CanSet() {
			v.Set(reflect.ValueOf(m))
			q.n++
			return
		}
		q.value(v.Elem(), name)
	case reflect.Pointer:
		if v.IsNil() || v.Type() == tensorType || v.Elem().Kind() != reflect.Struct || q.seen[v.Interface()] {
			return
		}
		q.seen[v.Interface()] = true
		if d, ok := v.Interface().(*ModuleDict); ok {
			for part, m := range d.All() {
				e := reflect.New(moduleType).Elem()
				e.Set(reflect.ValueOf(m))
				q.element(e, name, part)
				d.Set(part, e.Interface().(Module))
			}
			return
		}
		q.fields(v.Elem(), name)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			q.element(v.Index(i), name, strconv.Itoa(i))
		}
	case reflect.Struct:
		q.fields(v, name)
	case reflect.Map:
		q.entries(v, name)
	}
}

// fields looks at those that may hold modules.
func (q *quantizer) fields(v reflect.Value, name string) {
	for _, f := range fields(v.Type()) {
		if f.inline {
			q.value(v.Field(f.index), name)
			continue
		}
		q.element(v.Field(f.index), name, f.name)
	}
}

// element looks at a part of a value, which must be able to hold a quantized layer if it is one that is wanted.
func (q *quantizer) element(v reflect.Value, name, part string) {
	if name != "" {
		part = name + "." + part
	}
	if v.Kind() == reflect.Pointer && !v.IsNil() && v.CanInterface() {
		m, ok := v.Interface().(Module)
		_, linear := m.(*Linear)
		_, table := m.(*Embedding)
		wanted := false
		if ok && (linear || table) {
			_, wanted = q.recipe(part, m)
		}
		if wanted {
			refuse(lucid.ErrNotImplemented, "quantize", "%s is in a field of type %v, which cannot hold a quantized layer; make it an "+
				"nn.Layer, or leave it out by the predicate", part, v.Type())
		}
	}
	q.value(v, part)
}

// entries replaces the values of a map, in the order of its keys.
func (q *quantizer) entries(v reflect.Value, name string) {
	for _, k := range sortedKeys(v) {
		e := reflect.New(v.Type().Elem()).Elem()
		e.Set(v.MapIndex(k))
		q.element(e, name, fmt.Sprint(k))
		v.SetMapIndex(k, e)
	}
}
