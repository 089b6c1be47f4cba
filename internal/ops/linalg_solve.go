package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// factorLU factors a. check is the function whose error a singular matrix is, or empty.
func factorLU(a *Node, check string, noPivot bool) (lu, pivots, info *Node) {
	n := apply(opLUFactor, attr.Factor{Check: check, NoPivot: noPivot}, a)
	return graph.TupleItem(n, 0), graph.TupleItem(n, 1), graph.TupleItem(n, 2)
}

// factorOnce factors a for ops that have a itself as an operand for the gradient.
func factorOnce(a *Node, check string) (lu, pivots, info *Node) {
	return factorLU(StopGradient(a), check, false)
}

// inverseOf is the inverse of square matrices.
func inverseOf(op string, a *Node) *Node {
	x, info := inverseWith(op, a)
	giveUp(info)
	return x
}

// inverseWith solves with the identity, which is never stored: the factors stand in for a right side of its shape.
func inverseWith(check string, a *Node) (x, info *Node) {
	lu, pivots, info := factorOnce(a, check)
	return graph.New(opSolveFactored, attr.Factor{Inverse: true}, a, lu, pivots, lu), info
}

// solveWith solves a·x = b for operands of one batch and dtype.
func solveWith(check string, a, b *Node) (x, info *Node) {
	lu, pivots, info := factorOnce(a, check)
	return graph.New(opSolveFactored, attr.Factor{}, a, lu, pivots, b), info
}

// InvExOptions says whether a singular matrix is an error.
type InvExOptions struct {
	CheckErrors bool // a singular matrix is an error all the same
}

// Inv returns the inverses of square matrices. A singular matrix is an ErrSingular of the evaluation, which names it.
//
//lucid:name linalg_inv
//lucid:alias inverse
//lucid:pkg linalg
//lucid:amp float32
func Inv(x *Node) *Node { return inverseOf("linalg_inv", squares("linalg_inv", x)) }

// InvEx returns the inverses of square matrices, and for each 0 or the number of the first pivot that is zero, from 1 on; such
// an inverse has no meaning.
//
//lucid:name linalg_inv_ex
//lucid:pkg linalg
//lucid:amp float32
func InvEx(x *Node, o InvExOptions) (inverse, info *Node) {
	x = squares("linalg_inv_ex", x)
	return inverseWith(checked("linalg_inv_ex", o.CheckErrors), x)
}

// checked is the name of the function if it is to fail on a bad matrix.
func checked(op string, check bool) string {
	if check {
		return op
	}
	return ""
}

// SolveOptions says on which side the unknown stands: a·x = b, or x·a = b if Right is set.
type SolveOptions struct {
	Right bool `lucid:"left,not"` // x·a = b instead of a·x = b
}

// SolveExOptions is SolveOptions, and whether a singular matrix is an error.
type SolveExOptions struct {
	Right       bool `lucid:"left,not"` // x·a = b instead of a·x = b
	CheckErrors bool // a singular matrix is an error all the same
}

// Solve returns x with a·x = b for square matrices a; batches broadcast. b holds vectors if it has one dimension, or one fewer than a
// and otherwise the sizes of a's batch and rows. A singular matrix is an ErrSingular of the evaluation, which names it.
//
//lucid:name linalg_solve
//lucid:pkg linalg
//lucid:amp float32
func Solve(a, b *Node, o SolveOptions) *Node {
	x, info := solve("linalg_solve", "linalg_solve", a, b, o.Right)
	giveUp(info)
	return x
}

// SolveEx is Solve that gives for each matrix 0 or the number of the first pivot that is zero, from 1 on, and no error.
//
//lucid:name linalg_solve_ex
//lucid:pkg linalg
//lucid:amp float32
func SolveEx(a, b *Node, o SolveExOptions) (result, info *Node) {
	return solve("linalg_solve_ex", checked("linalg_solve_ex", o.CheckErrors), a, b, o.Right)
}

func solve(op, check string, a, b *Node, right bool) (x, info *Node) {
	ampFloat32(&b)
	a = squares(op, a)
	factorable(op, b)
	a, b = sameType(op, a, b)
	vector := isVectorFor(a, b)
	if vector {
		b = Unsqueeze(b, -1)
	}
	rows := -2
	if right && !vector {
		rows = -1
	}
	if b.Rank() < 2 || b.Dim(rows) != a.Dim(-1) {
		fault.Throw(fault.Shape, op, "a has shape %v and b %v; want %d rows of b, one for each of a", a.Shape(), b.Shape(), a.Dim(-1))
	}
	swapped := right && !vector
	if right {
		a = swapLast(a)
	}
	if swapped {
		b = swapLast(b)
	}
	// Factors are made once for each matrix of a, before it is shown for every right side.
	lu, pivots, info := factorOnce(a, check)
	to := shape.Broadcast(op, batchOf(op, a, 2), batchOf(op, b, 2)).Dims()
	n := a.Dim(-1)
	all := func(x *Node, sizes ...int) *Node {
		return broadcastTo(x, shape.Of(op, append(slices.Clone(to), sizes...)...))
	}
	x = graph.New(opSolveFactored, attr.Factor{}, all(a, n, n), all(lu, n, n), all(pivots, n), all(b, n, b.Dim(-1)))
	if swapped {
		x = swapLast(x)
	}
	if vector {
		x = Squeeze(x, -1)
	}
	return x, info
}

// isVectorFor reports whether b holds vectors for the matrices a.
func isVectorFor(a, b *Node) bool {
	if b.Rank() == 1 {
		return true
	}
	d := a.Shape().Dims()
	return a.Rank()-1 == b.Rank() && slices.Equal(b.Shape().Dims(), d[:len(d)-1])
}

// SolveTriangularOptions says on which side the unknown stands (x·a = b if Right), and whether the diagonal counts as ones.
type SolveTriangularOptions struct {
	Right         bool `lucid:"left,not"` // x·a = b instead of a·x = b
	Unitriangular bool // the diagonal counts as ones, and is not read
}

// SolveTriangular returns x with a·x = b, where only one triangle of a is read. Batches broadcast. A zero on the diagonal gives infinities.
//
//lucid:name linalg_solve_triangular
//lucid:pkg linalg
//lucid:amp float32
func SolveTriangular(a, b *Node, upper bool, o SolveTriangularOptions) *Node {
	const op = "linalg_solve_triangular"
	a, b = sameType(op, squares(op, a), matricesOf(op, b))
	rows := -2
	if o.Right {
		rows = -1
	}
	if b.Dim(rows) != a.Dim(-1) {
		fault.Throw(fault.Shape, op, "a has shape %v and b %v; dim %d of b must be %d", a.Shape(), b.Shape(), rows, a.Dim(-1))
	}
	a, b = sameBatch(op, a, b)
	if o.Right {
		return solveRight(a, b, upper, o.Unitriangular)
	}
	return solveTriangular(a, b, upper, o.Unitriangular)
}

// TriangularSolveOptions says which triangle of the matrix is read, whether it is transposed, and whether its diagonal counts as ones.
type TriangularSolveOptions struct {
	Lower         bool `lucid:"upper,not"` // read the lower triangle (upper=False)
	Transpose     bool // solve aᵀ·x = b
	Unitriangular bool // the diagonal counts as ones, and is not read
}

// TriangularSolve returns x with a·x = b, and a: SolveTriangular in the older form of PyTorch's torch.triangular_solve.
//
//lucid:name triangular_solve
//lucid:pkg linalg
//lucid:amp float32
func TriangularSolve(b, a *Node, o TriangularSolveOptions) (solution, coefficients *Node) {
	ampFloat32(&b, &a)
	triangle, upper := a, !o.Lower
	if o.Transpose && a.Rank() > 1 {
		triangle, upper = Transpose(a, -2, -1), !upper
	}
	return SolveTriangular(triangle, b, upper, SolveTriangularOptions{Unitriangular: o.Unitriangular}), a
}

// TriInvOptions says which triangle is read.
type TriInvOptions struct {
	Upper bool // read the upper triangle
}

// TriInv returns the inverses of triangular matrices; one triangle is read.
//
//lucid:name linalg_tri_inv
//lucid:pkg linalg
//lucid:amp float32
func TriInv(x *Node, o TriInvOptions) *Node {
	x = squares("linalg_tri_inv", x)
	return solveTriangular(x, eyeLike("linalg_tri_inv", x, x.Dim(-1)), o.Upper, false)
}

// Det returns the determinants of square matrices; of 0×0 it is 1. The derivative is right for singular matrices too.
//
//lucid:name linalg_det
//lucid:pkg linalg
//lucid:alias det
//lucid:amp float32
func Det(x *Node) *Node {
	x = squares("det", x)
	lu, pivots, info := factorOnce(x, "")
	giveUp(info)
	return graph.New(opDet, attr.Factor{}, x, lu, pivots)
}

// Slogdet returns the sign of the determinants and the logarithm of their magnitude; of a singular matrix they are 0 and -Inf, and have no
// derivative.
//
//lucid:name linalg_slogdet
//lucid:pkg linalg SlogDet
//lucid:alias slogdet
//lucid:amp float32
func Slogdet(x *Node) (sign, logabsdet *Node) {
	x = squares("slogdet", x)
	lu, pivots, info := factorOnce(x, "")
	giveUp(info)
	n := graph.New(opSlogdet, attr.Factor{}, x, lu, pivots)
	return graph.TupleItem(n, 0), graph.TupleItem(n, 1)
}

// Logdet returns the logarithm of the determinants: NaN where a real one is negative, -Inf where it is 0.
//
//lucid:pkg linalg LogDet
//lucid:amp float32
func Logdet(x *Node) *Node {
	sign, log := Slogdet(x)
	if sign.DType().IsComplex() {
		return Complex(log, Angle(sign))
	}
	return Where(Lt(sign, 0), constLike(log, nan), log)
}
