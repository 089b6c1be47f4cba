package lucid

import "github.com/lucid-go/lucid/internal/graph"

// Dump writes what is recorded behind the tensors and not computed yet as text, a line an op, operands first.
func Dump(tensors ...*Tensor) string {
	ns := acquireAll(tensors)
	defer releaseAll(ns)
	return graph.Dump(ns...)
}
