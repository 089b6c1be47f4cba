package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
)

// class_nll_grad is the cotangent of class_nll's input, exp(x - lse)·s less g at the target: s is the sum of the
// cotangents of both results, g that of the first. One pass, in which no probability is stored.
var opClassNLLGrad *graph.Op

func init() {
	opClassNLLGrad = graph.Register(graph.Op{Name: "class_nll_grad", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Exactly(5), Validate: rule(validateClassNLLGrad),
		SavesIn: 31, InPlace: 1, Infer: inferSame,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			r, c := readClassNLLGrad(n), cot[0]
			cp := Mul(c, r.p)
			byX := Mul(cp, r.s)
			return []*Node{byX, Neg(sumKeep(byX, r.axes, true)), nil, sumKeep(cp, r.axes, true), Neg(gather(c, r.target, r.axes[0]))}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			r := readClassNLLGrad(n)
			var by, sum *Node
			if tan[0] != nil {
				by = tan[0]
			}
			if tan[1] != nil {
				by = addMaybe(by, expandTo(Neg(tan[1]), r.p.Shape()))
			}
			if by != nil {
				sum = Mul(Mul(r.p, r.s), by)
			}
			if tan[3] != nil {
				sum = addMaybe(sum, Mul(r.p, tan[3]))
			}
			if tan[4] != nil {
				sum = addMaybe(sum, Neg(Where(r.hit(), tan[4], constLike(r.p, 0))))
			}
			return []*Node{sum}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			b := allBatched(n, in, batched, size)
			return []*Node{graph.New(n.Op(), attr.Axis{Axis: n.Attr().(attr.Axis).Axis + 1}, b...)}
		}})
}

// classNLLGrads is such a node as its rules see it.
type classNLLGrads struct {
	p, s, target *Node
	axes         []int
}

func readClassNLLGrad(n *Node) classNLLGrads {
	return classNLLGrads{p: Exp(Sub(n.In(0), n.In(1))), target: n.In(2), s: n.In(3), axes: []int{n.Attr().(attr.Axis).Axis}}
}

// hit is true at the targets.
func (r classNLLGrads) hit() *Node {
	axis, n := r.axes[0], r.p.Dim(r.axes[0])
	return Eq(Reshape(Arange64(n), alongAxis(r.p.Rank(), axis, n)...), r.target)
}
