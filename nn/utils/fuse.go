package utils

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// BatchNormStats is a batch norm in evaluation: weight and bias may be nil; Eps is nil for 1e-5.
type BatchNormStats struct {
	Mean, Var, Weight, Bias *lucid.Tensor
	Eps                     *float64
}

// fold returns weight and bias of a layer with the norm behind it folded in; output channels are at a dimension.
func (s BatchNormStats) fold(weight, bias *lucid.Tensor, dim int) (w, b *lucid.Tensor) {
	eps := 1e-5
	if s.Eps != nil {
		eps = *s.Eps
	}
	scale := s.Var.Add(eps).Rsqrt()
	if s.Weight != nil {
		scale = scale.Mul(s.Weight)
	}
	shape := make([]int, weight.Dim())
	for i := range shape {
		shape[i] = 1
	}
	shape[dim] = -1
	b = s.Mean.Neg()
	if bias != nil {
		b = bias.Sub(s.Mean)
	}
	b = b.Mul(scale)
	if s.Bias != nil {
		b = b.Add(s.Bias)
	}
	return weight.Mul(scale.Reshape(shape...)).Detach(), b.Detach()
}

// FuseConvBNWeights folds a batch norm into the weight and bias, which may be nil, of the convolution before it;
// transposed ones have their output channels in dim 1.
func FuseConvBNWeights(weight, bias *lucid.Tensor, s BatchNormStats, transposed bool) (w, b *lucid.Tensor) {
	if transposed {
		return s.fold(weight, bias, 1)
	}
	return s.fold(weight, bias, 0)
}

// FuseLinearBNWeights folds a batch norm into the weight and bias, which may be nil, of the linear layer before it.
func FuseLinearBNWeights(weight, bias *lucid.Tensor, s BatchNormStats) (w, b *lucid.Tensor) {
	return s.fold(weight, bias, 0)
}

// FuseLinearBNEval returns a linear layer that does what a linear layer and a batch norm in evaluation do.
func FuseLinearBNEval(l *nn.Linear, bn *nn.BatchNorm1d) *nn.Linear {
	if l.Training() || bn.Training() || bn.RunningMean == nil {
		refuse(lucid.ErrValue, "fuse_linear_bn_eval", "both must be in evaluation mode, the norm with running statistics")
	}
	w, b := FuseLinearBNWeights(l.Weight, l.Bias, BatchNormStats{bn.RunningMean, bn.RunningVar, bn.Weight, bn.Bias, bn.Eps()})
	out := &nn.Linear{Weight: nn.Parameter(w), Bias: nn.Parameter(b)}
	nn.Eval(out)
	return out
}

// FuseConvBNEval makes the convolution do what it and a batch norm in evaluation do; the norm is then to be left out.
func FuseConvBNEval(c *nn.Conv2d, bn *nn.BatchNorm2d) {
	if c.Training() || bn.Training() || bn.RunningMean == nil {
		refuse(lucid.ErrValue, "fuse_conv_bn_eval", "both must be in evaluation mode, the norm with running statistics")
	}
	w, b := FuseConvBNWeights(c.Weight, c.Bias, BatchNormStats{bn.RunningMean, bn.RunningVar, bn.Weight, bn.Bias, bn.Eps()}, false)
	c.Weight, c.Bias = nn.Parameter(w), nn.Parameter(b)
}
