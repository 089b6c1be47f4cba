package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// CTCLossOptions: Blank is the class that stands for no label. ZeroInfinity makes losses of targets that are too long
// for their input 0 instead of infinite.
type CTCLossOptions struct {
	Blank        int    // the class that stands for no label
	Reduction    string // "mean" (also by ""), "sum" or "none"
	ZeroInfinity bool   // losses of targets that are too long for their input are 0 instead of infinite
}

// impossible stands for log 0 in the recursion: finite, so that no gradient becomes NaN.
const impossible = -1e30

// CtcLoss returns -log of the probability that logProbs, which is (T, N, C) or (T, C), spells the targets: (N, S), or all
// of them one after the other. The gradient is the derivative by logProbs; PyTorch's differs by a part that log_softmax
// takes away. The mean is of the losses divided by the lengths of their targets.
//
//lucid:pkg nn/functional CTCLoss
func CtcLoss(logProbs, targets, inputLengths, targetLengths *Node, o CTCLossOptions) *Node {
	const op = "ctc_loss"
	if logProbs.Rank() == 2 {
		logProbs, inputLengths, targetLengths = Unsqueeze(logProbs, 1), Reshape(inputLengths, 1), Reshape(targetLengths, 1)
		targets = Reshape(targets, 1, -1)
		if o.Reduction == "none" {
			return Reshape(CtcLoss(logProbs, targets, inputLengths, targetLengths, o))
		}
	}
	if logProbs.Rank() != 3 || o.Blank < 0 || o.Blank >= logProbs.Dim(2) {
		fault.Throw(fault.Shape, op, "log_probs %v with blank %d; want (T, N, C), blank below C", logProbs.Shape(), o.Blank)
	}
	d, n := realFloat(op, logProbs).DType(), logProbs.Dim(1)
	lp := Cast(logProbs, statDType(d))
	in, out := Cast(requirePositions(op, inputLengths), dtype.Int64), Cast(requirePositions(op, targetLengths), dtype.Int64)
	if targets.Rank() == 1 {
		targets = splitTargets(op, targets, out)
	}
	if targets.Rank() != 2 || targets.Dim(0) != n || in.Rank() != 1 || in.Dim(0) != n || out.Rank() != 1 || out.Dim(0) != n {
		fault.Throw(fault.Shape, op, "targets %v and lengths %v, %v do not fit log_probs %v; want (N, S), (N) and (N)", targets.Shape(),
			in.Shape(), out.Shape(), logProbs.Shape())
	}
	l := ctcForward(op, lp, targets, in, out, o.Blank)
	far := Gt(l, -impossible/2)
	fill := math.Inf(1)
	if o.ZeroInfinity {
		fill = 0
	}
	l = Where(far, constLike(l, fill), l)
	if o.Reduction == "" || o.Reduction == "mean" {
		l = Div(l, Cast(Maximum(out, 1), l.DType()))
	}
	return Cast(reduceLoss(op, l, o.Reduction), d)
}

// splitTargets lays targets that follow each other out as rows, filled up with 0.
func splitTargets(op string, targets, lengths *Node) *Node {
	n := ReadInts(op, lengths)
	longest, sum := 0, 0
	for _, k := range n {
		if k < 0 || k > targets.Dim(0)-sum {
			fault.Throw(fault.Shape, op,
				"a length of target_lengths is %d; want lengths of 0 or more that sum to the %d classes of targets", k, targets.Dim(0))
		}
		longest, sum = max(longest, k), sum+k
	}
	if sum != targets.Dim(0) {
		fault.Throw(fault.Shape, op, "targets have %d classes, target_lengths sum to %d", targets.Dim(0), sum)
	}
	at, from := make([]int, 0, tableSize(op, len(n), longest)), 0
	for _, k := range n {
		for i := range longest {
			at = append(at, min(from+min(i, max(k-1, 0)), max(targets.Dim(0)-1, 0)))
		}
		from += k
	}
	return Reshape(take(targets, tableInts(targets, at), 0), len(n), longest)
}

// ctcForward runs over the labels with a blank before, between and after them: a state stays, or is entered from the one
// before, or from the one before that if a blank between two different labels is left out.
func ctcForward(op string, lp, targets, in, out *Node, blank int) *Node {
	n, s := targets.Dim(0), targets.Dim(1)
	states := 2*s + 1
	classes := lp.Dim(2)
	labels := strictIndex(op, Where(Lt(Reshape(Arange64(s), 1, s), Unsqueeze(out, 1)), Cast(targets, dtype.Int64),
		Number(dtype.Int64, blank)), classes)
	blanks := func(dims ...int) *Node {
		return FullOf(shape.Of(op, dims...), dtype.Int64, dtype.Scalar{Kind: dtype.KindInt, I: int64(blank)})
	}
	between := Reshape(concat([]*Node{blanks(n, s, 1), Unsqueeze(labels, 2)}, 2), n, 2*s)
	ext := concat([]*Node{between, blanks(n, 1)}, 1)
	emit := Maximum(gather(lp, broadcastTo(Unsqueeze(ext, 0), shape.Of(op, lp.Dim(0), n, states)), 2), impossible) // (T, N, states)
	at := func(t int) *Node { return Reshape(SliceDim(emit, 0, t, 1, 1), n, states) }
	never := constLike(lp, impossible)
	state := Reshape(Arange64(states), 1, states)
	alpha := Where(LogicalAnd(Lt(state, 2), Lt(state, Unsqueeze(Add(Mul(out, 2), 1), 1))), at(0), never)
	two := min(2, states)
	other := concat([]*Node{broadcastTo(Number(dtype.Bool, false), shape.Of(op, n, two)),
		Ne(SliceDim(ext, 1, two, states-two, 1), SliceDim(ext, 1, 0, states-two, 1))}, 1)
	for t := 1; t < lp.Dim(0); t++ {
		// With two states in front that are never reached, the ways to a state are three views, and a step is one fused pass.
		wide := padConstant(alpha, []int{0, 2}, []int{0, 0}, impossible)
		from := func(by int) *Node { return SliceDim(wide, 1, 2-by, states, 1) }
		stay, step, jump := from(0), from(1), Where(other, from(2), never)
		top := StopGradient(Maximum(Maximum(stay, step), jump))
		sum := Add(Add(Exp(Sub(stay, top)), Exp(Sub(step, top))), Exp(Sub(jump, top)))
		next := Maximum(Add(Add(Log(sum), top), at(t)), impossible)
		alpha = Where(Lt(t, Unsqueeze(in, 1)), next, stay)
	}
	end := Unsqueeze(Mul(out, 2), 1)
	last := concat([]*Node{gather(alpha, end, 1), gather(alpha, Maximum(Sub(end, 1), 0), 1)}, 1)
	// An empty target has one end, not two.
	last = Where(LogicalAnd(Eq(Unsqueeze(out, 1), 0), Eq(Reshape(Arange64(2), 1, 2), 1)), never, last)
	return Neg(Logsumexp(last, ReduceOptions{Dim: []int{1}}))
}
