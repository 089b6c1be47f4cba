package lucid

import (
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

func init() {
	ops.ReadInts = func(_ string, n *graph.Node) []int { return ToSlice[int](wrap(n)) }
}
