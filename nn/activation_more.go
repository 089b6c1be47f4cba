package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// Softmax computes exp(x)/Σexp(x) along a dimension.
type Softmax struct {
	Base
	Dim int
}

// NewSoftmax returns it for a dimension.
func NewSoftmax(dim int) *Softmax { return &Softmax{Dim: dim} }

// Forward applies it to x.
func (m *Softmax) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, x.Softmax(m.Dim))
}

// Softmax2d is Softmax over the channels of (B, C, H, W) or (C, H, W).
type Softmax2d struct{ Base }

// NewSoftmax2d returns it.
func NewSoftmax2d() *Softmax2d { return &Softmax2d{} }

// Forward applies it to x.
func (m *Softmax2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	if x.Dim() != 3 && x.Dim() != 4 {
		refuse(lucid.ErrShapeMismatch, "softmax2d", "x has shape %v; want 3 or 4 dimensions", x.Shape())
	}
	return Leave(m, x, x.Softmax(-3))
}

// LogSoftmax computes log(softmax(x)) along a dimension.
type LogSoftmax struct {
	Base
	Dim int
}

// NewLogSoftmax returns it for a dimension.
func NewLogSoftmax(dim int) *LogSoftmax { return &LogSoftmax{Dim: dim} }

// Forward applies it to x.
func (m *LogSoftmax) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, x.LogSoftmax(m.Dim))
}

// Softmin computes softmax(-x) along a dimension.
type Softmin struct {
	Base
	Dim int
}

// NewSoftmin returns it for a dimension.
func NewSoftmin(dim int) *Softmin { return &Softmin{Dim: dim} }

// Forward applies it to x.
func (m *Softmin) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Softmin(x, m.Dim))
}

// Threshold computes x where it exceeds a threshold, and a value elsewhere.
type Threshold struct {
	Base
	Threshold, Value float64
}

// NewThreshold returns it.
func NewThreshold(threshold, value float64) *Threshold {
	return &Threshold{Threshold: threshold, Value: value}
}

// Forward applies it to every element.
func (m *Threshold) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Threshold(x, m.Threshold, m.Value))
}

// PReLUOptions say how a PReLU is made; the zero value is PyTorch's default.
type PReLUOptions struct {
	NumParameters int          // 1 or the number of channels; 0: 1
	Init          *float64     // slope at the start; nil: 0.25
	DType         lucid.DType  // of the parameters; zero: the default float
	Device        lucid.Device // of the parameters; zero: the default device
}

// PReLU computes x where it is positive, and x times a learned slope elsewhere.
type PReLU struct {
	Base
	Weight *lucid.Tensor
}

// NewPReLU returns it.
func NewPReLU(opts ...PReLUOptions) *PReLU {
	o := door.Option("prelu", opts)
	w := lucid.With{DType: o.DType, Device: o.Device}
	return &PReLU{Weight: w.Full([]int{door.Count(o.NumParameters, 1)}, door.Or(o.Init, 0.25)).RequiresGrad_(true)}
}

// Forward applies it to x; channels are dim 1.
func (m *PReLU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.PReLU(x, Use(m, m.Weight)))
}

// RReLUOptions say from which interval slopes are sampled; nil means 1/8 and 1/3.
type RReLUOptions struct {
	Lower *float64 // least slope below 0; nil: 1/8
	Upper *float64 // largest slope below 0; nil: 1/3
}

// RReLU computes x where it is positive, and x times a slope elsewhere: random in training, the mean otherwise.
type RReLU struct {
	Base
	o RReLUOptions
}

// NewRReLU returns it.
func NewRReLU(opts ...RReLUOptions) *RReLU { return &RReLU{o: door.Option("rrelu", opts)} }

// Forward applies it to every element.
func (m *RReLU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.RReLU(x, F.RReLUOptions{Lower: m.o.Lower, Upper: m.o.Upper, Training: m.Training()}))
}
