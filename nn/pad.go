package nn

import (
	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// padder is what the padding layers share.
type padder struct {
	pad  []int
	o    F.PadOptions
	dims int
}

func newPadder(op string, dims int, pad []int, mode string, value any) padder {
	if len(pad) == 1 {
		pad = spread(op, "padding", pad, 2*dims, 0)
	}
	if len(pad) != 2*dims {
		refuse(lucid.ErrValue, op, "padding is %v; want one number, or %d: before and after, from the last dimension", pad, 2*dims)
	}
	return padder{pad, F.PadOptions{Mode: mode, Value: value}, dims}
}

func (p *padder) run(x *lucid.Tensor) *lucid.Tensor {
	if d := x.Dim(); d != p.dims+1 && d != p.dims+2 {
		refuse(lucid.ErrShapeMismatch, "pad", "x has shape %v; want %d or %d dimensions", x.Shape(), p.dims+1, p.dims+2)
	}
	return F.Pad(x, p.pad, p.o)
}

// ZeroPad1d surrounds the last 1 dimension with zeros.
type ZeroPad1d struct {
	Base
	padder
}

// NewZeroPad1d returns it; padding is one number, or two for each dimension, from the last.
func NewZeroPad1d(padding ...int) *ZeroPad1d {
	return &ZeroPad1d{padder: newPadder("zero_pad1d", 1, padding, "constant", nil)}
}

// Forward pads x.
func (m *ZeroPad1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// ZeroPad2d surrounds the last 2 dimensions with zeros.
type ZeroPad2d struct {
	Base
	padder
}

// NewZeroPad2d returns it; padding is one number, or two for each dimension, from the last.
func NewZeroPad2d(padding ...int) *ZeroPad2d {
	return &ZeroPad2d{padder: newPadder("zero_pad2d", 2, padding, "constant", nil)}
}

// Forward pads x.
func (m *ZeroPad2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// ZeroPad3d surrounds the last 3 dimensions with zeros.
type ZeroPad3d struct {
	Base
	padder
}

// NewZeroPad3d returns it; padding is one number, or two for each dimension, from the last.
func NewZeroPad3d(padding ...int) *ZeroPad3d {
	return &ZeroPad3d{padder: newPadder("zero_pad3d", 3, padding, "constant", nil)}
}

// Forward pads x.
func (m *ZeroPad3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// ReflectionPad1d surrounds the last 1 dimension with the mirror image of its inside.
type ReflectionPad1d struct {
	Base
	padder
}

// NewReflectionPad1d returns it; padding is one number, or two for each dimension, from the last.
func NewReflectionPad1d(padding ...int) *ReflectionPad1d {
	return &ReflectionPad1d{padder: newPadder("reflection_pad1d", 1, padding, "reflect", nil)}
}

// Forward pads x.
func (m *ReflectionPad1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// ReflectionPad2d surrounds the last 2 dimensions with the mirror image of its inside.
type ReflectionPad2d struct {
	Base
	padder
}

// NewReflectionPad2d returns it; padding is one number, or two for each dimension, from the last.
func NewReflectionPad2d(padding ...int) *ReflectionPad2d {
	return &ReflectionPad2d{padder: newPadder("reflection_pad2d", 2, padding, "reflect", nil)}
}

// Forward pads x.
func (m *ReflectionPad2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// ReflectionPad3d surrounds the last 3 dimensions with the mirror image of its inside.
type ReflectionPad3d struct {
	Base
	padder
}

// NewReflectionPad3d returns it; padding is one number, or two for each dimension, from the last.
func NewReflectionPad3d(padding ...int) *ReflectionPad3d {
	return &ReflectionPad3d{padder: newPadder("reflection_pad3d", 3, padding, "reflect", nil)}
}

// Forward pads x.
func (m *ReflectionPad3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// ReplicationPad1d surrounds the last 1 dimension with copies of its border.
type ReplicationPad1d struct {
	Base
	padder
}

// NewReplicationPad1d returns it; padding is one number, or two for each dimension, from the last.
func NewReplicationPad1d(padding ...int) *ReplicationPad1d {
	return &ReplicationPad1d{padder: newPadder("replication_pad1d", 1, padding, "replicate", nil)}
}

// Forward pads x.
func (m *ReplicationPad1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// ReplicationPad2d surrounds the last 2 dimensions with copies of its border.
type ReplicationPad2d struct {
	Base
	padder
}

// NewReplicationPad2d returns it; padding is one number, or two for each dimension, from the last.
func NewReplicationPad2d(padding ...int) *ReplicationPad2d {
	return &ReplicationPad2d{padder: newPadder("replication_pad2d", 2, padding, "replicate", nil)}
}

// Forward pads x.
func (m *ReplicationPad2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// ReplicationPad3d surrounds the last 3 dimensions with copies of its border.
type ReplicationPad3d struct {
	Base
	padder
}

// NewReplicationPad3d returns it; padding is one number, or two for each dimension, from the last.
func NewReplicationPad3d(padding ...int) *ReplicationPad3d {
	return &ReplicationPad3d{padder: newPadder("replication_pad3d", 3, padding, "replicate", nil)}
}

// Forward pads x.
func (m *ReplicationPad3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// CircularPad1d surrounds the last 1 dimension with what is at the other end.
type CircularPad1d struct {
	Base
	padder
}

// NewCircularPad1d returns it; padding is one number, or two for each dimension, from the last.
func NewCircularPad1d(padding ...int) *CircularPad1d {
	return &CircularPad1d{padder: newPadder("circular_pad1d", 1, padding, "circular", nil)}
}

// Forward pads x.
func (m *CircularPad1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// CircularPad2d surrounds the last 2 dimensions with what is at the other end.
type CircularPad2d struct {
	Base
	padder
}

// NewCircularPad2d returns it; padding is one number, or two for each dimension, from the last.
func NewCircularPad2d(padding ...int) *CircularPad2d {
	return &CircularPad2d{padder: newPadder("circular_pad2d", 2, padding, "circular", nil)}
}

// Forward pads x.
func (m *CircularPad2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// CircularPad3d surrounds the last 3 dimensions with what is at the other end.
type CircularPad3d struct {
	Base
	padder
}

// NewCircularPad3d returns it; padding is one number, or two for each dimension, from the last.
func NewCircularPad3d(padding ...int) *CircularPad3d {
	return &CircularPad3d{padder: newPadder("circular_pad3d", 3, padding, "circular", nil)}
}

// Forward pads x.
func (m *CircularPad3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// ConstantPad1d surrounds the last 1 dimension with a value.
type ConstantPad1d struct {
	Base
	padder
}

// NewConstantPad1d returns it; padding is one number, or two for each dimension, from the last.
func NewConstantPad1d(value float64, padding ...int) *ConstantPad1d {
	return &ConstantPad1d{padder: newPadder("constant_pad1d", 1, padding, "constant", value)}
}

// Forward pads x.
func (m *ConstantPad1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// ConstantPad2d surrounds the last 2 dimensions with a value.
type ConstantPad2d struct {
	Base
	padder
}

// NewConstantPad2d returns it; padding is one number, or two for each dimension, from the last.
func NewConstantPad2d(value float64, padding ...int) *ConstantPad2d {
	return &ConstantPad2d{padder: newPadder("constant_pad2d", 2, padding, "constant", value)}
}

// Forward pads x.
func (m *ConstantPad2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}

// ConstantPad3d surrounds the last 3 dimensions with a value.
type ConstantPad3d struct {
	Base
	padder
}

// NewConstantPad3d returns it; padding is one number, or two for each dimension, from the last.
func NewConstantPad3d(value float64, padding ...int) *ConstantPad3d {
	return &ConstantPad3d{padder: newPadder("constant_pad3d", 3, padding, "constant", value)}
}

// Forward pads x.
func (m *ConstantPad3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(x))
}
