package lucid

import "github.com/lucid-go/lucid/internal/ops"

// EinsumStep is one step of an einsum: the operands at the positions Pair are replaced by their product, which goes to the end.
type EinsumStep = ops.EinsumStep

// EinsumPath returns the order in which Einsum contracts these operands, and what each step costs.
func EinsumPath(equation string, operands ...*Tensor) []EinsumStep {
	dims := make([][]int, len(operands))
	for i, x := range operands {
		dims[i] = x.Shape()
	}
	return ops.EinsumPath(equation, dims...)
}
