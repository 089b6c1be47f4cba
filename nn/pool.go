package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// MaxPool1d takes the largest elements of windows over the last 1 dimension.
type MaxPool1d struct {
	Base
	kernel []int
	o      F.MaxPoolOptions
}

// NewMaxPool1d returns it; kernel has one number for all dimensions, or one for each.
func NewMaxPool1d(kernel []int, opts ...F.MaxPoolOptions) *MaxPool1d {
	return &MaxPool1d{kernel: kernel, o: door.Option("max_pool1d", opts)}
}

// Forward pools x.
func (m *MaxPool1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	y, _ := m.ForwardIndices(x)
	return y
}

// ForwardIndices pools x and returns where the largest elements were, nil unless the option ReturnIndices is set.
func (m *MaxPool1d) ForwardIndices(x *lucid.Tensor) (y, indices *lucid.Tensor) {
	x = Enter(m, x)
	y, indices = F.MaxPool1dWithIndices(x, m.kernel, m.o)
	return Leave(m, x, y), indices
}

// AvgPool1d takes the means of windows over the last 1 dimension.
type AvgPool1d struct {
	Base
	kernel []int
	o      F.AvgPoolOptions
}

// NewAvgPool1d returns it; kernel has one number for all dimensions, or one for each.
func NewAvgPool1d(kernel []int, opts ...F.AvgPoolOptions) *AvgPool1d {
	return &AvgPool1d{kernel: kernel, o: door.Option("avg_pool1d", opts)}
}

// Forward pools x.
func (m *AvgPool1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.AvgPool1d(x, m.kernel, m.o))
}

// LPPool1d takes the p-norms of windows over the last 1 dimension.
type LPPool1d struct {
	Base
	p      float64
	kernel []int
	o      F.LPPoolOptions
}

// NewLPPool1d returns it for a norm.
func NewLPPool1d(normType float64, kernel []int, opts ...F.LPPoolOptions) *LPPool1d {
	return &LPPool1d{p: normType, kernel: kernel, o: door.Option("lp_pool1d", opts)}
}

// Forward pools x.
func (m *LPPool1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.LPPool1d(x, m.p, m.kernel, m.o))
}

// MaxPool2d takes the largest elements of windows over the last 2 dimensions.
type MaxPool2d struct {
	Base
	kernel []int
	o      F.MaxPoolOptions
}

// NewMaxPool2d returns it; kernel has one number for all dimensions, or one for each.
func NewMaxPool2d(kernel []int, opts ...F.MaxPoolOptions) *MaxPool2d {
	return &MaxPool2d{kernel: kernel, o: door.Option("max_pool2d", opts)}
}

// Forward pools x.
func (m *MaxPool2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	y, _ := m.ForwardIndices(x)
	return y
}

// ForwardIndices pools x and returns where the largest elements were, nil unless the option ReturnIndices is set.
func (m *MaxPool2d) ForwardIndices(x *lucid.Tensor) (y, indices *lucid.Tensor) {
	x = Enter(m, x)
	y, indices = F.MaxPool2dWithIndices(x, m.kernel, m.o)
	return Leave(m, x, y), indices
}

// AvgPool2d takes the means of windows over the last 2 dimensions.
type AvgPool2d struct {
	Base
	kernel []int
	o      F.AvgPoolOptions
}

// NewAvgPool2d returns it; kernel has one number for all dimensions, or one for each.
func NewAvgPool2d(kernel []int, opts ...F.AvgPoolOptions) *AvgPool2d {
	return &AvgPool2d{kernel: kernel, o: door.Option("avg_pool2d", opts)}
}

// Forward pools x.
func (m *AvgPool2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.AvgPool2d(x, m.kernel, m.o))
}

// LPPool2d takes the p-norms of windows over the last 2 dimensions.
type LPPool2d struct {
	Base
	p      float64
	kernel []int
	o      F.LPPoolOptions
}

// NewLPPool2d returns it for a norm.
func NewLPPool2d(normType float64, kernel []int, opts ...F.LPPoolOptions) *LPPool2d {
	return &LPPool2d{p: normType, kernel: kernel, o: door.Option("lp_pool2d", opts)}
}

// Forward pools x.
func (m *LPPool2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.LPPool2d(x, m.p, m.kernel, m.o))
}

// MaxPool3d takes the largest elements of windows over the last 3 dimensions.
type MaxPool3d struct {
	Base
	kernel []int
	o      F.MaxPoolOptions
}

// NewMaxPool3d returns it; kernel has one number for all dimensions, or one for each.
func NewMaxPool3d(kernel []int, opts ...F.MaxPoolOptions) *MaxPool3d {
	return &MaxPool3d{kernel: kernel, o: door.Option("max_pool3d", opts)}
}

// Forward pools x.
func (m *MaxPool3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	y, _ := m.ForwardIndices(x)
	return y
}

// ForwardIndices pools x and returns where the largest elements were, nil unless the option ReturnIndices is set.
func (m *MaxPool3d) ForwardIndices(x *lucid.Tensor) (y, indices *lucid.Tensor) {
	x = Enter(m, x)
	y, indices = F.MaxPool3dWithIndices(x, m.kernel, m.o)
	return Leave(m, x, y), indices
}

// AvgPool3d takes the means of windows over the last 3 dimensions.
type AvgPool3d struct {
	Base
	kernel []int
	o      F.AvgPoolOptions
}

// NewAvgPool3d returns it; kernel has one number for all dimensions, or one for each.
func NewAvgPool3d(kernel []int, opts ...F.AvgPoolOptions) *AvgPool3d {
	return &AvgPool3d{kernel: kernel, o: door.Option("avg_pool3d", opts)}
}

// Forward pools x.
func (m *AvgPool3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.AvgPool3d(x, m.kernel, m.o))
}

// LPPool3d takes the p-norms of windows over the last 3 dimensions.
type LPPool3d struct {
	Base
	p      float64
	kernel []int
	o      F.LPPoolOptions
}

// NewLPPool3d returns it for a norm.
func NewLPPool3d(normType float64, kernel []int, opts ...F.LPPoolOptions) *LPPool3d {
	return &LPPool3d{p: normType, kernel: kernel, o: door.Option("lp_pool3d", opts)}
}

// Forward pools x.
func (m *LPPool3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.LPPool3d(x, m.p, m.kernel, m.o))
}
