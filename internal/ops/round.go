package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

var opFloor, opCeil, opTrunc, opRound *graph.Op

func init() {
	flat := func(*Node) *Node { return nil }
	opFloor = unaryOp("floor", unaryRule{DTypes: dtype.SetFloats, Derivative: flat})
	opCeil = unaryOp("ceil", unaryRule{DTypes: dtype.SetFloats, Derivative: flat})
	opTrunc = unaryOp("trunc", unaryRule{DTypes: dtype.SetFloats, Derivative: flat})
	opRound = unaryOp("round", unaryRule{DTypes: dtype.SetFloats, Derivative: flat})
}

// rounding records op for floats; integers are whole already.
func rounding(op *graph.Op, x *Node) *Node {
	requireKind(op.Name, x, x.DType() != dtype.Bool && !x.DType().IsComplex(), "real numbers")
	if !x.DType().IsFloat() {
		return x
	}
	return unary(op, x)
}

// Floor rounds down.
//
//lucid:func
//lucid:method
//lucid:inplace
func Floor(x *Node) *Node { return rounding(opFloor, x) }

// Ceil rounds up.
//
//lucid:func
//lucid:method
//lucid:inplace
func Ceil(x *Node) *Node { return rounding(opCeil, x) }

// Trunc rounds towards zero.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias fix
func Trunc(x *Node) *Node { return rounding(opTrunc, x) }

// RoundOptions say to which decimal place; negative counts left of the point.
type RoundOptions struct {
	Decimals int // digits behind the point; negative counts in front of it
}

// Round rounds to the nearest, ties to even.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias special_round
func Round(x *Node, o RoundOptions) *Node {
	if o.Decimals == 0 {
		return rounding(opRound, x)
	}
	if !x.DType().IsFloat() {
		fault.Throw(fault.DType, "round", "decimals %d of %v; only floats have decimals", o.Decimals, x.DType())
	}
	return widened(func(v []*Node) *Node {
		p := math.Pow10(max(o.Decimals, -o.Decimals))
		if o.Decimals < 0 {
			return Mul(unary(opRound, Div(v[0], p)), p)
		}
		return Div(unary(opRound, Mul(v[0], p)), p)
	}, x)
}

// Frac returns x less its whole part, with x's sign.
//
//lucid:func
//lucid:method
//lucid:inplace
func Frac(x *Node) *Node {
	requireKind("frac", x, x.DType().IsFloat(), "a floating dtype")
	return Sub(x, Trunc(x))
}

// inRange brings a Go number that an integer dtype does not hold to the nearest it does.
func inRange(d dtype.DType, b Operand) Operand {
	s, ok := dtype.ScalarOf(b)
	if !ok || !d.IsInteger() || s.Kind != dtype.KindInt {
		return b
	}
	lo, hi := intRange(d)
	if s.I < lo {
		return lo
	}
	if s.I > 0 && uint64(s.I) > hi {
		return hi
	}
	return b
}

// intRange returns the smallest and largest value of an integer dtype.
func intRange(d dtype.DType) (int64, uint64) {
	bits := 8 * d.Size()
	if d.Kind() == dtype.KindUint {
		return 0, math.MaxUint64 >> (64 - bits)
	}
	return math.MinInt64 >> (64 - bits), math.MaxInt64 >> (64 - bits)
}
