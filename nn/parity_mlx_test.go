package nn_test

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

func init() {
	for name, f := range map[string]any{
		"mlx.relu2": F.ReLU2, "mlx.gelu_fast_approx": F.GELUFastApprox, "mlx.step": F.Step,
		"mlx.log_cosh_loss": F.LogCoshLoss, "mlx.hinge_loss": F.HingeLoss, "mlx.cosine_similarity_loss": F.CosineSimilarityLoss,
		"mlx.RoPE": func(x *lucid.Tensor, dims, offset int, o ...nn.RoPEOptions) *lucid.Tensor {
			return nn.NewRoPE(dims, o...).ForwardAt(x, offset)
		},
		"mlx.SinusoidalPositionalEncoding": func(x *lucid.Tensor, dims int, o ...nn.SinusoidalPositionalEncodingOptions) *lucid.Tensor {
			return nn.NewSinusoidalPositionalEncoding(dims, o...).Forward(x)
		},
		"mlx.ALiBi": func(x *lucid.Tensor, offset int) *lucid.Tensor { return nn.NewALiBi().ForwardAt(x, nil, offset) },
	} {
		functions[name] = f
	}
}
