package ops

import (
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// TestChosenMatrices: of a stack of quantized matrices only those that are chosen are dequantized, all if that is fewer.
func TestChosenMatrices(t *testing.T) {
	zeros := func(d dtype.DType, dims ...int) *Node { return FullOf(shape.Of("full", dims...), d, dtype.Scalar{}) }
	for _, c := range []struct{ chosen, want int }{{2, 2 * 7}, {9, 5 * 7}} {
		y := GatherQuantizedMatmul(zeros(dtype.Float32, 1, 3, 64), zeros(dtype.Uint32, 5, 7, 8), zeros(dtype.Float32, 5, 7, 1),
			zeros(dtype.Float32, 5, 7, 1), zeros(dtype.Int64, c.chosen, 1), zeros(dtype.Int64, c.chosen, 1), QuantizedOptions{}, false)
		if !slices.Equal(y.Shape().Dims(), []int{c.chosen, 1, 3, 7}) {
			t.Errorf("%d chosen: %v", c.chosen, y.Shape())
		}
		rows := 0
		var walk func(n *Node)
		walk = func(n *Node) {
			if n.Op().Name == "dequantize_groups" {
				rows = n.Shape().Dim(0)
				return
			}
			for _, in := range n.Ins() {
				walk(in)
			}
		}
		walk(y)
		if rows != c.want {
			t.Errorf("%d chosen: %d rows are dequantized, want %d", c.chosen, rows, c.want)
		}
	}
}
