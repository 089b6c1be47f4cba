package lucid

import (
	"reflect"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/shape"
)

// Of makes a tensor of a Go number, or of slices or arrays of numbers nested to any depth; the shape is that of the
// nesting. The dtype is PyTorch's choice for plain numbers: complex if one is complex, else the default float if one
// is a float, else int64, and bool if all are bools. See New for data that keeps its own element type.
func Of(data any) *Tensor { return With{}.Of(data) }

// Of makes a tensor of nested Go data; see the function. A dtype that w names is converted to as Cast does.
func (w With) Of(data any) *Tensor {
	var g gather
	v := reflect.ValueOf(data)
	g.measure(v)
	return w.fromScalars("of", g.read(v), g.dims)
}

// New makes a tensor of a Go slice and a shape, converted to the dtype w names, or of the slice's own element type.
// data may be nested as for Of; without a shape it has that of the nesting.
func (w With) New(data any, sizes ...int) *Tensor {
	if isFlat(data) {
		return w.made(func() *graph.Node {
			n := acquire(newFlat(data, sizes))
			defer release(n)
			return ops.Cast(n, w.dtypeOr(n.DType()))
		})
	}
	var g gather
	v := reflect.ValueOf(data)
	g.measure(v)
	list := g.read(v)
	if len(sizes) > 0 {
		g.dims = sizes
	}
	if w.DType == dtype.Invalid {
		w.DType = g.elem
	}
	return w.fromScalars("new", list, g.dims)
}

// isFlat reports whether data is a slice of plain elements.
func isFlat(data any) bool {
	switch data.(type) {
	case []bool, []uint8, []uint16, []uint32, []uint64, []int8, []int16, []int32, []int64, []int, []float32, []float64, []complex64,
		[]complex128:
		return true
	}
	return false
}

// newFlat copies a slice of plain elements; nil if data is something else.
func newFlat(data any, sizes []int) *Tensor {
	switch v := data.(type) {
	case []bool:
		return newList(v, sizes)
	case []uint8:
		return newList(v, sizes)
	case []uint16:
		return newList(v, sizes)
	case []uint32:
		return newList(v, sizes)
	case []uint64:
		return newList(v, sizes)
	case []int8:
		return newList(v, sizes)
	case []int16:
		return newList(v, sizes)
	case []int32:
		return newList(v, sizes)
	case []int64:
		return newList(v, sizes)
	case []int:
		return newList(v, sizes)
	case []float32:
		return newList(v, sizes)
	case []float64:
		return newList(v, sizes)
	case []complex64:
		return newList(v, sizes)
	case []complex128:
		return newList(v, sizes)
	}
	return nil
}

// newList is New, of one dimension if no sizes are given.
func newList[T Element](data []T, sizes []int) *Tensor {
	if len(sizes) == 0 {
		sizes = []int{len(data)}
	}
	return newTensor(data, true, sizes)
}

func (w With) fromScalars(op string, list []dtype.Scalar, dims []int) *Tensor {
	s := shape.Of(op, dims...)
	if s.Numel() != len(list) {
		fault.Throw(fault.Shape, op, "%d elements do not fill the shape %v, which has %d", len(list), s, s.Numel())
	}
	d := w.DType
	if d == dtype.Invalid {
		d = ops.DefaultFloat()
		if len(list) > 0 {
			d = joinKinds(list).DefaultDType(d)
		}
	}
	b, err := hostDevice().Pool.Get(op, len(list)*d.Size())
	if err != nil {
		throw(op, err)
	}
	for i, v := range list {
		d.Put(b.Mem, i, v)
	}
	return w.made(func() *graph.Node { return stored(op, b, s, d) })
}

// joinKinds is a number of the highest kind in the list.
func joinKinds(list []dtype.Scalar) dtype.Scalar {
	top, beyond := dtype.KindBool, dtype.Scalar{}
	for _, v := range list {
		if v.Kind == dtype.KindUint { // what int64 does not hold
			beyond = v
		}
		top = max(top, v.Kind)
	}
	if beyond.Kind == dtype.KindUint && top < dtype.KindFloat {
		fault.Throw(fault.DType, "of", "int64 does not hold %d; name a dtype, such as With{DType: Uint64}", uint64(beyond.I))
	}
	return dtype.Scalar{Kind: top}
}

// gather walks nested data.
type gather struct {
	dims []int
	elem DType // of the innermost Go type; Invalid: only known element by element
}

// measure takes the sizes along the first elements.
func (g *gather) measure(v reflect.Value) {
	for {
		for v.Kind() == reflect.Interface && !v.IsNil() {
			v = v.Elem()
		}
		if !isList(v) {
			break
		}
		if g.dims = append(g.dims, v.Len()); len(g.dims) > shape.MaxRank {
			fault.Throw(fault.Shape, "of", "the data is nested deeper than %d", shape.MaxRank)
		}
		g.elem = typeOfGo(v.Type().Elem())
		if v.Len() == 0 {
			return
		}
		v = v.Index(0)
	}
	if v.IsValid() {
		g.elem = typeOfGo(v.Type())
	}
}

func isList(v reflect.Value) bool {
	return v.Kind() == reflect.Slice || v.Kind() == reflect.Array
}

// typeOfGo is the dtype of a Go type, Invalid if it has none.
func typeOfGo(t reflect.Type) DType {
	switch t.Kind() {
	case reflect.Int:
		return Int64
	case reflect.Uint:
		return Uint64
	}
	if t == reflect.TypeFor[dtype.F16]() {
		return Float16
	}
	if t == reflect.TypeFor[dtype.BF16]() {
		return BFloat16
	}
	d, _ := dtype.Parse(t.Kind().String())
	return d
}

// read lists the elements in row-major order; data of another shape than measured is refused.
func (g *gather) read(v reflect.Value) []dtype.Scalar {
	var list []dtype.Scalar
	var walk func(v reflect.Value, depth int)
	walk = func(v reflect.Value, depth int) {
		for v.Kind() == reflect.Interface && !v.IsNil() {
			v = v.Elem()
		}
		if isList(v) {
			if depth >= len(g.dims) || v.Len() != g.dims[depth] {
				fault.Throw(fault.Shape, "of", "the data is ragged: a list of %d at depth %d, want the shape %v", v.Len(), depth, g.dims)
			}
			for i := range v.Len() {
				walk(v.Index(i), depth+1)
			}
			return
		}
		if depth != len(g.dims) {
			fault.Throw(fault.Shape, "of", "the data is ragged: a number at depth %d, want the shape %v", depth, g.dims)
		}
		list = append(list, goNumber(v))
	}
	walk(v, 0)
	return list
}

// goNumber reads a number of any Go type, named ones too.
func goNumber(v reflect.Value) dtype.Scalar {
	if v.IsValid() {
		if s, ok := dtype.ScalarOf(v.Interface()); ok {
			return s
		}
		switch {
		case v.Kind() == reflect.Bool:
			s, _ := dtype.ScalarOf(v.Bool())
			return s
		case v.CanInt():
			s, _ := dtype.ScalarOf(v.Int())
			return s
		case v.CanUint():
			s, _ := dtype.ScalarOf(v.Uint())
			return s
		case v.CanFloat():
			return dtype.Scalar{Kind: dtype.KindFloat, F: v.Float()}
		case v.CanComplex():
			s, _ := dtype.ScalarOf(v.Complex())
			return s
		}
		fault.Throw(fault.DType, "of", "an element is a %v; want numbers or bools", v.Type())
	}
	fault.Throw(fault.DType, "of", "an element is nil; want numbers or bools")
	return dtype.Scalar{}
}
