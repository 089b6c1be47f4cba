package functional

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// AvgPool1d returns the mean of every window over the last dimension.
func AvgPool1d(x *lucid.Tensor, kernelSize []int, o ...lucid.AvgPoolOptions) *lucid.Tensor {
	return lucid.AvgPool1d(x, kernelSize, o...)
}

// AvgPool2d returns the mean of every window over the last two dimensions.
func AvgPool2d(x *lucid.Tensor, kernelSize []int, o ...lucid.AvgPoolOptions) *lucid.Tensor {
	return lucid.AvgPool2d(x, kernelSize, o...)
}

// AvgPool3d returns the mean of every window over the last three dimensions.
func AvgPool3d(x *lucid.Tensor, kernelSize []int, o ...lucid.AvgPoolOptions) *lucid.Tensor {
	return lucid.AvgPool3d(x, kernelSize, o...)
}

// AdaptiveAvgPool1d cuts the last dimension in outputSize parts and returns the mean of each; -1 keeps the size.
func AdaptiveAvgPool1d(x *lucid.Tensor, outputSize []int) *lucid.Tensor {
	return lucid.AdaptiveAvgPool1d(x, outputSize)
}

// AdaptiveAvgPool2d is AdaptiveAvgPool1d over the last two dimensions.
func AdaptiveAvgPool2d(x *lucid.Tensor, outputSize []int) *lucid.Tensor {
	return lucid.AdaptiveAvgPool2d(x, outputSize)
}

// AdaptiveAvgPool3d is AdaptiveAvgPool1d over the last three dimensions.
func AdaptiveAvgPool3d(x *lucid.Tensor, outputSize []int) *lucid.Tensor {
	return lucid.AdaptiveAvgPool3d(x, outputSize)
}

// LpPool1d returns the p-norm (Σ x^p)^(1/p) of every window over the last dimension.
func LpPool1d(x *lucid.Tensor, normType float64, kernelSize []int, o ...lucid.LpPoolOptions) *lucid.Tensor {
	return lucid.LpPool1d(x, normType, kernelSize, o...)
}

// LpPool2d is LpPool1d over the last two dimensions.
func LpPool2d(x *lucid.Tensor, normType float64, kernelSize []int, o ...lucid.LpPoolOptions) *lucid.Tensor {
	return lucid.LpPool2d(x, normType, kernelSize, o...)
}

// LpPool3d is LpPool1d over the last three dimensions.
func LpPool3d(x *lucid.Tensor, normType float64, kernelSize []int, o ...lucid.LpPoolOptions) *lucid.Tensor {
	return lucid.LpPool3d(x, normType, kernelSize, o...)
}

// MaxUnpool1d puts every element at its place in a plane that is 0 elsewhere.
func MaxUnpool1d(x *lucid.Tensor, indices *lucid.Tensor, kernelSize []int, o ...lucid.MaxUnpoolOptions) *lucid.Tensor {
	return lucid.MaxUnpool1d(x, indices, kernelSize, o...)
}

// MaxUnpool2d is MaxUnpool1d over the last two dimensions.
func MaxUnpool2d(x *lucid.Tensor, indices *lucid.Tensor, kernelSize []int, o ...lucid.MaxUnpoolOptions) *lucid.Tensor {
	return lucid.MaxUnpool2d(x, indices, kernelSize, o...)
}

// MaxUnpool3d is MaxUnpool1d over the last three dimensions.
func MaxUnpool3d(x *lucid.Tensor, indices *lucid.Tensor, kernelSize []int, o ...lucid.MaxUnpoolOptions) *lucid.Tensor {
	return lucid.MaxUnpool3d(x, indices, kernelSize, o...)
}

// MaxPool1d returns the largest elements of windows over the last dimension.
func MaxPool1d(x *lucid.Tensor, kernelSize []int, o ...lucid.MaxPoolOptions) *lucid.Tensor {
	y, _ := lucid.MaxPool1d(x, kernelSize, o...)
	return y
}

// MaxPool2d returns the largest elements of windows over the last two dimensions.
func MaxPool2d(x *lucid.Tensor, kernelSize []int, o ...lucid.MaxPoolOptions) *lucid.Tensor {
	y, _ := lucid.MaxPool2d(x, kernelSize, o...)
	return y
}

// MaxPool3d returns the largest elements of windows over the last three dimensions.
func MaxPool3d(x *lucid.Tensor, kernelSize []int, o ...lucid.MaxPoolOptions) *lucid.Tensor {
	y, _ := lucid.MaxPool3d(x, kernelSize, o...)
	return y
}

// AdaptiveMaxPool1d returns the largest elements of as many parts of the last dimension as outputSize says.
func AdaptiveMaxPool1d(x *lucid.Tensor, outputSize []int) *lucid.Tensor {
	y, _ := lucid.AdaptiveMaxPool1d(x, outputSize)
	return y
}

// AdaptiveMaxPool2d returns the largest elements of as many parts of the last two dimensions as outputSize says.
func AdaptiveMaxPool2d(x *lucid.Tensor, outputSize []int) *lucid.Tensor {
	y, _ := lucid.AdaptiveMaxPool2d(x, outputSize)
	return y
}

// AdaptiveMaxPool3d returns the largest elements of as many parts of the last three dimensions as outputSize says.
func AdaptiveMaxPool3d(x *lucid.Tensor, outputSize []int) *lucid.Tensor {
	y, _ := lucid.AdaptiveMaxPool3d(x, outputSize)
	return y
}

// MaxPool1dWithIndices is MaxPool1d, and where in its plane each element was.
func MaxPool1dWithIndices(x *lucid.Tensor, kernelSize []int, opts ...lucid.MaxPoolOptions) (y, indices *lucid.Tensor) {
	o := door.Option("max_pool1d", opts)
	o.ReturnIndices = true
	return lucid.MaxPool1d(x, kernelSize, o)
}

// AdaptiveMaxPool1dWithIndices is AdaptiveMaxPool1d, and where in its plane each element was.
func AdaptiveMaxPool1dWithIndices(x *lucid.Tensor, outputSize []int) (y, indices *lucid.Tensor) {
	return lucid.AdaptiveMaxPool1d(x, outputSize, lucid.AdaptiveMaxPoolOptions{ReturnIndices: true})
}

// MaxPool2dWithIndices is MaxPool2d, and where in its plane each element was.
func MaxPool2dWithIndices(x *lucid.Tensor, kernelSize []int, opts ...lucid.MaxPoolOptions) (y, indices *lucid.Tensor) {
	o := door.Option("max_pool2d", opts)
	o.ReturnIndices = true
	return lucid.MaxPool2d(x, kernelSize, o)
}

// AdaptiveMaxPool2dWithIndices is AdaptiveMaxPool2d, and where in its plane each element was.
func AdaptiveMaxPool2dWithIndices(x *lucid.Tensor, outputSize []int) (y, indices *lucid.Tensor) {
	return lucid.AdaptiveMaxPool2d(x, outputSize, lucid.AdaptiveMaxPoolOptions{ReturnIndices: true})
}

// MaxPool3dWithIndices is MaxPool3d, and where in its plane each element was.
func MaxPool3dWithIndices(x *lucid.Tensor, kernelSize []int, opts ...lucid.MaxPoolOptions) (y, indices *lucid.Tensor) {
	o := door.Option("max_pool3d", opts)
	o.ReturnIndices = true
	return lucid.MaxPool3d(x, kernelSize, o)
}

// AdaptiveMaxPool3dWithIndices is AdaptiveMaxPool3d, and where in its plane each element was.
func AdaptiveMaxPool3dWithIndices(x *lucid.Tensor, outputSize []int) (y, indices *lucid.Tensor) {
	return lucid.AdaptiveMaxPool3d(x, outputSize, lucid.AdaptiveMaxPoolOptions{ReturnIndices: true})
}
