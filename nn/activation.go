package nn

import (
	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// ReLU computes max(x, 0).
type ReLU struct{ Base }

// NewReLU returns the activation.
func NewReLU() *ReLU { return &ReLU{} }

// Forward applies it to every element.
func (m *ReLU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.ReLU(x))
}

// ReLU6 computes x cut to [0, 6].
type ReLU6 struct{ Base }

// NewReLU6 returns the activation.
func NewReLU6() *ReLU6 { return &ReLU6{} }

// Forward applies it to every element.
func (m *ReLU6) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.ReLU6(x))
}

// SELU computes the self-normalizing exponential unit.
type SELU struct{ Base }

// NewSELU returns the activation.
func NewSELU() *SELU { return &SELU{} }

// Forward applies it to every element.
func (m *SELU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.SELU(x))
}

// SiLU computes x·sigmoid(x).
type SiLU struct{ Base }

// NewSiLU returns the activation.
func NewSiLU() *SiLU { return &SiLU{} }

// Forward applies it to every element.
func (m *SiLU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.SiLU(x))
}

// Mish computes x·tanh(softplus(x)).
type Mish struct{ Base }

// NewMish returns the activation.
func NewMish() *Mish { return &Mish{} }

// Forward applies it to every element.
func (m *Mish) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Mish(x))
}

// Softsign computes x/(1+|x|).
type Softsign struct{ Base }

// NewSoftsign returns the activation.
func NewSoftsign() *Softsign { return &Softsign{} }

// Forward applies it to every element.
func (m *Softsign) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Softsign(x))
}

// Sigmoid computes 1/(1+exp(-x)).
type Sigmoid struct{ Base }

// NewSigmoid returns the activation.
func NewSigmoid() *Sigmoid { return &Sigmoid{} }

// Forward applies it to every element.
func (m *Sigmoid) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, lucid.Sigmoid(x))
}

// LogSigmoid computes log(sigmoid(x)).
type LogSigmoid struct{ Base }

// NewLogSigmoid returns the activation.
func NewLogSigmoid() *LogSigmoid { return &LogSigmoid{} }

// Forward applies it to every element.
func (m *LogSigmoid) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.LogSigmoid(x))
}

// Tanh computes tanh(x).
type Tanh struct{ Base }

// NewTanh returns the activation.
func NewTanh() *Tanh { return &Tanh{} }

// Forward applies it to every element.
func (m *Tanh) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, lucid.Tanh(x))
}

// Hardswish computes x·relu6(x+3)/6.
type Hardswish struct{ Base }

// NewHardswish returns the activation.
func NewHardswish() *Hardswish { return &Hardswish{} }

// Forward applies it to every element.
func (m *Hardswish) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Hardswish(x))
}

// Hardsigmoid computes relu6(x+3)/6.
type Hardsigmoid struct{ Base }

// NewHardsigmoid returns the activation.
func NewHardsigmoid() *Hardsigmoid { return &Hardsigmoid{} }

// Forward applies it to every element.
func (m *Hardsigmoid) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Hardsigmoid(x))
}

// Tanhshrink computes x - tanh(x).
type Tanhshrink struct{ Base }

// NewTanhshrink returns the activation.
func NewTanhshrink() *Tanhshrink { return &Tanhshrink{} }

// Forward applies it to every element.
func (m *Tanhshrink) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Tanhshrink(x))
}
