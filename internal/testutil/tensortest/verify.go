package tensortest

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// Nodes returns what the tensors show now.
func Nodes(ts ...*lucid.Tensor) []*graph.Node {
	ns := make([]*graph.Node, len(ts))
	for i, t := range ts {
		ns[i] = (*graph.Array)(t).Peek()
	}
	return ns
}

// Verify checks the graph behind tensors: what holds of every graph, and that every op takes its operands as a graph from a
// file would have to.
func Verify(ts ...*lucid.Tensor) error {
	return graph.Verify(Nodes(ts...), func(n *graph.Node) error {
		if _, item := n.IsTupleItem(); item || n.IsConst() || n.Op().NotInFiles != "" {
			return nil
		}
		return lucid.Try(func() { ops.Validate(n.Op(), n.Attr(), n.Ins()) })
	})
}
