package ops

import (
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// maxIterations bounds loops that are written out in the graph.
const maxIterations = 1 << 10

// SvdLowrankOptions has the number of singular values and of the steps that find them.
type SvdLowrankOptions struct {
	Q     *int // singular values, a few more than the rank that is looked for; nil: 6
	Niter *int // steps of subspace iteration; nil: 2
}

// SvdLowrank returns U, S and V with about q of the largest singular values: U·diag(S)·Vᴴ is near x. It begins with random vectors of the
// default generator. m, if it is given, is subtracted from x.
//
//lucid:pkg linalg SVDLowRank
//lucid:optional m
//lucid:nondeterministic it begins with random vectors
//lucid:amp float32
//lucid:options SVDLowRankOptions
func SvdLowrank(x, m *Node, o SvdLowrankOptions) (u, s, v *Node) {
	const op = "svd_lowrank"
	x = matricesOf(op, x)
	if m != nil {
		x = Sub(x, m)
	}
	q, n := lowRankSizes(op, x, 6, o.Q, o.Niter)
	return lowRank(op, x, q, n)
}

// lowRankSizes are the rank and the number of iterations: those given, or def and 2.
func lowRankSizes(op string, x *Node, def int, rank, niter *int) (q, n int) {
	q, n = def, 2
	if rank != nil {
		q = *rank
	}
	if niter != nil {
		n = *niter
	}
	if q < 0 || q > min(x.Dim(-1), x.Dim(-2)) || n < 0 || n > maxIterations {
		fault.Throw(fault.Value, op, "q is %d and niter %d; want q from 0 to %d, and niter from 0 to %d",
			q, n, min(x.Dim(-1), x.Dim(-2)), maxIterations)
	}
	return q, n
}

// orthonormal is a basis of what the columns of x span.
func orthonormal(x *Node) *Node {
	q, r := QR(x, QROptions{})
	giveUp(r)
	return q
}

func lowRank(op string, x *Node, q, steps int) (u, s, v *Node) {
	wide := x.Dim(-2) < x.Dim(-1)
	if wide {
		x = adjoint(x)
	}
	d := batchOf(op, x, 2, x.Dim(-1), q).Dims()
	start := Randn(append([]int(nil), d...), FullOptions{DType: x.DType()})
	basis := orthonormal(mm(x, start))
	for range steps {
		basis = orthonormal(mm(x, orthonormal(mm(adjoint(x), basis))))
	}
	small, s, vh := svdOf(op, mm(adjoint(basis), x), false)
	u, v = mm(basis, small), adjoint(vh)
	if wide {
		u, v = v, u
	}
	return u, s, v
}

// PcaLowrankOptions has the number of components, whether the mean is left in, and the number of steps.
type PcaLowrankOptions struct {
	Q        *int // components; nil: 6, or fewer if the matrix is smaller
	NoCenter bool `lucid:"center,not"` // the mean of the columns stays in
	Niter    *int // steps of subspace iteration; nil: 2
}

// PcaLowrank returns U, S and V of SvdLowrank for x without the mean of its rows: the columns of V are principal components.
//
//lucid:pkg linalg PCALowRank
//lucid:nondeterministic it begins with random vectors
//lucid:amp float32
//lucid:options PCALowRankOptions
func PcaLowrank(x *Node, o PcaLowrankOptions) (u, s, v *Node) {
	const op = "pca_lowrank"
	x = matricesOf(op, x)
	q, n := lowRankSizes(op, x, min(6, x.Dim(-1), x.Dim(-2)), o.Q, o.Niter)
	if !o.NoCenter {
		x = Sub(x, Mean(x, ReduceOptions{Dim: []int{-2}, KeepDim: true}))
	}
	return lowRank(op, x, q, n)
}

// LobpcgOptions has the number of eigenvalues and how they are found.
type LobpcgOptions struct {
	K        *int // eigenvalues; nil: 1
	Niter    *int // iterations; nil: 20
	Smallest bool `lucid:"largest,not"` // the smallest eigenvalues instead of the largest
}

// Lobpcg returns a few of the largest (or smallest) eigenvalues of Hermitian positive definite matrices and their eigenvectors, by the
// locally optimal block preconditioned conjugate gradient method: of x·v = λ·v, or of x·v = λ·b·v if b is given. preconditioner, if it is
// given, is near the inverse of x. It begins with start, one column for each eigenvalue, or with random vectors of the default generator,
// and always does Niter iterations.
//
//lucid:pkg linalg LOBPCG
//lucid:optional b start preconditioner
//lucid:nondeterministic it may begin with random vectors
//lucid:amp float32
//lucid:options LOBPCGOptions
func Lobpcg(x, b, start, preconditioner *Node, o LobpcgOptions) (eigenvalues, eigenvectors *Node) {
	const op = "lobpcg"
	x = squares(op, x)
	k, steps, n := 1, 20, x.Dim(-1)
	if o.K != nil {
		k = *o.K
	} else if start != nil {
		k = start.Dim(-1)
	}
	if o.Niter != nil {
		steps = *o.Niter
	}
	if k < 1 || 3*k > n || steps < 0 || steps > maxIterations {
		fault.Throw(fault.Value, op, "%d eigenvalues and %d iterations for matrices of shape %v; "+
			"want 1 to a third of the rows, and at most %d iterations; Eigh gives all", k, steps, x.Shape(), maxIterations)
	}
	s := batchOf(op, x, 2, n, k)
	if start == nil {
		start = Randn(s.Clone(), FullOptions{DType: x.DType()})
	}
	v := broadcastTo(Cast(start, x.DType()), s)
	metric := func(y *Node) *Node {
		if b == nil {
			return y
		}
		return Matmul(Cast(b, x.DType()), y)
	}
	// ritz gives the best k vectors in the span of the columns of y.
	ritz := func(y *Node) (w, v *Node) {
		q := orthonormal(y)
		l, info := choleskyOf(op, op, mm(adjoint(q), metric(q)), false)
		giveUp(info)
		q = swapLast(solveTriangular(conj(l), swapLast(q), false, false)) // q·l⁻ᴴ
		w, z := Eigh(mm(adjoint(q), mm(x, q)), EighOptions{})
		if !o.Smallest {
			w, z = Flip(w, -1), Flip(z, -1)
		}
		return Narrow(w, -1, 0, k), mm(q, Narrow(z, -1, 0, k))
	}
	w, v := ritz(v)
	var along *Node
	for range steps {
		r := Sub(mm(x, v), columns(metric(v), w))
		if preconditioner != nil {
			r = Matmul(Cast(preconditioner, x.DType()), r)
		}
		span := []*Node{v, r}
		if along != nil {
			span = append(span, along)
		}
		var next *Node
		w, next = ritz(concat(span, v.Rank()-1))
		// The part of the step that is not in v.
		along = Sub(next, mm(v, mm(adjoint(v), metric(next))))
		v = next
	}
	return w, broadcastTo(v, shape.Of(op, s.Dims()...))
}
