package functional

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// Activations and layers that MLX or Lucid has and PyTorch lacks.

// Symlog returns sign(x)·log(1+|x|), which tames large numbers.
func Symlog(x *lucid.Tensor) *lucid.Tensor { return x.Sign().Mul(x.Abs().Log1p()) }

// Symexp undoes Symlog: sign(x)·(exp(|x|)-1).
func Symexp(x *lucid.Tensor) *lucid.Tensor { return x.Sign().Mul(x.Abs().Expm1()) }

// FusedLinearReLU is ReLU of Linear; the engine fuses them.
func FusedLinearReLU(x, weight *lucid.Tensor, opts ...LinearOptions) *lucid.Tensor {
	return ReLU(Linear(x, weight, opts...))
}

// FusedLinearGELUOptions are the options of FusedLinearGELU.
type FusedLinearGELUOptions struct {
	Bias        *lucid.Tensor // one number per output; nil: none
	Approximate string        // "tanh" (also by "") or "none"
}

// FusedLinearGELU is GELU of Linear, by default in the tanh approximation; the engine fuses them.
func FusedLinearGELU(x, weight *lucid.Tensor, opts ...FusedLinearGELUOptions) *lucid.Tensor {
	o := door.Option("fused_linear_gelu", opts)
	if o.Approximate == "" {
		o.Approximate = "tanh"
	}
	return GELU(Linear(x, weight, LinearOptions{Bias: o.Bias}), GELUOptions{Approximate: o.Approximate})
}

// ScaledNoise returns sign(x)·√|x|: factors of the noise of NoisyLinear.
func ScaledNoise(x *lucid.Tensor) *lucid.Tensor { return x.Sign().Mul(x.Abs().Sqrt()) }

// NoisyLinearOptions are the options of NoisyLinear.
type NoisyLinearOptions struct {
	BiasMu     *lucid.Tensor // mean of the bias; nil: none
	BiasSigma  *lucid.Tensor // scale of the noise of the bias; nil: none
	EpsilonIn  *lucid.Tensor // factors of the noise, one per input; nil: no noise
	EpsilonOut *lucid.Tensor // factors of the noise, one per output; nil: no noise
}

// NoisyLinear is Linear with weightMu + weightSigma·(epsilonOut ⊗ epsilonIn) as weight, and the bias likewise
// (Fortunato et al.).
func NoisyLinear(x, weightMu, weightSigma *lucid.Tensor, opts ...NoisyLinearOptions) *lucid.Tensor {
	o := door.Option("noisy_linear", opts)
	if (o.EpsilonIn == nil) != (o.EpsilonOut == nil) {
		refuse(lucid.ErrValue, "noisy_linear", "one of EpsilonIn and EpsilonOut is missing; give both, or none")
	}
	w, b := weightMu, o.BiasMu
	if o.EpsilonIn != nil {
		w = w.Add(weightSigma.Mul(lucid.Outer(o.EpsilonOut, o.EpsilonIn)))
		if b != nil && o.BiasSigma != nil {
			b = b.Add(o.BiasSigma.Mul(o.EpsilonOut))
		}
	}
	return Linear(x, w, LinearOptions{Bias: b})
}
