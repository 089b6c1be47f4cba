package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// FullOptions says what dtype the result has; zero: the value's default, or the default float for zeros and ones.
type FullOptions struct {
	DType dtype.DType // zero: the default float
}

// Full returns a tensor of one value. A number the dtype cannot hold is refused; a float becomes an integer by
// truncation.
//
//lucid:name full
func Full(size []int, fillValue any, o FullOptions) *Node {
	s := fillScalar("full", fillValue)
	d := o.DType
	if d == dtype.Invalid {
		d = s.DefaultDType(DefaultFloat())
	}
	return filled("full", shape.Of("full", size...), d, s)
}

// Zeros returns a tensor of zeros.
//
//lucid:name zeros
func Zeros(size []int, o FullOptions) *Node {
	return filled("zeros", shape.Of("zeros", size...), floatOr(o.DType), dtype.Scalar{Kind: dtype.KindInt})
}

// Ones returns a tensor of ones.
//
//lucid:name ones
func Ones(size []int, o FullOptions) *Node {
	return filled("ones", shape.Of("ones", size...), floatOr(o.DType), dtype.Scalar{Kind: dtype.KindInt, I: 1})
}

// Empty returns a tensor whose values do not matter; they are zeros, which cost nothing.
//
//lucid:name empty
func Empty(size []int, o FullOptions) *Node { return Zeros(size, o) }

// FilledLike returns a tensor of one value with x's shape, device, and dtype if none is given.
//
//lucid:name full_like
func FilledLike(x *Node, fillValue any, o FullOptions) *Node {
	return filledLike("full_like", x, o.DType, fillScalar("full_like", fillValue))
}

// FilledZerosLike returns zeros with x's shape, device, and dtype if none is given.
//
//lucid:name zeros_like
func FilledZerosLike(x *Node, o FullOptions) *Node {
	return filledLike("zeros_like", x, o.DType, dtype.Scalar{Kind: dtype.KindInt})
}

// FilledOnesLike returns ones with x's shape, device, and dtype if none is given.
//
//lucid:name ones_like
func FilledOnesLike(x *Node, o FullOptions) *Node {
	return filledLike("ones_like", x, o.DType, dtype.Scalar{Kind: dtype.KindInt, I: 1})
}

// EmptyLike returns a tensor like x whose values do not matter; they are zeros.
//
//lucid:name empty_like
func EmptyLike(x *Node, o FullOptions) *Node { return FilledZerosLike(x, o) }

// Fill returns x's shape and dtype filled with one value, a number or a 0-d tensor.
//
//lucid:func
//lucid:inplace
func Fill(x *Node, value Operand) *Node {
	v, ok := value.(*Node)
	if !ok {
		return flatGrad(filledLike("fill", x, x.DType(), fillScalar("fill", value)), x)
	}
	if v.Rank() != 0 {
		fault.Throw(fault.Shape, "fill", "the value is a tensor of shape %v; want a number or a 0-d tensor", v.Shape())
	}
	return broadcastTo(stored("fill", v, x.DType()), x.Shape())
}

func filledLike(op string, x *Node, d dtype.DType, v dtype.Scalar) *Node {
	if d == dtype.Invalid {
		d = x.DType()
	}
	n := filled(op, x.Shape(), d, v)
	n.SetDevice(x.Device())
	return n
}

func floatOr(d dtype.DType) dtype.DType {
	if d == dtype.Invalid {
		return DefaultFloat()
	}
	return d
}

func fillScalar(op string, v any) dtype.Scalar {
	s, ok := dtype.ScalarOf(v)
	if !ok {
		fault.Throw(fault.DType, op, "the value is a %T; want a number or bool", v)
	}
	return s
}

// filled is a constant that is no immediate, so that a handle can show it.
func filled(op string, s *shape.Shape, d dtype.DType, v dtype.Scalar) *Node {
	if !d.Valid() {
		fault.Throw(fault.DType, op, "%v is no dtype", d)
	}
	if !fits(d, v) {
		fault.Throw(fault.Value, op, "%v does not hold %v; want a dtype that holds it", d, scalarText(v))
	}
	n := FullOf(s, d, v)
	if n.IsConst() {
		return Alias(n)
	}
	return n
}

// stored is a value to be written among elements of dtype d: a number must fit, and an imaginary part is not dropped.
func stored(op string, v Operand, d dtype.DType) *Node {
	if n, ok := v.(*Node); ok {
		if n != nil && n.DType().IsComplex() && !d.IsComplex() {
			fault.Throw(fault.DType, op, "the value is %v, the tensor %v; take its real part", n.DType(), d)
		}
		return as(op, v, d)
	}
	if s := fillScalar(op, v); !fits(d, s) {
		fault.Throw(fault.Value, op, "%v does not hold %v; cast the tensor, or give a number it holds", d, scalarText(s))
	}
	return as(op, v, d)
}

// storedWhole is stored, of tensors that d holds without loss: PyTorch takes those of dtype d alone.
func storedWhole(op string, v Operand, d dtype.DType) *Node {
	if n, ok := v.(*Node); ok && n != nil {
		if p, ok := dtype.Promote(n.DType(), d); !ok || p != d {
			fault.Throw(fault.DType, op, "the source is %v, the tensor %v, which does not hold it; cast it", n.DType(), d)
		}
	}
	return stored(op, v, d)
}

// fits reports whether a dtype holds v: unsigned ones hold the negatives of their values too, wrapped, as in PyTorch.
func fits(d dtype.DType, v dtype.Scalar) bool {
	if v.Kind == dtype.KindComplex && !d.IsComplex() {
		return v.G == 0 && fits(d, dtype.Scalar{Kind: dtype.KindFloat, F: v.F})
	}
	if f := math.Abs(v.Float()); d.IsInexact() && v.Kind != dtype.KindComplex && f > largest(d) {
		return math.IsInf(f, 0)
	}
	if !d.IsInteger() {
		return true
	}
	bits := 8 * d.Size()
	if bits == 64 && (v.Kind == dtype.KindBool || v.Kind == dtype.KindInt || v.Kind == d.Kind()) {
		return true
	}
	f := math.Trunc(v.Float())
	if d.IsSigned() {
		half := math.Ldexp(1, bits-1)
		return f >= -half && f < half
	}
	return math.Abs(f) < math.Ldexp(1, bits)
}

func scalarText(v dtype.Scalar) any {
	switch v.Kind {
	case dtype.KindUint:
		return uint64(v.I)
	case dtype.KindBool, dtype.KindInt:
		return v.I
	case dtype.KindFloat:
		return v.F
	}
	return v.Complex()
}

// NumberOfElementsOptions: Inverted gives one over the number; DType zero is int32, and the default float for an inverted one.
type NumberOfElementsOptions struct {
	Inverted bool
	DType    dtype.DType // zero: the default float
}

// NumberOfElements returns how many elements x has along axes together, along all if there are none, as a 0-d tensor.
//
//lucid:name number_of_elements
func NumberOfElements(x *Node, axes []int, o NumberOfElementsOptions) *Node {
	const op = "number_of_elements"
	n, d := 1, o.DType
	for _, a := range shape.Axes(op, axes, x.Rank()) {
		n *= x.Dim(a)
	}
	v := dtype.Scalar{Kind: dtype.KindInt, I: int64(n)}
	switch {
	case o.Inverted && d != dtype.Invalid && !d.IsInexact():
		fault.Throw(fault.DType, op, "dtype %v does not hold one over %d; want a floating dtype", d, n)
	case o.Inverted:
		v, d = dtype.Scalar{Kind: dtype.KindFloat, F: 1 / float64(n)}, floatOr(d)
	case d == dtype.Invalid:
		d = dtype.Int32
	}
	r := filled(op, shape.Of(op), d, v)
	r.SetDevice(x.Device())
	return r
}
