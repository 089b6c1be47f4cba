package functional

import (
	"github.com/lucid-go/lucid"
)

// FractionalMaxPoolOptions are the options of the fractional poolings: one of OutputSize and OutputRatio is required. A list
// may have one number for all dimensions.
type FractionalMaxPoolOptions struct {
	OutputSize    []int         // sizes of the result
	OutputRatio   []float64     // sizes of the result as shares of the input's
	RandomSamples *lucid.Tensor // (B, C, dimensions) numbers from 0 to less than 1: where windows are; nil: random
}

// FractionalMaxPool2d takes the largest elements of windows of kernelSize that are spread at random over the last two
// dimensions, so that the output has any size (Graham).
func FractionalMaxPool2d(x *lucid.Tensor, kernelSize []int, o FractionalMaxPoolOptions) *lucid.Tensor {
	y, _ := fractional("fractional_max_pool2d", x, kernelSize, 2, o)
	return y
}

// FractionalMaxPool2dWithIndices is FractionalMaxPool2d, and where in its plane each element was.
func FractionalMaxPool2dWithIndices(x *lucid.Tensor, kernelSize []int, o FractionalMaxPoolOptions) (y, indices *lucid.Tensor) {
	return fractional("fractional_max_pool2d", x, kernelSize, 2, o)
}

// FractionalMaxPool3d is FractionalMaxPool2d over the last three dimensions.
func FractionalMaxPool3d(x *lucid.Tensor, kernelSize []int, o FractionalMaxPoolOptions) *lucid.Tensor {
	y, _ := fractional("fractional_max_pool3d", x, kernelSize, 3, o)
	return y
}

// FractionalMaxPool3dWithIndices is FractionalMaxPool3d, and where in its plane each element was.
func FractionalMaxPool3dWithIndices(x *lucid.Tensor, kernelSize []int, o FractionalMaxPoolOptions) (y, indices *lucid.Tensor) {
	return fractional("fractional_max_pool3d", x, kernelSize, 3, o)
}

// each gives a number for each of n dimensions.
func each[T any](op, name string, v []T, n int) []T {
	if len(v) == 1 {
		out := make([]T, n)
		for i := range out {
			out[i] = v[0]
		}
		return out
	}
	if len(v) != n {
		refuse(lucid.ErrValue, op, "%s is %v; want one number or %d", name, v, n)
	}
	return v
}

// size returns the size of the output for planes of a size.
func (o FractionalMaxPoolOptions) size(op string, in, kernel []int) []int {
	n := len(in)
	if (len(o.OutputSize) == 0) == (len(o.OutputRatio) == 0) {
		refuse(lucid.ErrValue, op, "OutputSize is %v and OutputRatio %v; want one of them", o.OutputSize, o.OutputRatio)
	}
	out := make([]int, n)
	if len(o.OutputSize) > 0 {
		copy(out, each(op, "OutputSize", o.OutputSize, n))
	} else {
		for i, r := range each(op, "OutputRatio", o.OutputRatio, n) {
			if !(r > 0 && r < 1) {
				refuse(lucid.ErrValue, op, "OutputRatio is %v; want numbers between 0 and 1", o.OutputRatio)
			}
			out[i] = int(float64(in[i]) * r)
		}
	}
	for i := range out {
		if kernel[i] < 1 || out[i] < 1 || out[i]+kernel[i]-1 > in[i] {
			refuse(lucid.ErrShapeMismatch, op, "%d windows of %d do not fit in a dimension of %d", out[i], kernel[i], in[i])
		}
	}
	return out
}

func fractional(op string, x *lucid.Tensor, kernel []int, n int, o FractionalMaxPoolOptions) (y, indices *lucid.Tensor) {
	alone := x.Dim() == n+1
	if !alone && x.Dim() != n+2 {
		refuse(lucid.ErrShapeMismatch, op, "x has shape %v; want %d or %d dimensions", x.Shape(), n+1, n+2)
	}
	if alone {
		x = x.Unsqueeze(0)
	}
	in := x.Shape()[2:]
	kernel = each(op, "kernelSize", kernel, n)
	out := o.size(op, in, kernel)
	B, C := x.Size(0), x.Size(1)
	u := o.RandomSamples
	if u == nil {
		u = lucid.With{DType: x.DType(), Device: x.Device()}.Rand(B, C, n)
	} else if s := u.Shape(); len(s) != 3 || s[0] != B || s[1] != C || s[2] != n {
		refuse(lucid.ErrShapeMismatch, op, "RandomSamples have shape %v; want (%d, %d, %d)", s, B, C, n)
	}
	// Windows of each dimension are laid out behind each other and folded one dimension after the other; the flat
	// indices of the elements are carried along.
	y = x
	index := lucid.With{Device: x.Device()}.Arange(product(in)).Reshape(append([]int{1, 1}, in...)...).Expand(x.Shape()...)
	for d := range n {
		sample := d
		if n == 2 {
			sample = 1 - d // PyTorch's order: the last dimension first
		}
		at := starts(u.At(lucid.Ellipsis, sample), in[d], out[d], kernel[d])
		y, index = windows(y, at, d+2), windows(index, at, d+2)
	}
	shape := []int{B, C}
	order := []int{0, 1}
	for d := range n {
		shape = append(shape, out[d], kernel[d])
		order = append(order, 2+2*d)
	}
	for d := range n {
		order = append(order, 3+2*d)
	}
	flat := append([]int{B, C}, append(append([]int{}, out...), product(kernel))...)
	y = y.Reshape(shape...).Permute(order...).Reshape(flat...)
	index = index.Reshape(shape...).Permute(order...).Reshape(flat...)
	y, which := y.MaxIndices(-1)
	indices = index.Gather(-1, which.Unsqueeze(-1)).Squeeze(-1)
	if alone {
		y, indices = y.Squeeze(0), indices.Squeeze(0)
	}
	return y, indices
}

func product(v []int) int {
	p := 1
	for _, k := range v {
		p *= k
	}
	return p
}

// starts returns (B, C, out·kernel) positions: the elements of every window of a dimension. Windows begin at
// floor((i+u)·a) - floor(u·a), a being the mean distance, and the last ends at the end.
func starts(u *lucid.Tensor, in, out, kernel int) *lucid.Tensor {
	w := lucid.With{Device: u.Device()}
	B, C := u.Size(0), u.Size(1)
	first := w.New([]int64{int64(in - kernel)}, 1, 1, 1).Expand(B, C, 1)
	if out > 1 {
		a := float64(in-kernel) / float64(out-1)
		v := u.Unsqueeze(-1)
		i := lucid.With{DType: u.DType(), Device: u.Device()}.Arange(out - 1)
		head := v.Add(i).Mul(a).Floor().Sub(v.Mul(a).Floor()).To(lucid.Int64)
		first = lucid.Cat([]*lucid.Tensor{head, first}, -1)
	}
	return first.Unsqueeze(-1).Add(w.Arange(kernel)).Reshape(B, C, out*kernel)
}

// windows reads the positions of a dimension.
func windows(x, at *lucid.Tensor, dim int) *lucid.Tensor {
	shape, size := make([]int, x.Dim()), x.Shape()
	for i := range shape {
		shape[i] = 1
	}
	shape[0], shape[1], shape[dim] = at.Size(0), at.Size(1), at.Size(2)
	size[dim] = at.Size(2)
	return x.Gather(dim, at.Reshape(shape...).Expand(size...))
}
