package functional

import "github.com/lucid-go/lucid"

// BatchNorm normalises every channel (dim 1) over all other dimensions: in training by the batch's own statistics, otherwise
// by the running ones. With both, training changes the running statistics in place.
func BatchNorm(x *lucid.Tensor, opts ...BatchNormOptions) *lucid.Tensor {
	o := option("batch_norm", opts)
	y, mean, variance := batchNorm(x, o.RunningMean, o.RunningVar, o.Weight, o.Bias, o.op())
	if o.Training {
		update(o.RunningMean, mean, o.RunningVar, variance)
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

// InstanceNorm normalises every channel of every example by its own statistics. Running statistics, if given, are
// updated in place, unless RunningStats says to use them.
func InstanceNorm(x *lucid.Tensor, opts ...InstanceNormOptions) *lucid.Tensor {
	o := option("instance_norm", opts)
	y, mean, variance := instanceNorm(x, o.RunningMean, o.RunningVar, o.Weight, o.Bias, o.op())
	if !o.RunningStats {
		update(o.RunningMean, mean, o.RunningVar, variance)
	}
	return y
}
