package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opSoftmax, opLogSoftmax, opSoftmaxGrad *graph.Op

// vmapAxis shifts the dimension of a row-wise op of one input past the extra axis.
func vmapAxis(n *Node, in []*Node, _ []bool, _ int) []*Node {
	return []*Node{graph.New(n.Op(), attr.Axis{Axis: n.Attr().(attr.Axis).Axis + 1}, in[0])}
}

// rowRule runs a rule of a row-wise op in float32 where its operands are half types, rounding once.
func rowRule(g, y *Node, f func(g, y *Node) *Node) *Node {
	return inFloat32(g, func(g *Node) *Node { return f(g, Cast(y, g.DType())) })
}

func init() {
	// The Jacobian of softmax is symmetric, so both directions are the same.
	softmaxGrad := func(g, y *Node, a attr.Attr) *Node { return graph.New(opSoftmaxGrad, a, g, y) }
	opSoftmax = graph.Register(graph.Op{Name: "softmax", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Exactly(1), Validate: rule(validateSoftmax),
		Cheap: true, AMP: graph.AMPFloat32, Infer: inferSame, SavesOut: true, VMap: vmapAxis,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{softmaxGrad(cot[0], n, n.Attr())} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{softmaxGrad(tan[0], n, n.Attr())} }})
	// softmax_grad is y·(g - Σ g·y) of g and y: linear and symmetric in g.
	byY := func(n, c *Node, f func(g, y, c *Node, ax []int) *Node) *Node {
		ax := []int{n.Attr().(attr.Axis).Axis}
		return inFloat32(c, func(c *Node) *Node { return f(Cast(n.In(0), c.DType()), Cast(n.In(1), c.DType()), c, ax) })
	}
	opSoftmaxGrad = graph.Register(graph.Op{Name: "softmax_grad", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Exactly(2), Validate: rule(validateSoftmaxGrad),
		AMP: graph.AMPFloat32, Infer: inferSame, SavesIn: 3,
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			out := []*Node{softmaxGrad(cot[0], n.In(1), n.Attr()), nil}
			if need[1] {
				out[1] = byY(n, cot[0], func(g, y, c *Node, ax []int) *Node {
					return Sub(Mul(c, Sub(g, sumKeep(Mul(g, y), ax, true))), Mul(g, sumKeep(Mul(c, y), ax, true)))
				})
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			var sum *Node
			if tan[0] != nil {
				sum = softmaxGrad(tan[0], n.In(1), n.Attr())
			}
			if tan[1] != nil {
				sum = addMaybe(sum, byY(n, tan[1], func(g, y, t *Node, ax []int) *Node {
					return Sub(Mul(t, Sub(g, sumKeep(Mul(g, y), ax, true))), Mul(y, sumKeep(Mul(g, t), ax, true)))
				}))
			}
			return []*Node{sum}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			return []*Node{graph.New(n.Op(), attr.Axis{Axis: n.Attr().(attr.Axis).Axis + 1}, allBatched(n, in, batched, size)...)}
		}})
	opLogSoftmax = graph.Register(graph.Op{Name: "log_softmax", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Exactly(1), Validate: rule(validateSoftmax),
		Cheap: true, AMP: graph.AMPFloat32, Infer: inferSame, SavesOut: true, VMap: vmapAxis,
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
type SoftmaxOptions struct {
	DType dtype.DType // dtype to compute in; zero: the input's
}

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
//lucid:alias special_softmax
func Softmax(x *Node, dim int, o SoftmaxOptions) *Node { return rowWise(opSoftmax, x, dim, o.DType) }

// LogSoftmax returns x - log Σexp(x) along a dimension, without overflow. A row of -Inf gives NaN.
//
//lucid:func
//lucid:method LogSoftmax(dim int)
//lucid:alias special_log_softmax
func LogSoftmax(x *Node, dim int, o SoftmaxOptions) *Node {
	return rowWise(opLogSoftmax, x, dim, o.DType)
}

// Softmin returns the softmax of -x.
//
//lucid:pkg nn/functional
//lucid:amp float32
func Softmin(x *Node, dim int, o SoftmaxOptions) *Node {
	if o.DType != dtype.Invalid {
		x = Cast(x, o.DType)
	}
	return Softmax(Neg(realFloat("softmin", x)), dim, SoftmaxOptions{})
}
