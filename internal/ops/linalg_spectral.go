package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// EighOptions is the triangle that is read: "L" (also if empty) or "U".
type EighOptions struct {
	UPLO string `lucid:"UPLO"` // triangle that is read: L (also if empty) or U
}

// triangleRead brings the triangle that is to be read below the diagonal.
func triangleRead(op string, x *Node, uplo string) *Node {
	x = squares(op, x)
	switch uplo {
	case "", "L", "l":
		return x
	case "U", "u":
		return adjoint(x)
	}
	fault.Throw(fault.Value, op, "UPLO is %q; want \"L\" or \"U\"", uplo)
	return nil
}

// Eigh returns the eigenvalues of Hermitian matrices, ascending, and their eigenvectors, the columns of v: x = v·diag(w)·vᴴ. One triangle
// is read. Vectors are determined up to a phase, and the derivative is that of functions that do not depend on it; it is infinite where
// eigenvalues are equal. Eigvalsh has neither limit.
//
//lucid:name linalg_eigh
//lucid:pkg linalg
//lucid:amp float32
func Eigh(x *Node, o EighOptions) (eigenvalues, eigenvectors *Node) {
	n := apply(opEigh, attr.Factor{Vectors: true, Check: "linalg_eigh"}, triangleRead("linalg_eigh", x, o.UPLO))
	return graph.TupleItem(n, 0), graph.TupleItem(n, 1)
}

// Eigvalsh returns the eigenvalues of Hermitian matrices, ascending. One triangle is read.
//
//lucid:name linalg_eigvalsh
//lucid:pkg linalg EigValsH
//lucid:amp float32
func Eigvalsh(x *Node, o EighOptions) *Node { return eigvalsh("linalg_eigvalsh", x, o.UPLO) }

func eigvalsh(op string, x *Node, uplo string) *Node {
	return apply(opEigh, attr.Factor{Check: op}, triangleRead(op, x, uplo))
}

// SVDOptions says whether U and Vᴴ have only min(m, n) vectors. Driver is that of a library on a GPU: "gesvd", "gesvdj" or "gesvda"
// are taken, and change nothing here.
type SVDOptions struct {
	Reduced bool   `lucid:"full_matrices,not"` // U and Vh have min(m, n) vectors; otherwise they are square
	Driver  string // gesvd, gesvdj and gesvda are taken, and change nothing here
}

// SVD returns orthogonal (unitary) U and Vᴴ and the singular values s, descending: x = U·diag(s)·Vᴴ. Vectors are determined up to a common
// phase, and the derivative is that of functions that do not depend on it; it is infinite where singular values are equal, or zero for
// matrices that are not square. Vectors beyond the min(m, n)-th have no derivative. SVDVals has none of these limits.
//
//lucid:name linalg_svd
//lucid:pkg linalg
//lucid:amp float32
func SVD(x *Node, o SVDOptions) (u, s, vh *Node) {
	const op = "linalg_svd"
	checkDriver(op, o.Driver)
	return svdOf(op, matricesOf(op, x), !o.Reduced)
}

func svdOf(op string, x *Node, full bool) (u, s, vh *Node) {
	n := apply(opSVD, attr.Factor{Vectors: true, Full: full, Check: op}, x)
	return graph.TupleItem(n, 0), graph.TupleItem(n, 1), graph.TupleItem(n, 2)
}

func checkDriver(op, driver string) {
	switch driver {
	case "", "gesvd", "gesvdj", "gesvda":
		return
	}
	fault.Throw(fault.Value, op, "driver is %q; want none, \"gesvd\", \"gesvdj\" or \"gesvda\"", driver)
}

// SVDValsOptions has the driver, as SVDOptions.
type SVDValsOptions struct {
	Driver string // gesvd, gesvdj and gesvda are taken, and change nothing here
}

// SVDVals returns the singular values of matrices, descending.
//
//lucid:name linalg_svdvals
//lucid:pkg linalg
//lucid:amp float32
func SVDVals(x *Node, o SVDValsOptions) *Node {
	checkDriver("linalg_svdvals", o.Driver)
	return svdvals("linalg_svdvals", matricesOf("linalg_svdvals", x))
}

func svdvals(op string, x *Node) *Node { return apply(opSVD, attr.Factor{Check: op}, x) }
