package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// LeakyReLU computes x where it is positive, and x times a slope elsewhere.
type LeakyReLU struct {
	Base
	o lucid.LeakyReluOptions
}

// NewLeakyReLU returns the activation.
func NewLeakyReLU(opts ...lucid.LeakyReluOptions) *LeakyReLU {
	return &LeakyReLU{o: door.Option("leakyrelu", opts)}
}

// Forward applies it to x.
func (m *LeakyReLU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, lucid.LeakyRelu(x, m.o))
}

// ELU computes x where it is positive, alpha·(exp(x)-1) elsewhere.
type ELU struct {
	Base
	o lucid.EluOptions
}

// NewELU returns the activation.
func NewELU(opts ...lucid.EluOptions) *ELU { return &ELU{o: door.Option("elu", opts)} }

// Forward applies it to x.
func (m *ELU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, lucid.Elu(x, m.o))
}

// CELU computes x where it is positive, alpha·(exp(x/alpha)-1) elsewhere.
type CELU struct {
	Base
	o lucid.EluOptions
}

// NewCELU returns the activation.
func NewCELU(opts ...lucid.EluOptions) *CELU { return &CELU{o: door.Option("celu", opts)} }

// Forward applies it to x.
func (m *CELU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, lucid.Celu(x, m.o))
}

// GELU computes x·Φ(x), or its tanh approximation.
type GELU struct {
	Base
	o lucid.GeluOptions
}

// NewGELU returns the activation.
func NewGELU(opts ...lucid.GeluOptions) *GELU { return &GELU{o: door.Option("gelu", opts)} }

// Forward applies it to x.
func (m *GELU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, lucid.Gelu(x, m.o))
}

// Softplus computes log(1+exp(beta·x))/beta.
type Softplus struct {
	Base
	o lucid.SoftplusOptions
}

// NewSoftplus returns the activation.
func NewSoftplus(opts ...lucid.SoftplusOptions) *Softplus {
	return &Softplus{o: door.Option("softplus", opts)}
}

// Forward applies it to x.
func (m *Softplus) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, lucid.Softplus(x, m.o))
}

// Hardtanh computes x cut to [min_val, max_val].
type Hardtanh struct {
	Base
	o lucid.HardtanhOptions
}

// NewHardtanh returns the activation.
func NewHardtanh(opts ...lucid.HardtanhOptions) *Hardtanh {
	return &Hardtanh{o: door.Option("hardtanh", opts)}
}

// Forward applies it to x.
func (m *Hardtanh) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, lucid.Hardtanh(x, m.o))
}

// Hardshrink computes x, and 0 where |x| does not exceed lambd.
type Hardshrink struct {
	Base
	o lucid.LambdOptions
}

// NewHardshrink returns the activation.
func NewHardshrink(opts ...lucid.LambdOptions) *Hardshrink {
	return &Hardshrink{o: door.Option("hardshrink", opts)}
}

// Forward applies it to x.
func (m *Hardshrink) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, lucid.Hardshrink(x, m.o))
}

// Softshrink computes x moved towards 0 by lambd.
type Softshrink struct {
	Base
	o lucid.LambdOptions
}

// NewSoftshrink returns the activation.
func NewSoftshrink(opts ...lucid.LambdOptions) *Softshrink {
	return &Softshrink{o: door.Option("softshrink", opts)}
}

// Forward applies it to x.
func (m *Softshrink) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, lucid.Softshrink(x, m.o))
}

// GLU computes a·sigmoid(b), a and b being the halves of x along a dimension.
type GLU struct {
	Base
	o lucid.GluOptions
}

// NewGLU returns the activation.
func NewGLU(opts ...lucid.GluOptions) *GLU { return &GLU{o: door.Option("glu", opts)} }

// Forward applies it to x.
func (m *GLU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, lucid.Glu(x, m.o))
}
