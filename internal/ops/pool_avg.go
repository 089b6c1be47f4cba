package ops

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// AvgPoolOptions positions the windows (Stride none is the kernel's size) and says by what sums are divided: the size of
// the window with its padding, without it, or DivisorOverride.
type AvgPoolOptions struct {
	Stride          []int // none: the size of the kernel
	Padding         []int // zeros at both ends; none: 0
	CeilMode        bool  // a last window that does not fit counts too: sizes are rounded up
	ExcludePad      bool  `lucid:"count_include_pad,not"` // divide by the number of elements without the padding (count_include_pad=False)
	DivisorOverride *int  // divide by this instead; nil: by the number of elements
}

func avgPool(op string, x *Node, k int, kernel []int, o AvgPoolOptions) *Node {
	realFloat(op, x)
	w := newPool(op, planes(op, x, k), kernel, o.Stride, o.Padding, nil, o.CeilMode)
	w.Count = attr.CountPadded
	if o.ExcludePad {
		w.Count = attr.CountValid
	}
	if d := o.DivisorOverride; d != nil {
		if *d == 0 {
			fault.Throw(fault.Value, op, "divisor_override is 0")
		}
		w.Divisor = *d
	}
	return apply(opPoolMean, w, x)
}

// AvgPool1d returns the mean of every window over the last dimension.
//
//lucid:pkg nn/functional
func AvgPool1d(x *Node, kernelSize []int, o AvgPoolOptions) *Node {
	return avgPool("avg_pool1d", x, 1, kernelSize, o)
}

// AvgPool2d returns the mean of every window over the last two dimensions.
//
//lucid:pkg nn/functional
func AvgPool2d(x *Node, kernelSize []int, o AvgPoolOptions) *Node {
	return avgPool("avg_pool2d", x, 2, kernelSize, o)
}

// AvgPool3d returns the mean of every window over the last three dimensions.
//
//lucid:pkg nn/functional
func AvgPool3d(x *Node, kernelSize []int, o AvgPoolOptions) *Node {
	return avgPool("avg_pool3d", x, 3, kernelSize, o)
}

func adaptiveAvg(op string, x *Node, k int, size []int) *Node {
	return apply(opPoolMean, adaptivePool(op, planes(op, realFloat(op, x), k), size), x)
}

// AdaptiveAvgPool1d cuts the last dimension in outputSize parts and returns the mean of each; -1 keeps the size.
//
//lucid:pkg nn/functional
func AdaptiveAvgPool1d(x *Node, outputSize []int) *Node {
	return adaptiveAvg("adaptive_avg_pool1d", x, 1, outputSize)
}

// AdaptiveAvgPool2d is AdaptiveAvgPool1d over the last two dimensions.
//
//lucid:pkg nn/functional
func AdaptiveAvgPool2d(x *Node, outputSize []int) *Node {
	return adaptiveAvg("adaptive_avg_pool2d", x, 2, outputSize)
}

// AdaptiveAvgPool3d is AdaptiveAvgPool1d over the last three dimensions.
//
//lucid:pkg nn/functional
func AdaptiveAvgPool3d(x *Node, outputSize []int) *Node {
	return adaptiveAvg("adaptive_avg_pool3d", x, 3, outputSize)
}

// LPPoolOptions positions the windows; Stride none is the kernel's size.
type LPPoolOptions struct {
	Stride   []int // none: the size of the kernel
	CeilMode bool  // a last window that does not fit counts too: sizes are rounded up
}

// lpPool is the p-th root of the windows' sums of x^p; a window cut short by the border counts as a full one.
func lpPool(op string, x *Node, k int, p float64, kernel []int, o LPPoolOptions) *Node {
	if p == 0 {
		fault.Throw(fault.Value, op, "norm_type is 0; want another number")
	}
	if math.IsInf(p, 0) { // the largest magnitude, or the smallest
		sign := math.Copysign(1, p)
		y, _ := maxPool(op, Mul(Abs(x), sign), k, kernel, MaxPoolOptions{Stride: o.Stride, CeilMode: o.CeilMode})
		return Mul(y, sign)
	}
	size := float64(product(each(op, "kernel_size", kernel, k, 0)))
	return inFloat32(realFloat(op, x), func(x *Node) *Node {
		s := avgPool(op, Pow(x, p), k, kernel, AvgPoolOptions{Stride: o.Stride, CeilMode: o.CeilMode})
		// Where nothing was summed the root has no slope; its gradient is 0.
		none := Eq(s, 0)
		root := Pow(Mul(Where(none, constLike(s, 1), s), size), 1/p)
		return Where(none, constLike(s, 0), root)
	})
}

// LpPool1d returns the p-norm (Σ x^p)^(1/p) of every window over the last dimension.
//
//lucid:pkg nn/functional LPPool1d
func LpPool1d(x *Node, normType float64, kernelSize []int, o LPPoolOptions) *Node {
	return lpPool("lp_pool1d", x, 1, normType, kernelSize, o)
}

// LpPool2d is LpPool1d over the last two dimensions.
//
//lucid:pkg nn/functional LPPool2d
func LpPool2d(x *Node, normType float64, kernelSize []int, o LPPoolOptions) *Node {
	return lpPool("lp_pool2d", x, 2, normType, kernelSize, o)
}

// LpPool3d is LpPool1d over the last three dimensions.
//
//lucid:pkg nn/functional LPPool3d
func LpPool3d(x *Node, normType float64, kernelSize []int, o LPPoolOptions) *Node {
	return lpPool("lp_pool3d", x, 3, normType, kernelSize, o)
}

// MaxUnpoolOptions describes the pooling that is undone; OutputSize none is the smallest size that fits it.
type MaxUnpoolOptions struct {
	Stride     []int // none: the size of the kernel
	Padding    []int // of the pooling; none: 0
	OutputSize []int // none: the smallest size that fits
}

func maxUnpool(op string, x, indices *Node, k int, kernel []int, o MaxUnpoolOptions) *Node {
	in := planes(op, x, k)
	if !x.Shape().Equal(indices.Shape()) {
		fault.Throw(fault.Shape, op, "indices have shape %v, input %v; want the same", indices.Shape(), x.Shape())
	}
	kernel = each(op, "kernel_size", kernel, k, 0)
	if len(o.Stride) == 0 {
		o.Stride = kernel
	}
	stride, padding := each(op, "stride", o.Stride, k, 1), each(op, "padding", o.Padding, k, 0)
	if slices.Min(kernel) <= 0 || slices.Min(stride) <= 0 {
		fault.Throw(fault.Value, op, "kernel_size %v and stride %v must be positive", kernel, stride)
	}
	size := o.OutputSize
	if len(size) == k+2 || len(size) == k+1 && k > 1 {
		size = size[len(size)-k:]
	}
	if len(size) == 0 {
		for i, n := range in {
			size = append(size, (n-1)*stride[i]-2*padding[i]+kernel[i])
		}
	}
	if len(size) != k {
		fault.Throw(fault.Value, op, "output_size is %v; want %d numbers", o.OutputSize, k)
	}
	lead := slices.Clone(x.Shape().Dims()[:x.Rank()-k])
	flat := append(slices.Clone(lead), product(in))
	idx := Reshape(strictIndex(op, indices, product(size)), flat...)
	board := FullOf(shape.Of(op, append(slices.Clone(lead), product(size))...), x.DType(), dtype.Scalar{})
	y := scatter(board, idx, Reshape(x, flat...), len(lead), attr.ReduceSet)
	return Reshape(y, append(lead, size...)...)
}

// MaxUnpool1d puts every element at its index in a plane that is 0 elsewhere. Of several for one index one is taken, and it
// alone has a gradient; PyTorch gives that of the index to all of them.
//
//lucid:pkg nn/functional
func MaxUnpool1d(x, indices *Node, kernelSize []int, o MaxUnpoolOptions) *Node {
	return maxUnpool("max_unpool1d", x, indices, 1, kernelSize, o)
}

// MaxUnpool2d is MaxUnpool1d over the last two dimensions.
//
//lucid:pkg nn/functional
func MaxUnpool2d(x, indices *Node, kernelSize []int, o MaxUnpoolOptions) *Node {
	return maxUnpool("max_unpool2d", x, indices, 2, kernelSize, o)
}

// MaxUnpool3d is MaxUnpool1d over the last three dimensions.
//
//lucid:pkg nn/functional
func MaxUnpool3d(x, indices *Node, kernelSize []int, o MaxUnpoolOptions) *Node {
	return maxUnpool("max_unpool3d", x, indices, 3, kernelSize, o)
}
