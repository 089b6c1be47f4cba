package ops

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var nan = math.NaN()

// CholeskyOptions says which triangle is read and wanted.
type CholeskyOptions struct {
	Upper bool // read the upper triangle, and give an upper one
}

// CholeskyExOptions is CholeskyOptions, and whether a matrix that is not positive definite is an error.
type CholeskyExOptions struct {
	Upper       bool // read the upper triangle, and give an upper one
	CheckErrors bool // a matrix that is not positive definite is an error all the same
}

// Cholesky returns L with L·Lᴴ = x for Hermitian positive definite matrices, or Lᴴ if Upper is set. One triangle is read, the lower unless
// Upper; the gradient is symmetric. A matrix that is not positive definite is an ErrSingular of the evaluation, which names it.
//
//lucid:name linalg_cholesky
//lucid:pkg linalg
//lucid:alias cholesky
//lucid:amp float32
func Cholesky(x *Node, o CholeskyOptions) *Node {
	l, info := choleskyOf("linalg_cholesky", "linalg_cholesky", x, o.Upper)
	giveUp(info)
	return l
}

// CholeskyEx is Cholesky that gives for each matrix 0 or the number of the first row that shows that it is not positive definite, from 1
// on, and no error.
//
//lucid:name linalg_cholesky_ex
//lucid:pkg linalg
//lucid:amp float32
func CholeskyEx(x *Node, o CholeskyExOptions) (l, info *Node) {
	return choleskyOf("linalg_cholesky_ex", checked("linalg_cholesky_ex", o.CheckErrors), x, o.Upper)
}

func choleskyOf(op, check string, x *Node, up bool) (l, info *Node) {
	x = squares(op, x)
	if up {
		x = adjoint(x)
	}
	n := apply(opCholesky, attr.Factor{Check: check}, x)
	l, info = graph.TupleItem(n, 0), graph.TupleItem(n, 1)
	if up {
		l = adjoint(l)
	}
	return l, info
}

// CholeskySolveOptions says which triangle the factor is.
type CholeskySolveOptions struct {
	Upper bool // the factor is an upper triangle
}

// CholeskySolve returns x with A·x = b from the Cholesky factor of A.
//
//lucid:pkg linalg
//lucid:amp float32
func CholeskySolve(b, l *Node, o CholeskySolveOptions) *Node {
	const op = "cholesky_solve"
	l, b = sameType(op, squares(op, l), matricesOf(op, b))
	if b.Dim(-2) != l.Dim(-1) {
		fault.Throw(fault.Shape, op, "the factor has shape %v and b %v; want as many rows", l.Shape(), b.Shape())
	}
	l, b = sameBatch(op, l, b)
	if o.Upper {
		return solveTriangular(l, solveTriangular(adjoint(l), b, false, false), true, false)
	}
	return solveTriangular(adjoint(l), solveTriangular(l, b, false, false), true, false)
}

// CholeskyInverse returns A⁻¹ from the Cholesky factor of A.
//
//lucid:pkg linalg
//lucid:alias linalg_cholesky_inv
//lucid:amp float32
func CholeskyInverse(l *Node, o CholeskySolveOptions) *Node {
	l = squares("cholesky_inverse", l)
	i := solveTriangular(l, eyeLike("cholesky_inverse", l, l.Dim(-1)), o.Upper, false)
	if o.Upper {
		return mm(i, adjoint(i))
	}
	return mm(adjoint(i), i)
}

// LUOptions says whether rows may be exchanged.
type LUOptions struct {
	NoPivot bool `lucid:"pivot,not"` // rows stay where they are
}

// LUFactorExOptions is LUOptions, and whether a singular matrix is an error.
type LUFactorExOptions struct {
	NoPivot     bool `lucid:"pivot,not"` // rows stay where they are
	CheckErrors bool // a singular matrix is an error all the same
}

// LUFactor returns L and U in one matrix, and the row exchanges: int32, from 1 on. A zero pivot is an ErrSingular of the evaluation.
//
//lucid:name linalg_lu_factor
//lucid:pkg linalg
//lucid:amp float32
func LUFactor(x *Node, o LUOptions) (lu, pivots *Node) {
	lu, pivots, info := factorLU(matricesOf("linalg_lu_factor", x), "linalg_lu_factor", o.NoPivot)
	giveUp(info)
	return lu, pivots
}

// LUFactorEx is LUFactor that gives for each matrix 0 or the number of the first pivot that is zero, from 1 on, and no error.
//
//lucid:name linalg_lu_factor_ex
//lucid:pkg linalg
//lucid:amp float32
func LUFactorEx(x *Node, o LUFactorExOptions) (lu, pivots, info *Node) {
	return factorLU(matricesOf("linalg_lu_factor_ex", x), checked("linalg_lu_factor_ex", o.CheckErrors), o.NoPivot)
}

// LU returns matrices with P·L·U = x: a permutation, a lower triangle with ones on its diagonal, and an upper triangle.
//
//lucid:name linalg_lu
//lucid:pkg linalg
//lucid:amp float32
func LU(x *Node, o LUOptions) (p, l, u *Node) {
	lu, pivots, info := factorLU(matricesOf("linalg_lu", x), "", o.NoPivot)
	giveUp(info)
	return unpackLU("linalg_lu", lu, pivots)
}

// LUUnpackOptions leaves parts out: they are empty then.
type LUUnpackOptions struct {
	NoData   bool `lucid:"unpack_data,not"`   // L and U are empty
	NoPivots bool `lucid:"unpack_pivots,not"` // P is empty
}

// LUUnpack returns the permutation and the triangles of a factorisation that LUFactor made.
//
//lucid:pkg linalg
//lucid:name lu_unpack
//lucid:amp float32
func LUUnpack(lu, pivots *Node, o LUUnpackOptions) (p, l, u *Node) {
	lu = matricesOf("lu_unpack", lu)
	checkPivots("lu_unpack", lu, pivots)
	p, l, u = unpackLU("lu_unpack", lu, pivots)
	empty := Reshape(Narrow(Ravel(lu), 0, 0, 0), 0)
	if o.NoData {
		l, u = empty, empty
	}
	if o.NoPivots {
		p = empty
	}
	return p, l, u
}

func checkPivots(op string, lu, pivots *Node) {
	want := batchOf(op, lu, 2, min(lu.Dim(-2), lu.Dim(-1)))
	if pivots.DType() != dtype.Int32 || !pivots.Shape().Equal(want) {
		fault.Throw(fault.Shape, op, "pivots are %v of shape %v; want int32 of shape %v, as LUFactor gives them", pivots.DType(),
			pivots.Shape(), want)
	}
}

func unpackLU(op string, lu, pivots *Node) (p, l, u *Node) {
	m, n := lu.Dim(-2), lu.Dim(-1)
	k := min(m, n)
	left := Narrow(lu, -1, 0, k)
	l = Add(lower(left, -1), Eye(m, EyeOptions{M: &k, DType: lu.DType()}))
	u = upper(Narrow(lu, -2, 0, k), 0)
	order := permutation(pivots, m) // row i of the product is row order[i] of the matrix
	p = Cast(Eq(Reshape(Arange64(m), m, 1), Unsqueeze(order, -2)), lu.DType())
	return p, l, u
}

// LUSolveOptions says on which side the unknown stands (x·a = b if Right), and whether to solve with the conjugate transpose.
type LUSolveOptions struct {
	Right   bool `lucid:"left,not"` // x·a = b instead of a·x = b
	Adjoint bool // with the conjugate transpose of a
}

// LUSolve returns x with A·x = b from a factorisation of A that LUFactor made. Batches broadcast.
//
//lucid:name linalg_lu_solve
//lucid:pkg linalg
//lucid:amp float32
func LUSolve(lu, pivots, b *Node, o LUSolveOptions) *Node {
	const op = "linalg_lu_solve"
	lu, b = sameType(op, squares(op, lu), matricesOf(op, b))
	checkPivots(op, lu, pivots)
	adj := o.Adjoint
	if o.Right { // x·A = b is Aᴴ·xᴴ = bᴴ
		b, adj = adjoint(b), !adj
	}
	n := lu.Dim(-1)
	if b.Dim(-2) != n {
		fault.Throw(fault.Shape, op, "the factors have shape %v and b %v; want %d rows", lu.Shape(), b.Shape(), n)
	}
	order := permutation(pivots, n)
	lu, b = sameBatch(op, lu, b)
	order = broadcastTo(order, batchOf(op, lu, 1))
	var x *Node
	if adj {
		x = solveTriangular(adjoint(lu), b, false, false)
		x = takeRows(solveTriangular(adjoint(lu), x, true, true), inverseOrder(order))
	} else {
		x = solveTriangular(lu, takeRows(b, order), false, true)
		x = solveTriangular(lu, x, true, false)
	}
	if o.Right {
		x = adjoint(x)
	}
	return x
}

// QROptions is the mode: "reduced" (also if empty), "complete" for a square Q, or "r" for R alone, with an empty Q.
type QROptions struct {
	Mode string // reduced (also if empty), complete, r
}

// QR returns Q with orthonormal columns and an upper triangle R with Q·R = x. The derivative asks for independent first min(m, n)
// columns; mode "complete" has one for matrices with no more rows than columns.
//
//lucid:name linalg_qr
//lucid:pkg linalg
//lucid:amp float32
func QR(x *Node, o QROptions) (q, r *Node) {
	const op = "linalg_qr"
	x = matricesOf(op, x)
	f := attr.Factor{Vectors: true}
	switch o.Mode {
	case "", "reduced":
	case "complete":
		f.Full = true
	case "r":
		f.Vectors = false
	default:
		fault.Throw(fault.Value, op, "mode is %q; want \"reduced\", \"complete\" or \"r\"", o.Mode)
	}
	m, n := x.Dim(-2), x.Dim(-1)
	if m < n {
		// Only the first m columns make Q, and the rest of R follows from it.
		t := apply(opQR, attr.Factor{Vectors: true}, Narrow(x, -1, 0, m))
		q, r = graph.TupleItem(t, 0), graph.TupleItem(t, 1)
		rest := mm(adjoint(q), Narrow(x, -1, m, n-m))
		if r = concat([]*Node{r, rest}, r.Rank()-1); !f.Vectors {
			q = broadcastTo(constLike(x, 0), shape.Of(op, 0))
		}
		return q, r
	}
	t := apply(opQR, f, x)
	q, r = graph.TupleItem(t, 0), graph.TupleItem(t, 1)
	if !f.Vectors {
		q = broadcastTo(constLike(x, 0), shape.Of(op, 0))
	}
	return q, r
}

// Geqrf returns the upper triangle R with the vectors of the reflectors below it, and their factors tau: Q is HouseholderProduct of them.
//
//lucid:pkg linalg
//lucid:amp float32
func Geqrf(x *Node) (a, tau *Node) {
	n := apply(opGeqrf, attr.Factor{}, matricesOf("geqrf", x))
	return graph.TupleItem(n, 0), graph.TupleItem(n, 1)
}

// reflectorParts gives the vectors of reflectors as columns, with their ones and zeros, and the upper triangle T of their product
// 1 - V·T·Vᴴ.
func reflectorParts(op string, a, tau *Node) (v, t *Node) {
	k := tau.Dim(-1)
	if k > min(a.Dim(-2), a.Dim(-1)) || !batchOf(op, a, 2, k).Equal(tau.Shape()) {
		fault.Throw(fault.Shape, op, "reflectors of shape %v with factors of shape %v; want (…, m, n), and (…, k) with k ≤ min(m, n)",
			a.Shape(), tau.Shape())
	}
	x := Narrow(a, -1, 0, k)
	m := x.Dim(-2)
	v = Add(lower(x, -1), Eye(m, EyeOptions{M: &k, DType: a.DType()}))
	// T⁻¹ is diag(1/tau) + the strict upper triangle of Vᴴ·V; written so that a tau of 0 is no division.
	g := upper(mm(adjoint(v), v), 1)
	unit := Add(columns(g, tau), Eye(k, EyeOptions{DType: a.DType()}))
	return v, rowsBy(solveTriangular(unit, eyeLike(op, unit, k), true, true), tau)
}

// HouseholderProduct returns the first columns of the product of reflectors that Geqrf gives: H₁·H₂…, as many as x has.
//
//lucid:name linalg_householder_product
//lucid:pkg linalg
//lucid:alias orgqr
//lucid:amp float32
func HouseholderProduct(x, tau *Node) *Node {
	const op = "linalg_householder_product"
	x = matricesOf(op, x)
	ampFloat32(&tau)
	x, tau = sameType(op, x, tau)
	if x.Dim(-2) < x.Dim(-1) {
		fault.Throw(fault.Shape, op, "reflectors have shape %v; want (…, m, n) with m ≥ n", x.Shape())
	}
	v, t := reflectorParts(op, x, tau)
	n, m := x.Dim(-1), x.Dim(-2)
	eye := Eye(m, EyeOptions{M: &n, DType: x.DType()})
	top := adjoint(Narrow(v, -2, 0, min(n, m)))
	return Sub(broadcastTo(eye, batchOf(op, x, 2, m, n)), mm(v, mm(t, top)))
}

// OrmqrOptions says on which side of the other matrix Q stands (nil: left), and whether as its conjugate transpose.
type OrmqrOptions struct {
	Right     bool `lucid:"left,not"` // other·Q instead of Q·other
	Transpose bool // with the conjugate transpose of Q
}

// Ormqr multiplies a matrix by the square Q of the reflectors that Geqrf gives.
//
//lucid:pkg linalg
//lucid:amp float32
func Ormqr(x, tau, other *Node, o OrmqrOptions) *Node {
	const op = "ormqr"
	x, other = sameType(op, matricesOf(op, x), matricesOf(op, other))
	tau = Cast(tau, x.DType())
	v, t := reflectorParts(op, x, tau)
	if o.Transpose {
		t = adjoint(t)
	}
	want := -2
	if o.Right {
		want = -1
	}
	if other.Dim(want) != v.Dim(-2) || !slices.Equal(other.Shape().Dims()[:other.Rank()-2], v.Shape().Dims()[:v.Rank()-2]) {
		fault.Throw(fault.Shape, op, "reflectors of shape %v and a matrix of shape %v; dim %d must be %d", x.Shape(), other.Shape(),
			want, v.Dim(-2))
	}
	if o.Right {
		return Sub(other, mm(mm(mm(other, v), t), adjoint(v)))
	}
	return Sub(other, mm(v, mm(t, mm(adjoint(v), other))))
}
