package nn

import (
	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// FractionalMaxPool2d takes the largest elements of windows that are spread at random over (B, C, H, W) or (C, H, W),
// so that the output has any size (Graham).
type FractionalMaxPool2d struct {
	Base
	kernel []int
	o      F.FractionalMaxPoolOptions
}

// NewFractionalMaxPool2d returns it; the options name a size or a ratio.
func NewFractionalMaxPool2d(kernel []int, o F.FractionalMaxPoolOptions) *FractionalMaxPool2d {
	return &FractionalMaxPool2d{kernel: kernel, o: o}
}

// Forward pools x.
func (m *FractionalMaxPool2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	y, _ := m.ForwardIndices(x)
	return y
}

// ForwardIndices pools x and returns where the largest elements were.
func (m *FractionalMaxPool2d) ForwardIndices(x *lucid.Tensor) (y, indices *lucid.Tensor) {
	x = Enter(m, x)
	y, indices = F.FractionalMaxPool2dWithIndices(x, m.kernel, m.o)
	return Leave(m, x, y), indices
}

// FractionalMaxPool3d is FractionalMaxPool2d over (B, C, D, H, W) or (C, D, H, W).
type FractionalMaxPool3d struct {
	Base
	kernel []int
	o      F.FractionalMaxPoolOptions
}

// NewFractionalMaxPool3d returns it; the options name a size or a ratio.
func NewFractionalMaxPool3d(kernel []int, o F.FractionalMaxPoolOptions) *FractionalMaxPool3d {
	return &FractionalMaxPool3d{kernel: kernel, o: o}
}

// Forward pools x.
func (m *FractionalMaxPool3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	y, _ := m.ForwardIndices(x)
	return y
}

// ForwardIndices pools x and returns where the largest elements were.
func (m *FractionalMaxPool3d) ForwardIndices(x *lucid.Tensor) (y, indices *lucid.Tensor) {
	x = Enter(m, x)
	y, indices = F.FractionalMaxPool3dWithIndices(x, m.kernel, m.o)
	return Leave(m, x, y), indices
}
