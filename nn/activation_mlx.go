package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// ReLU2 computes max(x, 0)².
type ReLU2 struct{ Base }

// NewReLU2 returns the activation.
func NewReLU2() *ReLU2 { return &ReLU2{} }

// Forward applies it to every element.
func (m *ReLU2) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.ReLU2(x))
}

// Step computes 1 where x exceeds a threshold and 0 elsewhere.
type Step struct {
	Base
	Threshold float64
}

// NewStep returns the activation for a threshold.
func NewStep(threshold float64) *Step { return &Step{Threshold: threshold} }

// Forward applies it to every element.
func (m *Step) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Step(x, F.StepOptions{Threshold: m.Threshold}))
}

// DropPath leaves whole examples out in training: in a residual branch, the branch.
type DropPath struct {
	Base
	P float64
}

// NewDropPath returns it; without p, one half is dropped.
func NewDropPath(p ...float64) *DropPath { return &DropPath{P: share("drop_path", p)} }

// Forward drops in training, and passes x through in evaluation.
func (m *DropPath) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.DropPath(x, F.DropoutOptions{P: &m.P, Eval: !m.Training()}))
}

// DropBlockOptions: squares of BlockSize (0 means 7) are dropped, so that a share P (nil: one tenth) is.
type DropBlockOptions struct {
	BlockSize int      // side of the squares; 0: 7
	P         *float64 // share of elements that are dropped; nil: 0.1
}

// DropBlock drops squares of planes of (B, C, H, W) in training.
type DropBlock struct {
	Base
	o DropBlockOptions
}

// NewDropBlock returns it.
func NewDropBlock(opts ...DropBlockOptions) *DropBlock {
	return &DropBlock{o: door.Option("drop_block", opts)}
}

// Forward drops in training, and passes x through in evaluation.
func (m *DropBlock) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.DropBlock(x, F.DropBlockOptions{BlockSize: m.o.BlockSize, P: m.o.P, Eval: !m.Training()}))
}

// GlobalResponseNormOptions say how a global response norm is made.
type GlobalResponseNormOptions struct {
	Eps    *float64     // nil: 1e-6
	DType  lucid.DType  // of the parameters; zero: the default float
	Device lucid.Device // of the parameters; zero: the default device
}

// GlobalResponseNorm lets the channels of (B, C, H, W) compete by their lengths (Woo et al.).
type GlobalResponseNorm struct {
	Base
	Gamma, Beta *lucid.Tensor // (C), zeros at the start: x passes through
	eps         *float64
}

// NewGlobalResponseNorm returns it for a number of channels.
func NewGlobalResponseNorm(channels int, opts ...GlobalResponseNormOptions) *GlobalResponseNorm {
	o := door.Option("global_response_norm", opts)
	w := lucid.With{DType: o.DType, Device: o.Device}
	return &GlobalResponseNorm{Gamma: parameter(w, channels), Beta: parameter(w, channels), eps: o.Eps}
}

// Forward normalises x.
func (m *GlobalResponseNorm) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.GlobalResponseNorm(x, Use(m, m.Gamma), Use(m, m.Beta), F.GlobalResponseNormOptions{Eps: m.eps}))
}
