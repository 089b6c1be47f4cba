package masked

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/linalg"
)

func refuse(kind error, op, format string, args ...any) {
	panic(lucid.Errorf(kind, op, format, args...))
}

// spread brings a mask to the shape of x.
func spread(op string, x, mask *lucid.Tensor) *lucid.Tensor {
	if mask == nil || mask.DType() != lucid.Bool {
		refuse(lucid.ErrDType, op, "the mask is %v; want a bool tensor, true where an element takes part", kindOf(mask))
	}
	if mask.IsSameSize(x) {
		return mask
	}
	var wide *lucid.Tensor
	if err := lucid.Try(func() { wide = mask.Expand(x.Shape()...) }); err != nil {
		refuse(lucid.ErrShapeMismatch, op, "the mask has shape %v; want one that broadcasts to %v", mask.Shape(), x.Shape())
	}
	return wide
}

func kindOf(mask *lucid.Tensor) any {
	if mask == nil {
		return nil
	}
	return mask.DType()
}

// fill is x with a number in the elements that take no part.
func fill(op string, x, mask *lucid.Tensor, v any) *lucid.Tensor {
	return lucid.Where(spread(op, x, mask), x, v)
}

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
func Sum(x, mask *lucid.Tensor, o ...lucid.ReduceOptions) *lucid.Tensor {
	return lucid.Sum(fill("masked.sum", x, mask, 0), o...)
}

// Prod multiplies the elements; of nothing it is 1.
func Prod(x, mask *lucid.Tensor, o ...lucid.ReduceOptions) *lucid.Tensor {
	return lucid.Prod(fill("masked.prod", x, mask, 1), o...)
}

// Amax returns the largest element; of nothing it is minus infinity, or the smallest integer.
func Amax(x, mask *lucid.Tensor, o ...lucid.ReduceOptions) *lucid.Tensor {
	const op = "masked.amax"
	return lucid.Amax(fill(op, x, mask, lowest(op, x.DType())), o...)
}

// Amin returns the smallest element; of nothing it is infinity, or the largest integer.
func Amin(x, mask *lucid.Tensor, o ...lucid.ReduceOptions) *lucid.Tensor {
	const op = "masked.amin"
	return lucid.Amin(fill(op, x, mask, highest(op, x.DType())), o...)
}

// ArgMax returns the index of the largest element, int64; of nothing it is 0.
func ArgMax(x, mask *lucid.Tensor, opts ...lucid.ArgOptions) *lucid.Tensor {
	return index("masked.argmax", x, mask, opts, Amax)
}

// ArgMin returns the index of the smallest element, int64; of nothing it is 0.
func ArgMin(x, mask *lucid.Tensor, opts ...lucid.ArgOptions) *lucid.Tensor {
	return index("masked.argmin", x, mask, opts, Amin)
}

// index finds the first element that takes part and is the extreme one: not one that does not, and has the number nothing has.
func index(op string, x, mask *lucid.Tensor, opts []lucid.ArgOptions,
	extreme func(x, mask *lucid.Tensor, o ...lucid.ReduceOptions) *lucid.Tensor) *lucid.Tensor {
	o := only(op, opts)
	all := lucid.ReduceOptions{KeepDim: true}
	if o.Dim != nil {
		all.Dim = []int{*o.Dim}
	}
	x = x.Detach()
	m := extreme(x, mask, all)
	hit := x.Eq(m)
	if x.DType().IsFloat() {
		hit = hit.LogicalOr(x.IsNaN().LogicalAnd(m.IsNaN()))
	}
	return lucid.ArgMax(hit.LogicalAnd(spread(op, x, mask)).To(lucid.Int32), o)
}

// count is how many elements take part.
func count(op string, x, mask *lucid.Tensor, dim []int, keep bool, d lucid.DType) *lucid.Tensor {
	return lucid.Sum(spread(op, x, mask).To(d), lucid.ReduceOptions{Dim: dim, KeepDim: keep})
}

// Mean returns the mean of the elements; of nothing it is NaN.
func Mean(x, mask *lucid.Tensor, opts ...lucid.ReduceOptions) *lucid.Tensor {
	const op = "masked.mean"
	o := only(op, opts)
	if o.DType != 0 {
		x = x.To(o.DType)
	}
	if d := x.DType(); !d.IsFloat() && !d.IsComplex() {
		refuse(lucid.ErrDType, op, "x is %v; want floating numbers, or a DType of the result", d)
	}
	return lucid.Sum(fill(op, x, mask, 0), o).Div(count(op, x, mask, o.Dim, o.KeepDim, x.DType()))
}

// Var returns the variance of the elements, of which Correction (nil: 1) is taken off their number; it is NaN where none is left.
func Var(x, mask *lucid.Tensor, opts ...lucid.VarOptions) *lucid.Tensor {
	const op = "masked.var"
	o := only(op, opts)
	if !x.DType().IsFloat() {
		refuse(lucid.ErrDType, op, "x is %v; want floating numbers", x.DType())
	}
	mean := Mean(x, mask, lucid.ReduceOptions{Dim: o.Dim, KeepDim: true})
	apart := fill(op, x.Sub(mean), mask, 0)
	correction := 1.0
	if o.Correction != nil {
		correction = *o.Correction
	}
	n := count(op, x, mask, o.Dim, o.KeepDim, x.DType()).Sub(correction).ClampMin(0)
	return lucid.Sum(apart.Square(), lucid.ReduceOptions{Dim: o.Dim, KeepDim: o.KeepDim}).Div(n)
}

// Std is the root of Var.
func Std(x, mask *lucid.Tensor, o ...lucid.VarOptions) *lucid.Tensor {
	return Var(x, mask, o...).Sqrt()
}

// Median returns the middle element along a dimension (nil: of all), the lower of two; of nothing it is NaN. x is floating.
func Median(x, mask *lucid.Tensor, opts ...lucid.ArgOptions) *lucid.Tensor {
	const op = "masked.median"
	if !x.DType().IsFloat() {
		refuse(lucid.ErrDType, op, "x is %v; want floating numbers", x.DType())
	}
	y, _ := lucid.NanMedian(fill(op, x, mask, math.NaN()), opts...)
	return y
}

// LogSumExp returns the logarithm of the sum of exponentials; of nothing it is minus infinity.
func LogSumExp(x, mask *lucid.Tensor, o ...lucid.ReduceOptions) *lucid.Tensor {
	return lucid.LogSumExp(fill("masked.logsumexp", x, mask, math.Inf(-1)), o...)
}

// Norm returns the norm of an order over dimensions; of nothing it is 0, of a negative order infinity.
func Norm(x, mask *lucid.Tensor, ord float64, opts ...lucid.ReduceOptions) *lucid.Tensor {
	const op = "masked.norm"
	o, none := only(op, opts), 0.0
	if ord < 0 {
		none = math.Inf(1)
	}
	return linalg.VectorNorm(fill(op, x, mask, none), linalg.VectorNormOptions{Ord: &ord, Dim: o.Dim, KeepDim: o.KeepDim, DType: o.DType})
}

// Normalize divides the elements by their norm along a dimension, at least eps (0: 1e-12); those that take no part are 0.
func Normalize(x, mask *lucid.Tensor, ord float64, dim int, eps float64) *lucid.Tensor {
	const op = "masked.normalize"
	if eps == 0 {
		eps = 1e-12
	}
	n := Norm(x, mask, ord, lucid.ReduceOptions{Dim: []int{dim}, KeepDim: true}).ClampMin(eps)
	return fill(op, x, mask, 0).Div(n)
}

// Softmax returns the shares of the elements along a dimension; those that take no part have 0, and where none does all are NaN.
func Softmax(x, mask *lucid.Tensor, dim int, o ...lucid.SoftmaxOptions) *lucid.Tensor {
	return lucid.Softmax(fill("masked.softmax", x, mask, math.Inf(-1)), dim, o...)
}

// LogSoftmax is the logarithm of Softmax.
func LogSoftmax(x, mask *lucid.Tensor, dim int, o ...lucid.SoftmaxOptions) *lucid.Tensor {
	return lucid.LogSoftmax(fill("masked.log_softmax", x, mask, math.Inf(-1)), dim, o...)
}

// Softmin is Softmax of the elements with the other sign.
func Softmin(x, mask *lucid.Tensor, dim int, o ...lucid.SoftmaxOptions) *lucid.Tensor {
	return lucid.Softmax(fill("masked.softmin", x.Neg(), mask, math.Inf(-1)), dim, o...)
}

// CumSum adds along a dimension; elements that take no part add nothing.
func CumSum(x, mask *lucid.Tensor, dim int, o ...lucid.CumulativeOptions) *lucid.Tensor {
	return lucid.CumSum(fill("masked.cumsum", x, mask, 0), dim, o...)
}

// CumProd multiplies along a dimension; elements that take no part are left out.
func CumProd(x, mask *lucid.Tensor, dim int, o ...lucid.CumulativeOptions) *lucid.Tensor {
	return lucid.CumProd(fill("masked.cumprod", x, mask, 1), dim, o...)
}

// LogAddExp returns log(exp(x) + exp(y)) of the elements that take part, each by a mask of its own; of neither it is minus infinity.
func LogAddExp(x, y, maskX, maskY *lucid.Tensor) *lucid.Tensor {
	const op = "masked.logaddexp"
	if !slices.Equal(x.Shape(), y.Shape()) {
		refuse(lucid.ErrShapeMismatch, op, "x has shape %v, y %v; want the same", x.Shape(), y.Shape())
	}
	return lucid.Logaddexp(fill(op, x, maskX, math.Inf(-1)), fill(op, y, maskY, math.Inf(-1)))
}
