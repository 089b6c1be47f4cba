package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// epsOf is the distance from 1 to the next larger number.
func epsOf(d dtype.DType) float64 {
	if d.Real() == dtype.Float64 {
		return 0x1p-52
	}
	return 0x1p-23
}

// tolerances gives the absolute and the relative tolerance for matrices, numbers or tensors: by default 0 and ε·max(m, n), the latter
// only where no absolute one is given.
func tolerances(op string, x, atolTensor, rtolTensor *Node, atol, rtol *float64) (a, r Operand) {
	if atol != nil && atolTensor != nil || rtol != nil && rtolTensor != nil {
		fault.Throw(fault.Value, op, "a tolerance is given as a number and as a tensor; want one of them")
	}
	for _, t := range []*Node{atolTensor, rtolTensor} {
		if t != nil && t.DType().IsComplex() {
			fault.Throw(fault.DType, op, "a tolerance is %v; want real numbers", t.DType())
		}
	}
	for _, t := range []*float64{atol, rtol} {
		if t != nil && !(*t >= 0) {
			fault.Throw(fault.Value, op, "a tolerance is %v; want 0 or more", *t)
		}
	}
	usual := epsOf(x.DType()) * float64(max(x.Dim(-1), x.Dim(-2)))
	a, r = 0.0, usual
	switch {
	case atolTensor != nil:
		t := StopGradient(atolTensor)
		a, r = t, Where(Gt(t, 0), Number(x.DType().Real(), 0), Number(x.DType().Real(), usual))
	case atol != nil && *atol > 0:
		a, r = *atol, 0.0
	}
	switch {
	case rtolTensor != nil:
		r = StopGradient(rtolTensor)
	case rtol != nil:
		r = *rtol
	}
	return a, r
}

// perMatrix is a tolerance with a dimension for the singular values.
func perMatrix(t Operand) Operand {
	if n, ok := t.(*Node); ok {
		return Unsqueeze(n, -1)
	}
	return t
}

// batchWith is the batch of the matrices x broadcast with tolerances.
func batchWith(op string, x *Node, ts ...Operand) *shape.Shape {
	s := batchOf(op, x, 2)
	for _, t := range ts {
		if n, ok := t.(*Node); ok {
			s = shape.Broadcast(op, s, n.Shape())
		}
	}
	return s
}

// RankOptions has the tolerances below which singular values count as 0, and says whether matrices are Hermitian.
type RankOptions struct {
	ATol      *float64 `lucid:"atol"` // singular values up to it are 0; nil: 0
	RTol      *float64 `lucid:"rtol"` // singular values up to it times the largest are 0; nil: ε·max(m, n), or 0 if there is an ATol
	Hermitian bool     // use eigenvalues, of which the lower triangle is read
}

// MatrixRank returns how many singular values of each matrix are not 0. Tolerances that are tensors broadcast with the batch.
//
//lucid:name linalg_matrix_rank
//lucid:pkg linalg
//lucid:amp float32
//lucid:options MatrixRankOptions
//lucid:optional atolTensor rtolTensor
func MatrixRank(x, atolTensor, rtolTensor *Node, o RankOptions) *Node {
	const op = "linalg_matrix_rank"
	x = StopGradient(matricesOf(op, x))
	var s *Node
	if o.Hermitian {
		s = Abs(eigvalsh(op, x, "L"))
	} else {
		s = svdvals(op, x)
	}
	a, r := tolerances(op, x, atolTensor, rtolTensor, o.ATol, o.RTol)
	if s.Dim(-1) == 0 {
		return broadcastTo(Number(dtype.Int64, 0), batchWith(op, x, a, r))
	}
	top := Amax(s, ReduceOptions{Dim: []int{-1}, KeepDim: true})
	return Sum(Gt(s, Maximum(Mul(top, perMatrix(r)), perMatrix(a))), ReduceOptions{Dim: []int{-1}})
}

// PinvOptions has the tolerances below which singular values count as 0, and says whether matrices are Hermitian.
type PinvOptions struct {
	ATol      *float64 `lucid:"atol"` // singular values up to it are 0; nil: 0
	RTol      *float64 `lucid:"rtol"` // singular values up to it times the largest are 0; nil: ε·max(m, n), or 0 if there is an ATol
	Hermitian bool     // use eigenvalues, of which the lower triangle is read
}

// Pinv returns the pseudoinverses of matrices. Tolerances that are tensors broadcast with the batch. The derivative holds where the rank
// does not change.
//
//lucid:name linalg_pinv
//lucid:pkg linalg PInv
//lucid:alias pinverse
//lucid:amp float32
//lucid:options PInvOptions
//lucid:optional atolTensor rtolTensor
func Pinv(x, atolTensor, rtolTensor *Node, o PinvOptions) *Node {
	const op = "linalg_pinv"
	x = matricesOf(op, x)
	if o.Hermitian {
		x = squares(op, x)
	}
	a, r := tolerances(op, x, atolTensor, rtolTensor, o.ATol, o.RTol)
	x = broadcastTo(x, shape.Of(op, append(batchWith(op, x, a, r).Dims(), x.Dim(-2), x.Dim(-1))...))
	return apply(opPinv, attr.Factor{Hermitian: o.Hermitian, Check: op}, x, tolerance(op, x, a), tolerance(op, x, r))
}

// tolerance is t for each of the matrices x.
func tolerance(op string, x *Node, t Operand) *Node {
	return broadcastTo(as(op, t, x.DType().Real()), batchOf(op, x, 2))
}

// LstsqOptions has the relative tolerance and the algorithm.
type LstsqOptions struct {
	RCond  *float64 `lucid:"rcond"` // singular values up to it times the largest are 0; nil: ε·max(m, n)
	Driver string   // gelsy (also if empty), gelsd and gelss allow any rank; gels asks for full rank
}

// Lstsq returns the x with the least ‖a·x - b‖, and among those the shortest; the squared lengths of the residuals for drivers gels,
// gelsd and gelss where a has more rows than columns, whatever its rank, otherwise empty; the ranks, empty for gels; and the singular
// values, empty but for gelsd and gelss. b holds vectors if its shape is that of a without the last size. The derivative holds where the
// rank does not change.
//
//lucid:name linalg_lstsq
//lucid:pkg linalg LstSq
//lucid:amp float32
//lucid:options LstSqOptions
func Lstsq(a, b *Node, o LstsqOptions) (solution, residuals, rank, singularValues *Node) {
	const op = "linalg_lstsq"
	ampFloat32(&b)
	a = matricesOf(op, a)
	factorable(op, b)
	a, b = sameType(op, a, b)
	vector := a.Rank()-1 == b.Rank() && slices.Equal(b.Shape().Dims(), a.Shape().Dims()[:b.Rank()])
	if vector {
		b = Unsqueeze(b, -1)
	}
	if b.Rank() < 2 || b.Dim(-2) != a.Dim(-2) {
		fault.Throw(fault.Shape, op, "a has shape %v and b %v; want as many rows", a.Shape(), b.Shape())
	}
	a, b = sameBatch(op, a, b)
	m, n := a.Dim(-2), a.Dim(-1)
	rank = broadcastTo(Number(dtype.Int64, 0), shape.Of(op, 0))
	empty := broadcastTo(Number(a.DType().Real(), 0), shape.Of(op, 0))
	residuals, singularValues = empty, empty
	tellsResiduals := o.Driver != "" && o.Driver != "gelsy" // as in PyTorch
	rcond := epsOf(a.DType()) * float64(max(m, n))
	if o.RCond != nil && *o.RCond >= 0 {
		rcond = *o.RCond
	}
	switch o.Driver {
	case "gels":
		solution = fullRankLstsq(a, b)
	case "", "gelsy", "gelsd", "gelss":
		solution = apply(opLstsq, attr.Factor{Check: op}, a, tolerance(op, a, 0.0), tolerance(op, a, rcond), b)
		rank = MatrixRank(a, nil, nil, RankOptions{RTol: &rcond})
		if o.Driver == "gelsd" || o.Driver == "gelss" {
			singularValues = svdvals(op, a)
		}
	default:
		fault.Throw(fault.Value, op, "driver is %q; want \"gels\", \"gelsy\", \"gelsd\" or \"gelss\"", o.Driver)
	}
	if m > n && tellsResiduals {
		r := Abs(Sub(mm(a, solution), b))
		residuals = Sum(Square(r), ReduceOptions{Dim: []int{-2}})
	}
	if vector { // residuals keep a dimension for it, as in PyTorch
		solution = Squeeze(solution, -1)
	}
	return solution, residuals, rank, singularValues
}

// fullRankLstsq solves by QR.
func fullRankLstsq(a, b *Node) *Node {
	f := attr.Factor{Vectors: true}
	if a.Dim(-2) >= a.Dim(-1) {
		t := apply(opQR, f, a)
		q, r := graph.TupleItem(t, 0), graph.TupleItem(t, 1)
		return solveTriangular(r, mm(adjoint(q), b), true, false)
	}
	t := apply(opQR, f, adjoint(a))
	q, r := graph.TupleItem(t, 0), graph.TupleItem(t, 1)
	return mm(q, solveTriangular(adjoint(r), b, false, false))
}

// TensorinvOptions says how many dimensions belong to the rows.
type TensorinvOptions struct {
	Ind *int // number of the first dimensions, whose sizes must have the product of the others; nil: 2
}

// Tensorinv returns the inverse of a tensor seen as a matrix whose rows are its first dimensions.
//
//lucid:name linalg_tensorinv
//lucid:pkg linalg TensorInv
//lucid:amp float32
//lucid:options TensorInvOptions
func Tensorinv(x *Node, o TensorinvOptions) *Node {
	const op = "linalg_tensorinv"
	ind := 2
	if o.Ind != nil {
		ind = *o.Ind
	}
	d := x.Shape().Dims()
	if ind < 1 || ind > len(d) || product(d[:ind]) != product(d[ind:]) {
		fault.Throw(fault.Shape, op, "the first %d sizes of %v must have the product of the others", ind, x.Shape())
	}
	factorable(op, x)
	n := product(d[:ind])
	y := inverseOf(op, Reshape(x, n, n))
	return Reshape(y, append(slices.Clone(d[ind:]), d[:ind]...)...)
}

// TensorsolveOptions says which dimensions come last.
type TensorsolveOptions struct {
	Dims []int // dimensions of a that are moved behind the others first
}

// Tensorsolve returns x with tensordot(a, x) = b over the dimensions of x.
//
//lucid:name linalg_tensorsolve
//lucid:pkg linalg TensorSolve
//lucid:amp float32
//lucid:options TensorSolveOptions
func Tensorsolve(a, b *Node, o TensorsolveOptions) *Node {
	const op = "linalg_tensorsolve"
	if len(o.Dims) > 0 {
		to := make([]int, len(o.Dims))
		from := make([]int, len(o.Dims))
		for i, d := range o.Dims {
			from[i], to[i] = shape.Axis(op, d, a.Rank()), a.Rank()-len(o.Dims)+i
		}
		a = moveDims(op, a, from, to)
	}
	d := a.Shape().Dims()
	if b.Rank() > len(d) || product(d[:b.Rank()]) != product(b.Shape().Dims()) || product(d[b.Rank():]) != product(b.Shape().Dims()) {
		fault.Throw(fault.Shape, op,
			"a has shape %v and b %v; want the first sizes of a to be those of b, and the others with the same product",
			a.Shape(), b.Shape())
	}
	factorable(op, a)
	n := product(b.Shape().Dims())
	x := Solve(Reshape(a, n, n), Reshape(b, n), SolveOptions{})
	return Reshape(x, slices.Clone(d[b.Rank():])...)
}
