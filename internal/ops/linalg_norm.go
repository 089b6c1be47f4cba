package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// MatrixNormOptions says which norm over which two dimensions.
type MatrixNormOptions struct {
	Ord     any         // "fro" (also if nil), "nuc", or 1, -1, 2, -2, "inf", "-inf"
	Dim     []int       // two dimensions; none: the last two
	KeepDim bool        // reduced dimensions stay, with size 1
	DType   dtype.DType // dtype to compute in; zero: the input's
}

// MatrixNorm returns a norm of matrices: the root of the sum of squares (fro), the sum (nuc) or the largest (2) or least (-2) of the
// singular values, or the largest or least sum of magnitudes of columns (1, -1) or rows (inf, -inf).
//
//lucid:name linalg_matrix_norm
//lucid:pkg linalg
//lucid:amp float32
func MatrixNorm(x *Node, o MatrixNormOptions) *Node {
	const op = "linalg_matrix_norm"
	return matrixNorm(op, prepareNorm(op, x, o.DType), o.Ord, o.Dim, o.KeepDim)
}

func prepareNorm(op string, x *Node, d dtype.DType) *Node {
	ampFloat32(&x)
	if d != dtype.Invalid {
		x = Cast(x, d)
	}
	requireKind(op, x, x.DType().IsInexact(), "a floating or complex dtype; cast first")
	return x
}

// orderOf reads an order: a name, or a number with an empty name.
func orderOf(op string, ord any) (name string, p float64) {
	switch v := ord.(type) {
	case nil:
		return "fro", 0
	case string:
		switch v {
		case "fro", "nuc":
			return v, 0
		case "inf":
			return "", math.Inf(1)
		case "-inf":
			return "", math.Inf(-1)
		}
		fault.Throw(fault.Value, op, "the order is %q; want \"fro\", \"nuc\", \"inf\", \"-inf\" or a number", v)
	}
	s, ok := dtype.ScalarOf(ord)
	if !ok || s.Kind == dtype.KindComplex || s.Kind == dtype.KindBool {
		fault.Throw(fault.DType, op, "the order is a %T; want a number or a name", ord)
	}
	return "", s.Float()
}

func matrixNorm(op string, x *Node, ord any, dim []int, keep bool) *Node {
	matrices(op, x)
	if len(dim) == 0 {
		dim = []int{-2, -1}
	}
	if len(dim) != 2 {
		fault.Throw(fault.Value, op, "dim is %v; want two dimensions", dim)
	}
	i, j := shape.Axis(op, dim[0], x.Rank()), shape.Axis(op, dim[1], x.Rank())
	if i == j {
		fault.Throw(fault.Index, op, "the dimensions %v are the same", dim)
	}
	name, p := orderOf(op, ord)
	switch {
	case name == "fro":
		return vectorNorm(op, x, 2, []int{i, j}, keep)
	case math.Abs(p) == 1 || math.IsInf(p, 0):
		sum, over := i, j
		if math.IsInf(p, 0) {
			sum, over = j, i
		}
		s := vectorNorm(op, x, 1, []int{sum}, true)
		if s = extremeAlong(op, s, over, p > 0); keep {
			return s
		}
		return Squeeze(s, i, j)
	case name == "nuc" || math.Abs(p) == 2:
		r := x.Rank()
		factorable(op, x)
		y := moveDims(op, x, []int{i, j}, []int{r - 2, r - 1})
		if name == "nuc" {
			y = nuclear(op, y)
		} else { // not the first or the last: equal values share the gradient
			y = svdvals(op, y)
			y = Squeeze(extremeAlong(op, y, y.Rank()-1, p > 0), -1)
		}
		if keep {
			y = Unsqueeze(Unsqueeze(y, min(i, j)), max(i, j))
		}
		return y
	}
	fault.Throw(fault.Value, op, "there is no norm of order %v for matrices; want fro, nuc, ±1, ±2 or ±inf", ord)
	return nil
}

// extremeAlong is the largest or the least along a dimension, which stays. The largest of no magnitudes is 0; there is no least of them.
func extremeAlong(op string, x *Node, axis int, largest bool) *Node {
	o := ReduceOptions{Dim: []int{axis}, KeepDim: true}
	if largest && x.Dim(axis) == 0 {
		return Sum(x, o)
	}
	nonEmpty(op, x, []int{axis})
	if largest {
		return Amax(x, o)
	}
	return Amin(x, o)
}

// LinalgNormOptions says which norm over which dimensions.
type LinalgNormOptions struct {
	Ord     any         // nil: 2 of all elements; otherwise of a vector or a matrix, as VectorNorm and MatrixNorm
	Dim     []int       // one dimension: vectors; two: matrices; none: all of a tensor that is one of both
	KeepDim bool        // reduced dimensions stay, with size 1
	DType   dtype.DType // dtype to compute in; zero: the input's
}

// LinalgNorm returns a norm of vectors or matrices. Without an order it is the root of the sum of squares over the dimensions.
//
//lucid:name linalg_norm
//lucid:pkg linalg Norm
//lucid:amp float32
//lucid:options NormOptions
func LinalgNorm(x *Node, o LinalgNormOptions) *Node {
	const op = "linalg_norm"
	x = prepareNorm(op, x, o.DType)
	if o.Ord == nil {
		return vectorNorm(op, x, 2, o.Dim, o.KeepDim)
	}
	if len(o.Dim) > 2 || len(o.Dim) == 0 && x.Rank() != 1 && x.Rank() != 2 {
		fault.Throw(fault.Shape, op, "%v over dims %v is neither vectors nor matrices; give one or two dims", x.Shape(), o.Dim)
	}
	if len(o.Dim) == 2 || len(o.Dim) == 0 && x.Rank() == 2 {
		return matrixNorm(op, x, o.Ord, o.Dim, o.KeepDim)
	}
	name, p := orderOf(op, o.Ord)
	if name != "" {
		fault.Throw(fault.Value, op, "%q is a norm of matrices, and %v over dims %v has none; give two dims", name, x.Shape(), o.Dim)
	}
	return vectorNorm(op, x, p, o.Dim, o.KeepDim)
}

// CondOptions says in which norm.
type CondOptions struct {
	P any // 2 (also if nil), -2, "fro", "nuc", 1, -1, "inf" or "-inf"
}

// Cond returns the condition numbers of matrices: the norm times that of the inverse, and Inf for a singular matrix.
//
//lucid:name linalg_cond
//lucid:pkg linalg
//lucid:amp float32
func Cond(x *Node, o CondOptions) *Node {
	const op = "linalg_cond"
	x = matricesOf(op, x)
	p := o.P
	if p == nil {
		p = 2
	}
	if name, v := orderOf(op, p); name == "" && math.Abs(v) == 2 {
		s := svdvals(op, x)
		k := s.Dim(-1)
		if k == 0 {
			return broadcastTo(Number(s.DType(), 0), batchOf(op, x, 2))
		}
		first, last := SliceDim(s, s.Rank()-1, 0, 1, 1), SliceDim(s, s.Rank()-1, k-1, 1, 1)
		if v < 0 {
			first, last = last, first
		}
		return Squeeze(Div(first, last), -1)
	}
	x = squares(op, x)
	inv, info := inverseWith("", x)
	c := Mul(matrixNorm(op, x, p, nil, false), matrixNorm(op, inv, p, nil, false))
	return Where(Eq(info, 0), c, constLike(c, math.Inf(1)))
}

// LinalgVanderOptions says how many columns there are.
type LinalgVanderOptions struct {
	N *int `lucid:"N"` // columns; nil: as many as numbers
}

// LinalgVander returns for each vector of a batch the matrix whose columns are the powers of its numbers, from 0 on.
//
//lucid:name linalg_vander
//lucid:pkg linalg Vander
//lucid:options VanderOptions
//lucid:amp float32
func LinalgVander(x *Node, o LinalgVanderOptions) *Node {
	const op = "linalg_vander"
	if x.DType() == dtype.Bool {
		fault.Throw(fault.DType, op, "x is bool; cast it to a dtype of numbers")
	}
	if x.Rank() == 0 {
		x = Unsqueeze(x, 0)
	}
	n := x.Dim(-1)
	if o.N != nil {
		n = *o.N
	}
	if n < 0 {
		fault.Throw(fault.Value, op, "N is %d; want 0 or more", n)
	}
	return powersOf(op, x, n)
}
