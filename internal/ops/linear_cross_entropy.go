package ops

import (
	"math/bits"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// LinearCrossEntropyOptions: IgnoreIndex, Reduction and LabelSmoothing are those of CrossEntropy. BatchChunkSize is how many
// rows of logits are made at once; 0: as many as the sizes suggest.
type LinearCrossEntropyOptions struct {
	IgnoreIndex    *int    // nil: -100; only for class numbers
	Reduction      string  // "mean" (also by ""), "sum" or "none"
	LabelSmoothing float64 // share of each target that is spread over all classes
	BatchChunkSize int     // rows of logits that are made at once; 0: as many as the sizes suggest
}

// LinearCrossEntropy returns CrossEntropy(Linear(x, linearWeight, linearBias), target) without ever holding all logits, where
// that pays: rows of x are taken some at a time, and in one evaluation of a loss and its gradients the logits of some are gone
// when the next ones are made. x is (N, in) or (in), linearWeight (C, in) or (C, d1, …, in); the gradients of its uses are added in
// float32 at least.
//
//lucid:pkg nn/functional
//lucid:optional linearBias weight
//lucid:amp float32
func LinearCrossEntropy(x, linearWeight, target, linearBias, weight *Node, o LinearCrossEntropyOptions) *Node {
	const op = "linear_cross_entropy"
	checkLinearLoss(op, x, linearWeight, target, linearBias, o)
	ce := CrossEntropyOptions{IgnoreIndex: o.IgnoreIndex, Reduction: o.Reduction, LabelSmoothing: o.LabelSmoothing}
	chunk := o.BatchChunkSize
	if chunk == 0 {
		chunk = logitRows(x, linearWeight)
	}
	if x.Rank() == 1 || linearWeight.Rank() > 2 || x.Dim(0) <= chunk {
		d := linearWeight.Shape().Dims()
		classes := shape.Of(op, d[:len(d)-1]...).Numel() // no -1: there may be no features
		w, to := Reshape(linearWeight, classes, x.Dim(-1)), append(x.Shape().Clone()[:x.Rank()-1],
			d[:len(d)-1]...)
		if linearBias != nil {
			linearBias = Reshape(linearBias, classes)
		}
		return CrossEntropy(Reshape(Linear(x, w, linearBias), to...), target, weight, ce)
	}
	ampHalf(&x, &linearWeight, &linearBias)
	ampFloat32(&weight)
	sizes := evenSizes("linear_cross_entropy", x.Dim(0), chunk)
	xs, targets, weights := split(x, 0, sizes), split(target, 0, sizes), sharedBy(op, linearWeight, len(sizes))
	var biases []*Node
	if linearBias != nil {
		biases = sharedBy(op, linearBias, len(sizes))
	}
	if ce.Reduction != "none" {
		ce.Reduction = "sum"
	}
	var parts []*Node
	d := dtype.Invalid
	for i := range sizes {
		var b *Node
		if biases != nil {
			b = biases[i]
		}
		logits := Linear(xs[i], weights[i], b)
		ampFloat32(&logits)
		d = logits.DType()
		parts = append(parts, wideCrossEntropy(Cast(realFloat(op, logits), statDType(d)), targets[i], weight, ce))
	}
	return Cast(joinLosses(op, parts, target, weight, o), d)
}

// joinLosses makes one loss of those of some rows each: they have a number for each row, or their sum.
func joinLosses(op string, parts []*Node, target, weight *Node, o LinearCrossEntropyOptions) *Node {
	if o.Reduction == "none" {
		return concat(parts, 0)
	}
	sum := parts[0]
	for _, p := range parts[1:] {
		sum = Add(sum, p)
	}
	switch {
	case o.Reduction == "sum":
		return sum
	case target.DType().IsFloat():
		return Div(sum, float64(target.Dim(0)))
	}
	valid := Ne(target, orElse(o.IgnoreIndex, -100))
	if weight == nil {
		return Div(sum, sumKeep(Cast(valid, sum.DType()), nil, false))
	}
	at := take(Cast(weight, sum.DType()), strictIndex(op, Where(valid, Cast(target, dtype.Int64), Number(dtype.Int64, 0)),
		weight.Dim(0)), 0)
	return Div(sum, sumKeep(Where(valid, at, constLike(at, 0)), nil, false))
}

func checkLinearLoss(op string, x, w, target, b *Node, o LinearCrossEntropyOptions) {
	switch {
	case x.Rank() != 1 && x.Rank() != 2:
		fault.Throw(fault.Shape, op, "input has shape %v; want (N, in) or (in): flatten other dimensions into one", x.Shape())
	case w.Rank() < 2 || w.Dim(-1) != x.Dim(-1):
		fault.Throw(fault.Shape, op, "input %v and linear weight %v do not fit; want (N, in) and (C, in)", x.Shape(), w.Shape())
	case w.Rank() > 2 && x.Rank() == 1:
		fault.Throw(fault.Shape, op, "linear weight %v makes more than one dimension of classes: that wants an input (N, %d), not %v",
			w.Shape(), x.Dim(-1), x.Shape())
	case b != nil && !b.Shape().Equal(shape.Of(op, w.Shape().Dims()[:w.Rank()-1]...)):
		fault.Throw(fault.Shape, op, "linear bias has shape %v; want %v", b.Shape(), w.Shape().Dims()[:w.Rank()-1])
	case o.LabelSmoothing < 0 || o.LabelSmoothing > 1:
		fault.Throw(fault.Value, op, "label_smoothing is %v; want 0 to 1", o.LabelSmoothing)
	case o.Reduction != "" && o.Reduction != "mean" && o.Reduction != "sum" && o.Reduction != "none":
		fault.Throw(fault.Value, op, "reduction is %q; want mean, sum or none", o.Reduction)
	case o.BatchChunkSize < 0:
		fault.Throw(fault.Value, op, "batch_chunk_size is %d; want 1 or more, or 0 for as many as the sizes suggest", o.BatchChunkSize)
	case target.DType().IsFloat() && o.IgnoreIndex != nil:
		fault.Throw(fault.Value, op, "ignore_index is for class numbers; the target holds probabilities")
	}
	if want := x.Dim(0); x.Rank() == 2 && w.Rank() == 2 && (target.Rank() == 0 || target.Dim(0) != want) {
		fault.Throw(fault.Shape, op, "target has shape %v; want %d rows, as the input %v", target.Shape(), want, x.Shape())
	}
}

// logitRows is how many rows of logits are made at once, a power of two: what they take should be a few times what the
// gradient of the weight takes, which is read and written for each chunk.
func logitRows(x, w *Node) int {
	const least, times = 64 << 20, 8
	size := max(1, x.DType().Size())
	rows := max(least, times*w.Shape().Numel()*size) / max(1, w.Dim(0)*size)
	return 1 << bits.Len(uint(max(1, rows)-1))
}

// sharedBy shows a value n times. Its cotangents are added in float32 at least, and rounded once.
func sharedBy(op string, x *Node, n int) []*Node {
	outs := make([]*Node, n)
	for i := range outs {
		outs[i] = x
	}
	return WithRules(&Rules{Name: op, In: 1, Same: true,
		VJP: func(in, _, cot []*Node, _ []bool) []*Node {
			sum := Cast(cot[0], statDType(in[0].DType()))
			for _, c := range cot[1:] {
				sum = Add(sum, Cast(c, sum.DType()))
			}
			return []*Node{Cast(sum, in[0].DType())}
		},
		JVP: func(_, tan []*Node) []*Node {
			outs := make([]*Node, n)
			for i := range outs {
				outs[i] = tan[0]
			}
			return outs
		}}, []*Node{x}, outs)
}
