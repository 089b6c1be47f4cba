package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
)

var opDepends *graph.Op

// The dependencies are operands that the kernel does not look at: so every pass that keeps operands before their readers,
// whatever it reorders, leaves out or runs elsewhere, keeps the order that was asked for.
func init() {
	opDepends = graph.Register(graph.Op{Name: "depends", Version: 1, Kind: graph.Other,
		Inputs: graph.AtLeast(1), Validate: rule(validateDepends),
		InPlace: 1,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			out := make([]*Node, n.NumIn())
			out[0] = cot[0]
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node { return tan[:1] },
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			first := in[0]
			if !batched[0] {
				first = broadcastTo(first, batchShape("depends", first.Shape(), size))
			}
			return []*Node{graph.New(opDepends, nil, append([]*Node{first}, in[1:]...)...)}
		}})
}

// Depends returns input as a value that is there only after all dependencies have been computed: what reads it waits for
// them, also in compiled functions. Gradients pass to input alone.
//
//lucid:func
//lucid:method
func Depends(input *Node, dependencies ...*Node) *Node {
	if len(dependencies) == 0 {
		return input
	}
	return graph.New(opDepends, nil, append([]*Node{input}, dependencies...)...)
}
