package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opMedian, opNanmedian, opArgmode *graph.Op

func init() {
	opMedian, opNanmedian = sharing("median"), sharing("nanmedian")
	opArgmode = graph.Register(graph.Op{Name: "argmode", Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateReduceOrdered),
		Infer: inferReduceTo(dtype.Int64), VMap: vmapReduce, NoGrad: isIndex})
}

// Median returns the middle element in order, the lower of two; NaN if there is one. Along dim it also returns the
// positions; without dim, that of all elements, and indices is nil.
//
//lucid:func
func Median(x *Node, o ArgOptions) (values, indices *Node) { return median(opMedian, x, o, false) }

// Nanmedian is Median of what is not NaN; NaN if there is nothing.
//
//lucid:func NanMedian
func Nanmedian(x *Node, o ArgOptions) (values, indices *Node) { return median(opNanmedian, x, o, true) }

func median(op *graph.Op, x *Node, o ArgOptions, skip bool) (values, indices *Node) {
	requireOrder(op.Name, x)
	if o.Dim == nil {
		if x.Shape().Numel() == 0 {
			requireKind(op.Name, x, x.DType().IsFloat(), "at least one element, or a floating dtype")
			return scalar(x.DType(), dtype.Scalar{Kind: dtype.KindFloat, F: math.NaN()}), nil
		}
		return reduce(op, x, nil, o.KeepDim), nil
	}
	axis := shape.Axis(op.Name, *o.Dim, x.Rank())
	if x.Rank() == 0 {
		return x, Cast(zerosLike(x), dtype.Int64)
	}
	nonEmpty(op.Name, x, []int{axis})
	n := x.Dim(axis)
	if n >= longRow && !(skip && x.DType().IsFloat()) {
		return middleOf(op.Name, x, axis, o.KeepDim)
	}
	sorted, indices := Sort(x, SortOptions{Dim: &axis})
	if !x.DType().IsFloat() {
		return dropDim(SliceDim(sorted, axis, (n-1)/2, 1, 1), SliceDim(indices, axis, (n-1)/2, 1, 1), axis, o.KeepDim)
	}
	// NaN is sorted to the end: the number of them says where the middle of the rest, or the first NaN, stands.
	nans := reduce(opCountNonzero, IsNaN(x), []int{axis}, true)
	var k *Node
	if skip {
		k = Where(Eq(nans, n), 0, halve(Sub(n-1, nans)))
	} else {
		k = Where(Eq(nans, 0), (n-1)/2, Sub(n, nans))
	}
	return dropDim(gather(sorted, k, axis), gather(indices, k, axis), axis, o.KeepDim)
}

// longRow is from how many elements on a row is parted around its middle and not sorted.
const longRow = 4096

// middleOf returns the middle elements along a dimension, or the first NaN, and their positions.
func middleOf(op string, x *Node, axis int, keep bool) (values, indices *Node) {
	k := (x.Dim(axis) - 1) / 2
	_, order := partition(op, x, k, DimOptions{Dim: &axis})
	middle := SliceDim(order, axis, k, 1, 1)
	if x.DType().IsFloat() { // a NaN is the largest
		top := Argmax(x, ArgOptions{Dim: &axis, KeepDim: true})
		middle = Where(IsNaN(gather(StopGradient(x), top, axis)), top, middle)
	}
	return at(x, middle, axis, keep)
}

// halve divides a count by 2, rounding down.
func halve(x *Node) *Node {
	return Cast(Mul(Cast(x, dtype.Float64), 0.5), dtype.Int64)
}

func dropDim(v, i *Node, axis int, keep bool) (*Node, *Node) {
	if keep {
		return v, i
	}
	s := shape.Reduced("reduce", v.Shape(), []int{axis}, false)
	return reshapeTo(v, s), reshapeTo(i, s)
}

// ModeOptions says along which dimension (nil: the last) to look.
type ModeOptions struct {
	Dim     *int // nil: the last
	KeepDim bool // reduced dimensions stay, with size 1
}

// Mode returns the most frequent value along a dimension, the smallest of those that tie, and its last position.
//
//lucid:func
//lucid:method Mode(dim int)
func Mode(x *Node, o ModeOptions) (values, indices *Node) {
	requireOrder("mode", x)
	axis := dimOr("mode", o.Dim, x, -1)
	if x.Rank() == 0 {
		return x, Cast(zerosLike(x), dtype.Int64)
	}
	nonEmpty("mode", x, []int{axis})
	return at(x, reduce(opArgmode, x, []int{axis}, true), axis, o.KeepDim)
}

// Kthvalue returns the k-th smallest element along a dimension (nil: the last), counting from 1, and its position.
// NaN counts as the largest.
//
//lucid:func KthValue
//lucid:method KthValue(k int)
func Kthvalue(x *Node, k int, o ModeOptions) (values, indices *Node) {
	axis := dimOr("kthvalue", o.Dim, x, -1)
	n := 1
	if x.Rank() > 0 {
		n = x.Dim(axis)
	}
	if k < 1 || k > n {
		fault.Throw(fault.Value, "kthvalue", "k is %d; dim %d of %v has %d elements, want 1 to %d", k, axis, x.Shape(), n, n)
	}
	if x.Rank() == 0 {
		return x, Cast(zerosLike(x), dtype.Int64)
	}
	_, order := partition("kthvalue", x, k-1, DimOptions{Dim: &axis})
	return at(x, SliceDim(order, axis, k-1, 1, 1), axis, o.KeepDim)
}
