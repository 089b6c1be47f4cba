package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// UniqueOptions says whether whole slices along a dimension count as one element (nil: single elements do), and what
// to return in addition to the values.
type UniqueOptions struct {
	Dim           *int // whole slices along it are compared; nil: single elements
	ReturnInverse bool // return for each element which of the results it is
	ReturnCounts  bool // return how often each element occurs
	Sorted        bool // it always is
}

// Unique returns the different elements in order, or the different slices along Dim. inverse, for each element the
// index of its value, and counts are nil unless asked for. Each NaN is different. It evaluates x, since the size of
// the result depends on it; inside Compile or VMap it is refused.
//
//lucid:func
//lucid:novmap the size of its result depends on values
func Unique(x *Node, o UniqueOptions) (values, inverse, counts *Node) {
	requireOrder("unique", x)
	rows, back := slicesOf("unique", x, o.Dim)
	var order *Node
	if rows.Dim(1) == 1 {
		flat := reshapeTo(rows, shape.Of("unique", rows.Dim(0)))
		sorted, idx := Sort(flat, SortOptions{})
		order, rows = idx, reshapeTo(sorted, rows.Shape())
	} else {
		order = graph.New(opLexsort, nil, rows)
		rows = take(rows, order, 0)
	}
	defer hold(order)()
	v, index, c := runs("unique", rows)
	inverse = scatter(zerosLike(index), order, index, 0, attr.ReduceSet)
	return back(v), asInverse(x, inverse, o.Dim, o.ReturnInverse), unless(!o.ReturnCounts, c)
}

// UniqueConsecutiveOptions are those of UniqueConsecutive.
type UniqueConsecutiveOptions struct {
	Dim           *int // nil: single elements are compared
	ReturnInverse bool // return for each element which of the results it is
	ReturnCounts  bool // return how often each element occurs
}

// UniqueConsecutive returns the elements, or the slices along Dim, that differ from the one before. inverse and counts
// are nil unless asked for. It evaluates x, since the size of the result depends on it; inside Compile or VMap it is
// refused.
//
//lucid:func
//lucid:novmap the size of its result depends on values
func UniqueConsecutive(x *Node, o UniqueConsecutiveOptions) (values, inverse, counts *Node) {
	rows, back := slicesOf("unique_consecutive", x, o.Dim)
	v, index, c := runs("unique_consecutive", rows)
	return back(v), asInverse(x, index, o.Dim, o.ReturnInverse), unless(!o.ReturnCounts, c)
}

// slicesOf shows x as a matrix with one row for each thing to compare; back shows such rows as x was.
func slicesOf(op string, x *Node, dim *int) (rows *Node, back func(*Node) *Node) {
	if dim == nil {
		return reshapeTo(x, shape.Of(op, x.Shape().Numel(), 1)), func(v *Node) *Node { return reshapeTo(v, shape.Of(op, v.Dim(0))) }
	}
	axis := shape.Axis(op, *dim, x.Rank())
	if x.Rank() == 0 {
		return Reshape(x, 1, 1), func(v *Node) *Node { return reshapeTo(v, shape.Scalar) }
	}
	m := moveAxis(x, axis, 0)
	rest := m.Shape().Clone()[1:]
	return reshapeTo(m, shape.Of(op, m.Dim(0), product(rest))), func(v *Node) *Node {
		return moveAxis(reshapeTo(v, shape.Of(op, append([]int{v.Dim(0)}, rest...)...)), 0, axis)
	}
}

// runs finds the runs of equal rows: one row of each, for every row the number of its run, and the runs' lengths.
func runs(op string, rows *Node) (values, index, counts *Node) {
	n := rows.Dim(0)
	if n == 0 {
		none := func() *Node { return FullOf(shape.Of(op, 0), dtype.Int64, dtype.Scalar{Kind: dtype.KindInt}) }
		return rows, none(), none()
	}
	differs := Ne(SliceDim(rows, 0, 1, n-1, 1), SliceDim(rows, 0, 0, n-1, 1))
	if rows.Dim(1) == 1 {
		differs = Reshape(differs, -1)
	} else {
		differs = reduce(opAny, differs, []int{1}, false)
	}
	first := broadcastTo(scalar(dtype.Bool, dtype.Scalar{Kind: dtype.KindBool, I: 1}), shape.Of(op, 1))
	begins := concat([]*Node{first, differs}, 0)
	defer hold(rows, begins)()
	starts := Reshape(nonzero(op, begins), -1)
	ends := concat([]*Node{SliceDim(starts, 0, 1, starts.Dim(0)-1, 1),
		FullOf(shape.Of(op, 1), dtype.Int64, dtype.Scalar{Kind: dtype.KindInt, I: int64(n)})}, 0)
	index = Sub(Cumsum(Cast(begins, dtype.Int64), 0, CumulativeOptions{}), 1)
	return take(rows, starts, 0), index, Sub(ends, starts)
}

func asInverse(x, index *Node, dim *int, want bool) *Node {
	if !want {
		giveUp(index)
		return nil
	}
	if dim == nil {
		return reshapeTo(index, x.Shape())
	}
	return index
}

func unless(not bool, x *Node) *Node {
	if not {
		giveUp(x)
		return nil
	}
	return x
}
