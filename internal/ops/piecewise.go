package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

// Activations and bounds that choose between two forms are ops of their own: written with comparisons and choices they are three to eight
// nodes, whose planning takes most of the time of a small call. Their parameters are immediates, so that programs with other numbers are
// the same program.
var opClamp, opHardtanh, opLeakyRelu, opSoftshrink, opHardshrink, opNanToNum, opElu, opSelu, opMish, opSinc *graph.Op

func init() {
	opClamp = piecewiseOp("clamp", dtype.SetOrdered, 2, func(n, g *Node) *Node {
		return Mul(g, Where(LogicalAnd(Gt(n.In(0), n.In(1)), Lt(n.In(0), n.In(2))), constLike(n, 1), constLike(n, 0)))
	})
	opHardtanh = piecewiseOp("hardtanh", dtype.SetFloats, 2, func(n, g *Node) *Node {
		return Where(LogicalOr(Le(n.In(0), n.In(1)), Ge(n.In(0), n.In(2))), constLike(g, 0), g)
	})
	opLeakyRelu = piecewiseOp("leaky_relu", dtype.SetFloats, 1, func(n, g *Node) *Node {
		return Where(Gt(n.In(0), 0), g, Mul(g, n.In(1)))
	})
	shrunk := func(n, g *Node) *Node { return Where(Le(Abs(n.In(0)), n.In(1)), constLike(g, 0), g) }
	opSoftshrink = piecewiseOp("softshrink", dtype.SetFloats, 1, shrunk)
	opHardshrink = piecewiseOp("hardshrink", dtype.SetFloats, 1, shrunk)
	opNanToNum = piecewiseOp("nan_to_num", dtype.SetOf(dtype.Float32, dtype.Float64), 1, func(n, g *Node) *Node {
		return Where(IsFinite(n.In(0)), g, constLike(g, 0))
	})
	opElu = piecewiseOp("elu", dtype.SetFloats, 2, func(n, g *Node) *Node {
		alpha, inner := n.In(1), n.In(2)
		return Mul(g, eluSlope(n.In(0), func(x *Node) *Node { return Mul(Exp(Mul(x, inner)), Mul(alpha, inner)) }, 1))
	})
	opSelu = unaryOp("selu", unaryRule{DTypes: dtype.SetFloats, SavesIn: 1, Derivative: slopeIn(func(x *Node) *Node {
		return eluSlope(x, func(x *Node) *Node { return Mul(Exp(x), seluAlpha*seluScale) }, seluScale)
	})})
	opSinc = unaryOp("sinc", unaryRule{DTypes: dtype.SetFloats, SavesIn: 1, Derivative: slopeIn(sincDerivative)})
	opMish = unaryOp("mish", unaryRule{DTypes: dtype.SetFloats, SavesIn: 1, Derivative: slopeIn(func(x *Node) *Node {
		t := Tanh(Softplus(x, SoftplusOptions{}))
		return Add(t, Mul(Mul(x, Sigmoid(x)), Sub(1, Square(t))))
	})})
}

// The constants of self-normalising networks.
const (
	seluAlpha = 1.6732632423543772848170429916717
	seluScale = 1.0507009873554804934193349852946
)

// piecewiseOp declares an elementwise op of x and some immediates, which take no gradient. rule brings what comes from one side of a node
// to the other: a cotangent to x, or a tangent of x.
func piecewiseOp(name string, types dtype.Set, numbers int, rule func(n, g *Node) *Node) *graph.Op {
	return graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(1 + numbers), DTypes: types, Infer: inferSame, SavesIn: 1, VMap: vmapElementwise,
		Validate: alike,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			return append([]*Node{rule(n, cot[0])}, make([]*Node, numbers)...)
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			if tan[0] == nil {
				return []*Node{nil}
			}
			return []*Node{rule(n, tan[0])}
		}})
}

// piecewise records such an op.
func piecewise(op *graph.Op, x *Node, numbers ...float64) *Node {
	in := [3]*Node{x}
	for k, v := range numbers {
		in[k+1] = constLike(x, v)
	}
	return apply(op, nil, in[:1+len(numbers)]...)
}

// eluSlope is the derivative of elu and its relatives: below is that of negative numbers, of which it sees nothing else, so that it does
// not overflow. At 0 the slope is that of the left side and higher derivatives are 0, as in PyTorch.
func eluSlope(x *Node, below func(x *Node) *Node, above float64) *Node {
	negative := Lt(x, 0)
	at0 := below(constLike(x, 0))
	return Where(negative, below(Where(negative, x, constLike(x, 0))), Where(Gt(x, 0), constLike(x, above), at0))
}

// sincDerivative is that of sin(πx)/πx. The cosine is of the distance from an even number, which is exact.
func sincDerivative(x *Node) *Node {
	near := Lt(Abs(x), 1/math.Pi)
	safe, small := Where(near, constLike(x, 1), x), Where(near, x, constLike(x, 0))
	r := Sub(safe, Mul(StopGradient(Round(Mul(safe, 0.5), RoundOptions{})), 2))
	far := Div(Sub(Cos(Mul(r, math.Pi)), unary(opSinc, safe)), safe)
	return Where(near, Mul(sincSlope(Mul(small, math.Pi)), math.Pi), far)
}

// sincSlope is the derivative of sin(p)/p for p up to 1, by its series: the quotient is a difference of large numbers there.
func sincSlope(p *Node) *Node {
	sq, last := Square(p), len(sincSeries)-1
	series := constLike(sq, sincSeries[last]*float64(2*last))
	for k := last - 1; k > 0; k-- {
		series = Add(Mul(series, sq), sincSeries[k]*float64(2*k))
	}
	return Mul(series, p)
}
