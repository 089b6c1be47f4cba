package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// MarginLossOptions has the margin that examples should keep; what nil means is said at the function.
type MarginLossOptions struct {
	Margin    *float64 // the margin that examples should have; the function says what nil means
	Reduction string   // "mean" (also by ""), "sum" or "none"
}

// HingeEmbeddingLoss returns x where target is 1, and max(0, margin-x) where it is -1; margin nil: 1.
//
//lucid:pkg nn/functional
//lucid:amp float32
//lucid:amp float32
func HingeEmbeddingLoss(x, target *Node, o MarginLossOptions) *Node {
	return lossOf("hinge_embedding_loss", x, target, o.Reduction, func(x, t *Node) *Node {
		zero := constLike(x, 0)
		return Add(Where(Ne(t, 1), Relu(Sub(orElse(o.Margin, 1), x)), zero), Where(Ne(t, -1), x, zero))
	})
}

// MarginRankingLoss returns max(0, margin - target·(x1-x2)); margin nil: 0.
//
//lucid:pkg nn/functional
//lucid:amp float32
//lucid:amp float32
func MarginRankingLoss(x1, x2, target *Node, o MarginLossOptions) *Node {
	ampFloat32(&x1, &x2)
	return lossOf("margin_ranking_loss", Sub(x1, x2), target, o.Reduction, func(d, t *Node) *Node {
		return Relu(Sub(orElse(o.Margin, 0), Mul(t, d)))
	})
}

// CosineEmbeddingLoss returns 1-cos(x1, x2) where target is 1, and max(0, cos(x1, x2)-margin) where it is -1; margin
// nil: 0. The angle is taken along the last dimension.
//
//lucid:pkg nn/functional
//lucid:amp float32
func CosineEmbeddingLoss(x1, x2, target *Node, o MarginLossOptions) *Node {
	const op = "cosine_embedding_loss"
	ampFloat32(&x1, &x2)
	a, b := promote(op, x1, x2)
	d := realFloat(op, a).DType()
	a, b = Cast(a, statDType(d)), Cast(b, statDType(d))
	if a.Rank() < 1 || a.Rank() > 2 || target.Rank() != a.Rank()-1 {
		fault.Throw(fault.Shape, op, "inputs are %v, target %v; want (N, D) and (N), or (D) and a 0-d target", a.Shape(), target.Shape())
	}
	last := []int{a.Rank() - 1}
	size := func(x *Node) *Node { return Add(sumKeep(Square(x), last, false), 1e-12) }
	cos := Div(sumKeep(Mul(a, b), last, false), Sqrt(Mul(size(a), size(b))))
	zero := constLike(cos, 0)
	l := Add(Where(Eq(target, 1), Sub(1, cos), zero), Where(Eq(target, -1), Relu(Sub(cos, orElse(o.Margin, 0))), zero))
	return Cast(reduceLoss(op, l, o.Reduction), d)
}

// TripletMarginLossOptions: distances are p-norms (nil: 2) of differences plus Eps (nil: 1e-6); Swap takes the distance
// of positive and negative where it is the smaller one. Margin nil: 1.
type TripletMarginLossOptions struct {
	Margin    *float64 // nil: 1
	P         *float64 // which norm is the distance; nil: 2
	Eps       *float64 // added to the differences; nil: 1e-6
	Swap      bool     // use the distance between positive and negative where it is the smaller one
	Reduction string   // "mean" (also by ""), "sum" or "none"
}

// TripletMarginLoss returns max(0, margin + distance to positive - distance to negative).
//
//lucid:pkg nn/functional
//lucid:amp float32
func TripletMarginLoss(anchor, positive, negative *Node, o TripletMarginLossOptions) *Node {
	if m := orElse(o.Margin, 1); !(m > 0) {
		fault.Throw(fault.Value, "triplet_margin_loss", "margin is %v; want a positive number", m)
	}
	ampFloat32(&anchor, &positive, &negative)
	far := func(a, b *Node) *Node { return PairwiseDistance(a, b, PairwiseDistanceOptions{P: o.P, Eps: o.Eps}) }
	neg := far(anchor, negative)
	if o.Swap {
		neg = Minimum(neg, far(positive, negative))
	}
	l := Relu(Add(Sub(far(anchor, positive), neg), orElse(o.Margin, 1)))
	return reduceLoss("triplet_margin_loss", l, o.Reduction)
}

// SoftMarginLoss returns log(1 + exp(-target·x)), without overflow.
//
//lucid:pkg nn/functional
//lucid:options LossOptions
//lucid:amp float32
//lucid:amp float32
func SoftMarginLoss(x, target *Node, o ReductionOptions) *Node {
	return lossOf("soft_margin_loss", x, target, o.Reduction, func(x, t *Node) *Node { return Neg(Logsigmoid(Mul(x, t))) })
}

// MultilabelSoftMarginLoss returns the mean over classes of the binary cross entropy of the logits x, times weight.
//
//lucid:pkg nn/functional MultiLabelSoftMarginLoss
//lucid:options WeightedLossOptions
//lucid:optional weight
//lucid:amp float32
func MultilabelSoftMarginLoss(x, target, weight *Node, o ReductionOptions) *Node {
	l := BinaryCrossEntropyWithLogits(x, target, weight, nil, ReductionOptions{"none"})
	if l.Rank() > 0 {
		l = Mean(l, ReduceOptions{Dim: []int{-1}})
	}
	return reduceLoss("multilabel_soft_margin_loss", l, o.Reduction)
}

// MultiMarginLossOptions: the margin (nil: 1) and the power of what falls short of it (nil: 1).
type MultiMarginLossOptions struct {
	P         *int     // the power of what falls short, 1 or 2; nil: 1
	Margin    *float64 // the margin; nil: 1
	Reduction string   // "mean" (also by ""), "sum" or "none"
}

// MultiMarginLoss returns the mean over the other classes of max(0, margin - x[target] + x[j])^p, times the weight of
// the target class; x is (N, C) or (C), or 0-d: one class.
//
//lucid:pkg nn/functional
//lucid:optional weight
//lucid:amp float32
func MultiMarginLoss(x, target, weight *Node, o MultiMarginLossOptions) *Node {
	const op = "multi_margin_loss"
	ampFloat32(&x, &weight)
	p := orElse(o.P, 1)
	if p != 1 && p != 2 {
		fault.Throw(fault.Value, op, "p is %d; want 1 or 2", p)
	}
	d := x.DType()
	if x.Rank() == 0 {
		x = Unsqueeze(x, 0) // one class
	}
	if x.Rank() == 1 && target.Rank() == 1 && target.Dim(0) == 1 {
		x = Unsqueeze(x, 0) // PyTorch takes a list of one class with a row
	}
	none := math.MinInt // no class is left out
	c := newClasses(op, Cast(realFloat(op, x), statDType(d)), target, weight, &none)
	short := Relu(Add(Sub(c.x, gather(c.x, c.target, c.axis)), orElse(o.Margin, 1)))
	if p == 2 {
		short = Square(short)
	}
	if c.weight != nil {
		short = Mul(short, c.targetWeight())
	}
	own := Eq(Reshape(Arange64(c.count), alongAxis(c.x.Rank(), c.axis, c.count)...), c.target)
	l := Mul(sumKeep(Where(own, constLike(short, 0), short), []int{c.axis}, false), 1/float64(c.count))
	return Cast(reduceLoss(op, l, o.Reduction), d)
}

// alongAxis is the shape of a vector shown along one dimension.
func alongAxis(rank, axis, n int) []int {
	d := ones(rank)
	d[axis] = n
	return d
}

// PoissonNLLLossOptions: x holds the expected counts, not their logarithms (RawInput); Full adds Stirling's
// approximation; Eps (nil: 1e-8) keeps the logarithm finite.
type PoissonNLLLossOptions struct {
	RawInput  bool     `lucid:"log_input,not"` // the input holds expected counts, not their logarithms (log_input=False)
	Full      bool     // add Stirling's approximation of the constant term
	Eps       *float64 // keeps the logarithm finite; nil: 1e-8
	Reduction string   // "mean" (also by ""), "sum" or "none"
}

// PoissonNllLoss returns exp(x) - target·x, or x - target·log(x+eps) for raw input.
//
//lucid:pkg nn/functional PoissonNLLLoss
//lucid:amp float32
//lucid:amp float32
func PoissonNllLoss(x, target *Node, o PoissonNLLLossOptions) *Node {
	return lossOf("poisson_nll_loss", x, target, o.Reduction, func(x, t *Node) *Node {
		l := Sub(Exp(x), Mul(t, x))
		if o.RawInput {
			l = Sub(x, Mul(t, Log(Add(x, orElse(o.Eps, 1e-8)))))
		}
		if o.Full {
			safe := Where(Gt(t, 1), t, constLike(t, 1))
			s := Add(Sub(Mul(safe, Log(safe)), safe), Mul(Log(Mul(safe, 2*math.Pi)), 0.5))
			l = Add(l, Where(Gt(t, 1), s, constLike(t, 0)))
		}
		return l
	})
}

// GaussianNLLLossOptions: Full adds the constant term; variances below Eps (nil: 1e-6) count as Eps.
type GaussianNLLLossOptions struct {
	Full      bool     // add the terms that do not depend on the input
	Eps       *float64 // variances below it count as it; nil: 1e-6
	Reduction string   // "mean" (also by ""), "sum" or "none"
}

// GaussianNllLoss returns (log(variance) + (x-target)²/variance)/2.
//
//lucid:pkg nn/functional GaussianNLLLoss
//lucid:name gaussian_nll_loss
//lucid:amp float32
//lucid:amp float32
func GaussianNllLoss(x, target, variance *Node, o GaussianNLLLossOptions) *Node {
	const op = "gaussian_nll_loss"
	if variance.Rank() == x.Rank()-1 {
		variance = Unsqueeze(variance, variance.Rank())
	}
	v := withGrad(atLeast(variance, orElse(o.Eps, 1e-6)), variance, 1.0)
	return lossOf(op, x, target, o.Reduction, func(x, t *Node) *Node {
		v := Cast(v, x.DType())
		l := Mul(Add(Log(v), Div(Square(Sub(x, t)), v)), 0.5)
		if o.Full {
			l = Add(l, 0.5*math.Log(2*math.Pi))
		}
		return l
	})
}

// MultilabelMarginLoss returns Σ max(0, 1 - x[y] + x[j])/C over the target classes y and the others j; a row of target
// lists classes, up to the first -1. x and target are (N, C) or (C).
//
//lucid:pkg nn/functional MultiLabelMarginLoss
//lucid:options LossOptions
//lucid:amp float32
func MultilabelMarginLoss(x, target *Node, o ReductionOptions) *Node {
	const op = "multilabel_margin_loss"
	ampFloat32(&x)
	if x.Rank() == 0 && target.Rank() == 0 { // a row of one class
		x, target = Reshape(x, 1), Reshape(target, 1)
	}
	if x.Rank() < 1 || x.Rank() > 2 || !x.Shape().Equal(target.Shape()) {
		fault.Throw(fault.Shape, op, "input is %v, target %v; want both (N, C) or both (C)", x.Shape(), target.Shape())
	}
	d, c, last := realFloat(op, x).DType(), x.Dim(-1), x.Rank()-1
	wide := Cast(x, statDType(d))
	t := Cast(requirePositions(op, target), dtype.Int64)
	listed := Ne(Cumprod(Cast(Ge(t, 0), dtype.Int64), last, CumulativeOptions{}), 0)
	t = strictIndex(op, Where(listed, t, Number(dtype.Int64, 0)), c)
	// is[…, j] says whether class j is among the targets; rows are targets, columns classes.
	hit := LogicalAnd(Eq(Unsqueeze(t, last+1), Arange64(c)), Unsqueeze(listed, last+1))
	is := reduce(opAny, hit, []int{last}, true)
	short := Relu(Add(Sub(Unsqueeze(wide, last), Unsqueeze(gather(wide, t, last), last+1)), 1))
	counts := LogicalAnd(Unsqueeze(listed, last+1), LogicalNot(is))
	l := sumKeep(Where(counts, short, constLike(short, 0)), []int{last, last + 1}, false)
	return Cast(reduceLoss(op, Mul(l, 1/float64(c)), o.Reduction), d)
}
