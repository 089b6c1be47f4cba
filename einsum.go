package lucid

import "github.com/lucid-go/lucid/internal/ops"

// EinsumStep is one step of an einsum: two operands are replaced by their product, which goes to the end of the list.
type EinsumStep struct {
	Pair [2]int  // positions of the two operands
	Cost float64 // multiplications
}

// EinsumPath returns the order in which Einsum contracts these operands, and what each step costs.
func EinsumPath(equation string, operands ...*Tensor) []EinsumStep {
	dims := make([][]int, len(operands))
	for i, x := range operands {
		dims[i] = x.Shape()
	}
	path := ops.EinsumPath(equation, dims...)
	steps := make([]EinsumStep, len(path))
	for i, s := range path {
		steps[i] = EinsumStep(s)
	}
	return steps
}
