package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// TriIndicesOptions says which diagonal bounds the triangle and the dtype of the positions; zero: int64.
type TriIndicesOptions struct {
	Offset int
	DType  dtype.DType // zero: the default float
}

// TrilIndices returns the positions of a matrix on and below a diagonal: row numbers first, column numbers second.
//
//lucid:name tril_indices
//lucid:nograd it has no inputs
func TrilIndices(row, col int, o TriIndicesOptions) *Node {
	checkGrid("tril_indices", row, col)
	o.Offset = min(max(o.Offset, -row), col)
	return triIndices("tril_indices", row, col, trilCount(row, col, o.Offset), o, func(r int) (from, to int) { return 0, r + o.Offset + 1 })
}

// TriuIndices returns the positions of a matrix on and above a diagonal: row numbers first, column numbers second.
//
//lucid:name triu_indices
//lucid:nograd it has no inputs
func TriuIndices(row, col int, o TriIndicesOptions) *Node {
	checkGrid("triu_indices", row, col)
	o.Offset = min(max(o.Offset, -row), col)
	return triIndices("triu_indices", row, col, row*col-trilCount(row, col, o.Offset-1),
		o, func(r int) (from, to int) { return r + o.Offset, col })
}

func checkGrid(op string, row, col int) {
	if row < 0 || col < 0 || row > 1<<56 || col > 1<<56 {
		fault.Throw(fault.Value, op, "%d rows and %d columns; want 0 or more, and numbers that fit", row, col)
	}
	shape.Of(op, row, col)
}

// trilCount is the sum over rows of what r+offset+1 is when cut to 0 … col: first nothing, then a ramp, then all.
func trilCount(row, col, offset int) int {
	first := min(row, max(0, -offset))
	full := min(row, max(first, col-offset-1))
	ramp := full - first
	return ramp*(first+full+2*offset+1)/2 + (row-full)*col
}

// triIndices lists the positions of rows that are runs of columns. Row numbers are a running sum over marks at the
// indices where rows begin, so that the positions are made where they are used and none travels there.
func triIndices(op string, row, col, n int, o TriIndicesOptions, run func(r int) (from, to int)) *Node {
	d := o.DType
	if d == dtype.Invalid {
		d = dtype.Int64
	}
	if n == 0 {
		return FullOf(shape.Of(op, 2, 0), d, dtype.Scalar{Kind: dtype.KindInt})
	}
	edge := func(at func(r int) int) *Node { // clip(first + slope·r), slope 0 or 1
		first, slope := at(0), at(1)-at(0)
		return Minimum(Maximum(Add(Mul(Arange64(row), slope), first), 0), col)
	}
	from := edge(func(r int) int { f, _ := run(r); return f })
	to := edge(func(r int) int { _, t := run(r); return t })
	count := Maximum(Sub(to, from), 0)
	begin := Sub(Cumsum(count, 0, CumulativeOptions{}), count)
	marks := FullOf(shape.Of(op, n+1), dtype.Int64, dtype.Scalar{Kind: dtype.KindInt})
	marks = put(marks, begin, FullOf(shape.Of(op, row), dtype.Int64, dtype.Scalar{Kind: dtype.KindInt, I: 1}), 0, attr.ReduceAdd)
	rows := Sub(SliceDim(Cumsum(marks, 0, CumulativeOptions{}), 0, 0, n, 1), 1)
	cols := Add(Sub(Arange64(n), take(begin, rows, 0)), take(from, rows, 0))
	return Cast(Cat([]*Node{Reshape(rows, 1, n), Reshape(cols, 1, n)}, 0), d)
}

// VanderOptions says how many columns there are (nil: as many as numbers) and whether the powers rise.
type VanderOptions struct {
	N          *int `lucid:"N"` // columns; nil: as many as numbers
	Increasing bool // powers rise from left to right
}

// Vander returns the matrix whose columns are the powers of the numbers in x, highest first unless they rise.
//
//lucid:func
//lucid:amp float32
func Vander(x *Node, o VanderOptions) *Node {
	if x.Rank() != 1 {
		fault.Throw(fault.Shape, "vander", "x has shape %v; want one dimension", x.Shape())
	}
	n := x.Dim(0)
	if o.N != nil {
		n = *o.N
	}
	if n < 0 {
		fault.Throw(fault.Value, "vander", "N is %d; want 0 or more", n)
	}
	powers := powersOf("vander", x, n)
	if o.Increasing || n == 0 {
		return powers
	}
	return SliceDim(powers, 1, n-1, n, -1)
}

// powersOf has n powers of each number of x, from 0 on, in a new last dimension.
func powersOf(op string, x *Node, n int) *Node {
	if !x.DType().IsInexact() { // as running products of integers are
		x = Cast(x, dtype.Int64)
	}
	of := func(columns int) *shape.Shape { return batchOf(op, x, 0, columns) }
	if n == 0 {
		return FullOf(of(0), x.DType(), dtype.Scalar{})
	}
	cols := []*Node{FullOf(of(1), x.DType(), dtype.Scalar{Kind: dtype.KindInt, I: 1})}
	if n > 1 {
		cols = append(cols, broadcastTo(Unsqueeze(x, -1), of(n-1)))
	}
	return Cumprod(Cat(cols, -1), -1, CumulativeOptions{DType: x.DType()})
}
