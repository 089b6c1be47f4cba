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
	s, ready := stats(bn)
	if l.Training() || !ready {
		refuse(lucid.ErrValue, "fuse_linear_bn_eval", "both must be in evaluation mode, the norm with running statistics")
	}
	w, b := FuseLinearBNWeights(nn.Use(l, l.Weight), nn.Use(l, l.Bias), s)
	out := &nn.Linear{Weight: nn.Parameter(w), Bias: nn.Parameter(b)}
	nn.Eval(out)
	return out
}

// stats returns what a batch norm does in evaluation; ready is false for other modules, in training, or without
// running statistics.
func stats(m nn.Module) (s BatchNormStats, ready bool) {
	switch b := m.(type) {
	case *nn.BatchNorm1d:
		return BatchNormStats{b.RunningMean, b.RunningVar, nn.Use(b, b.Weight), nn.Use(b, b.Bias), b.Eps()},
			!b.Training() && b.RunningMean != nil
	case *nn.BatchNorm2d:
		return BatchNormStats{b.RunningMean, b.RunningVar, nn.Use(b, b.Weight), nn.Use(b, b.Bias), b.Eps()},
			!b.Training() && b.RunningMean != nil
	case *nn.BatchNorm3d:
		return BatchNormStats{b.RunningMean, b.RunningVar, nn.Use(b, b.Weight), nn.Use(b, b.Bias), b.Eps()},
			!b.Training() && b.RunningMean != nil
	}
	return s, false
}

// convTensors returns where a convolution has its weight and bias, nil for other modules.
func convTensors(m nn.Module) (weight, bias **lucid.Tensor, transposed bool) {
	switch c := m.(type) {
	case *nn.Conv1d:
		return &c.Weight, &c.Bias, false
	case *nn.Conv2d:
		return &c.Weight, &c.Bias, false
	case *nn.Conv3d:
		return &c.Weight, &c.Bias, false
	case *nn.ConvTranspose1d:
		return &c.Weight, &c.Bias, true
	case *nn.ConvTranspose2d:
		return &c.Weight, &c.Bias, true
	case *nn.ConvTranspose3d:
		return &c.Weight, &c.Bias, true
	}
	return nil, nil, false
}

// FuseConvBNEval makes a convolution, of one to three dimensions, transposed or not, do what it and the batch norm
// behind it do in evaluation; the norm is then to be left out. Transposed convolutions must have one group.
func FuseConvBNEval(conv, bn interface {
	nn.Module
	Training() bool
}) {
	const op = "fuse_conv_bn_eval"
	s, ready := stats(bn)
	weight, bias, transposed := convTensors(conv)
	switch {
	case weight == nil || !ready || conv.Training():
		refuse(lucid.ErrValue, op, "got %T and %T; want a convolution and a batch norm with running statistics, both in evaluation mode",
			conv, bn)
	case nn.IsParametrized(conv, ""):
		refuse(lucid.ErrValue, op, "%T is parametrized; take the parametrizations off first", conv)
	case transposed && (*weight).Size(1) != s.Mean.Size(0):
		refuse(lucid.ErrNotImplemented, op, "%T has groups; its weight %v does not have the norm's %d channels in dim 1", conv,
			(*weight).Shape(), s.Mean.Size(0))
	}
	w, b := FuseConvBNWeights(*weight, *bias, s, transposed)
	*weight, *bias = nn.Parameter(w), nn.Parameter(b)
}
