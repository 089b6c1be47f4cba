package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// Eig returns the eigenvalues of square matrices and their eigenvectors, the columns of v: x·v = v·diag(w). Both are complex for real
// matrices too. Vectors have length 1 and are determined up to a phase; the derivative is that of functions that do not depend on it, and
// infinite where eigenvalues are equal.
//
//lucid:name linalg_eig
//lucid:pkg linalg
//lucid:amp float32
func Eig(x *Node) (eigenvalues, eigenvectors *Node) {
	n := apply(opEig, attr.Factor{Vectors: true, Check: "linalg_eig"}, squares("linalg_eig", x))
	return graph.TupleItem(n, 0), graph.TupleItem(n, 1)
}

// Eigvals returns the eigenvalues of square matrices, complex, in no order.
//
//lucid:name linalg_eigvals
//lucid:pkg linalg EigVals
//lucid:amp float32
func Eigvals(x *Node) *Node {
	return apply(opEig, attr.Factor{Check: "linalg_eigvals"}, squares("linalg_eigvals", x))
}

// LDLOptions says whether matrices are Hermitian, and not symmetric; for real ones it is the same.
type LDLOptions struct {
	Hermitian bool // Hermitian, and not symmetric
}

// LDLFactorExOptions is LDLOptions, and whether a singular matrix is an error.
type LDLFactorExOptions struct {
	Hermitian   bool // Hermitian, and not symmetric
	CheckErrors bool // a singular matrix is an error all the same
}

// LDLFactor returns L and D of symmetric matrices in one matrix, and the pivots, int32 as LAPACK counts them; the lower triangle is read.
// D has blocks of one and of two rows. It is for LDLSolve, and has no derivative. A zero pivot is an ErrSingular of the evaluation.
//
//lucid:name linalg_ldl_factor
//lucid:pkg linalg
//lucid:amp float32
func LDLFactor(x *Node, o LDLOptions) (ld, pivots *Node) {
	ld, pivots, info := ldlFactor("linalg_ldl_factor", "linalg_ldl_factor", x, o.Hermitian)
	giveUp(info)
	return ld, pivots
}

// LDLFactorEx is LDLFactor that gives for each matrix 0 or the number of the first pivot that is zero, from 1 on, and no error.
//
//lucid:name linalg_ldl_factor_ex
//lucid:pkg linalg
//lucid:amp float32
func LDLFactorEx(x *Node, o LDLFactorExOptions) (ld, pivots, info *Node) {
	return ldlFactor("linalg_ldl_factor_ex", checked("linalg_ldl_factor_ex", o.CheckErrors), x, o.Hermitian)
}

func ldlFactor(op, check string, x *Node, hermitian bool) (ld, pivots, info *Node) {
	n := apply(opLDLFactor, attr.Factor{Hermitian: hermitian, Check: check}, squares(op, x))
	return graph.TupleItem(n, 0), graph.TupleItem(n, 1), graph.TupleItem(n, 2)
}

// LDLSolve returns x with A·x = b from a factorisation of A that LDLFactor made. Batches broadcast.
//
//lucid:name linalg_ldl_solve
//lucid:pkg linalg
//lucid:amp float32
func LDLSolve(ld, pivots, b *Node, o LDLOptions) *Node {
	const op = "linalg_ldl_solve"
	ld, b = sameType(op, squares(op, ld), matricesOf(op, b))
	checkPivots(op, ld, pivots)
	if b.Dim(-2) != ld.Dim(-1) {
		fault.Throw(fault.Shape, op, "the factors have shape %v and b %v; want %d rows", ld.Shape(), b.Shape(), ld.Dim(-1))
	}
	ld, b = sameBatch(op, ld, b)
	return graph.New(opLDLSolve, attr.Factor{Hermitian: o.Hermitian}, ld, broadcastTo(pivots, batchOf(op, ld, 1)), b)
}

// MatrixExp returns the exponentials of square matrices.
//
//lucid:pkg linalg
//lucid:alias linalg_matrix_exp
//lucid:amp float32
func MatrixExp(x *Node) *Node { return apply(opMatrixExp, attr.Factor{}, squares("matrix_exp", x)) }

// MatrixSqrth returns the square roots of Hermitian matrices without negative eigenvalues, themselves so; the lower triangle is read, and
// the gradient is symmetric. A negative eigenvalue is an ErrSingular of the evaluation.
//
//lucid:pkg linalg MatrixSqrtH
//lucid:name linalg_matrix_sqrth
//lucid:amp float32
func MatrixSqrth(x *Node) *Node {
	return apply(opMatrixSqrth, attr.Factor{Check: "linalg_matrix_sqrth"}, squares("linalg_matrix_sqrth", x))
}
