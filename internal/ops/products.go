package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// Dot returns the sum of the products of two vectors, without conjugation; of empty ones it is 0.
//
//lucid:func
//lucid:method
//lucid:alias dot_1d
//lucid:amp half
func Dot(x, other *Node) *Node {
	requireRank("dot", "input", x, 1)
	requireRank("dot", "other", other, 1)
	return Matmul(x, other)
}

// Vdot returns the sum of the products of the conjugate of x with other, both vectors.
//
//lucid:func
//lucid:method
//lucid:amp half
func Vdot(x, other *Node) *Node {
	requireRank("vdot", "input", x, 1)
	requireRank("vdot", "other", other, 1)
	return Matmul(conj(x), other)
}

// VecdotOptions says along which dimension; nil means the last.
type VecdotOptions struct {
	Dim *int // nil: the last
}

// Vecdot returns the sum of the products of the conjugate of x with other along a dimension; the others broadcast.
//
//lucid:pkg linalg
//lucid:method
//lucid:alias linalg_vecdot
//lucid:amp half
func Vecdot(x, other *Node, o VecdotOptions) *Node {
	dim := -1
	if o.Dim != nil {
		dim = *o.Dim
	}
	d := resultType("vecdot", x, other)
	requireKind("vecdot", x, d != dtype.Bool, "numbers")
	a, b := broadcast2("vecdot", Cast(x, d), Cast(other, d))
	axis := shape.Axis("vecdot", dim, a.Rank())
	if a.Rank() == 0 {
		return Mul(conj(a), b)
	}
	a, b = moveLast(conj(a), axis), moveLast(b, axis)
	lead := slices.Clone(a.Shape().Dims()[:a.Rank()-1])
	y := contract(Reshape(a, append(slices.Clone(lead), 1, a.Dim(-1))...), Reshape(b, append(slices.Clone(lead), b.Dim(-1), 1)...))
	return Reshape(y, lead...)
}

// Inner returns the sums of products over the last dimensions of both; with a 0-d operand it is Mul.
//
//lucid:func
//lucid:method
//lucid:amp half
func Inner(x, other *Node) *Node {
	if x.Rank() == 0 || other.Rank() == 0 {
		return Mul(x, other)
	}
	if x.Dim(-1) != other.Dim(-1) {
		fault.Throw(fault.Shape, "inner", "the last dims of %v and %v differ", x.Shape(), other.Shape())
	}
	return tensordot("inner", x, other, []int{x.Rank() - 1}, []int{other.Rank() - 1})
}

// Outer returns the products of all elements of vector x with all of vec2.
//
//lucid:func
//lucid:method
func Outer(x, vec2 *Node) *Node {
	requireRank("outer", "input", x, 1)
	requireRank("outer", "vec2", vec2, 1)
	return Mul(Reshape(x, x.Dim(0), 1), Reshape(vec2, 1, vec2.Dim(0)))
}

// Ger is Outer under the name BLAS gave it.
//
//lucid:name ger
func Ger(x, vec2 *Node) *Node { return Outer(x, vec2) }

// Tensordot sums products over dimensions of both tensors. dims is how many: the last of x with the first of other;
// or two lists [][]int that name the dimensions of each.
//
//lucid:func
//lucid:method
//lucid:default dims=2
//lucid:amp half
func Tensordot(x, other *Node, dims any) *Node {
	var da, db []int
	switch d := dims.(type) {
	case int:
		if d < 0 || d > x.Rank() || d > other.Rank() {
			fault.Throw(fault.Shape, "tensordot", "dims %d does not fit %v and %v", d, x.Shape(), other.Shape())
		}
		for i := range d {
			da, db = append(da, x.Rank()-d+i), append(db, i)
		}
	case [][]int:
		if len(d) != 2 {
			fault.Throw(fault.Value, "tensordot", "dims holds %d lists; want one for each tensor", len(d))
		}
		da, db = resolveDims("tensordot", d[0], x.Rank()), resolveDims("tensordot", d[1], other.Rank())
	default:
		fault.Throw(fault.DType, "tensordot", "dims is a %T; want an int or [][]int with a list for each tensor", dims)
	}
	return tensordot("tensordot", x, other, da, db)
}

// resolveDims makes dimensions non-negative and refuses repetitions; the order stays.
func resolveDims(op string, dims []int, rank int) []int {
	out := make([]int, len(dims))
	for i, d := range dims {
		out[i] = shape.Axis(op, d, rank)
		if slices.Contains(out[:i], out[i]) {
			fault.Throw(fault.Index, op, "dim %d appears twice in %v", d, dims)
		}
	}
	return out
}

// tensordot sums over dims da of a and db of b, pair by pair. A pair of sizes 1 and n sums the longer one.
func tensordot(op string, a, b *Node, da, db []int) *Node {
	if len(da) != len(db) {
		fault.Throw(fault.Shape, op, "%d dims of the first and %d of the second tensor", len(da), len(db))
	}
	d := resultType(op, a, b)
	requireKind(op, a, d != dtype.Bool, "numbers")
	a, b = Cast(a, d), Cast(b, d)
	for i := range da {
		m, n := a.Dim(da[i]), b.Dim(db[i])
		switch {
		case m == n:
		case m == 1:
			b = sumKeep(b, []int{db[i]}, true)
		case n == 1:
			a = sumKeep(a, []int{da[i]}, true)
		default:
			fault.Throw(fault.Shape, op, "dim %d of %v and dim %d of %v differ", da[i], a.Shape(), db[i], b.Shape())
		}
	}
	fa, fb := otherDims(a.Rank(), da), otherDims(b.Rank(), db)
	sizes := func(x *Node, dims []int) []int {
		s := make([]int, len(dims))
		for i, k := range dims {
			s[i] = x.Dim(k)
		}
		return s
	}
	sa, sb, k := sizes(a, fa), sizes(b, fb), product(sizes(a, da))
	out := append(slices.Clone(sa), sb...)
	if len(da) == 0 {
		return Mul(Reshape(a, append(slices.Clone(sa), ones(len(sb))...)...), b)
	}
	y := contract(Reshape(permute(a, append(fa, da...)), product(sa), k),
		Reshape(permute(b, append(slices.Clone(db), fb...)), k, product(sb)))
	return Reshape(y, out...)
}

// otherDims lists the dimensions not named.
func otherDims(rank int, dims []int) []int {
	out := make([]int, 0, rank)
	for i := range rank {
		if !slices.Contains(dims, i) {
			out = append(out, i)
		}
	}
	return out
}
