package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opWhere, opCast *graph.Op

func init() {
	opWhere = graph.Register(graph.Op{Name: "where", Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(3), DTypes: dtype.SetAll, Validate: rule(validateWhere),
		Infer: inferSame, SavesIn: 1, VMap: vmapElementwise,
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			c, zero := n.In(0), constLike(n, 0)
			return []*Node{nil, unbroadcast(Where(c, cot[0], zero), n.In(1)), unbroadcast(Where(c, zero, cot[0]), n.In(2))}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			pick := func(t *Node) *Node {
				if t == nil {
					return constLike(n, 0)
				}
				return t
			}
			if tan[1] == nil && tan[2] == nil {
				return []*Node{nil}
			}
			return []*Node{Where(n.In(0), pick(tan[1]), pick(tan[2]))}
		}})
	opCast = graph.Register(graph.Op{Name: "cast", Version: 1, Kind: graph.Elementwise,
		Role: graph.RoleCast, Inputs: graph.Exactly(1), DTypes: dtype.SetAll, Validate: rule(validateCast),
		VMap: vmapElementwise,
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: a.(attr.Cast).To}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{castBack(cot[0], n.In(0).DType())} },
		JVP: func(n *Node, tan []*Node) []*Node {
			if !n.DType().IsInexact() {
				return []*Node{nil}
			}
			return []*Node{Cast(tan[0], n.DType())}
		}})
}

// Where returns x where the condition holds, and other elsewhere.
//
//lucid:func
func Where(condition *Node, x, other Operand) *Node {
	if condition.DType() != dtype.Bool {
		condition = Cast(condition, dtype.Bool)
	}
	a, b := promote("where", x, other)
	s := shape.Broadcast("where", outShape(a, b), condition.Shape())
	c := expandTo(condition, s)
	a, b = expandTo(a, s), expandTo(b, s)
	if c.IsConst() {
		c = broadcastTo(c, s)
	}
	return apply(opWhere, nil, c, a, b)
}

// castBack is Cast of what may have been of that dtype before it was made wider, which loses nothing, and perhaps was given another shape.
func castBack(x *Node, to dtype.DType) *Node {
	wide := x
	if x.Op() == opReshape && !x.Stored() {
		wide = x.In(0)
	}
	if wide.Op() == opCast && !wide.Stored() && wide.In(0).DType() == to && to.IsHalf() && x.DType() == dtype.Float32 {
		return reshapeTo(wide.In(0), x.Shape())
	}
	return Cast(x, to)
}

// Cast converts to another dtype. Floats become integers by truncation; NaN and values out of range become the
// minimum of int64, cut to size. Complex numbers lose their imaginary part.
func Cast(x *Node, to dtype.DType) *Node {
	if x.DType() == to {
		return x
	}
	if !to.Valid() {
		requireKind("cast", x, false, "one of the declared dtypes")
	}
	if x.IsConst() && !x.Stored() {
		return scalar(to, x.Attr().(attr.Const).Value)
	}
	return graph.Make1(opCast, attr.Cast{To: to}, x.Shape(), to, x)
}

// To returns x converted to a dtype.
//
//lucid:name to
//lucid:alias astype
func To(x *Node, dtype dtype.DType) *Node { return Cast(x, dtype) }
