package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// LeakyReLU computes x where it is positive, and x times a slope elsewhere.
type LeakyReLU struct {
	Base
	o F.LeakyReLUOptions
}

// NewLeakyReLU returns the activation.
func NewLeakyReLU(opts ...F.LeakyReLUOptions) *LeakyReLU {
	return &LeakyReLU{o: door.Option("leakyrelu", opts)}
}

// Forward applies it to x.
func (m *LeakyReLU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.LeakyReLU(x, m.o))
}

// ELU computes x where it is positive, alpha·(exp(x)-1) elsewhere.
type ELU struct {
	Base
	o F.ELUOptions
}

// NewELU returns the activation.
func NewELU(opts ...F.ELUOptions) *ELU { return &ELU{o: door.Option("elu", opts)} }

// Forward applies it to x.
func (m *ELU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.ELU(x, m.o))
}

// CELU computes x where it is positive, alpha·(exp(x/alpha)-1) elsewhere.
type CELU struct {
	Base
	o F.ELUOptions
}

// NewCELU returns the activation.
func NewCELU(opts ...F.ELUOptions) *CELU { return &CELU{o: door.Option("celu", opts)} }

// Forward applies it to x.
func (m *CELU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.CELU(x, m.o))
}

// GELU computes x·Φ(x), or its tanh approximation.
type GELU struct {
	Base
	o F.GELUOptions
}

// NewGELU returns the activation.
func NewGELU(opts ...F.GELUOptions) *GELU { return &GELU{o: door.Option("gelu", opts)} }

// Forward applies it to x.
func (m *GELU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.GELU(x, m.o))
}

// Softplus computes log(1+exp(beta·x))/beta.
type Softplus struct {
	Base
	o F.SoftplusOptions
}

// NewSoftplus returns the activation.
func NewSoftplus(opts ...F.SoftplusOptions) *Softplus {
	return &Softplus{o: door.Option("softplus", opts)}
}

// Forward applies it to x.
func (m *Softplus) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Softplus(x, m.o))
}

// Hardtanh computes x cut to [min_val, max_val].
type Hardtanh struct {
	Base
	o F.HardtanhOptions
}

// NewHardtanh returns the activation.
func NewHardtanh(opts ...F.HardtanhOptions) *Hardtanh {
	return &Hardtanh{o: door.Option("hardtanh", opts)}
}

// Forward applies it to x.
func (m *Hardtanh) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Hardtanh(x, m.o))
}

// Hardshrink computes x, and 0 where |x| does not exceed lambd.
type Hardshrink struct {
	Base
	o F.ShrinkOptions
}

// NewHardshrink returns the activation.
func NewHardshrink(opts ...F.ShrinkOptions) *Hardshrink {
	return &Hardshrink{o: door.Option("hardshrink", opts)}
}

// Forward applies it to x.
func (m *Hardshrink) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Hardshrink(x, m.o))
}

// Softshrink computes x moved towards 0 by lambd.
type Softshrink struct {
	Base
	o F.ShrinkOptions
}

// NewSoftshrink returns the activation.
func NewSoftshrink(opts ...F.ShrinkOptions) *Softshrink {
	return &Softshrink{o: door.Option("softshrink", opts)}
}

// Forward applies it to x.
func (m *Softshrink) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Softshrink(x, m.o))
}

// GLU computes a·sigmoid(b), where a and b are the first and second half of x along a dimension.
type GLU struct {
	Base
	o F.GLUOptions
}

// NewGLU returns the activation.
func NewGLU(opts ...F.GLUOptions) *GLU { return &GLU{o: door.Option("glu", opts)} }

// Forward applies it to x.
func (m *GLU) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.GLU(x, m.o))
}
