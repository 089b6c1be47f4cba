package lucid

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/shape"
)

// PromoteTypes returns the dtype that tensors of the two compute in. Where there is none, uint64 with a signed integer,
// it is an error that asks for a cast.
func PromoteTypes(a, b DType) DType {
	d, ok := dtype.Promote(a, b)
	if !ok || !a.Valid() || !b.Valid() {
		fault.Throw(fault.DType, "promote_types", "%v and %v have no common dtype; cast one of them", a, b)
	}
	return d
}

// ResultType returns the dtype that operands, tensors or Go numbers and bools, compute in: numbers and 0-d tensors are weak.
func ResultType(operands ...any) DType {
	if len(operands) == 0 {
		fault.Throw(fault.Value, "result_type", "no operands; want at least one")
	}
	in := make([]any, len(operands))
	for i, x := range operands {
		in[i] = acquireAny(x)
	}
	d := ops.ResultType("result_type", in...)
	for _, x := range in {
		releaseAny(x)
	}
	return d
}

// CanCast reports whether values of one dtype may be stored as another without going down from complex to real numbers,
// from those to integers, or from integers to bools.
func CanCast(from, to DType) bool { return dtype.CanCast(from, to) }

// FloatInfo describes a floating dtype, a complex one by its parts.
type FloatInfo struct {
	DType          DType
	Bits           int
	Eps            float64 // from 1 to the next number
	Min, Max       float64
	SmallestNormal float64
}

// FInfo returns the limits of a floating or complex dtype.
func FInfo(d DType) FloatInfo {
	if !d.IsInexact() {
		fault.Throw(fault.DType, "finfo", "%v is no floating dtype; see IInfo", d)
	}
	r := d.Real()
	i := FloatInfo{DType: d, Bits: 8 * r.Size()}
	digits, low := 52, -1022
	switch i.Max = math.MaxFloat64; r {
	case Float16:
		digits, low, i.Max = 10, -14, 65504
	case BFloat16:
		digits, low, i.Max = 7, -126, 0x1.fep127
	case Float32:
		digits, low, i.Max = 23, -126, math.MaxFloat32
	}
	i.Min, i.Eps, i.SmallestNormal = -i.Max, math.Ldexp(1, -digits), math.Ldexp(1, low)
	return i
}

// IntInfo describes an integer dtype.
type IntInfo struct {
	DType DType
	Bits  int
	Min   int64
	Max   uint64
}

// IInfo returns the limits of an integer dtype.
func IInfo(d DType) IntInfo {
	if !d.IsInteger() {
		fault.Throw(fault.DType, "iinfo", "%v is no integer dtype; see FInfo", d)
	}
	bits := 8 * d.Size()
	i := IntInfo{DType: d, Bits: bits, Max: math.MaxUint64 >> (64 - bits)}
	if d.IsSigned() {
		i.Max >>= 1
		i.Min = -int64(i.Max) - 1
	}
	return i
}

// BroadcastShapes returns the shape that tensors of the given shapes broadcast to.
func BroadcastShapes(shapes ...[]int) []int {
	s := shape.Scalar
	for _, d := range shapes {
		s = shape.Broadcast("broadcast_shapes", s, shape.Of("broadcast_shapes", d...))
	}
	return s.Clone()
}
