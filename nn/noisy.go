package nn

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// NoisyLinear is a Linear with learned noise on its weights in training (Fortunato et al.); the noise stays until
// ResetNoise.
type NoisyLinear struct {
	Base
	WeightMu, WeightSigma *lucid.Tensor
	BiasMu, BiasSigma     *lucid.Tensor
	EpsilonIn             *lucid.Tensor `nn:",buffer"`
	EpsilonOut            *lucid.Tensor `nn:",buffer"`
}

// NoisyLinearOptions say how a NoisyLinear is made: SigmaZero, the noise at the start, is nil for 0.5.
type NoisyLinearOptions struct {
	NoBias    bool         // no bias
	SigmaZero *float64     // scale of the noise at the start; nil: 0.5
	DType     lucid.DType  // of the parameters; zero: the default float
	Device    lucid.Device // of the parameters; zero: the default device
}

// NewNoisyLinear returns it.
func NewNoisyLinear(in, out int, opts ...NoisyLinearOptions) *NoisyLinear {
	o := door.Option("noisy_linear", opts)
	sigmaZero := door.Or(o.SigmaZero, 0.5)
	w := lucid.With{DType: o.DType, Device: o.Device}
	b := 1 / math.Sqrt(float64(in))
	m := &NoisyLinear{WeightMu: parameter(w, out, in), WeightSigma: w.Full([]int{out, in}, sigmaZero*b).RequiresGrad_(true)}
	resetUniform(m.WeightMu, nil)
	if !o.NoBias {
		m.BiasMu, m.BiasSigma = w.Zeros(out), w.Full([]int{out}, sigmaZero*b).RequiresGrad_(true)
		m.BiasMu.Uniform_(-b, b).RequiresGrad_(true)
	}
	m.EpsilonIn, m.EpsilonOut = w.Zeros(in), w.Zeros(out)
	m.ResetNoise()
	return m
}

// ResetNoise draws the noise anew.
func (m *NoisyLinear) ResetNoise() {
	for _, e := range []*lucid.Tensor{m.EpsilonIn, m.EpsilonOut} {
		e.Assign(F.ScaledNoise(lucid.RandnLike(e)))
	}
}

// Forward takes x of (..., in) to (..., out).
func (m *NoisyLinear) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	o := F.NoisyLinearOptions{BiasMu: Use(m, m.BiasMu), BiasSigma: Use(m, m.BiasSigma)}
	if m.Training() {
		o.EpsilonIn, o.EpsilonOut = m.EpsilonIn, m.EpsilonOut
	}
	return Leave(m, x, F.NoisyLinear(x, Use(m, m.WeightMu), Use(m, m.WeightSigma), o))
}

// VectorQuantizerOptions: CommitmentCost, what the distance of vectors from their codes counts, is nil for 0.25.
type VectorQuantizerOptions struct {
	CommitmentCost *float64     // what the distance of vectors from their codes counts; nil: 0.25
	DType          lucid.DType  // of the parameters; zero: the default float
	Device         lucid.Device // of the parameters; zero: the default device
}

// VectorQuantizer replaces vectors by the nearest of a learned table (van den Oord et al.).
type VectorQuantizer struct {
	Base
	Weight *lucid.Tensor // (codes, size)
	cost   float64
}

// NewVectorQuantizer returns it for a number of codes and their size.
func NewVectorQuantizer(codes, size int, opts ...VectorQuantizerOptions) *VectorQuantizer {
	o := door.Option("vector_quantizer", opts)
	m := &VectorQuantizer{Weight: parameter(lucid.With{DType: o.DType, Device: o.Device}, codes, size),
		cost: door.Or(o.CommitmentCost, 0.25)}
	b := 1 / float64(codes)
	lucid.NoGrad(func() { m.Weight.Uniform_(-b, b) })
	return m
}

// Forward returns the nearest codes of the vectors of x, (..., size), with the gradient of x, a loss that brings codes
// and vectors together, and the numbers of the codes.
func (m *VectorQuantizer) Forward(x *lucid.Tensor) (y, loss, codes *lucid.Tensor) {
	in := EnterN(m, x)
	x = in[0]
	w := Use(m, m.Weight)
	codes = F.NearestCodebook(x, w)
	q := F.Embedding(codes, w)
	loss = F.MSELoss(q, x.Detach()).Add(F.MSELoss(x, q.Detach()).Mul(m.cost))
	out := LeaveN(m, in, F.StraightThrough(q, x), loss, codes)
	return out[0], out[1], out[2]
}
