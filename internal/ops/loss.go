package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// ReductionOptions says what becomes of the losses: "mean" (the default), "sum" or "none".
type ReductionOptions struct {
	Reduction string // "mean" (also by ""), "sum" or "none"
}

// reduceLoss folds the losses of all elements.
func reduceLoss(op string, l *Node, reduction string) *Node {
	switch reduction {
	case "", "mean":
		return Mean(l, ReduceOptions{})
	case "sum":
		return sumKeep(l, nil, false)
	case "none":
		return l
	}
	fault.Throw(fault.Value, op, "reduction is %q; want mean, sum or none", reduction)
	return nil
}

// lossOf applies f to x and target, broadcast against each other, in float32 where they are half types; under automatic
// mixed precision the result is float32 too.
func lossOf(op string, x, target *Node, reduction string, f func(x, t *Node) *Node) *Node {
	ampFloat32(&x, &target)
	x, target = promote(op, x, target)
	d := realFloat(op, x).DType()
	wide := statDType(d)
	return Cast(reduceLoss(op, f(Cast(x, wide), Cast(target, wide)), reduction), d)
}

// MseLoss returns (x-target)².
//
//lucid:pkg nn/functional mseLoss MSELoss
//lucid:options LossOptions
//lucid:amp float32
func MseLoss(x, target *Node, o ReductionOptions) *Node {
	return lossOf("mse_loss", x, target, o.Reduction, func(x, t *Node) *Node { return Square(Sub(x, t)) })
}

// L1Loss returns |x-target|.
//
//lucid:pkg nn/functional l1Loss L1Loss
//lucid:options LossOptions
//lucid:amp float32
func L1Loss(x, target *Node, o ReductionOptions) *Node {
	if x.DType().IsComplex() || target.DType().IsComplex() {
		return reduceLoss("l1_loss", Abs(Sub(x, target)), o.Reduction)
	}
	return lossOf("l1_loss", x, target, o.Reduction, func(x, t *Node) *Node { return Abs(Sub(x, t)) })
}

// SmoothL1LossOptions has the difference below which the loss is quadratic; nil: 1.
type SmoothL1LossOptions struct {
	Reduction string   // "mean" (also by ""), "sum" or "none"
	Beta      *float64 // the loss is quadratic below this difference; nil: 1
}

// SmoothL1Loss returns |x-target| - beta/2, and (x-target)²/(2·beta) where the difference is below beta.
//
//lucid:pkg nn/functional smoothL1Loss SmoothL1Loss
//lucid:amp float32
func SmoothL1Loss(x, target *Node, o SmoothL1LossOptions) *Node {
	beta := orElse(o.Beta, 1)
	if beta < 0 {
		fault.Throw(fault.Value, "smooth_l1_loss", "beta is %v; want 0 or more", beta)
	}
	if beta == 0 {
		return L1Loss(x, target, ReductionOptions{o.Reduction})
	}
	return lossOf("smooth_l1_loss", x, target, o.Reduction, func(x, t *Node) *Node {
		d := Sub(x, t)
		a := Abs(d)
		return Where(Lt(a, beta), Mul(Square(d), 0.5/beta), Sub(a, 0.5*beta))
	})
}

// HuberLossOptions has the difference below which the loss is quadratic; nil: 1.
type HuberLossOptions struct {
	Reduction string   // "mean" (also by ""), "sum" or "none"
	Delta     *float64 // the loss is quadratic below this difference; nil: 1
}

// HuberLoss returns (x-target)²/2, and delta·(|x-target| - delta/2) where the difference exceeds delta. A weight, if
// given, multiplies every loss, and divides the mean by its sum.
//
//lucid:pkg nn/functional huberLoss HuberLoss
//lucid:optional weight
//lucid:amp float32
func HuberLoss(x, target, weight *Node, o HuberLossOptions) *Node {
	delta := orElse(o.Delta, 1)
	if delta <= 0 {
		fault.Throw(fault.Value, "huber_loss", "delta is %v; want more than 0", delta)
	}
	return weighted("huber_loss", x, target, weight, o.Reduction, func(x, t *Node) *Node {
		d := Sub(x, t)
		a := Abs(d)
		return Where(Le(a, delta), Mul(Square(d), 0.5), Mul(Sub(a, 0.5*delta), delta))
	})
}

// weighted is lossOf with a weight per element; the mean is then divided by the weights' sum.
func weighted(op string, x, target, weight *Node, reduction string, f func(x, t *Node) *Node) *Node {
	if weight == nil {
		return lossOf(op, x, target, reduction, f)
	}
	l := Mul(weight, lossOf(op, x, target, "none", f))
	if reduction == "" || reduction == "mean" {
		return Div(sumKeep(l, nil, false), sumKeep(broadcastTo(weight, l.Shape()), nil, false))
	}
	return reduceLoss(op, l, reduction)
}

// BinaryCrossEntropy returns -(target·log(x) + (1-target)·log(1-x)), logarithms not below -100, times weight. An x that is
// no probability is the error of the evaluation that needs the loss.
//
//lucid:pkg nn/functional binaryCrossEntropy BinaryCrossEntropy
//lucid:options BinaryCrossEntropyOptions
//lucid:optional weight
//lucid:alias bce_loss
//lucid:amp float32
func BinaryCrossEntropy(x, target, weight *Node, o ReductionOptions) *Node {
	return lossOf("binary_cross_entropy", x, target, o.Reduction, func(x, t *Node) *Node {
		x = require("binary_cross_entropy", attr.Probability, x, x)
		// The derivative by x is (x-t)/(x·(1-x)) with a bounded divisor, so the logarithms show their values alone.
		p := Maximum(Log(x), -100.0)
		q := Maximum(Log1p(Neg(x)), -100.0)
		l := Sub(Mul(Sub(t, 1), q), Mul(t, p))
		byX := Div(Sub(x, t), atLeast(Mul(Sub(1, x), x), 1e-12))
		l = Add(withGrad(l, x, byX), withGrad(zerosLike(l), t, Sub(q, p)))
		return byWeight("binary_cross_entropy", "weight", l, weight)
	})
}

// byWeight multiplies losses by weights that broadcast to them; nil is 1.
func byWeight(op, name string, l, weight *Node) *Node {
	if weight == nil {
		return l
	}
	if !shape.BroadcastsTo(weight.Shape(), l.Shape()) {
		fault.Throw(fault.Shape, op, "%s %v does not broadcast to the losses, %v", name, weight.Shape(), l.Shape())
	}
	return Mul(l, Cast(weight, l.DType()))
}

// BinaryCrossEntropyWithLogits is BinaryCrossEntropy of sigmoid(x), without overflow. Losses are multiplied by weight,
// those of positive examples by posWeight.
//
//lucid:pkg nn/functional binaryCrossEntropyWithLogits BinaryCrossEntropyWithLogits
//lucid:options BinaryCrossEntropyWithLogitsOptions
//lucid:optional weight posWeight
//lucid:alias bce_with_logits
//lucid:amp float32
func BinaryCrossEntropyWithLogits(x, target, weight, posWeight *Node, o ReductionOptions) *Node {
	return lossOf("binary_cross_entropy_with_logits", x, target, o.Reduction, func(x, t *Node) *Node {
		l := Mul(Sub(1, t), x)
		lw := Logsigmoid(x)
		if posWeight != nil {
			lw = Mul(lw, Add(1, byWeight("binary_cross_entropy_with_logits", "pos_weight", t, Sub(Cast(posWeight, x.DType()), 1))))
		}
		return byWeight("binary_cross_entropy_with_logits", "weight", Sub(l, lw), weight)
	})
}

// KLDivOptions: LogTarget says that target holds logarithms. Reduction may also be "batchmean", the sum divided by the
// size of the first dimension.
type KLDivOptions struct {
	Reduction string // "mean" (also by ""), "batchmean": the sum by the size of the first dimension, "sum" or "none"
	LogTarget bool   // the target holds logarithms
}

// KlDiv returns target·(log(target) - x), x being logarithms; where target is 0 the loss is 0.
//
//lucid:pkg nn/functional KLDiv
//lucid:amp float32
func KlDiv(x, target *Node, o KLDivOptions) *Node {
	r := o.Reduction
	if r == "batchmean" {
		r = "sum"
	}
	y := lossOf("kl_div", x, target, r, func(x, t *Node) *Node {
		if o.LogTarget {
			return Mul(Exp(t), Sub(t, x))
		}
		zero := Eq(t, 0)
		safe := Where(zero, constLike(t, 1), t)
		return Sub(Where(zero, constLike(t, 0), Mul(safe, Log(safe))), Mul(t, x))
	})
	if o.Reduction == "batchmean" && x.Rank() > 0 {
		y = Div(y, float64(x.Dim(0)))
	}
	return y
}
