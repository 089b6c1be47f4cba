package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// With attr.Cast a product of half types has the dtype of its sums, float32: what is added to it is added before the result is rounded,
// once.
var opMatmul *graph.Op

func init() {
	opMatmul = graph.Register(graph.Op{Name: "matmul", Version: 1, Kind: graph.Contract,
		Inputs: graph.Exactly(2), Validate: rule(validateMatmul),
		AMP: graph.AMPHalf, SavesIn: 3, FLOPs: productFLOPs,
		// a is (batch…, m, k), b is (batch…, k, n), with the same batch.
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			d, of := in[0].Shape().Clone(), in[0].DType()
			d[len(d)-1] = in[1].Dim(-1)
			if wide, ok := a.(attr.Cast); ok {
				of = wide.To
			}
			return []graph.Spec{{Shape: shape.Of("matmul", d...), DType: of}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			// The cotangent of a matrix that is shown transposed is made transposed, so that it is laid out as the matrix is.
			out := make([]*Node, 2)
			a, b := n.In(0), n.In(1)
			g := castBack(cot[0], a.DType())
			switch {
			case need[0] && isSwapped(a):
				out[0] = swapLast(contract(conj(b), swapLast(g)))
			case need[0]:
				out[0] = contract(g, conj(swapLast(b)))
			}
			switch {
			case need[1] && isSwapped(b):
				out[1] = swapLast(contract(swapLast(g), conj(a)))
			case need[1]:
				out[1] = contract(conj(swapLast(a)), g)
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			var sum *Node
			if tan[0] != nil {
				sum = contractTo(n.Attr(), tan[0], n.In(1))
			}
			if tan[1] != nil {
				sum = addMaybe(sum, contractTo(n.Attr(), n.In(0), tan[1]))
			}
			return []*Node{sum}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			if n.Rank() == 2 && batched[0] && !batched[1] {
				// Rows of all examples are rows of one product.
				x := in[0]
				y := contractTo(n.Attr(), Reshape(x, size*x.Dim(1), x.Dim(2)), in[1])
				return []*Node{Reshape(y, size, x.Dim(1), y.Dim(1))}
			}
			b := allBatched(n, in, batched, size)
			return []*Node{contractTo(n.Attr(), b[0], b[1])}
		}})
}

func contract(a, b *Node) *Node { return contractTo(nil, a, b) }

// contractTo is contract with a result of another dtype, or nil.
func contractTo(to attr.Attr, a, b *Node) *Node { return apply(opMatmul, to, a, b) }

// isSwapped reports whether x shows another tensor with its last two dimensions exchanged.
func isSwapped(x *Node) bool {
	if x.Op() != opPermute {
		return false
	}
	order, r := x.Attr().(attr.Perm).Order, x.Rank()
	for i := range r - 2 {
		if order.At(i) != i {
			return false
		}
	}
	return r >= 2 && order.At(r-2) == r-1
}

// Matmul multiplies matrices as NumPy does: vectors count as a row or a column, leading dimensions broadcast.
//
//lucid:func MatMul
//lucid:method MatMul
func Matmul(x, other *Node) *Node { return matmulTo(nil, x, other) }

// sums is Matmul for a product to which something is added: one of half types leaves its sums as they are.
func sums(x, other *Node) *Node {
	if x.DType().IsHalf() && x.DType() == other.DType() {
		return matmulTo(attr.Cast{To: dtype.Float32}, x, other)
	}
	return Matmul(x, other)
}

// matmulTo is Matmul with a result of another dtype, or nil.
func matmulTo(to attr.Attr, x, other *Node) *Node {
	if x.Rank() == 0 || other.Rank() == 0 {
		fault.Throw(fault.Shape, "matmul", "a 0-d operand: %v and %v; use Mul", x.Shape(), other.Shape())
	}
	d := resultType("matmul", x, other)
	if x.DType() != other.DType() {
		x, other = Cast(x, d), Cast(other, d)
	}
	requireKind("matmul", x, d != dtype.Bool, "numbers")
	a, b := x, other
	if a.Rank() == 1 {
		a = Reshape(a, 1, a.Dim(0))
	}
	if b.Rank() == 1 {
		b = Reshape(b, b.Dim(0), 1)
	}
	if a.Dim(-1) != b.Dim(-2) {
		fault.Throw(fault.Shape, "matmul", "inner sizes differ: a %v %v, b %v %v; want a[-1] == b[-2], got %d and %d",
			x.Shape(), x.DType(), other.Shape(), other.DType(), a.Dim(-1), b.Dim(-2))
	}
	y := matmulBatched(to, a, b)
	if x.Rank() > 1 && other.Rank() > 1 {
		return y
	}
	dims := y.Shape().Clone()
	if other.Rank() == 1 {
		dims = dims[:len(dims)-1]
	}
	if x.Rank() == 1 {
		at := len(dims) - 1 // the row, behind which a column may stand
		if other.Rank() > 1 {
			at--
		}
		dims = slices.Delete(dims, at, at+1)
	}
	return Reshape(y, dims...)
}

// matmulBatched broadcasts the leading dimensions. A plain matrix on the right takes all rows at once.
func matmulBatched(to attr.Attr, a, b *Node) *Node {
	if b.Rank() == 2 && a.Rank() > 2 {
		lead := a.Shape().Dims()[:a.Rank()-1]
		y := contractTo(to, Reshape(a, product(lead), a.Dim(-1)), b)
		return Reshape(y, append(slices.Clone(lead), b.Dim(-1))...)
	}
	if a.Rank() == 2 && b.Rank() == 2 {
		return contractTo(to, a, b)
	}
	la := shape.Of("matmul", a.Shape().Dims()[:a.Rank()-2]...)
	lb := shape.Of("matmul", b.Shape().Dims()[:b.Rank()-2]...)
	lead := shape.Broadcast("matmul", la, lb).Dims()
	full := func(x *Node) *Node {
		return broadcastTo(x, shape.Of("matmul", append(slices.Clone(lead), x.Dim(-2), x.Dim(-1))...))
	}
	return contractTo(to, full(a), full(b))
}

// requireRank refuses operands of another rank.
func requireRank(op, name string, x *Node, rank int) {
	if x.Rank() != rank {
		fault.Throw(fault.Shape, op, "%s has shape %v; want %d dimensions", name, x.Shape(), rank)
	}
}

// Mm multiplies two matrices; nothing is broadcast.
//
//lucid:func
//lucid:method
//lucid:alias dot_2d
//lucid:amp half
func Mm(x, mat2 *Node) *Node { return mmOf(x, mat2, Matmul) }

// mmOf, bmmOf and mvOf are Mm, Bmm and Mv by Matmul or by sums.
func mmOf(x, mat2 *Node, multiply func(x, y *Node) *Node) *Node {
	requireRank("mm", "input", x, 2)
	requireRank("mm", "mat2", mat2, 2)
	return multiply(x, mat2)
}

// Bmm multiplies two stacks of matrices of the same length; nothing is broadcast.
//
//lucid:func
//lucid:method
//lucid:amp half
func Bmm(x, mat2 *Node) *Node { return bmmOf(x, mat2, Matmul) }

func bmmOf(x, mat2 *Node, multiply func(x, y *Node) *Node) *Node {
	requireRank("bmm", "input", x, 3)
	requireRank("bmm", "mat2", mat2, 3)
	if x.Dim(0) != mat2.Dim(0) {
		fault.Throw(fault.Shape, "bmm", "the stacks %v and %v differ in length; use MatMul to broadcast", x.Shape(), mat2.Shape())
	}
	return multiply(x, mat2)
}

// Mv multiplies a matrix by a vector.
//
//lucid:func
//lucid:method
//lucid:amp half
func Mv(x, vec *Node) *Node { return mvOf(x, vec, Matmul) }

func mvOf(x, vec *Node, multiply func(x, y *Node) *Node) *Node {
	requireRank("mv", "input", x, 2)
	requireRank("mv", "vec", vec, 1)
	return multiply(x, vec)
}

func product(lead []int) int {
	n := 1
	for _, d := range lead {
		n *= d
	}
	return n
}
