package nn_test

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/nn/utils"
	"github.com/lucid-go/lucid/nn/utils/prune"
)

func init() {
	for name, f := range map[string]any{
		"weight_norm.Linear": func(in, out int, o ...utils.WeightNormOptions) nn.Module {
			m := nn.NewLinear(in, out)
			utils.WeightNorm(m, o...)
			return m
		},
		"weight_norm.Conv2d": func(in, out, k int, o ...utils.WeightNormOptions) nn.Module {
			m := nn.NewConv2d(in, out, []int{k})
			utils.WeightNorm(m, o...)
			return m
		},
		"weight_norm.GRUCell": func(in, out int, o ...utils.WeightNormOptions) nn.Module {
			m := nn.NewGRUCell(in, out)
			utils.WeightNorm(m, o...)
			return m
		},
		"spectral_norm.Linear": func(in, out int, o ...utils.SpectralNormOptions) nn.Module {
			m := nn.NewLinear(in, out)
			utils.SpectralNorm(m, o...)
			return m
		},
		"spectral_norm.Conv2d": func(in, out, k int, o ...utils.SpectralNormOptions) nn.Module {
			m := nn.NewConv2d(in, out, []int{k})
			utils.SpectralNorm(m, o...)
			return m
		},
		"spectral_norm.ConvTranspose2d": func(in, out, k int, o ...utils.SpectralNormOptions) nn.Module {
			m := nn.NewConvTranspose2d(in, out, []int{k})
			utils.SpectralNorm(m, o...)
			return m
		},
		"weight_norm.spectral_norm.Linear": func(in, out int) nn.Module {
			m := nn.NewLinear(in, out)
			utils.WeightNorm(m)
			utils.SpectralNorm(m)
			return m
		},
		"orthogonal.Linear": func(in, out int, o ...utils.OrthogonalOptions) nn.Module {
			m := nn.NewLinear(in, out)
			utils.Orthogonal(m, o...)
			return m
		},
		"prune.Linear": func(in, out int) nn.Module {
			m := nn.NewLinear(in, out)
			prune.L1Unstructured(m, "weight", prune.Share(0.5))
			return m
		},
		"prune.Conv2d": func(in, out, k int) nn.Module {
			m := nn.NewConv2d(in, out, []int{k})
			prune.L1Unstructured(m, "weight", prune.Share(0.5))
			return m
		},
	} {
		modules[name] = f
	}
	for name, f := range pruneFunctions {
		functions[name] = f
	}
	for name, f := range gradFunctions {
		functions[name] = f
	}
}

// holder is a module with one tensor.
type holder struct {
	nn.Base
	Weight *lucid.Tensor
}

func hold(x *lucid.Tensor) *holder { return &holder{Weight: nn.Parameter(x)} }

func maskOf(m nn.Module) *lucid.Tensor { return nn.GetBuffer(m, "weight_mask") }

func amount(count int, share float64) prune.Amount {
	if count >= 0 {
		return prune.Count(count)
	}
	return prune.Share(share)
}

var pruneFunctions = map[string]any{
	"prune.l1_unstructured": func(x *lucid.Tensor, count int, share float64) *lucid.Tensor {
		m := hold(x)
		prune.L1Unstructured(m, "weight", amount(count, share))
		return maskOf(m)
	},
	"prune.l1_twice": func(x *lucid.Tensor, count int, share float64) *lucid.Tensor {
		m := hold(x)
		prune.L1Unstructured(m, "weight", prune.Count(2))
		prune.L1Unstructured(m, "weight", amount(count, share))
		return maskOf(m)
	},
	"prune.l1_scores": func(x *lucid.Tensor, count int, share float64, scores *lucid.Tensor) *lucid.Tensor {
		m := hold(x)
		prune.L1Unstructured(m, "weight", amount(count, share), prune.Options{Scores: scores})
		return maskOf(m)
	},
	"prune.ln_structured": func(x *lucid.Tensor, count int, share, n float64, dim int) *lucid.Tensor {
		m := hold(x)
		prune.LnStructured(m, "weight", amount(count, share), n, dim)
		return maskOf(m)
	},
	"prune.ln_then_l1": func(x *lucid.Tensor, dim int) *lucid.Tensor {
		m := hold(x)
		prune.LnStructured(m, "weight", prune.Count(1), 2, dim)
		prune.L1Unstructured(m, "weight", prune.Share(0.3))
		return maskOf(m)
	},
	"prune.global_unstructured": func(x, y *lucid.Tensor, count int, share float64) (a, b *lucid.Tensor) {
		m, n := hold(x), hold(y)
		prune.GlobalUnstructured([]prune.Target{{Module: m, Name: "weight"}, {Module: n, Name: "weight"}}, amount(count, share))
		return maskOf(m), maskOf(n)
	},
}

// orthogonal applies a map to the lower triangle of x, whose diagonal becomes signs, and multiplies by a matrix.
func orthogonal(x, base *lucid.Tensor, way string, trivial bool) *lucid.Tensor {
	wide := x.Size(-2) < x.Size(-1)
	tall := x
	if wide {
		tall = x.Transpose(-2, -1)
	}
	signs := lucid.DiagEmbed(lucid.Diagonal(tall.Detach(), lucid.DiagonalOptions{Dim1: new(-2), Dim2: new(-1)}).Sign())
	if n, k := tall.Size(-2), tall.Size(-1); n > k {
		rest := append(slices.Clone(tall.Shape()[:tall.Dim()-2]), n-k, k)
		signs = lucid.Cat([]*lucid.Tensor{signs, lucid.Zeros(rest...)}, -2)
	}
	y := lucid.Tril(tall, lucid.TriOptions{Diagonal: -1}).Add(signs)
	if wide {
		y = y.Transpose(-2, -1)
	}
	m := hold(lucid.Eye(x.Size(-2), x.Size(-1)).Expand(x.Shape()...))
	utils.Orthogonal(m, utils.OrthogonalOptions{OrthogonalMap: way, NoTrivialization: !trivial})
	p := nn.Parametrizations(m, "weight")[0]
	if trivial {
		nn.GetBuffer(p, "base").Assign(base)
	}
	return p.Forward(y)
}

var gradFunctions = map[string]any{
	"orthogonal": orthogonal,
	"clip_grad_norm_": func(x, y, gx, gy *lucid.Tensor, bound, norm float64) (total, a, b *lucid.Tensor) {
		p := []*lucid.Tensor{nn.Parameter(x), nn.Parameter(y)}
		p[0].SetGrad(gx)
		p[1].SetGrad(gy)
		total = utils.ClipGradNorm(p, bound, utils.NormOptions{NormType: &norm})
		return total, p[0].Grad(), p[1].Grad()
	},
	"clip_grad_value_": func(g *lucid.Tensor, v float64) *lucid.Tensor {
		p := nn.Parameter(g)
		p.SetGrad(g)
		utils.ClipGradValue([]*lucid.Tensor{p}, v)
		return p.Grad()
	},
	"fuse_linear_bn_eval": func(x, w, b, mean, variance, g, h *lucid.Tensor) *lucid.Tensor {
		l, n := nn.NewLinear(w.Size(1), w.Size(0)), nn.NewBatchNorm1d(w.Size(0))
		give(l.Weight, w, l.Bias, b, n.RunningMean, mean, n.RunningVar, variance, n.Weight, g, n.Bias, h)
		nn.Eval(l)
		nn.Eval(n)
		return utils.FuseLinearBNEval(l, n).Forward(x).Detach()
	},
	"fuse_conv_bn_eval.1": func(x, w, b, mean, variance, g, h *lucid.Tensor) *lucid.Tensor {
		c, n := nn.NewConv1d(w.Size(1), w.Size(0), []int{2}), nn.NewBatchNorm1d(w.Size(0))
		give(c.Weight, w, c.Bias, b, n.RunningMean, mean, n.RunningVar, variance, n.Weight, g, n.Bias, h)
		return fused(c, n, x)
	},
	"fuse_conv_bn_eval.2": func(x, w, b, mean, variance, g, h *lucid.Tensor) *lucid.Tensor {
		c, n := nn.NewConv2d(w.Size(1), w.Size(0), []int{2}), nn.NewBatchNorm2d(w.Size(0))
		give(c.Weight, w, c.Bias, b, n.RunningMean, mean, n.RunningVar, variance, n.Weight, g, n.Bias, h)
		return fused(c, n, x)
	},
	"fuse_conv_bn_eval.3": func(x, w, b, mean, variance, g, h *lucid.Tensor) *lucid.Tensor {
		c, n := nn.NewConv3d(w.Size(1), w.Size(0), []int{2}), nn.NewBatchNorm3d(w.Size(0))
		give(c.Weight, w, c.Bias, b, n.RunningMean, mean, n.RunningVar, variance, n.Weight, g, n.Bias, h)
		return fused(c, n, x)
	},
}

// give assigns pairs of tensors.
func give(pairs ...*lucid.Tensor) {
	lucid.NoGrad(func() {
		for i := 0; i < len(pairs); i += 2 {
			pairs[i].Assign(pairs[i+1])
		}
	})
}

type layer interface {
	nn.Layer
	Training() bool
}

func fused(c, n layer, x *lucid.Tensor) *lucid.Tensor {
	nn.Eval(c)
	nn.Eval(n)
	utils.FuseConvBNEval(c, n)
	return c.Forward(x).Detach()
}
