package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opSoftmax, opLogSoftmax *graph.Op

// vmapAxis shifts the dimension of a row-wise op of one input past the extra axis.
func vmapAxis(n *Node, in []*Node, _ []bool, _ int) []*Node {
	return []*Node{graph.New(n.Op(), attr.Axis{Axis: n.Attr().(attr.Axis).Axis + 1}, in[0])}
}

// rowRule runs a rule of a row-wise op in float32 where its operands are halves, rounding once.
func rowRule(g, y *Node, f func(g, y *Node) *Node) *Node {
	return inFloat32(g, func(g *Node) *Node { return f(g, Cast(y, g.DType())) })
}

func init() {
	// y·(g - Σ g·y): the Jacobian is symmetric, so both directions are the same.
	softmaxRule := func(n, g *Node) *Node {
		ax := []int{n.Attr().(attr.Axis).Axis}
		return rowRule(g, n, func(g, y *Node) *Node { return Mul(y, Sub(g, sumKeep(Mul(g, y), ax, true))) })
	}
	opSoftmax = graph.Register(graph.Op{Name: "softmax", Version: 1, Kind: graph.RowWise, AMP: graph.AMPFloat32, Infer: inferSame, SavesOut: true, VMap: vmapAxis,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{softmaxRule(n, cot[0])} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{softmaxRule(n, tan[0])} }})
	opLogSoftmax = graph.Register(graph.Op{Name: "log_softmax", Version: 1, Kind: graph.RowWise, AMP: graph.AMPFloat32, Infer: inferSame, SavesOut: true, VMap: vmapAxis,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			ax := []int{n.Attr().(attr.Axis).Axis}
			return []*Node{rowRule(cot[0], n, func(g, y *Node) *Node { return Sub(g, Mul(Exp(y), sumKeep(g, ax, true))) })}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			ax := []int{n.Attr().(attr.Axis).Axis}
			return []*Node{rowRule(tan[0], n, func(t, y *Node) *Node { return Sub(t, sumKeep(Mul(Exp(y), t), ax, true)) })}
		}})
}

// SoftmaxOptions may name the dtype to compute in; zero: the input's.
type SoftmaxOptions struct{ DType dtype.DType }

func rowWise(op *graph.Op, x *Node, dim int, d dtype.DType) *Node {
	if d != dtype.Invalid {
		x = Cast(x, d)
	}
	realFloat(op.Name, x)
	axis := shape.Axis(op.Name, dim, x.Rank())
	if x.Rank() == 0 {
		return reshapeTo(apply(op, attr.Axis{}, Reshape(x, 1)), x.Shape())
	}
	return apply(op, attr.Axis{Axis: axis}, x)
}

// Softmax returns exp(x)/Σexp(x) along a dimension, without overflow. A row of -Inf gives NaN.
//
//lucid:func
//lucid:method Softmax(dim int)
func Softmax(x *Node, dim int, o SoftmaxOptions) *Node { return rowWise(opSoftmax, x, dim, o.DType) }

// LogSoftmax returns x - log Σexp(x) along a dimension, without overflow. A row of -Inf gives NaN.
//
//lucid:func
//lucid:method LogSoftmax(dim int)
func LogSoftmax(x *Node, dim int, o SoftmaxOptions) *Node {
	return rowWise(opLogSoftmax, x, dim, o.DType)
}

// Softmin returns the softmax of -x.
//
//lucid:func
func Softmin(x *Node, dim int, o SoftmaxOptions) *Node {
	if o.DType != dtype.Invalid {
		x = Cast(x, o.DType)
	}
	return Softmax(Neg(realFloat("softmin", x)), dim, SoftmaxOptions{})
}
