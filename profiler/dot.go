package profiler

import (
	"io"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/graph"
)

// WriteDot writes what is recorded behind the tensors and not computed yet as a graph in the DOT language: dot -Tsvg of Graphviz draws
// it. lucid.Dump has the same as text.
func WriteDot(w io.Writer, tensors ...*lucid.Tensor) error {
	nodes := make([]*graph.Node, len(tensors))
	for i, t := range tensors {
		nodes[i] = (*graph.Array)(t).Acquire()
		defer nodes[i].Unref()
	}
	_, err := io.WriteString(w, graph.Dot(nodes...))
	return err
}
