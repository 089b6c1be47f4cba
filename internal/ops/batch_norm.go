package ops

import (
	"github.com/lucid-go/lucid/internal/fault"
)

// BatchNormOptions: Training takes the statistics of the batch, and moves the running ones by Momentum (nil: 0.1).
type BatchNormOptions struct {
	Training bool     // normalise by the statistics of the batch, and move the running ones
	Momentum *float64 // how far the running statistics move; nil: 0.1
	Eps      *float64 // nil: 1e-5
	// ChannelsLast says that the channels are the last dimension.
	ChannelsLast bool
}

// BatchNorm normalises every channel (dim 1) over all other dimensions: in training by the batch's own statistics,
// otherwise by the running ones. It returns the result and the running statistics as they are afterwards, nil where
// none were given; the tensors given are left alone.
//
//lucid:pkg nn/functional batchNorm BatchNorm
//lucid:optional runningMean runningVar weight bias
//lucid:alias batch_norm1d batch_norm2d batch_norm3d
func BatchNorm(x, runningMean, runningVar, weight, bias *Node, o BatchNormOptions) (output, mean, variance *Node) {
	realFloat("batch_norm", x)
	if x.Rank() < 2 {
		fault.Throw(fault.Shape, "batch_norm", "%v has no channels; want at least 2 dimensions", x.Shape())
	}
	if (runningMean == nil) != (runningVar == nil) || !o.Training && runningMean == nil {
		fault.Throw(fault.Value, "batch_norm", "needs both running statistics to evaluate, and both or none to train")
	}
	b := batchNorm{channelled{o.ChannelsLast, statDType(x.DType())}, orElse(o.Eps, 1e-5), false, false}
	channels := b.show(x).Dim(1)
	for i, v := range []*Node{runningMean, runningVar, weight, bias} {
		if v != nil && (v.Rank() != 1 || v.Dim(0) != channels) {
			fault.Throw(fault.Shape, "batch_norm", "%s has shape %v; want [%d], one per channel of %v",
				[]string{"running_mean", "running_var", "weight", "bias"}[i], v.Shape(), channels, x.Shape())
		}
	}
	if o.Training {
		m, v, mean, variance := trainStats(b.show(x), runningMean, runningVar, orElse(o.Momentum, 0.1))
		return b.result(x, weight, bias, m, v), mean, variance
	}
	y := b.affine(x, Cast(runningMean, b.d), b.scale(b.root(Cast(runningVar, b.d)), weight), bias)
	return Cast(y, x.DType()), runningMean, runningVar
}

// trainStats returns mean and variance of the batch by channel, and the running ones moved towards them.
func trainStats(x, runMean, runVar *Node, momentum float64) (m, v, newMean, newVar *Node) {
	count := x.Shape().Numel() / max(1, x.Dim(1))
	if count == 1 {
		fault.Throw(fault.Shape, "batch_norm", "%v has one value per channel; training needs more", x.Shape())
	}
	m, v = channelMoments(x)
	if runMean == nil || count == 0 { // an empty batch says nothing
		return m, v, runMean, runVar
	}
	move := func(run, now *Node) *Node {
		return Cast(Add(Mul(run, 1-momentum), Mul(StopGradient(now), momentum)), run.DType())
	}
	unbiased := Mul(v, float64(count)/float64(count-1))
	return m, v, move(runMean, m), move(runVar, unbiased)
}

// InstanceNormOptions: RunningStats normalises by the running statistics instead of each example's own.
type InstanceNormOptions struct {
	RunningStats bool     `lucid:"use_input_stats,not"` // normalise by the running statistics (use_input_stats=False)
	Momentum     *float64 // nil: 0.1
	Eps          *float64 // nil: 1e-5
}

// InstanceNorm normalises every channel of every example over the dimensions behind it. It returns the result and the
// running statistics as they are afterwards, nil where none were given.
//
//lucid:pkg nn/functional instanceNorm InstanceNorm
//lucid:optional runningMean runningVar weight bias
func InstanceNorm(x, runningMean, runningVar, weight, bias *Node, o InstanceNormOptions) (output, mean, variance *Node) {
	realFloat("instance_norm", x)
	if x.Rank() < 3 {
		fault.Throw(fault.Shape, "instance_norm", "%v has no dimensions behind its channels; want (N, C, …)", x.Shape())
	}
	if o.RunningStats {
		return BatchNorm(x, runningMean, runningVar, weight, bias, BatchNormOptions{Momentum: o.Momentum, Eps: o.Eps})
	}
	n, c := x.Dim(0), x.Dim(1)
	if spatial := x.Shape().Numel() / max(1, n*c); spatial == 1 {
		fault.Throw(fault.Shape, "instance_norm", "%v has one value per channel; there is nothing to normalise over", x.Shape())
	}
	mean, variance = runningMean, runningVar
	if runningMean != nil && runningVar != nil && x.Shape().Numel() > 0 {
		// Every example is a batch of its own; the running statistics move by the average over examples.
		flat := Cast(Reshape(x, append([]int{1, n * c}, x.Shape().Dims()[2:]...)...), statDType(x.DType()))
		_, _, mean, variance = trainStats(flat, repeatRows(runningMean, n), repeatRows(runningVar, n), orElse(o.Momentum, 0.1))
		mean, variance = averageRows(mean, n), averageRows(variance, n)
	}
	if c == 0 {
		return x, mean, variance
	}
	return normGroups("instance_norm", x, c, weight, bias, orElse(o.Eps, 1e-5)), mean, variance
}

func repeatRows(v *Node, n int) *Node {
	return Reshape(BroadcastTo(Reshape(v, 1, -1), n, v.Dim(0)), -1)
}

func averageRows(v *Node, n int) *Node {
	return Mean(Reshape(v, n, -1), ReduceOptions{Dim: []int{0}})
}
