package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
)

var opLogcumsumexp *graph.Op

func init() {
	// y is never falling, so that both factors, what of the sum is new and what is left of the old one, are at most 1
	// and the rules are linear recurrences that cannot overflow.
	fresh := func(n *Node) *Node { return Exp(difference(n.In(0), n)) }
	carried := func(n *Node) *Node {
		return Exp(difference(shifted(n, n.Attr().(attr.Scan), math.Inf(-1)), n))
	}
	opLogcumsumexp = graph.Register(graph.Op{Name: "logcumsumexp", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Exactly(1), Validate: rule(validateScan),
		AMP: graph.AMPFloat32, Infer: inferSame, VMap: vmapScan,
		SavesIn: 1, SavesOut: true,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			return []*Node{Mul(conj(fresh(n)), carryBack(conj(carried(n)), cot[0], n.Attr().(attr.Scan)))}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			return []*Node{linearScan(carried(n), Mul(tan[0], fresh(n)), n.Attr().(attr.Scan))}
		}})
}

// difference is x - y, and -Inf where y is -Inf: nothing of nothing.
func difference(x, y *Node) *Node {
	if x.DType().IsComplex() {
		return Sub(x, y)
	}
	none := Eq(y, math.Inf(-1))
	return Where(none, constLike(x, math.Inf(-1)), Sub(x, Where(none, constLike(y, 0), y)))
}
