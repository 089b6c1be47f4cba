package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

var opRelu, opSilu, opGelu, opGeluTanh, opSoftplus, opLogsigmoid, opHardsigmoid, opHardswish *graph.Op

func init() {
	// relu lets the cotangent through where the result is positive: a choice, not a product, so that infinities survive.
	pass := func(n, g *Node) *Node { return Where(Le(n, 0), constLike(g, 0), g) }
	opRelu = graph.Register(graph.Op{Name: "relu", Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(1), DTypes: dtype.SetReals, Validate: alike,
		Infer: inferSame, SavesOut: true, VMap: vmapElementwise,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{pass(n, cot[0])} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{pass(n, tan[0])} }})
	// At -3 and 3 the slope of the line is not theirs.
	outside := func(x *Node) *Node { return LogicalOr(Le(x, -3), Ge(x, 3)) }
	opHardsigmoid = unaryOp("hardsigmoid", unaryRule{DTypes: dtype.SetFloats, SavesIn: 1, Derivative: slopeIn(func(x *Node) *Node {
		return Where(outside(x), constLike(x, 0), constLike(x, 1.0/6))
	})})
	opHardswish = unaryOp("hardswish", unaryRule{DTypes: dtype.SetFloats, SavesIn: 1, Derivative: slopeIn(func(x *Node) *Node {
		return Where(Le(x, -3), constLike(x, 0), Where(Ge(x, 3), constLike(x, 1), Add(Mul(x, 1.0/3), 0.5)))
	})})
	opSilu = unaryOp("silu", unaryRule{DTypes: dtype.SetFloats, SavesIn: 1, Derivative: slopeIn(func(x *Node) *Node {
		s := Sigmoid(x)
		return Mul(s, Add(1, Mul(x, Sub(1, s))))
	})})
	opGelu = unaryOp("gelu", unaryRule{DTypes: dtype.SetFloats, SavesIn: 1, Derivative: slopeIn(func(x *Node) *Node {
		cdf := Mul(0.5, Add(1, Erf(Mul(x, math.Sqrt2/2))))
		return Add(cdf, Mul(x, Mul(Exp(Mul(Square(x), -0.5)), 1/math.Sqrt(2*math.Pi))))
	})})
	opGeluTanh = unaryOp("gelu_tanh", unaryRule{DTypes: dtype.SetFloats, SavesIn: 1, Derivative: slopeIn(func(x *Node) *Node {
		beta := math.Sqrt(2 / math.Pi)
		t := Tanh(Mul(beta, Mul(x, Add(1, Mul(Square(x), 0.044715)))))
		inner := Mul(beta, Add(1, Mul(Square(x), 3*0.044715)))
		return Mul(0.5, Add(Add(1, t), Mul(Mul(x, Sub(1, Square(t))), inner)))
	})})
	opSoftplus = unaryOp("softplus", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, Validate: rule(validateSoftplus), SavesIn: 1,
		Derivative: func(n *Node) *Node {
			a := n.Attr().(attr.Softplus)
			bx := Mul(n.In(0), a.Beta)
			return Where(Gt(bx, a.Threshold), constLike(n, 1), Sigmoid(bx))
		}})
	opLogsigmoid = unaryOp("logsigmoid", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1,
		Derivative: func(n *Node) *Node { return Sigmoid(Neg(n.In(0))) }})
}

// slopeIn makes a derivative of a function of the input, rounded once.
func slopeIn(f func(x *Node) *Node) derivative {
	return func(n *Node) *Node { return inFloat32(n.In(0), f) }
}

// inFloat32 computes a function of several steps without rounding each of them to a half type.
func inFloat32(x *Node, f func(x *Node) *Node) *Node {
	if x.DType().IsHalf() {
		return Cast(f(Cast(x, dtype.Float32)), x.DType())
	}
	return f(x)
}

// realFloat refuses what is not a real float.
func realFloat(op string, x *Node) *Node {
	requireKind(op, x, x.DType().IsFloat(), "a floating dtype")
	return x
}

// orElse is the number given, or the default.
func orElse[T any](v *T, def T) T {
	if v != nil {
		return *v
	}
	return def
}

// Relu returns x where it is positive and 0 elsewhere; NaN stays.
//
//lucid:pkg nn/functional ReLU
//lucid:method ReLU
//lucid:inplace
func Relu(x *Node) *Node {
	requireKind("relu", x, !x.DType().IsComplex() && x.DType() != dtype.Bool, "real numbers")
	return unary(opRelu, x)
}

// GELUOptions names the form: "none" (the error function, the default) or "tanh".
type GELUOptions struct {
	Approximate string // "none" (also by ""): the error function; or "tanh"
}

// Gelu returns x·Φ(x), Φ being the normal distribution function, or its tanh approximation.
//
//lucid:pkg nn/functional GELU
//lucid:method GELU
func Gelu(x *Node, o GELUOptions) *Node {
	realFloat("gelu", x)
	switch o.Approximate {
	case "", "none":
		return unary(opGelu, x)
	case "tanh":
		return unary(opGeluTanh, x)
	}
	fault.Throw(fault.Value, "gelu", "approximate is %q; want none or tanh", o.Approximate)
	return nil
}

// Silu returns x·sigmoid(x).
//
//lucid:pkg nn/functional SiLU
//lucid:method SiLU
//lucid:inplace
func Silu(x *Node) *Node { return unary(opSilu, realFloat("silu", x)) }

// SoftplusOptions has the slope (nil: 1) and the value of beta·x from which on the result is x itself (nil: 20).
type SoftplusOptions struct {
	Beta      *float64 // the slope; nil: 1
	Threshold *float64 // where beta·x exceeds it the result is x; nil: 20
}

// Softplus returns log(1+exp(beta·x))/beta, and x where beta·x exceeds the threshold.
//
//lucid:pkg nn/functional
//lucid:method
func Softplus(x *Node, o SoftplusOptions) *Node {
	realFloat("softplus", x)
	return apply(opSoftplus, attr.Softplus{Beta: orElse(o.Beta, 1), Threshold: orElse(o.Threshold, 20)}, x)
}

// Logsigmoid returns log(sigmoid(x)), also where sigmoid(x) underflows.
//
//lucid:pkg nn/functional LogSigmoid
//lucid:alias log_sigmoid
func Logsigmoid(x *Node) *Node { return apply(opLogsigmoid, nil, realFloat("logsigmoid", x)) }
