package functional

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// LayerNorm returns (x-mean)/sqrt(var+eps) over the last dimensions, times weight, plus bias.
func LayerNorm(x *lucid.Tensor, normalizedShape []int, weight *lucid.Tensor, bias *lucid.Tensor, o ...lucid.EpsOptions) *lucid.Tensor {
	return lucid.LayerNorm(x, normalizedShape, weight, bias, o...)
}

// GroupNorm normalises over groups of channels (dim 1) and all that is behind them, then applies weight and bias per
// channel.
func GroupNorm(x *lucid.Tensor, numGroups int, weight *lucid.Tensor, bias *lucid.Tensor, o ...lucid.EpsOptions) *lucid.Tensor {
	return lucid.GroupNorm(x, numGroups, weight, bias, o...)
}

// RMSNorm returns x/sqrt(mean(x²)+eps) over the last dimensions, times weight.
func RMSNorm(x *lucid.Tensor, normalizedShape []int, weight *lucid.Tensor, o ...lucid.RmsNormOptions) *lucid.Tensor {
	return lucid.RMSNorm(x, normalizedShape, weight, o...)
}

// LocalResponseNorm divides every element by a power of the mean square of the neighbouring channels (dim 1).
func LocalResponseNorm(x *lucid.Tensor, size int, o ...lucid.LocalResponseNormOptions) *lucid.Tensor {
	return lucid.LocalResponseNorm(x, size, o...)
}

// BatchNormOptions: the running statistics are changed in place in Training, by Momentum (nil: 0.1).
type BatchNormOptions struct {
	Weight, Bias *lucid.Tensor
	Training     bool
	Momentum     *float64
	Eps          *float64 // nil: 1e-5
}

// BatchNorm normalises every channel (dim 1) over all other dimensions: in training by the batch's own statistics,
// otherwise by the running ones, which may be nil in training.
func BatchNorm(x, runningMean, runningVar *lucid.Tensor, opts ...BatchNormOptions) *lucid.Tensor {
	o := door.Option("batch_norm", opts)
	y, mean, variance := lucid.BatchNorm(x, runningMean, runningVar, o.Weight, o.Bias,
		lucid.BatchNormOptions{Training: o.Training, Momentum: o.Momentum, Eps: o.Eps})
	if o.Training {
		update(runningMean, mean, runningVar, variance)
	}
	return y
}

// update moves running statistics on.
func update(mean, newMean, variance, newVar *lucid.Tensor) {
	if mean == nil {
		return
	}
	lucid.NoGrad(func() {
		mean.Assign(newMean.Detach())
		variance.Assign(newVar.Detach())
	})
}

// InstanceNormOptions: the running statistics, if given, are changed in place unless RunningStats says to use them.
type InstanceNormOptions struct {
	RunningMean, RunningVar, Weight, Bias *lucid.Tensor
	RunningStats                          bool     // PyTorch's use_input_stats=False
	Momentum                              *float64 // nil: 0.1
	Eps                                   *float64 // nil: 1e-5
}

// InstanceNorm normalises every channel of every example by its own statistics.
func InstanceNorm(x *lucid.Tensor, opts ...InstanceNormOptions) *lucid.Tensor {
	o := door.Option("instance_norm", opts)
	y, mean, variance := lucid.InstanceNorm(x, o.RunningMean, o.RunningVar, o.Weight, o.Bias,
		lucid.InstanceNormOptions{RunningStats: o.RunningStats, Momentum: o.Momentum, Eps: o.Eps})
	if !o.RunningStats {
		update(o.RunningMean, mean, o.RunningVar, variance)
	}
	return y
}
