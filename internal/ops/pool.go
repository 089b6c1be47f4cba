package ops

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// each repeats one number for every one of k dimensions; none given is the default.
func each(op, name string, v []int, k, def int) []int {
	switch len(v) {
	case 0:
		v = []int{def}
		fallthrough
	case 1:
		out := make([]int, k)
		for i := range out {
			out[i] = v[0]
		}
		return out
	case k:
		return v
	}
	fault.Throw(fault.Value, op, "%s is %v; want 1 or %d numbers", name, v, k)
	return nil
}

// planes checks that x has k dimensions of space behind its channels, with or without a batch, and returns their sizes.
func planes(op string, x *Node, k int) []int {
	if x.Rank() != k+1 && x.Rank() != k+2 {
		fault.Throw(fault.Shape, op, "%v is neither (C, …) nor (N, C, …) with %d dimensions of space", x.Shape(), k)
	}
	in := x.Shape().Dims()[x.Rank()-k:]
	for _, d := range in {
		if d == 0 {
			fault.Throw(fault.Shape, op, "%v has an empty dimension of space", x.Shape())
		}
	}
	return in
}

// newPool positions windows; stride nil is the kernel's size.
func newPool(op string, in, kernel, stride, padding, dilation []int, ceil bool) attr.Pool {
	k := len(in)
	kernel = each(op, "kernel_size", kernel, k, 0)
	if len(stride) == 0 {
		stride = kernel
	}
	stride, padding, dilation = each(op, "stride", stride, k, 1), each(op, "padding", padding, k, 0), each(op, "dilation", dilation, k, 1)
	out := make([]int, k)
	for i := range out {
		if kernel[i] <= 0 || stride[i] <= 0 || dilation[i] <= 0 {
			fault.Throw(fault.Value, op, "kernel_size %v, stride %v and dilation %v must be positive", kernel, stride, dilation)
		}
		boundWindow(op, kernel[i], stride[i], dilation[i], padding[i])
		if padding[i] < 0 || 2*padding[i] > (kernel[i]-1)*dilation[i]+1 {
			fault.Throw(fault.Value, op, "padding %v; want 0 to half of the kernel %v", padding, kernel)
		}
		free := in[i] + 2*padding[i] - dilation[i]*(kernel[i]-1) - 1
		out[i] = floorDiv(free, stride[i]) + 1
		if ceil {
			out[i] = floorDiv(free+stride[i]-1, stride[i]) + 1
			if (out[i]-1)*stride[i] >= in[i]+padding[i] {
				out[i]-- // the last window must begin in the input or the padding before it
			}
		}
		if out[i] <= 0 {
			fault.Throw(fault.Shape, op, "windows of %v do not fit in %v with padding %v", kernel, in, padding)
		}
	}
	return attr.Pool{Kernel: attr.MakeInts(kernel...), Stride: attr.MakeInts(stride...), Pad: attr.MakeInts(padding...),
		Dilation: attr.MakeInts(dilation...), In: attr.MakeInts(in...), Out: attr.MakeInts(out...)}
}

// boundWindow refuses numbers that say where windows are and whose products could overflow.
func boundWindow(op string, numbers ...int) {
	if slices.Max(numbers) > math.MaxInt32 {
		fault.Throw(fault.Value, op, "a window is described by %v; want numbers below 2³¹", numbers)
	}
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// adaptivePool cuts every dimension in as many parts as size says; -1 keeps it.
func adaptivePool(op string, in, size []int) attr.Pool {
	if len(size) == 0 {
		fault.Throw(fault.Value, op, "output_size is empty; want 1 or %d sizes", len(in))
	}
	size = append([]int(nil), each(op, "output_size", size, len(in), 1)...)
	for i, s := range size {
		if s == -1 {
			size[i] = in[i]
		} else if s <= 0 {
			fault.Throw(fault.Value, op, "output_size is %v; want positive sizes, or -1 to keep one", size)
		}
	}
	return attr.Pool{In: attr.MakeInts(in...), Out: attr.MakeInts(size...), Adaptive: true, Count: attr.CountValid}
}

// MaxPoolOptions positions the windows: Stride none is the kernel's size, Dilation none is 1.
type MaxPoolOptions struct {
	Stride        []int // none: the size of the kernel
	Padding       []int // minus infinity at both ends; none: 0
	Dilation      []int // distance of the elements of a window; none: 1
	CeilMode      bool  // a last window that does not fit counts too: sizes are rounded up
	ReturnIndices bool  // give the index of each element in its plane too
	// ChannelsLast takes the input as (N, …, C) and gives (N, …, C).
	ChannelsLast bool
}

func maxPool(op string, x *Node, k int, kernel []int, o MaxPoolOptions) (values, indices *Node) {
	requireKind(op, x, !x.DType().IsComplex() && x.DType() != dtype.Bool, "real numbers")
	if o.ChannelsLast {
		return maxPoolLast(op, x, k, kernel, o)
	}
	return maxItems(x, maxWindows(op, planes(op, x, k), kernel, o), o.ReturnIndices)
}

// maxWindows positions windows that have a largest element each.
func maxWindows(op string, in, kernel []int, o MaxPoolOptions) attr.Pool {
	w := newPool(op, in, kernel, o.Stride, o.Padding, o.Dilation, o.CeilMode)
	for d := range in {
		if w.Blind(d) {
			fault.Throw(fault.Value, op,
				"a window of kernel %v with dilation %v and padding %v sees nothing but padding in %v; want less of them", w.Kernel.Slice(),
				w.Dilation.Slice(), w.Pad.Slice(), in)
		}
	}
	return w
}

// maxPoolLast pools where the channels are last: they are one more dimension, of windows of one element. Over three dimensions of
// space, where that would be a fourth, they are exchanged on the way.
func maxPoolLast(op string, x *Node, k int, kernel []int, o MaxPoolOptions) (values, indices *Node) {
	if x.Rank() != k+1 && x.Rank() != k+2 {
		fault.Throw(fault.Shape, op, "%v is neither (…, C) nor (N, …, C) with %d dimensions of space", x.Shape(), k)
	}
	last := x.Rank() - 1
	first := moveAxis(x, last, last-k)
	channels := x.Dim(last)
	if o.ChannelsLast = false; k == 3 || channels == 0 {
		values, indices = maxPool(op, first, k, kernel, o)
		if indices != nil {
			indices = moveAxis(indices, last-k, last)
		}
		return moveAxis(values, last-k, last), indices
	}
	w := maxWindows(op, planes(op, first, k), kernel, o)
	more := func(v attr.Ints, n int) attr.Ints { return attr.MakeInts(append(slices.Clone(v.Slice()), n)...) }
	w.In, w.Out = more(w.In, channels), more(w.Out, channels)
	w.Kernel, w.Stride, w.Pad, w.Dilation = more(w.Kernel, 1), more(w.Stride, 1), more(w.Pad, 0), more(w.Dilation, 1)
	values, indices = maxItems(x, w, o.ReturnIndices)
	if indices != nil { // counted with the channels
		indices = FloorDivide(indices, channels)
	}
	return values, indices
}

func maxItems(x *Node, w attr.Pool, wantIndices bool) (values, indices *Node) {
	n := apply(opPoolMax, w, x)
	if wantIndices {
		indices = graph.TupleItem(n, 1)
	}
	return graph.TupleItem(n, 0), indices
}

// MaxPool1d returns the largest element of every window over the last dimension, NaN if there is one, and, if asked
// for, its index in the plane (nil otherwise).
//
//lucid:pkg nn/functional maxPool1d MaxPool1d
func MaxPool1d(x *Node, kernelSize []int, o MaxPoolOptions) (values, indices *Node) {
	return maxPool("max_pool1d", x, 1, kernelSize, o)
}

// MaxPool2d is MaxPool1d over the last two dimensions.
//
//lucid:pkg nn/functional maxPool2d MaxPool2d
func MaxPool2d(x *Node, kernelSize []int, o MaxPoolOptions) (values, indices *Node) {
	return maxPool("max_pool2d", x, 2, kernelSize, o)
}

// MaxPool3d is MaxPool1d over the last three dimensions.
//
//lucid:pkg nn/functional maxPool3d MaxPool3d
func MaxPool3d(x *Node, kernelSize []int, o MaxPoolOptions) (values, indices *Node) {
	return maxPool("max_pool3d", x, 3, kernelSize, o)
}

// AdaptiveMaxPoolOptions may ask for the indices of the values.
type AdaptiveMaxPoolOptions struct {
	ReturnIndices bool // give the index of each element in its plane too
}

func adaptiveMax(op string, x *Node, k int, size []int, o AdaptiveMaxPoolOptions) (values, indices *Node) {
	requireKind(op, x, x.DType().IsFloat(), "a floating dtype")
	return maxItems(x, adaptivePool(op, planes(op, x, k), size), o.ReturnIndices)
}

// AdaptiveMaxPool1d cuts the last dimension in outputSize parts and returns the largest element of each, and, if asked
// for, its index (nil otherwise). A size of -1 keeps the one there is.
//
//lucid:pkg nn/functional adaptiveMaxPool1d AdaptiveMaxPool1d
//lucid:options -
func AdaptiveMaxPool1d(x *Node, outputSize []int, o AdaptiveMaxPoolOptions) (values, indices *Node) {
	return adaptiveMax("adaptive_max_pool1d", x, 1, outputSize, o)
}

// AdaptiveMaxPool2d is AdaptiveMaxPool1d over the last two dimensions.
//
//lucid:pkg nn/functional adaptiveMaxPool2d AdaptiveMaxPool2d
//lucid:options -
func AdaptiveMaxPool2d(x *Node, outputSize []int, o AdaptiveMaxPoolOptions) (values, indices *Node) {
	return adaptiveMax("adaptive_max_pool2d", x, 2, outputSize, o)
}

// AdaptiveMaxPool3d is AdaptiveMaxPool1d over the last three dimensions.
//
//lucid:pkg nn/functional adaptiveMaxPool3d AdaptiveMaxPool3d
//lucid:options -
func AdaptiveMaxPool3d(x *Node, outputSize []int, o AdaptiveMaxPoolOptions) (values, indices *Node) {
	return adaptiveMax("adaptive_max_pool3d", x, 3, outputSize, o)
}
