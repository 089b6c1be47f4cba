package ops

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/format"
	"github.com/lucid-go/lucid/internal/graph"
)

var opPrint *graph.Op

func init() {
	opPrint = graph.Register(graph.Op{Name: "print", Version: 1, Kind: graph.Other,
		Role: graph.RolePrint, Inputs: graph.Exactly(1), NotInFiles: "it calls a Go function",
		Infer: inferSame,
		VJP:   func(n *Node, cot []*Node, _ []bool) []*Node { return cot },
		JVP:   func(n *Node, tan []*Node) []*Node { return tan },
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node {
			return []*Node{graph.New(opPrint, n.Attr(), in[0])}
		}})
}

// Print shows x and, when it is computed, gives its text to write. The attribute is a pointer, so that two prints are
// never merged into one.
func Print(x *Node, label string, write func(string), o format.Options) *Node {
	a := &attr.Print{}
	a.Show = func(v attr.Shown) {
		write(fmt.Sprintf("%s: %s", label, format.Tensor(o, v.DType, v.Dims, v.Get, nil)))
	}
	return graph.New(opPrint, a, x)
}
