package backend

import (
	"cmp"
	"fmt"
	"strings"

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
	MatrixSingular:    "is singular: pivot %d is zero",
	MatrixNotDefinite: "is not positive definite: pivot %d is not positive",
	MatrixNotFinite:   "has no decomposition (info %d): it holds NaN or infinite values, or the iteration did not converge",
	MatrixNoRoot:      "has no square root (info %d): an eigenvalue is negative, or it holds NaN or infinite values",
}

// givesInfo are the functions that give the number of the pivot instead of an error. Of others that find a matrix singular InvEx tells.
var givesInfo = map[string]string{"linalg_solve": "SolveEx", "linalg_lu_factor": "LUFactorEx", "linalg_ldl_factor": "LDLFactorEx"}

// remedy is what to call instead.
func (f MatrixFault) remedy(function string) string {
	switch f {
	case MatrixSingular:
		name := cmp.Or(givesInfo[strings.TrimSuffix(function, "_ex")], "InvEx")
		return fmt.Sprintf("; linalg.%s gives this number instead of an error", name)
	case MatrixNotDefinite:
		return "; linalg.CholeskyEx gives this number instead of an error"
	}
	return ""
}

// BadMatrix is the error of a function one of whose matrices cannot be factored; at is its index in the batch, negative if there is
// only one.
func BadMatrix(function string, f MatrixFault, at, info int) error {
	where := "the matrix"
	if at >= 0 {
		where = fmt.Sprintf("matrix %d of the batch", at)
	}
	return fault.New(fault.Singular, function, "%s "+matrixFaults[f]+"%s", where, info, f.remedy(function))
}
