package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// AdaptiveAvgPool1d takes the means of as many parts of the last 1 dimension as asked for.
type AdaptiveAvgPool1d struct {
	Base
	size []int
}

// NewAdaptiveAvgPool1d returns it for an output size; -1 keeps a dimension.
func NewAdaptiveAvgPool1d(outputSize ...int) *AdaptiveAvgPool1d {
	return &AdaptiveAvgPool1d{size: outputSize}
}

// Forward pools x.
func (m *AdaptiveAvgPool1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.AdaptiveAvgPool1d(x, m.size))
}

// AdaptiveMaxPool1d takes the largest elements of as many parts of the last 1 dimension as asked for.
type AdaptiveMaxPool1d struct {
	Base
	size []int
}

// NewAdaptiveMaxPool1d returns it for an output size; -1 keeps a dimension.
func NewAdaptiveMaxPool1d(outputSize ...int) *AdaptiveMaxPool1d {
	return &AdaptiveMaxPool1d{size: outputSize}
}

// Forward pools x.
func (m *AdaptiveMaxPool1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	y := F.AdaptiveMaxPool1d(x, m.size)
	return Leave(m, x, y)
}

// ForwardIndices pools x and returns where the largest elements were.
func (m *AdaptiveMaxPool1d) ForwardIndices(x *lucid.Tensor) (y, indices *lucid.Tensor) {
	x = Enter(m, x)
	y, indices = F.AdaptiveMaxPool1dWithIndices(x, m.size)
	return Leave(m, x, y), indices
}

// MaxUnpool1d puts elements back where MaxPool1d found them, with zeros around.
type MaxUnpool1d struct {
	Base
	kernel []int
	o      F.MaxUnpoolOptions
}

// NewMaxUnpool1d returns it.
func NewMaxUnpool1d(kernel []int, opts ...F.MaxUnpoolOptions) *MaxUnpool1d {
	return &MaxUnpool1d{kernel: kernel, o: door.Option("max_unpool1d", opts)}
}

// Forward puts the elements of x at the indices.
func (m *MaxUnpool1d) Forward(x, indices *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, indices)
	return LeaveN(m, in, F.MaxUnpool1d(in[0], in[1], m.kernel, m.o))[0]
}

// AdaptiveAvgPool2d takes the means of as many parts of the last 2 dimensions as asked for.
type AdaptiveAvgPool2d struct {
	Base
	size []int
}

// NewAdaptiveAvgPool2d returns it for an output size; -1 keeps a dimension.
func NewAdaptiveAvgPool2d(outputSize ...int) *AdaptiveAvgPool2d {
	return &AdaptiveAvgPool2d{size: outputSize}
}

// Forward pools x.
func (m *AdaptiveAvgPool2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.AdaptiveAvgPool2d(x, m.size))
}

// AdaptiveMaxPool2d takes the largest elements of as many parts of the last 2 dimensions as asked for.
type AdaptiveMaxPool2d struct {
	Base
	size []int
}

// NewAdaptiveMaxPool2d returns it for an output size; -1 keeps a dimension.
func NewAdaptiveMaxPool2d(outputSize ...int) *AdaptiveMaxPool2d {
	return &AdaptiveMaxPool2d{size: outputSize}
}

// Forward pools x.
func (m *AdaptiveMaxPool2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	y := F.AdaptiveMaxPool2d(x, m.size)
	return Leave(m, x, y)
}

// ForwardIndices pools x and returns where the largest elements were.
func (m *AdaptiveMaxPool2d) ForwardIndices(x *lucid.Tensor) (y, indices *lucid.Tensor) {
	x = Enter(m, x)
	y, indices = F.AdaptiveMaxPool2dWithIndices(x, m.size)
	return Leave(m, x, y), indices
}

// MaxUnpool2d puts elements back where MaxPool2d found them, with zeros around.
type MaxUnpool2d struct {
	Base
	kernel []int
	o      F.MaxUnpoolOptions
}

// NewMaxUnpool2d returns it.
func NewMaxUnpool2d(kernel []int, opts ...F.MaxUnpoolOptions) *MaxUnpool2d {
	return &MaxUnpool2d{kernel: kernel, o: door.Option("max_unpool2d", opts)}
}

// Forward puts the elements of x at the indices.
func (m *MaxUnpool2d) Forward(x, indices *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, indices)
	return LeaveN(m, in, F.MaxUnpool2d(in[0], in[1], m.kernel, m.o))[0]
}

// AdaptiveAvgPool3d takes the means of as many parts of the last 3 dimensions as asked for.
type AdaptiveAvgPool3d struct {
	Base
	size []int
}

// NewAdaptiveAvgPool3d returns it for an output size; -1 keeps a dimension.
func NewAdaptiveAvgPool3d(outputSize ...int) *AdaptiveAvgPool3d {
	return &AdaptiveAvgPool3d{size: outputSize}
}

// Forward pools x.
func (m *AdaptiveAvgPool3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.AdaptiveAvgPool3d(x, m.size))
}

// AdaptiveMaxPool3d takes the largest elements of as many parts of the last 3 dimensions as asked for.
type AdaptiveMaxPool3d struct {
	Base
	size []int
}

// NewAdaptiveMaxPool3d returns it for an output size; -1 keeps a dimension.
func NewAdaptiveMaxPool3d(outputSize ...int) *AdaptiveMaxPool3d {
	return &AdaptiveMaxPool3d{size: outputSize}
}

// Forward pools x.
func (m *AdaptiveMaxPool3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	y := F.AdaptiveMaxPool3d(x, m.size)
	return Leave(m, x, y)
}

// ForwardIndices pools x and returns where the largest elements were.
func (m *AdaptiveMaxPool3d) ForwardIndices(x *lucid.Tensor) (y, indices *lucid.Tensor) {
	x = Enter(m, x)
	y, indices = F.AdaptiveMaxPool3dWithIndices(x, m.size)
	return Leave(m, x, y), indices
}

// MaxUnpool3d puts elements back where MaxPool3d found them, with zeros around.
type MaxUnpool3d struct {
	Base
	kernel []int
	o      F.MaxUnpoolOptions
}

// NewMaxUnpool3d returns it.
func NewMaxUnpool3d(kernel []int, opts ...F.MaxUnpoolOptions) *MaxUnpool3d {
	return &MaxUnpool3d{kernel: kernel, o: door.Option("max_unpool3d", opts)}
}

// Forward puts the elements of x at the indices.
func (m *MaxUnpool3d) Forward(x, indices *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, indices)
	return LeaveN(m, in, F.MaxUnpool3d(in[0], in[1], m.kernel, m.o))[0]
}
