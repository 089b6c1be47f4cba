package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// class_nll is log Σ exp(x) - x[target] along one dimension, of which size 1 stays, and log Σ exp(x) itself.
var opClassNLL *graph.Op

func init() {
	opClassNLL = graph.Register(graph.Op{Name: "class_nll", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Exactly(2), Validate: rule(validateClassNLL),
		AMP: graph.AMPFloat32, SavesIn: 3, SavesOut: true,
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			d := in[0].Shape().Clone()
			d[a.(attr.Axis).Axis] = 1
			s := graph.Spec{Shape: shape.Of("class_nll", d...), DType: in[0].DType()}
			return []graph.Spec{s, s}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			sum := addMaybe(cot[0], cot[1])
			if sum == nil {
				return []*Node{nil, nil}
			}
			g := cot[0]
			if g == nil {
				g = zerosLike(sum)
			}
			return []*Node{graph.New(opClassNLLGrad, n.Attr(), n.In(0), graph.TupleItem(n, 1), n.In(1), sum, g), nil}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			if tan[0] == nil {
				return []*Node{nil, nil}
			}
			axis := n.Attr().(attr.Axis).Axis
			t := sumKeep(Mul(Exp(Sub(n.In(0), graph.TupleItem(n, 1))), tan[0]), []int{axis}, true)
			return []*Node{Sub(t, gather(tan[0], n.In(1), axis)), t}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			b := allBatched(n, in, batched, size)
			return graph.TupleItems(graph.New(n.Op(), attr.Axis{Axis: n.Attr().(attr.Axis).Axis + 1}, b...))
		}})
}
