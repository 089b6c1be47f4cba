package nn

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
	nninit "github.com/lucid-go/lucid/nn/init"
)

// LinearOptions say how a Linear is made; the zero value is PyTorch's default.
type LinearOptions struct {
	NoBias bool         // no bias
	DType  lucid.DType  // of the parameters
	Device lucid.Device // of the parameters; zero: the default device
}

// Linear is x·Wᵀ + b.
type Linear struct {
	Base
	Weight *lucid.Tensor // (out, in)
	Bias   *lucid.Tensor // (out), nil without bias
}

// NewLinear returns a layer with uniform starting values, as PyTorch's.
func NewLinear(in, out int, opts ...LinearOptions) *Linear {
	o := door.Option("linear", opts)
	w := lucid.With{DType: o.DType, Device: o.Device}
	m := &Linear{Weight: parameter(w, out, in)}
	if !o.NoBias {
		m.Bias = parameter(w, out)
	}
	m.ResetParameters()
	return m
}

// parameter returns an uninitialised parameter.
func parameter(w lucid.With, sizes ...int) *lucid.Tensor {
	return w.Zeros(sizes...).RequiresGrad_(true)
}

// ResetParameters draws the starting values anew.
func (m *Linear) ResetParameters() { resetUniform(m.Weight, m.Bias) }

// resetUniform draws weight and bias from ±1/√(inputs of the weight).
func resetUniform(weight, bias *lucid.Tensor) {
	in, _ := nninit.Fans(weight)
	b := 0.0
	if in > 0 {
		b = 1 / math.Sqrt(float64(in))
	}
	nninit.Uniform_(weight, -b, b)
	if bias != nil {
		nninit.Uniform_(bias, -b, b)
	}
}

// Forward takes x of (..., in) to (..., out).
func (m *Linear) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Linear(x, Use(m, m.Weight), F.LinearOptions{Bias: Use(m, m.Bias)}))
}

// Bilinear is x1·W·x2 + b, with a matrix W for each output.
type Bilinear struct {
	Base
	Weight *lucid.Tensor // (out, in1, in2)
	Bias   *lucid.Tensor // (out), nil without bias
}

// NewBilinear returns a layer with uniform starting values.
func NewBilinear(in1, in2, out int, opts ...LinearOptions) *Bilinear {
	o := door.Option("bilinear", opts)
	w := lucid.With{DType: o.DType, Device: o.Device}
	m := &Bilinear{Weight: parameter(w, out, in1, in2)}
	if !o.NoBias {
		m.Bias = parameter(w, out)
	}
	b := 1 / math.Sqrt(float64(in1))
	nninit.Uniform_(m.Weight, -b, b)
	if m.Bias != nil {
		nninit.Uniform_(m.Bias, -b, b)
	}
	return m
}

// Forward takes x1 of (..., in1) and x2 of (..., in2) to (..., out).
func (m *Bilinear) Forward(x1, x2 *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x1, x2)
	return LeaveN(m, in, F.Bilinear(in[0], in[1], Use(m, m.Weight), F.BilinearOptions{Bias: Use(m, m.Bias)}))[0]
}

// Identity returns what it gets.
type Identity struct{ Base }

// NewIdentity returns one.
func NewIdentity() *Identity { return &Identity{} }

// Forward returns x.
func (m *Identity) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, x)
}

// FusedLinear is a Linear and an activation: "relu" or "gelu" (the tanh approximation). The engine fuses them.
type FusedLinear struct {
	Base
	Linear     *Linear `nn:",inline"`
	Activation string
}

// NewFusedLinear returns a Linear followed by the activation.
func NewFusedLinear(in, out int, activation string, opts ...LinearOptions) *FusedLinear {
	switch activation {
	case "relu", "gelu":
	default:
		refuse(lucid.ErrValue, "fused_linear", "activation is %q; want relu or gelu", activation)
	}
	return &FusedLinear{Linear: NewLinear(in, out, opts...), Activation: activation}
}

// Forward takes x of (..., in) to (..., out).
func (m *FusedLinear) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	y := m.Linear.Forward(x)
	if m.Activation == "relu" {
		return Leave(m, x, y.ReLU())
	}
	return Leave(m, x, F.GELU(y, F.GELUOptions{Approximate: "tanh"}))
}

// Func makes a layer of a function.
type Func struct {
	Base
	f func(*lucid.Tensor) *lucid.Tensor
}

// NewFunc returns f as a layer.
func NewFunc(f func(*lucid.Tensor) *lucid.Tensor) *Func { return &Func{f: f} }

// Forward calls the function.
func (m *Func) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.f(x))
}

// Flatten joins the dimensions from StartDim to EndDim.
type Flatten struct {
	Base
	StartDim, EndDim int
}

// FlattenOptions say which dimensions are joined; nil means 1 and -1: all but the batch.
type FlattenOptions struct {
	StartDim *int // nil: 1
	EndDim   *int // nil: the last
}

// NewFlatten returns a Flatten.
func NewFlatten(opts ...FlattenOptions) *Flatten {
	o := door.Option("flatten", opts)
	return &Flatten{StartDim: door.Or(o.StartDim, 1), EndDim: door.Or(o.EndDim, -1)}
}

// Forward joins dimensions of x.
func (m *Flatten) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	s := x.Shape()
	from, to := m.StartDim, m.EndDim
	if from < 0 {
		from += len(s)
	}
	if to < 0 {
		to += len(s)
	}
	if from < 0 || to >= len(s) || from > to {
		refuse(lucid.ErrShapeMismatch, "flatten", "dims %d to %d of shape %v", m.StartDim, m.EndDim, s)
	}
	n := 1
	for _, k := range s[from : to+1] {
		n *= k
	}
	sizes := append(append(append([]int{}, s[:from]...), n), s[to+1:]...)
	return Leave(m, x, x.Reshape(sizes...))
}

// Unflatten cuts a dimension in several.
type Unflatten struct {
	Base
	Dim   int
	Sizes []int
}

// NewUnflatten cuts dim in the sizes, one of which may be -1.
func NewUnflatten(dim int, sizes ...int) *Unflatten { return &Unflatten{Dim: dim, Sizes: sizes} }

// Forward cuts the dimension of x.
func (m *Unflatten) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	s := x.Shape()
	d := m.Dim
	if d < 0 {
		d += len(s)
	}
	if d < 0 || d >= len(s) {
		refuse(lucid.ErrShapeMismatch, "unflatten", "dim %d of shape %v", m.Dim, s)
	}
	known, open := 1, -1
	sizes := append([]int{}, m.Sizes...)
	for i, k := range sizes {
		if k == -1 {
			open = i
		} else {
			known *= k
		}
	}
	if open >= 0 && known > 0 {
		sizes[open] = s[d] / known
	}
	return Leave(m, x, x.Reshape(append(append(append([]int{}, s[:d]...), sizes...), s[d+1:]...)...))
}
