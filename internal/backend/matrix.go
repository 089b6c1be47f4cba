package backend

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/fault"
)

// MatrixFault is why a matrix cannot be factored.
type MatrixFault uint32

// The reasons. The number that goes with them is an info word: the pivot, counted from 1, of the first two.
const (
	MatrixSingular MatrixFault = iota
	MatrixNotDefinite
	MatrixNotFinite
	MatrixNoRoot
)

var matrixFaults = [...]string{
	MatrixSingular:    "is singular: pivot %d is zero; the function with Ex in its name gives this number instead of an error",
	MatrixNotDefinite: "is not positive definite: pivot %d is not positive; CholeskyEx gives this number instead of an error",
	MatrixNotFinite:   "has no decomposition (info %d): it holds NaN or infinite values, or the iteration did not converge",
	MatrixNoRoot:      "has no square root (info %d): an eigenvalue is negative, or it holds NaN or infinite values",
}

// BadMatrix is the error of a function one of whose matrices cannot be factored; at is its index in the batch, negative if there is
// only one.
func BadMatrix(function string, f MatrixFault, at, info int) error {
	where := "the matrix"
	if at >= 0 {
		where = fmt.Sprintf("matrix %d of the batch", at)
	}
	return fault.New(fault.Singular, function, "%s "+matrixFaults[f], where, info)
}
