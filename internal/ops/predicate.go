package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opIsin *graph.Op

func init() {
	opIsin = graph.Register(graph.Op{Name: "isin", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(2), Validate: rule(validateIsin),
		NoGrad: isTest,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: dtype.Bool}}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			if !batched[1] {
				return []*Node{graph.New(opIsin, nil, in[0], in[1])}
			}
			// Each example has a set of its own: compare every element with every member.
			b := allBatched(n, in, batched, size)
			x := Unsqueeze(b[0], -1)
			set := Reshape(b[1], append(append([]int{size}, ones(x.Rank()-2)...), -1)...)
			return []*Node{Any(Eq(x, set), ReduceOptions{Dim: []int{-1}})}
		}})
}

// constBool is a 0-d truth value.
func constBool(v bool) *Node { return Number(dtype.Bool, v) }

func allBool(x *Node, v bool) *Node { return broadcastTo(constBool(v), x.Shape()) }

// Isposinf reports which elements are +Inf.
//
//lucid:func IsPosInf
//lucid:method IsPosInf
//lucid:nograd its result is a truth value
func Isposinf(x *Node) *Node { return isInfinity("isposinf", x, 1) }

// Isneginf reports which elements are -Inf.
//
//lucid:func IsNegInf
//lucid:method IsNegInf
//lucid:nograd its result is a truth value
func Isneginf(x *Node) *Node { return isInfinity("isneginf", x, -1) }

func isInfinity(op string, x *Node, sign int) *Node {
	requireKind(op, x, !x.DType().IsComplex(), "real numbers")
	if !x.DType().IsFloat() {
		return allBool(x, false)
	}
	return Eq(x, math.Inf(sign))
}

// Isreal reports which elements have no imaginary part.
//
//lucid:func IsReal
//lucid:method IsReal
//lucid:nograd its result is a truth value
func Isreal(x *Node) *Node {
	if !x.DType().IsComplex() {
		return allBool(x, true)
	}
	return Eq(Imag(x), 0)
}

// CloseOptions say how far two numbers may be apart: |x - other| ≤ ATol + RTol·|other|.
type CloseOptions struct {
	RTol     *float64 `lucid:"rtol"`      // nil: 1e-5
	ATol     *float64 `lucid:"atol"`      // nil: 1e-8
	EqualNaN bool     `lucid:"equal_nan"` // NaN is close to NaN
}

// Isclose reports which elements of x are close to those of other. Infinities are close only to themselves.
//
//lucid:func IsClose
//lucid:method IsClose
//lucid:nograd its result is a truth value
func Isclose(x, other *Node, o CloseOptions) *Node {
	a, b := promote("isclose", x, other)
	close := Eq(a, b)
	if o.EqualNaN && a.DType().IsInexact() {
		close = LogicalOr(close, LogicalAnd(IsNaN(a), IsNaN(b)))
	}
	rtol, atol := 1e-5, 1e-8
	if o.RTol != nil {
		rtol = *o.RTol
	}
	if o.ATol != nil {
		atol = *o.ATol
	}
	if !(rtol >= 0 && atol >= 0) {
		fault.Throw(fault.Value, "isclose", "rtol is %v, atol %v; want numbers that are not negative", rtol, atol)
	}
	if rtol == 0 && atol == 0 {
		return close
	}
	a, b = floating(a), floating(b)
	diff, allowed := Abs(Sub(a, b)), Add(Abs(Mul(b, rtol)), atol)
	return LogicalOr(close, LogicalAnd(IsFinite(diff), Le(diff, allowed)))
}

// Allclose reports, as one truth value, whether all elements of x are close to those of other.
//
//lucid:name allclose
//lucid:nograd its result is a truth value
func Allclose(x, other *Node, o CloseOptions) *Node {
	return All(Isclose(x, other, o), ReduceOptions{})
}

// Equal reports, as one truth value, whether x and other have one shape and equal elements.
//
//lucid:name equal
//lucid:alias array_equal
//lucid:nograd its result is a truth value
func Equal(x, other *Node) *Node {
	if !x.Shape().Equal(other.Shape()) {
		return constBool(false)
	}
	return All(Eq(x, other), ReduceOptions{})
}

// IsInOptions invert the answer.
type IsInOptions struct {
	Invert       bool // true where an element is not among them
	AssumeUnique bool // a promise that makes no difference here
}

// Isin reports which elements are among the test elements. NaN is among none.
//
//lucid:func IsIn
func Isin(element, testElement Operand, o IsInOptions) *Node {
	d := resultType("isin", element, testElement)
	if d.IsHalf() {
		d = dtype.Float32 // equal values of half types may differ in bits
	}
	x, set := as("isin", element, d), as("isin", testElement, d)
	r := graph.Make2(opIsin, nil, x.Shape(), dtype.Bool, expandTo(x, x.Shape()), reshapeTo(set, shape.Of("isin", set.Shape().Numel())))
	if o.Invert {
		r = LogicalNot(r)
	}
	return r
}
