package nn

import (
	"math"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// RotaryEmbedding turns queries and keys by angles that grow with their positions (Su et al.).
type RotaryEmbedding struct {
	Base
	Cos, Sin *lucid.Tensor `nn:",buffer,transient"` // (positions, D)
}

// NewRotaryEmbedding returns it for heads of an even size and a number of positions; base is usually 10000.
func NewRotaryEmbedding(headDim, positions int, base float64) *RotaryEmbedding {
	if headDim <= 0 || headDim%2 != 0 {
		refuse(lucid.ErrValue, "rotary_embedding", "heads of size %d; want an even one", headDim)
	}
	cos, sin := make([]float32, positions*headDim), make([]float32, positions*headDim)
	for p := range positions {
		for i := range headDim {
			a := float64(p) * math.Pow(base, -2*float64(i%(headDim/2))/float64(headDim))
			cos[p*headDim+i], sin[p*headDim+i] = float32(math.Cos(a)), float32(math.Sin(a))
		}
	}
	return &RotaryEmbedding{Cos: lucid.New(cos, positions, headDim), Sin: lucid.New(sin, positions, headDim)}
}

// Forward turns q and k of (..., L, D), whose first element is at position 0.
func (m *RotaryEmbedding) Forward(q, k *lucid.Tensor) (q2, k2 *lucid.Tensor) {
	in := EnterN(m, q, k)
	turn := func(x *lucid.Tensor) *lucid.Tensor {
		L := x.Size(-2)
		if L > m.Cos.Size(0) {
			refuse(lucid.ErrShapeMismatch, "rotary_embedding", "a sequence of %d; there are %d positions", L, m.Cos.Size(0))
		}
		at := lucid.Range{Stop: L}
		return F.ApplyRotaryEmb(x, m.Cos.At(at), m.Sin.At(at))
	}
	out := LeaveN(m, in, turn(in[0]), turn(in[1]))
	return out[0], out[1]
}

// SinusoidalEmbedding is a fixed table of sines and cosines that tells positions apart.
type SinusoidalEmbedding struct {
	Base
	Table *lucid.Tensor `nn:",buffer,transient"`
}

// NewSinusoidalEmbedding returns it; base is usually 10000.
func NewSinusoidalEmbedding(positions, size int, base float64) *SinusoidalEmbedding {
	return &SinusoidalEmbedding{Table: F.SinusoidalEmbedding(positions, size, base)}
}

// Forward takes positions of any shape to vectors.
func (m *SinusoidalEmbedding) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, lucid.Embedding(x, m.Table))
}

// TimestepEmbedding takes points in time to vectors: cosines and sines of falling frequency, and two linear layers.
type TimestepEmbedding struct {
	Base
	Linear1, Linear2 *Linear
	in               int
	period           float64
}

// NewTimestepEmbedding returns it; in, the number of frequencies and phases, is even, base usually 10000.
func NewTimestepEmbedding(in, out int, base float64) *TimestepEmbedding {
	if in <= 0 || in%2 != 0 {
		refuse(lucid.ErrValue, "timestep_embedding", "size %d; want an even one", in)
	}
	return &TimestepEmbedding{Linear1: NewLinear(in, out), Linear2: NewLinear(out, out), in: in, period: base}
}

// Forward takes times of (B) to (B, out).
func (m *TimestepEmbedding) Forward(t *lucid.Tensor) *lucid.Tensor {
	t = Enter(m, t)
	half := m.in / 2
	freq := make([]float32, half)
	for i := range freq {
		freq[i] = float32(math.Pow(m.period, -float64(i)/float64(half)))
	}
	a := t.To(m.Linear1.Weight.DType()).Unsqueeze(-1).Mul(lucid.New(freq, half))
	x := lucid.Cat([]*lucid.Tensor{a.Cos(), a.Sin()}, -1)
	return Leave(m, t, m.Linear2.Forward(m.Linear1.Forward(x).Silu()))
}

// NoisyLinear is a Linear with learned noise on its weights in training (Fortunato et al.); the noise stays until
// ResetNoise.
type NoisyLinear struct {
	Base
	WeightMu, WeightSigma *lucid.Tensor
	BiasMu, BiasSigma     *lucid.Tensor
	EpsilonIn             *lucid.Tensor `nn:",buffer"`
	EpsilonOut            *lucid.Tensor `nn:",buffer"`
}

// NewNoisyLinear returns it; sigmaZero is usually 0.5.
func NewNoisyLinear(in, out int, sigmaZero float64, opts ...LinearOptions) *NoisyLinear {
	o := option("noisy_linear", opts)
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
		x := lucid.RandnLike(e)
		e.Assign(x.Sign().Mul(x.Abs().Sqrt()))
	}
}

// Forward takes x of (..., in) to (..., out).
func (m *NoisyLinear) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	w, b := m.WeightMu, m.BiasMu
	if m.Training() {
		w = w.Add(m.WeightSigma.Mul(lucid.Outer(m.EpsilonOut, m.EpsilonIn)))
		if b != nil {
			b = b.Add(m.BiasSigma.Mul(m.EpsilonOut))
		}
	}
	return Leave(m, x, lucid.Linear(x, w, b))
}

// VectorQuantizer replaces vectors by the nearest of a learned table (van den Oord et al.).
type VectorQuantizer struct {
	Base
	Weight         *lucid.Tensor // (codes, size)
	CommitmentCost float64
}

// NewVectorQuantizer returns it; the commitment cost is usually 0.25.
func NewVectorQuantizer(codes, size int, commitmentCost float64, opts ...LinearOptions) *VectorQuantizer {
	o := option("vector_quantizer", opts)
	m := &VectorQuantizer{Weight: parameter(lucid.With{DType: o.DType, Device: o.Device}, codes, size), CommitmentCost: commitmentCost}
	b := 1 / float64(codes)
	lucid.NoGrad(func() { m.Weight.Uniform_(-b, b) })
	return m
}

// Forward returns the nearest codes of the vectors of x, (..., size), with the gradient of x, a loss that brings codes
// and vectors together, and the numbers of the codes.
func (m *VectorQuantizer) Forward(x *lucid.Tensor) (y, loss, codes *lucid.Tensor) {
	in := EnterN(m, x)
	x = in[0]
	s := x.Shape()
	flat := x.Detach().Reshape(-1, s[len(s)-1])
	codes = lucid.Cdist(flat, m.Weight.Detach()).ArgMin(-1).Reshape(s[:len(s)-1]...)
	q := lucid.Embedding(codes, m.Weight)
	loss = lucid.MSELoss(q, x.Detach()).Add(lucid.MSELoss(x, q.Detach()).Mul(m.CommitmentCost))
	out := LeaveN(m, in, F.StraightThrough(q, x), loss, codes)
	return out[0], out[1], out[2]
}
