package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// NLLLossOptions: targets equal to IgnoreIndex (nil: -100) count for nothing.
type NLLLossOptions struct {
	IgnoreIndex *int   // targets of this class count for nothing; nil: -100
	Reduction   string // "mean" (also by ""), "sum" or "none"
}

// CrossEntropyOptions: LabelSmoothing spreads that part of every target over all classes.
type CrossEntropyOptions struct {
	IgnoreIndex    *int    // nil: -100
	Reduction      string  // "mean" (also by ""), "sum" or "none"
	LabelSmoothing float64 // share of each target that is spread over all classes
}

// classes describes a loss over classes: x is (C), (N, C) or (N, C, d1, …), target the same without the classes.
type classes struct {
	op     string
	x      *Node
	axis   int
	target *Node // positions along axis, with size 1 there; ignored ones are 0
	valid  *Node // whether a target counts, shaped like target
	weight *Node // by class, nil if all weigh the same; shown along axis
	count  int
}

func newClasses(op string, x, target, weight *Node, ignore *int) classes {
	axis := requireClasses(op, x, target, weight)
	c := classes{op: op, x: x, axis: axis, count: x.Dim(axis)}
	rows := x.Shape().Clone()
	rows[axis] = 1
	t := Cast(target, dtype.Int64)
	c.valid = Reshape(Ne(t, orElse(ignore, -100)), rows...)
	t = Where(c.valid, Reshape(t, rows...), Number(dtype.Int64, 0))
	c.target = strictIndex(op, t, c.count)
	c.weight = c.classWeight(weight)
	return c
}

// requireClasses checks the operands of a loss at target classes and returns the dimension of the classes.
func requireClasses(op string, x, target, weight *Node) (axis int) {
	realFloat(op, x)
	if x.Rank() == 0 {
		fault.Throw(fault.Shape, op, "a 0-d input has no classes")
	}
	axis = min(1, x.Rank()-1)
	d, t := x.Shape().Dims(), target.Shape().Dims()
	if len(t) != len(d)-1 || !slices.Equal(t[:axis], d[:axis]) || !slices.Equal(t[axis:], d[axis+1:]) {
		fault.Throw(fault.Shape, op, "target has shape %v, input %v; want target %v", target.Shape(), x.Shape(),
			slices.Delete(slices.Clone(d), axis, axis+1))
	}
	requirePositions(op, target)
	if weight != nil && (weight.Rank() != 1 || weight.Dim(0) != d[axis]) {
		fault.Throw(fault.Shape, op, "weight has shape %v; want [%d], one per class", weight.Shape(), d[axis])
	}
	return axis
}

// classWeight shows the weights by class along the axis of the classes.
func (c classes) classWeight(w *Node) *Node {
	if w == nil {
		return nil
	}
	if w.Rank() != 1 || w.Dim(0) != c.count {
		fault.Throw(fault.Shape, c.op, "weight has shape %v; want [%d], one per class", w.Shape(), c.count)
	}
	d := ones(c.x.Rank())
	d[c.axis] = c.count
	return Reshape(Cast(w, c.x.DType()), d...)
}

// targetWeight is the weight of each target's class, 0 where it is ignored.
func (c classes) targetWeight() *Node {
	w := gather(broadcastTo(c.weight, c.x.Shape()), c.target, c.axis)
	return Where(c.valid, w, constLike(w, 0))
}

// counted is a loss by target as it counts: by the weight of its class, not at all where it is ignored. weight is nil without classWeight.
func (c classes) counted(l *Node) (counts, weight *Node) {
	l = Where(c.valid, l, constLike(l, 0))
	if c.weight == nil {
		return l, nil
	}
	weight = c.targetWeight()
	return Mul(l, weight), weight
}

// finish folds losses that have size 1 along the axis; the mean is over the weights of the targets, where nil is 1.
func (c classes) finish(l, weight *Node, reduction string) *Node {
	switch reduction {
	case "", "mean":
		if weight == nil {
			weight = Cast(c.valid, c.x.DType())
		}
		return Div(sumKeep(l, nil, false), sumKeep(weight, nil, false))
	case "none":
		d := l.Shape().Clone()
		return Reshape(l, append(d[:c.axis], d[c.axis+1:]...)...)
	}
	return reduceLoss(c.op, l, reduction)
}

// NllLoss returns -x at the target class, times the weight of that class; x holds logarithms of probabilities. The mean
// is divided by the sum of those weights.
//
//lucid:pkg nn/functional NLLLoss
//lucid:optional weight
//lucid:amp float32
func NllLoss(x, target, weight *Node, o NLLLossOptions) *Node {
	ampFloat32(&x, &weight)
	d := x.DType()
	requireClasses("nll_loss", x, target, weight)
	if l := classLoss(x, target, weight, o.IgnoreIndex, o.Reduction, false); l != nil {
		return l
	}
	c := newClasses("nll_loss", Cast(x, statDType(d)), target, weight, o.IgnoreIndex)
	at := Cast(gather(x, c.target, c.axis), c.x.DType()) // not all of x
	l, w := c.counted(Neg(at))
	return Cast(c.finish(l, w, o.Reduction), d)
}

// CrossEntropy returns the loss of the logits x against the target: class numbers, or probabilities of x's shape. Only
// the logits and one number per row are stored for the gradient.
//
//lucid:pkg nn/functional
//lucid:optional weight
//lucid:alias cross_entropy_loss
//lucid:amp float32
func CrossEntropy(x, target, weight *Node, o CrossEntropyOptions) *Node {
	if s := o.LabelSmoothing; s < 0 || s > 1 {
		fault.Throw(fault.Value, "cross_entropy", "label_smoothing is %v; want 0 to 1", s)
	}
	ampFloat32(&x, &weight)
	d := x.DType()
	wide := Cast(realFloat("cross_entropy", x), statDType(d))
	if o.LabelSmoothing == 0 && !target.DType().IsFloat() {
		requireClasses("cross_entropy", x, target, weight)
		if l := classLoss(wide, target, weight, o.IgnoreIndex, o.Reduction, true); l != nil {
			return Cast(l, d)
		}
	}
	return Cast(wideCrossEntropy(wide, target, weight, o), d)
}

// wideCrossEntropy is CrossEntropy of logits in the dtype that sums are taken in, which the result has too.
func wideCrossEntropy(x, target, weight *Node, o CrossEntropyOptions) *Node {
	if target.DType().IsFloat() {
		return softCrossEntropy(x, Cast(target, x.DType()), weight, o)
	}
	c := newClasses("cross_entropy", x, target, weight, o.IgnoreIndex)
	nll := apply(opClassNLL, attr.Axis{Axis: c.axis}, c.x, c.target)
	lse := graph.TupleItem(nll, 1)
	l, w := c.counted(graph.TupleItem(nll, 0))
	if s := o.LabelSmoothing; s > 0 {
		all := Sub(lse, c.x)
		if c.weight != nil {
			all = Mul(all, c.weight)
		}
		spread := Where(c.valid, sumKeep(all, []int{c.axis}, true), constLike(all, 0))
		l = Add(Mul(l, 1-s), Mul(spread, s/float64(c.count)))
	}
	return c.finish(l, w, o.Reduction)
}

// softCrossEntropy is the loss against probabilities; the mean is over the examples.
func softCrossEntropy(x, target, weight *Node, o CrossEntropyOptions) *Node {
	if !x.Shape().Equal(target.Shape()) {
		fault.Throw(fault.Shape, "cross_entropy",
			"a target of %v is probabilities, and has shape %v where input has %v; want the same, or classes as integers: "+
				"target.To(lucid.Int64)", target.DType(), target.Shape(), x.Shape())
	}
	c := classes{op: "cross_entropy", x: x, axis: min(1, x.Rank()-1)}
	c.count = x.Dim(c.axis)
	if s := o.LabelSmoothing; s > 0 {
		target = Add(Mul(target, 1-s), s/float64(c.count))
	}
	l := Mul(Neg(LogSoftmax(x, c.axis, SoftmaxOptions{})), target)
	if w := c.classWeight(weight); w != nil {
		l = Mul(l, w)
	}
	switch o.Reduction {
	case "", "mean":
		return Div(sumKeep(l, nil, false), float64(x.Shape().Numel()/max(1, c.count)))
	case "none":
		return sumKeep(l, []int{c.axis}, false)
	}
	return reduceLoss("cross_entropy", l, o.Reduction)
}
