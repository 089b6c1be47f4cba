package functional

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// Activations that MLX has and PyTorch lacks, and the maps of Lucid.

// Relu2 returns max(x, 0)².
func Relu2(x *lucid.Tensor) *lucid.Tensor { return lucid.Relu2(x) }

// Step returns 1 where x exceeds the threshold and 0 elsewhere, in x's dtype.
func Step(x *lucid.Tensor, threshold float64) *lucid.Tensor {
	return lucid.Step(x, lucid.StepOptions{Threshold: &threshold})
}

// GeluFastApprox returns x·sigmoid(1.702·x), close to Gelu.
func GeluFastApprox(x *lucid.Tensor) *lucid.Tensor { return lucid.GeluFastApprox(x) }

// Symlog returns sign(x)·log(1+|x|), which tames large numbers.
func Symlog(x *lucid.Tensor) *lucid.Tensor { return x.Sign().Mul(x.Abs().Log1p()) }

// Symexp undoes Symlog: sign(x)·(exp(|x|)-1).
func Symexp(x *lucid.Tensor) *lucid.Tensor { return x.Sign().Mul(x.Abs().Expm1()) }

// FusedLinearRelu is Relu of Linear; the engine makes them one pass.
func FusedLinearRelu(x, weight, bias *lucid.Tensor) *lucid.Tensor {
	return lucid.Relu(lucid.Linear(x, weight, bias))
}

// FusedLinearGelu is Gelu of Linear, by default in the tanh approximation.
func FusedLinearGelu(x, weight, bias *lucid.Tensor, opts ...lucid.GeluOptions) *lucid.Tensor {
	o := door.Option("fused_linear_gelu", opts)
	if o.Approximate == "" {
		o.Approximate = "tanh"
	}
	return lucid.Gelu(lucid.Linear(x, weight, bias), o)
}

// ScaledNoise returns sign(x)·√|x|: factors of the noise of NoisyLinear.
func ScaledNoise(x *lucid.Tensor) *lucid.Tensor { return x.Sign().Mul(x.Abs().Sqrt()) }

// NoisyLinearOptions are the parts of the bias and the factors of the noise, each of which may be nil: without factors
// there is no noise.
type NoisyLinearOptions struct {
	BiasMu, BiasSigma     *lucid.Tensor
	EpsilonIn, EpsilonOut *lucid.Tensor
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
	return lucid.Linear(x, w, b)
}
