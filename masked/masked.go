package masked

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/linalg"
)

func refuse(kind error, op, format string, args ...any) {
	panic(lucid.Errorf(kind, op, format, args...))
}

// Elements are the elements of a tensor that a mask selects.
type Elements struct{ x, mask *lucid.Tensor }

// Over returns the elements of x where the mask is true. The mask is bool and broadcasts to x.
func Over(x, mask *lucid.Tensor) Elements {
	const op = "masked.over"
	if mask == nil || mask.DType() != lucid.Bool {
		kind := "nil"
		if mask != nil {
			kind = mask.DType().String()
		}
		refuse(lucid.ErrDType, op, "the mask is %s; want a bool tensor, true where an element takes part", kind)
	}
	if !mask.IsSameSize(x) {
		wide := mask
		if err := lucid.Try(func() { wide = mask.Expand(x.Shape()...) }); err != nil {
			refuse(lucid.ErrShapeMismatch, op, "the mask has shape %v; want one that broadcasts to %v", mask.Shape(), x.Shape())
		}
		mask = wide
	}
	return Elements{x, mask}
}

// Mask returns the mask, in the shape of the tensor.
func (e Elements) Mask() *lucid.Tensor { return e.mask }

// fill is the tensor with a number in the elements that take no part.
func (e Elements) fill(v any) *lucid.Tensor { return lucid.Where(e.mask, e.x, v) }

// with is another tensor with the same mask.
func (e Elements) with(x *lucid.Tensor) Elements { return Elements{x, e.mask} }

func only[O any](op string, opts []O) (o O) {
	if len(opts) > 1 {
		refuse(lucid.ErrValue, op, "%d options; want one at most", len(opts))
	}
	if len(opts) == 1 {
		o = opts[0]
	}
	return o
}

// lowest is the smallest number of a dtype, highest the largest: what a maximum or a minimum of nothing is.
func lowest(op string, d lucid.DType) any {
	switch {
	case d.IsFloat():
		return math.Inf(-1)
	case d.IsInteger():
		return lucid.IInfo(d).Min
	}
	refuse(lucid.ErrDType, op, "x is %v; want real numbers", d)
	return nil
}

func highest(op string, d lucid.DType) any {
	switch {
	case d.IsFloat():
		return math.Inf(1)
	case d.IsInteger():
		return lucid.IInfo(d).Max
	}
	refuse(lucid.ErrDType, op, "x is %v; want real numbers", d)
	return nil
}

// Sum adds the elements; of nothing it is 0.
func (e Elements) Sum(o ...lucid.ReduceOptions) *lucid.Tensor {
	return lucid.Sum(e.fill(0), o...)
}

// Prod multiplies the elements; of nothing it is 1.
func (e Elements) Prod(o ...lucid.ReduceOptions) *lucid.Tensor {
	return lucid.Prod(e.fill(1), o...)
}

// Amax returns the largest element; of nothing it is minus infinity, or the smallest integer.
func (e Elements) Amax(o ...lucid.ReduceOptions) *lucid.Tensor {
	const op = "masked.amax"
	return lucid.Amax(e.fill(lowest(op, e.x.DType())), o...)
}

// Amin returns the smallest element; of nothing it is infinity, or the largest integer.
func (e Elements) Amin(o ...lucid.ReduceOptions) *lucid.Tensor {
	const op = "masked.amin"
	return lucid.Amin(e.fill(highest(op, e.x.DType())), o...)
}

// ArgMax returns the index of the largest element, int64; of nothing it is 0.
func (e Elements) ArgMax(opts ...lucid.ArgOptions) *lucid.Tensor {
	return e.index("masked.argmax", opts, Elements.Amax)
}

// ArgMin returns the index of the smallest element, int64; of nothing it is 0.
func (e Elements) ArgMin(opts ...lucid.ArgOptions) *lucid.Tensor {
	return e.index("masked.argmin", opts, Elements.Amin)
}

// index finds the first element that takes part and is the extreme one: not one that does not, and has the number nothing has.
func (e Elements) index(op string, opts []lucid.ArgOptions,
	extreme func(e Elements, o ...lucid.ReduceOptions) *lucid.Tensor) *lucid.Tensor {
	o := only(op, opts)
	all := lucid.ReduceOptions{KeepDim: true}
	if o.Dim != nil {
		all.Dim = []int{*o.Dim}
	}
	x := e.x.Detach()
	m := extreme(e.with(x), all)
	hit := x.Eq(m)
	if x.DType().IsFloat() {
		hit = hit.LogicalOr(x.IsNaN().LogicalAnd(m.IsNaN()))
	}
	return lucid.ArgMax(hit.LogicalAnd(e.mask).To(lucid.Int32), o)
}

// count is how many elements take part.
func (e Elements) count(dim []int, keep bool) *lucid.Tensor {
	return lucid.Sum(e.mask.To(e.x.DType()), lucid.ReduceOptions{Dim: dim, KeepDim: keep})
}

// Mean returns the mean of the elements; of nothing it is NaN.
func (e Elements) Mean(opts ...lucid.ReduceOptions) *lucid.Tensor {
	const op = "masked.mean"
	o := only(op, opts)
	if o.DType != 0 {
		e = e.with(e.x.To(o.DType))
	}
	if d := e.x.DType(); !d.IsFloat() && !d.IsComplex() {
		refuse(lucid.ErrDType, op, "x is %v; want floating numbers, or a DType of the result", d)
	}
	return lucid.Sum(e.fill(0), o).Div(e.count(o.Dim, o.KeepDim))
}

// Var returns the variance of the elements, of which Correction (nil: 1) is taken off their number; it is NaN where none is left.
func (e Elements) Var(opts ...lucid.VarOptions) *lucid.Tensor {
	const op = "masked.var"
	o := only(op, opts)
	if !e.x.DType().IsFloat() {
		refuse(lucid.ErrDType, op, "x is %v; want floating numbers", e.x.DType())
	}
	mean := e.Mean(lucid.ReduceOptions{Dim: o.Dim, KeepDim: true})
	apart := e.with(e.x.Sub(mean)).fill(0)
	correction := 1.0
	if o.Correction != nil {
		correction = *o.Correction
	}
	n := e.count(o.Dim, o.KeepDim).Sub(correction).ClampMin(0)
	return lucid.Sum(apart.Square(), lucid.ReduceOptions{Dim: o.Dim, KeepDim: o.KeepDim}).Div(n)
}

// Std is the root of Var.
func (e Elements) Std(o ...lucid.VarOptions) *lucid.Tensor {
	return e.Var(o...).Sqrt()
}

// Median returns the middle element along a dimension (nil: of all), the lower of two; of nothing it is NaN. x is floating.
func (e Elements) Median(opts ...lucid.ArgOptions) *lucid.Tensor {
	const op = "masked.median"
	if !e.x.DType().IsFloat() {
		refuse(lucid.ErrDType, op, "x is %v; want floating numbers", e.x.DType())
	}
	y, _ := lucid.NanMedian(e.fill(math.NaN()), opts...)
	return y
}

// LogSumExp returns the logarithm of the sum of exponentials; of nothing it is minus infinity.
func (e Elements) LogSumExp(o ...lucid.ReduceOptions) *lucid.Tensor {
	return lucid.LogSumExp(e.fill(math.Inf(-1)), o...)
}

// Norm returns the norm of an order over dimensions; of nothing it is 0, of a negative order infinity.
func (e Elements) Norm(ord float64, opts ...lucid.ReduceOptions) *lucid.Tensor {
	const op = "masked.norm"
	o, none := only(op, opts), 0.0
	if ord < 0 {
		none = math.Inf(1)
	}
	return linalg.VectorNorm(e.fill(none), linalg.VectorNormOptions{Ord: &ord, Dim: o.Dim, KeepDim: o.KeepDim, DType: o.DType})
}

// Normalize divides the elements by their norm along a dimension, at least eps (0: 1e-12); those that take no part are 0.
func (e Elements) Normalize(ord float64, dim int, eps float64) *lucid.Tensor {
	if eps == 0 {
		eps = 1e-12
	}
	n := e.Norm(ord, lucid.ReduceOptions{Dim: []int{dim}, KeepDim: true}).ClampMin(eps)
	return e.fill(0).Div(n)
}

// Softmax returns the shares of the elements along a dimension; those that take no part have 0, and where none does all are NaN.
func (e Elements) Softmax(dim int, o ...lucid.SoftmaxOptions) *lucid.Tensor {
	return lucid.Softmax(e.fill(math.Inf(-1)), dim, o...)
}

// LogSoftmax is the logarithm of Softmax.
func (e Elements) LogSoftmax(dim int, o ...lucid.SoftmaxOptions) *lucid.Tensor {
	return lucid.LogSoftmax(e.fill(math.Inf(-1)), dim, o...)
}

// Softmin is Softmax of the elements with the other sign.
func (e Elements) Softmin(dim int, o ...lucid.SoftmaxOptions) *lucid.Tensor {
	return lucid.Softmax(e.with(e.x.Neg()).fill(math.Inf(-1)), dim, o...)
}

// CumSum adds along a dimension; elements that take no part add nothing.
func (e Elements) CumSum(dim int, o ...lucid.CumulativeOptions) *lucid.Tensor {
	return lucid.CumSum(e.fill(0), dim, o...)
}

// CumProd multiplies along a dimension; elements that take no part are left out.
func (e Elements) CumProd(dim int, o ...lucid.CumulativeOptions) *lucid.Tensor {
	return lucid.CumProd(e.fill(1), dim, o...)
}

// Logaddexp returns log(exp(x) + exp(y)) of the elements of two tensors of one shape that take part; of neither it is minus infinity.
func (e Elements) Logaddexp(other Elements) *lucid.Tensor {
	if !e.x.IsSameSize(other.x) {
		refuse(lucid.ErrShapeMismatch, "masked.logaddexp", "the tensors have shapes %v and %v; want the same", e.x.Shape(), other.x.Shape())
	}
	return lucid.Logaddexp(e.fill(math.Inf(-1)), other.fill(math.Inf(-1)))
}
