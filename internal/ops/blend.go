package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// ValueOptions scale the product or quotient that is added.
type ValueOptions struct {
	Value any // a number; nil is 1
}

// Lerp returns x + weight·(end - x), computed so that weight 0 gives x and weight 1 gives end.
//
//lucid:func
//lucid:method
//lucid:inplace
func Lerp(x, end *Node, weight Operand) *Node {
	d := resultType("lerp", x, end)
	requireKind("lerp", x, d.IsInexact(), "a floating or complex dtype")
	s := shape.Broadcast("lerp", x.Shape(), end.Shape())
	if w, ok := weight.(*Node); ok && w != nil {
		s = shape.Broadcast("lerp", s, w.Shape())
	}
	a, b := expandTo(Cast(x, d), s), expandTo(Cast(end, d), s)
	number, isNumber := dtype.ScalarOf(weight)
	return widened(func(v []*Node) *Node {
		a, b, w := v[0], v[1], v[2]
		span := Sub(b, a)
		low := func() *Node { return Add(a, Mul(w, span)) }
		high := func() *Node { return Sub(b, Mul(span, Sub(1, w))) }
		if isNumber {
			if absOf(number) < 0.5 {
				return low()
			}
			return high()
		}
		return Where(Lt(Abs(w), 0.5), low(), high())
	}, a, b, expandTo(as("lerp", weight, sumType(d)), s))
}

// sumType is float32 for half types, and other types themselves.
func sumType(d dtype.DType) dtype.DType {
	if d.IsHalf() {
		return dtype.Float32
	}
	return d
}

func absOf(s dtype.Scalar) float64 {
	c := s.Complex()
	return max(real(c), -real(c)) // PyTorch compares the real part of complex numbers
}

// Addcmul returns x + value·tensor1·tensor2.
//
//lucid:func
//lucid:method
//lucid:inplace
func Addcmul(x, tensor1, tensor2 *Node, o ValueOptions) *Node {
	return addProduct("addcmul", x, tensor1, tensor2, o.Value, func(a, b *Node) *Node { return Mul(a, b) })
}

// Addcdiv returns x + value·tensor1/tensor2; integers are refused.
//
//lucid:func
//lucid:method
//lucid:inplace
func Addcdiv(x, tensor1, tensor2 *Node, o ValueOptions) *Node {
	d := resultType("addcdiv", tensor1, tensor2)
	requireKind("addcdiv", tensor1, d.IsInexact(), "a floating or complex dtype")
	return addProduct("addcdiv", x, tensor1, tensor2, o.Value, func(a, b *Node) *Node { return Div(a, b) })
}

func addProduct(op string, x, y, z *Node, value any, f func(a, b *Node) *Node) *Node {
	d := resultType(op, x, y, z)
	s := shape.Broadcast(op, shape.Broadcast(op, x.Shape(), y.Shape()), z.Shape())
	return widened(func(v []*Node) *Node {
		if value == nil {
			return Add(v[0], f(v[1], v[2]))
		}
		return Add(v[0], f(timesNumber(op, v[1], "value", value), v[2]))
	}, expandTo(Cast(x, d), s), expandTo(Cast(y, d), s), expandTo(Cast(z, d), s))
}
