package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// nanTo0 puts 0 in place of NaN.
func nanTo0(x *Node) *Node {
	if !x.DType().IsInexact() {
		return x
	}
	return Where(IsNaN(x), constLike(x, 0), x)
}

// Nansum returns the sum over the dimensions, taking NaN as 0.
//
//lucid:func NanSum
//lucid:method NanSum(dim ...int)
//lucid:amp float32
func Nansum(x *Node, o ReduceOptions) *Node {
	requireKind("nansum", x, !x.DType().IsComplex(), "real numbers")
	return Sum(nanTo0(x), o)
}

// Nanmean returns the average over the dimensions of what is not NaN; NaN if there is nothing.
//
//lucid:func NanMean
//lucid:method NanMean(dim ...int)
func Nanmean(x *Node, o ReduceOptions) *Node {
	requireKind("nanmean", x, x.DType().IsFloat(), "a floating dtype; cast first")
	d := x.DType()
	if o.DType != dtype.Invalid {
		d = o.DType
		if !d.IsInexact() {
			fault.Throw(fault.DType, "nanmean", "dtype %v; want a floating or complex dtype", d)
		}
	}
	wide := d
	if d.IsHalf() {
		wide = dtype.Float32 // the sum may be out of the half type's range, the mean is not
	}
	s := Sum(nanTo0(x), ReduceOptions{Dim: o.Dim, KeepDim: o.KeepDim, DType: wide})
	there := reduce(opCountNonzero, LogicalNot(IsNaN(x)), o.Dim, o.KeepDim)
	return Cast(Div(s, Cast(there, wide)), d)
}
