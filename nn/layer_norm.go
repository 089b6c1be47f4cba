package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// LayerNormOptions say how a layer norm is made; the zero value is PyTorch's default.
type LayerNormOptions struct {
	Eps      *float64     // nil: 1e-5
	NoAffine bool         // no weight and bias: PyTorch's elementwise_affine=False
	NoBias   bool         // no bias
	DType    lucid.DType  // of the parameters; zero: the default float
	Device   lucid.Device // of the parameters; zero: the default device
}

// LayerNorm normalises the last dimensions.
type LayerNorm struct {
	Base
	Weight, Bias *lucid.Tensor
	shape        []int
	eps          *float64
}

// NewLayerNorm returns it for the sizes of the last dimensions.
func NewLayerNorm(shape []int, opts ...LayerNormOptions) *LayerNorm {
	o := door.Option("layer_norm", opts)
	m := &LayerNorm{shape: shape, eps: o.Eps}
	w := lucid.With{DType: o.DType, Device: o.Device}
	if !o.NoAffine {
		m.Weight = w.Ones(shape...).RequiresGrad_(true)
		if !o.NoBias {
			m.Bias = parameter(w, shape...)
		}
	}
	return m
}

// Forward normalises x.
func (m *LayerNorm) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.LayerNorm(x, m.shape, F.LayerNormOptions{Weight: Use(m, m.Weight), Bias: Use(m, m.Bias), Eps: m.eps}))
}

// RMSNormOptions say how an RMS norm is made.
type RMSNormOptions struct {
	Eps      *float64     // nil: the precision of x's dtype, as in PyTorch
	NoAffine bool         // no weight
	DType    lucid.DType  // of the parameters; zero: the default float
	Device   lucid.Device // of the parameters; zero: the default device
}

// RMSNorm divides the last dimensions by their root mean square.
type RMSNorm struct {
	Base
	Weight *lucid.Tensor
	shape  []int
	eps    *float64
}

// NewRMSNorm returns it for the sizes of the last dimensions.
func NewRMSNorm(shape []int, opts ...RMSNormOptions) *RMSNorm {
	o := door.Option("rms_norm", opts)
	m := &RMSNorm{shape: shape, eps: o.Eps}
	if !o.NoAffine {
		m.Weight = lucid.With{DType: o.DType, Device: o.Device}.Ones(shape...).RequiresGrad_(true)
	}
	return m
}

// Forward normalises x.
func (m *RMSNorm) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.RMSNorm(x, m.shape, F.RMSNormOptions{Weight: Use(m, m.Weight), Eps: m.eps}))
}

// GroupNormOptions say how a group norm is made; the zero value is PyTorch's default.
type GroupNormOptions struct {
	Eps      *float64     // nil: 1e-5
	NoAffine bool         // no weight and bias
	NoBias   bool         // no bias
	DType    lucid.DType  // of the parameters; zero: the default float
	Device   lucid.Device // of the parameters; zero: the default device
}

// GroupNorm normalises groups of channels of every example.
type GroupNorm struct {
	Base
	Weight, Bias *lucid.Tensor
	groups       int
	channels     int
	eps          *float64
}

// NewGroupNorm returns it for numbers of groups and channels.
func NewGroupNorm(groups, channels int, opts ...GroupNormOptions) *GroupNorm {
	if groups <= 0 || channels%groups != 0 {
		refuse(lucid.ErrValue, "group_norm", "%d groups do not divide %d channels", groups, channels)
	}
	o := door.Option("group_norm", opts)
	m := &GroupNorm{groups: groups, channels: channels, eps: o.Eps}
	w := lucid.With{DType: o.DType, Device: o.Device}
	if !o.NoAffine {
		m.Weight = w.Ones(channels).RequiresGrad_(true)
		if !o.NoBias {
			m.Bias = parameter(w, channels)
		}
	}
	return m
}

// Forward normalises x.
func (m *GroupNorm) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.GroupNorm(x, m.groups, F.GroupNormOptions{Weight: Use(m, m.Weight), Bias: Use(m, m.Bias), Eps: m.eps}))
}

// LocalResponseNorm divides every element by a power of the mean square of the neighbouring channels.
type LocalResponseNorm struct {
	Base
	size int
	o    F.LocalResponseNormOptions
}

// NewLocalResponseNorm returns it for a number of channels.
func NewLocalResponseNorm(size int, opts ...F.LocalResponseNormOptions) *LocalResponseNorm {
	return &LocalResponseNorm{size: size, o: door.Option("local_response_norm", opts)}
}

// Forward normalises x.
func (m *LocalResponseNorm) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.LocalResponseNorm(x, m.size, m.o))
}
