package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/scope"
)

// ampFloat32 brings half types to float32 under automatic mixed precision: what a function written with other ops does
// whose policy is float32. Nil stays.
func ampFloat32(xs ...**Node) {
	if scope.Current().Autocast == dtype.Invalid {
		return
	}
	for _, x := range xs {
		if *x != nil && (*x).DType().IsHalf() {
			*x = Cast(*x, dtype.Float32)
		}
	}
}

// ampHalf brings floats, but not float64, to the dtype of automatic mixed precision: what a function written with other
// ops does whose policy is half, lest a float32 bias make the whole result float32. Nil stays.
func ampHalf(xs ...**Node) {
	to := scope.Current().Autocast
	if to == dtype.Invalid {
		return
	}
	for _, x := range xs {
		if *x != nil && (*x).DType().IsFloat() && (*x).DType() != dtype.Float64 {
			*x = Cast(*x, to)
		}
	}
}

// ampWiden brings two floats of which one is a half type to the wider dtype of both, under automatic mixed precision: what a
// function does that wants one dtype, since products before it may have made one of its operands a half type.
func ampWiden(x, y **Node) {
	if scope.Current().Autocast == dtype.Invalid || !(*x).DType().IsFloat() || !(*y).DType().IsFloat() {
		return
	}
	if d, ok := dtype.Promote((*x).DType(), (*y).DType()); ok {
		*x, *y = Cast(*x, d), Cast(*y, d)
	}
}

// GlobalResponseNormOptions: Eps is nil for 1e-6.
type GlobalResponseNormOptions struct {
	Eps *float64 // added to the mean length; nil: 1e-6
}

// GlobalResponseNorm lets the channels of x, (N, C, H, W), compete: each is scaled by its length over the mean length
// of all, then by gamma, shifted by beta, of (C), and added to x (Woo et al.).
//
//lucid:pkg nn/functional
//lucid:amp float32
func GlobalResponseNorm(x, gamma, beta *Node, o GlobalResponseNormOptions) *Node {
	const op = "global_response_norm"
	if x.Rank() != 4 {
		fault.Throw(fault.Shape, op, "the tensor has shape %v; want (N, C, H, W)", x.Shape())
	}
	ampFloat32(&x, &gamma, &beta)
	g := Norm(realFloat(op, x), NormOptions{Dim: []int{2, 3}, KeepDim: true})
	n := Div(g, Add(Mean(g, ReduceOptions{Dim: []int{1}, KeepDim: true}), orElse(o.Eps, 1e-6)))
	return Add(affineChannels(op, Mul(x, n), gamma, beta), x)
}

// BatchNormEval is BatchNorm by the running statistics, which stay as they are.
//
//lucid:name batch_norm_eval
//lucid:optional weight bias
func BatchNormEval(x, runningMean, runningVar, weight, bias *Node, o EpsOptions) *Node {
	y, _, _ := BatchNorm(x, runningMean, runningVar, weight, bias, BatchNormOptions{Eps: o.Eps})
	return y
}

// MomentumOptions says by which share running statistics move; nil: 0.1.
type MomentumOptions struct {
	Momentum *float64
}

// BatchNormUpdateRunningStats returns running statistics moved towards those of a batch, (N, C, …): its mean, and its
// variance with Bessel's correction. Gradients pass to the old ones alone.
//
//lucid:name batch_norm_update_running_stats
func BatchNormUpdateRunningStats(x, runningMean, runningVar *Node, o MomentumOptions) (mean, variance *Node) {
	_, mean, variance = BatchNorm(x, runningMean, runningVar, nil, nil, BatchNormOptions{Training: true, Momentum: o.Momentum})
	return mean, variance
}
