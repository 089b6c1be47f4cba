package functional

import "github.com/lucid-go/lucid"

// Interpolate resamples the dimensions behind the first two to a size or by a factor.
func Interpolate(x *lucid.Tensor, opts ...lucid.InterpolateOptions) *lucid.Tensor {
	return lucid.Interpolate(x, opts...)
}

// GridSample reads images at the places of a grid, from -1 to 1.
func GridSample(x, grid *lucid.Tensor, opts ...lucid.GridSampleOptions) *lucid.Tensor {
	return lucid.GridSample(x, grid, opts...)
}

// AffineGrid returns the grid of an affine map for GridSample.
func AffineGrid(theta *lucid.Tensor, size []int, opts ...lucid.AffineGridOptions) *lucid.Tensor {
	return lucid.AffineGrid(theta, size, opts...)
}
