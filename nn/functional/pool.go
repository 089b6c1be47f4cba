package functional

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/ops"
)

// MaxPool1d returns the largest elements of windows over the last dimension.
func MaxPool1d(x *lucid.Tensor, kernelSize []int, opts ...MaxPoolOptions) *lucid.Tensor {
	y, _ := maxPool1d(x, kernelSize, option("max_pool1d", opts).op())
	return y
}

// MaxPool1dWithIndices is MaxPool1d, and the index in its plane of each element.
func MaxPool1dWithIndices(x *lucid.Tensor, kernelSize []int, opts ...MaxPoolOptions) (y, indices *lucid.Tensor) {
	o := option("max_pool1d", opts).op()
	o.ReturnIndices = true
	return maxPool1d(x, kernelSize, o)
}

// MaxPool2d returns the largest elements of windows over the last two dimensions.
func MaxPool2d(x *lucid.Tensor, kernelSize []int, opts ...MaxPoolOptions) *lucid.Tensor {
	y, _ := maxPool2d(x, kernelSize, option("max_pool2d", opts).op())
	return y
}

// MaxPool2dWithIndices is MaxPool2d, and the index in its plane of each element.
func MaxPool2dWithIndices(x *lucid.Tensor, kernelSize []int, opts ...MaxPoolOptions) (y, indices *lucid.Tensor) {
	o := option("max_pool2d", opts).op()
	o.ReturnIndices = true
	return maxPool2d(x, kernelSize, o)
}

// MaxPool3d returns the largest elements of windows over the last three dimensions.
func MaxPool3d(x *lucid.Tensor, kernelSize []int, opts ...MaxPoolOptions) *lucid.Tensor {
	y, _ := maxPool3d(x, kernelSize, option("max_pool3d", opts).op())
	return y
}

// MaxPool3dWithIndices is MaxPool3d, and the index in its plane of each element.
func MaxPool3dWithIndices(x *lucid.Tensor, kernelSize []int, opts ...MaxPoolOptions) (y, indices *lucid.Tensor) {
	o := option("max_pool3d", opts).op()
	o.ReturnIndices = true
	return maxPool3d(x, kernelSize, o)
}

// AdaptiveMaxPool1d cuts the last dimension into outputSize parts and returns the largest element of each; -1 keeps the size.
func AdaptiveMaxPool1d(x *lucid.Tensor, outputSize []int) *lucid.Tensor {
	y, _ := adaptiveMaxPool1d(x, outputSize, ops.AdaptiveMaxPoolOptions{})
	return y
}

// AdaptiveMaxPool1dWithIndices is AdaptiveMaxPool1d, and the index in its plane of each element.
func AdaptiveMaxPool1dWithIndices(x *lucid.Tensor, outputSize []int) (y, indices *lucid.Tensor) {
	return adaptiveMaxPool1d(x, outputSize, ops.AdaptiveMaxPoolOptions{ReturnIndices: true})
}

// AdaptiveMaxPool2d cuts the last two dimensions into outputSize parts and returns the largest element of each; -1 keeps the size.
func AdaptiveMaxPool2d(x *lucid.Tensor, outputSize []int) *lucid.Tensor {
	y, _ := adaptiveMaxPool2d(x, outputSize, ops.AdaptiveMaxPoolOptions{})
	return y
}

// AdaptiveMaxPool2dWithIndices is AdaptiveMaxPool2d, and the index in its plane of each element.
func AdaptiveMaxPool2dWithIndices(x *lucid.Tensor, outputSize []int) (y, indices *lucid.Tensor) {
	return adaptiveMaxPool2d(x, outputSize, ops.AdaptiveMaxPoolOptions{ReturnIndices: true})
}

// AdaptiveMaxPool3d cuts the last three dimensions into outputSize parts and returns the largest element of each; -1 keeps the size.
func AdaptiveMaxPool3d(x *lucid.Tensor, outputSize []int) *lucid.Tensor {
	y, _ := adaptiveMaxPool3d(x, outputSize, ops.AdaptiveMaxPoolOptions{})
	return y
}

// AdaptiveMaxPool3dWithIndices is AdaptiveMaxPool3d, and the index in its plane of each element.
func AdaptiveMaxPool3dWithIndices(x *lucid.Tensor, outputSize []int) (y, indices *lucid.Tensor) {
	return adaptiveMaxPool3d(x, outputSize, ops.AdaptiveMaxPoolOptions{ReturnIndices: true})
}
