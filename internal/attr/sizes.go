package attr

import (
	"math"
	"reflect"

	"github.com/lucid-go/lucid/internal/dtype"
)

// SizesAside returns an attribute without what follows from the sizes of tensors: shapes, bounds, numbers computed from them. Two
// traces of a function over tensors of other sizes have attributes that are the same but for these.
func SizesAside(a Attr) Attr {
	switch a := a.(type) {
	case Shape:
		return Shape{}
	case Slice:
		return Slice{Step: a.Step}
	case Arange:
		return Arange{DType: a.DType}
	case Const:
		return Const{DType: a.DType}
	case Table:
		return Table{DType: a.DType}
	case Bits:
		return Bits{Width: a.Width}
	case Bound:
		return Bound{Strict: a.Strict, Op: a.Op}
	case Strided:
		return Strided{}
	case Split:
		return Split{Axis: a.Axis}
	case Recurrent:
		a.Runs = ""
		return a
	case Conv:
		a.Low, a.High = "", ""
		return a
	case Pool:
		a.In, a.Out = "", ""
		return a
	case FFT:
		a.Scale = 0
		return a
	case HalfFFT:
		a.N, a.Scale = 0, 0
		return a
	case GatherMM:
		return GatherMM{}
	}
	return a
}

// Same reports whether two attributes are equal, numbers bit by bit; those that cannot be compared are not.
func Same(a, b Attr) bool {
	if a == nil || b == nil {
		return a == b
	}
	switch x := a.(type) {
	case Const:
		y, ok := b.(Const)
		return ok && x.DType == y.DType && sameBits(x.Value, y.Value)
	case Arange:
		y, ok := b.(Arange)
		return ok && x.DType == y.DType && x.N == y.N && sameBits(x.Start, y.Start) && sameBits(x.Step, y.Step)
	}
	t := reflect.TypeOf(a)
	return t == reflect.TypeOf(b) && t.Comparable() && a == b
}

// sameBits tells -0 from 0, and lets NaN equal itself.
func sameBits(a, b dtype.Scalar) bool {
	return a.I == b.I && math.Float64bits(a.F) == math.Float64bits(b.F) && math.Float64bits(a.G) == math.Float64bits(b.G)
}

// Marker is an attribute that holds nothing: its address makes a node unlike all others.
type Marker interface{ Marker() }

// SameButSizes reports whether two attributes differ in nothing but what follows from sizes.
func SameButSizes(a, b Attr) bool {
	if _, ok := a.(Marker); ok {
		return reflect.TypeOf(a) == reflect.TypeOf(b)
	}
	return Same(a, b) || Same(SizesAside(a), SizesAside(b))
}
