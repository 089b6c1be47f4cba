package ops

import (
	"math/bits"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// Kron returns the Kronecker product: every element of x times all of other, block by block.
//
//lucid:func
//lucid:method
func Kron(x, other *Node) *Node {
	r := max(x.Rank(), other.Rank())
	da, db, out := make([]int, 0, 2*r), make([]int, 0, 2*r), make([]int, r)
	at := func(n *Node, i int) int {
		if i -= r - n.Rank(); i >= 0 {
			return n.Dim(i)
		}
		return 1
	}
	for i := range r {
		p, q := at(x, i), at(other, i)
		da, db = append(da, p, 1), append(db, 1, q)
		out[i] = p * q
	}
	return Reshape(Mul(Reshape(x, da...), Reshape(other, db...)), out...)
}

// diagonalOf shows the elements x[…, i, i].
func diagonalOf(x *Node) *Node {
	r := x.Rank()
	m, n := x.Dim(r-2), x.Dim(r-1)
	d := append(x.Shape().Clone()[:r-2], m*n)
	return SliceDim(Reshape(x, d...), r-2, 0, min(m, n), n+1)
}

// Trace returns the sum of a matrix's diagonal; integers and bools sum as int64.
//
//lucid:func
//lucid:method
//lucid:amp float32
func Trace(x *Node) *Node {
	requireRank("trace", "input", x, 2)
	return sumKeep(summable(diagonalOf(x), dtype.Invalid), []int{0}, false)
}

// CrossOptions says along which dimension the vectors are; nil means the first of size 3.
type CrossOptions struct {
	Dim *int // nil: the first of size 3
}

// Cross returns the vector products along a dimension of size 3; the other dimensions broadcast.
//
//lucid:name cross
func Cross(x, other *Node, o CrossOptions) *Node {
	if o.Dim != nil {
		return cross("cross", x, other, *o.Dim)
	}
	for i, d := range x.Shape().Dims() {
		if d == 3 {
			return cross("cross", x, other, i)
		}
	}
	fault.Throw(fault.Shape, "cross", "no dim of %v has size 3", x.Shape())
	return nil
}

// LinalgCrossOptions says along which dimension the vectors are; nil means the last.
type LinalgCrossOptions struct {
	Dim *int // nil: the last
}

// LinalgCross returns the vector products along a dimension of size 3, by default the last; the others broadcast.
//
//lucid:pkg linalg Cross
//lucid:options CrossOptions
//lucid:method Cross
//lucid:name linalg_cross
func LinalgCross(x, other *Node, o LinalgCrossOptions) *Node {
	dim := -1
	if o.Dim != nil {
		dim = *o.Dim
	}
	return cross("linalg_cross", x, other, dim)
}

func cross(op string, x, other *Node, dim int) *Node {
	if x.Rank() != other.Rank() {
		fault.Throw(fault.Shape, op, "%v and %v differ in rank", x.Shape(), other.Shape())
	}
	dim = shape.Axis(op, dim, x.Rank())
	a, b := promote(op, x, other)
	if x.Rank() == 0 || x.Dim(dim) != 3 || other.Dim(dim) != 3 {
		fault.Throw(fault.Shape, op, "dim %d of %v and %v must have size 3", dim, x.Shape(), other.Shape())
	}
	part := func(n *Node, i int) *Node { return SliceDim(n, dim, i%3, 1, 1) }
	var parts []*Node
	for i := range 3 {
		parts = append(parts, Sub(Mul(part(a, i+1), part(b, i+2)), Mul(part(a, i+2), part(b, i+1))))
	}
	return concat(parts, dim)
}

// MatrixPower returns the product of n copies of square matrices, by squaring; for n = 0 the identity, below 0 the power of the inverse.
//
//lucid:pkg linalg
//lucid:method
//lucid:alias linalg_matrix_power
//lucid:amp half
func MatrixPower(x *Node, n int) *Node {
	r := x.Rank()
	if r < 2 || x.Dim(-1) != x.Dim(-2) {
		fault.Throw(fault.Shape, "matrix_power", "%v does not hold square matrices", x.Shape())
	}
	if n < 0 {
		x, n = inverseOf("matrix_power", squares("matrix_power", x)), -n
	}
	if n == 0 {
		row := Arange64(x.Dim(-1))
		eye := Cast(Eq(Reshape(row, -1, 1), row), x.DType())
		return broadcastTo(eye, x.Shape())
	}
	var y *Node
	for b := bits.Len(uint(n)) - 1; b >= 0; b-- {
		if y != nil {
			y = Matmul(y, y)
		}
		if n>>b&1 == 1 {
			if y == nil {
				y = x
			} else {
				y = Matmul(y, x)
			}
		}
	}
	return y
}

// ChainMatmul multiplies matrices in the order that needs the fewest multiplications. The first and the last may be vectors.
//
//lucid:amp half
func ChainMatmul(tensors ...*Node) *Node { return multiDot("chain_matmul", tensors) }

// MultiDot is ChainMatmul under the name it has in linear algebra.
//
//lucid:pkg linalg
//lucid:name linalg_multi_dot
//lucid:amp half
func MultiDot(tensors ...*Node) *Node { return multiDot("linalg_multi_dot", tensors) }

func multiDot(op string, xs []*Node) *Node {
	if len(xs) == 0 {
		fault.Throw(fault.Value, op, "needs at least one tensor")
	}
	if len(xs) == 1 {
		return xs[0]
	}
	size := make([]int, len(xs)+1) // xs[i] is size[i] by size[i+1]
	for i, x := range xs {
		vector := x.Rank() == 1 && (i == 0 || i == len(xs)-1)
		if x.Rank() != 2 && !vector {
			fault.Throw(fault.Shape, op, "tensor %d has shape %v; want a matrix (the first and the last may be vectors)", i, x.Shape())
		}
		rows, cols := x.Dim(0), x.Dim(-1)
		if vector && i == 0 {
			rows = 1
		} else if vector {
			cols = 1
		}
		if i > 0 && rows != size[i] {
			fault.Throw(fault.Shape, op, "tensors %d and %d do not fit: %v and %v", i-1, i, xs[i-1].Shape(), x.Shape())
		}
		size[i], size[i+1] = rows, cols
	}
	return multiplyRange(xs, cheapestSplits(size), 0, len(xs)-1)
}

// cheapestSplits gives, for every range i..j of a chain, after which factor to cut it.
func cheapestSplits(size []int) [][]int {
	n := len(size) - 1
	cost, cut := make([][]int, n), make([][]int, n)
	for i := range n {
		cost[i], cut[i] = make([]int, n), make([]int, n)
	}
	for span := 1; span < n; span++ {
		for i := 0; i+span < n; i++ {
			j := i + span
			cost[i][j] = -1
			for k := i; k < j; k++ {
				c := cost[i][k] + cost[k+1][j] + size[i]*size[k+1]*size[j+1]
				if cost[i][j] < 0 || c < cost[i][j] {
					cost[i][j], cut[i][j] = c, k
				}
			}
		}
	}
	return cut
}

func multiplyRange(xs []*Node, cut [][]int, i, j int) *Node {
	if i == j {
		return xs[i]
	}
	k := cut[i][j]
	return Matmul(multiplyRange(xs, cut, i, k), multiplyRange(xs, cut, k+1, j))
}

// SegmentedMm multiplies parts of two matrices: for every pair in the last dimension of segments, integers from … to,
// the columns from … to-1 of x by these rows of other. The result has the other dimensions of segments in front. What is outside a
// segment has no part in it, not even NaN. Segments are evaluated, and each costs what its product costs; inside compiled functions and
// VMap, where they have no values yet, each costs a product of the whole matrices.
//
//lucid:func
func SegmentedMm(x, other, segments *Node) *Node {
	const op = "segmented_mm"
	requireRank(op, "the first operand", x, 2)
	requireRank(op, "the second operand", other, 2)
	switch {
	case x.Dim(1) != other.Dim(0):
		fault.Throw(fault.Shape, op, "%v and %v do not fit; want (M, K) and (K, N)", x.Shape(), other.Shape())
	case segments.Rank() == 0 || segments.Dim(-1) != 2 || !segments.DType().IsInteger():
		fault.Throw(fault.Shape, op, "segments are %v of shape %v; want integers, two in the last dimension", segments.DType(),
			segments.Shape())
	}
	k := x.Dim(1)
	ends := Reshape(Cast(segments, dtype.Int64), -1, 2)
	lead := segments.Shape().Clone()
	size := append(lead[:len(lead)-1], x.Dim(0), other.Dim(1))
	if n := ends.Dim(0); segments.Trace() == nil && n > 0 {
		y := make([]*Node, 0, n)
		inspect(op, ends, func(v backend.View) {
			at := backend.Slice[int64](v)
			for i := range n {
				from := min(max(at[2*i], 0), int64(k))
				to := min(max(at[2*i+1], from), int64(k))
				y = append(y, Matmul(Narrow(x, 1, int(from), int(to-from)), Narrow(other, 0, int(from), int(to-from))))
			}
		})
		return Reshape(Stack(y, 0), size...)
	}
	at := Reshape(Arange64(k), 1, k)
	inside := LogicalAnd(Ge(at, Narrow(ends, 1, 0, 1)), Lt(at, Narrow(ends, 1, 1, 1)))
	y := Matmul(Where(Unsqueeze(inside, 1), x, constLike(x, 0)), Where(Unsqueeze(inside, 2), other, constLike(other, 0)))
	return Reshape(y, size...)
}
