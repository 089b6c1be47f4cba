package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// FoldOptions positions the windows; none given: dilation 1, padding 0, stride 1.
type FoldOptions struct {
	Dilation []int // none: 1
	Padding  []int // none: 0
	Stride   []int // none: 1
}

// foldWindows is like newPool, but padding may be of any size.
func foldWindows(op string, in, kernel []int, o FoldOptions) attr.Pool {
	k := len(in)
	w := attr.Pool{In: attr.MakeInts(in...), Kernel: attr.MakeInts(each(op, "kernel_size", kernel, k, 0)...),
		Stride: attr.MakeInts(each(op, "stride", o.Stride, k, 1)...),
		Pad:    attr.MakeInts(each(op, "padding", o.Padding, k, 0)...), Dilation: attr.MakeInts(each(op, "dilation", o.Dilation, k, 1)...)}
	out := make([]int, k)
	for i := range out {
		if w.Kernel.At(i) <= 0 || w.Stride.At(i) <= 0 || w.Dilation.At(i) <= 0 || w.Pad.At(i) < 0 {
			fault.Throw(fault.Value, op, "kernel_size %v, stride %v and dilation %v must be positive, padding %v not negative", w.Kernel,
				w.Stride, w.Dilation, w.Pad)
		}
		boundWindow(op, in[i], w.Kernel.At(i), w.Stride.At(i), w.Dilation.At(i), w.Pad.At(i))
		free := in[i] + 2*w.Pad.At(i) - w.Dilation.At(i)*(w.Kernel.At(i)-1) - 1
		if free < 0 {
			fault.Throw(fault.Shape, op, "windows of %v do not fit in %v with padding %v", w.Kernel, in, w.Pad)
		}
		out[i] = free/w.Stride.At(i) + 1
	}
	w.Out = attr.MakeInts(out...)
	return w
}

// UnfoldImage lays out the windows of an image: (N, C, H, W) becomes (N, C·kernel, windows). Padding is 0.
//
//lucid:pkg nn/functional Unfold
func UnfoldImage(x *Node, kernelSize []int, o FoldOptions) *Node {
	const op = "unfold_image"
	requireKind(op, x, x.DType() != dtype.Bool, "numbers")
	w := foldWindows(op, planes(op, x, 2), kernelSize, o)
	lead := slices.Clone(x.Shape().Dims()[:x.Rank()-2])
	lead[len(lead)-1] *= product(w.Kernel.Slice())
	return Reshape(apply(opPoolUnfold, w, x), append(lead, product(w.Out.Slice()))...)
}

// Fold sums windows laid out as UnfoldImage does into an image of the size given.
//
//lucid:pkg nn/functional
func Fold(x *Node, outputSize, kernelSize []int, o FoldOptions) *Node {
	requireKind("fold", x, x.DType() != dtype.Bool, "numbers")
	size := each("fold", "output_size", outputSize, 2, 0)
	w := foldWindows("fold", size, kernelSize, o)
	k, n := product(w.Kernel.Slice()), product(w.Out.Slice())
	if x.Rank() != 2 && x.Rank() != 3 || x.Dim(-2)%k != 0 || x.Dim(-1) != n {
		fault.Throw(fault.Shape, "fold", "%v is not (N, C·%d, %d), which output_size %v and kernel_size %v ask for", x.Shape(), k, n,
			size, w.Kernel)
	}
	lead := slices.Clone(x.Shape().Dims()[:x.Rank()-1])
	lead[len(lead)-1] /= k
	lead = append(lead, w.Kernel.Slice()...)
	return apply(opPoolFold, w, Reshape(x, append(lead, w.Out.Slice()...)...))
}

// LocalResponseNormOptions: x is divided by (k + alpha·mean of x² over size channels)^beta; nil: 1e-4, 0.75 and 1.
type LocalResponseNormOptions struct {
	Alpha *float64 // factor of the mean square; nil: 1e-4
	Beta  *float64 // the exponent; nil: 0.75
	K     *float64 // added to the mean square; nil: 1
}

// LocalResponseNorm divides every element by a power of the mean square of the neighbouring channels (dim 1).
//
//lucid:pkg nn/functional
func LocalResponseNorm(x *Node, size int, o LocalResponseNormOptions) *Node {
	const op = "local_response_norm"
	realFloat(op, x)
	if x.Rank() < 3 || size <= 0 {
		fault.Throw(fault.Shape, op, "%v, size %d; want at least 3 dimensions and a positive size", x.Shape(), size)
	}
	if x.Shape().Numel() == 0 {
		return x
	}
	return inFloat32(x, func(x *Node) *Node {
		c := x.Dim(1)
		planes := Reshape(Square(x), x.Dim(0), c, -1)
		w := attr.Pool{In: attr.MakeInts(c, planes.Dim(2)), Out: attr.MakeInts(c, planes.Dim(2)), Kernel: attr.MakeInts(size, 1),
			Stride: attr.MakeInts(1, 1), Pad: attr.MakeInts(size/2, 0), Dilation: attr.MakeInts(1, 1), Divisor: size}
		mean := reshapeTo(apply(opPoolMean, w, planes), x.Shape())
		return Div(x, Pow(Add(Mul(mean, orElse(o.Alpha, 1e-4)), orElse(o.K, 1)), orElse(o.Beta, 0.75)))
	})
}
