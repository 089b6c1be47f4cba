package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// class_loss is -x[target], or log Σ exp(x) - x[target] of logits, times the weights of the target classes, summed, divided by the sum of
// these weights or as it is; then that sum of weights; then, of logits, log Σ exp(x) by target. Inputs are x, the targets, which have x's
// shape without the classes, and perhaps a weight for each class. It is recorded on the host: elsewhere its parts are.
var opClassLoss, opClassLossGrad *graph.Op

func init() {
	opClassLoss = graph.Register(graph.Op{Name: "class_loss", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Between(2, 3), Validate: rule(validateClassLoss), Checks: true,
		AMP: graph.AMPFloat32, SavesIn: 7, SavesOut: true,
		Infer: func(at attr.Attr, in []*Node) []graph.Spec {
			a, wide := at.(attr.ClassLoss), statDType(in[0].DType())
			out := []graph.Spec{{Shape: shape.Scalar, DType: in[0].DType()}, {Shape: shape.Scalar, DType: wide}}
			if a.Fold == attr.LossNone {
				out[0].Shape = in[1].Shape()
			}
			if a.Logits {
				out = append(out, graph.Spec{Shape: in[1].Shape(), DType: wide})
			}
			return out
		},
		VJP: classLossVJP,
		JVP: classLossJVP,
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			r := newLossRows(n.Attr().(attr.ClassLoss), batchedOnly(n, in, batched, size, 2), 1)
			loss, total := r.fold(Mul(r.losses(), r.weights()))
			out := []*Node{Cast(loss, n.In(0).DType()), total}
			if r.Logits {
				out = append(out, r.flat(r.lse))
			}
			return out
		}})
	opClassLossGrad = graph.Register(graph.Op{Name: "class_loss_grad", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Between(4, 6), Validate: rule(validateClassLossGrad), Checks: true,
		SavesIn: 63, InPlace: 1 << 2,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[2].Shape(), DType: in[2].DType()}}
		},
		VJP: classLossGradVJP,
		JVP: classLossGradJVP,
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			g := newLossGrad(n, batchedOnly(n, in, batched, size, 4), 1)
			return []*Node{Cast(g.value(g.scale()), n.DType())}
		}})
}

// batchedOnly shows inputs with the batch in front; the weights of the classes, which come behind the first k, stay as they are where
// they have none.
func batchedOnly(n *Node, in []*Node, batched []bool, size, k int) []*Node {
	if n.Attr().(attr.ClassLoss).Logits && n.Op() == opClassLossGrad {
		k++
	}
	if len(in) == k || batched[k] {
		return allBatched(n, in, batched, size)
	}
	return append(allBatched(n, in[:k], batched[:k], size), in[k])
}

// lossRows is class_loss written with other ops, for its rules: its operands have `lead` dimensions of a batch in front. What there is one
// of for a target has size 1 along axis.
type lossRows struct {
	attr.ClassLoss
	x, target, valid, weight *Node // weight nil: 1
	lse                      *Node // of logits
	lead, axis               int
}

// newLossRows takes x, the targets and perhaps the weights.
func newLossRows(a attr.ClassLoss, in []*Node, lead int) *lossRows {
	r := &lossRows{ClassLoss: a, lead: lead, axis: a.Axis + lead}
	r.x = Cast(in[0], statDType(in[0].DType()))
	keep := r.keep()
	r.valid = Reshape(Ne(in[1], a.Ignore), keep...)
	r.target = strictIndex(r.Op(), Where(r.valid, Reshape(in[1], keep...), Number(dtype.Int64, 0)), r.x.Dim(r.axis))
	if len(in) > 2 {
		d := ones(r.x.Rank())
		d[r.axis] = r.x.Dim(r.axis)
		if in[2].Rank() > 1 {
			d[0] = in[2].Dim(0)
		}
		r.weight = gather(broadcastTo(Reshape(in[2], d...), r.x.Shape()), r.target, r.axis)
	}
	return r
}

// keep is the shape of what there is one of for a target.
func (r *lossRows) keep() []int {
	d := r.x.Shape().Clone()
	d[r.axis] = 1
	return d
}

// flat takes the dimension of the classes away.
func (r *lossRows) flat(v *Node) *Node {
	d := r.keep()
	return Reshape(v, append(d[:r.axis], d[r.axis+1:]...)...)
}

// weights are those of the targets, 0 where one is ignored.
func (r *lossRows) weights() *Node {
	if r.weight == nil {
		return Cast(r.valid, r.x.DType())
	}
	return Where(r.valid, r.weight, constLike(r.weight, 0))
}

// losses are those of the targets without weights, 0 where one is ignored.
func (r *lossRows) losses() *Node {
	l := Neg(gather(r.x, r.target, r.axis))
	if r.Logits {
		nll := graph.New(opClassNLL, attr.Axis{Axis: r.axis}, r.x, r.target)
		l, r.lse = graph.TupleItem(nll, 0), graph.TupleItem(nll, 1)
	}
	return Where(r.valid, l, constLike(l, 0))
}

// sum is over all but the batch.
func (r *lossRows) sum(v *Node) *Node {
	var axes []int
	for i := r.lead; i < v.Rank(); i++ {
		axes = append(axes, i)
	}
	return sumKeep(v, axes, false)
}

// fold makes the loss of what is weighted, and the sum of the weights.
func (r *lossRows) fold(weighted *Node) (loss, total *Node) {
	total = r.sum(r.weights())
	switch r.Fold {
	case attr.LossMean:
		return Div(r.sum(weighted), total), total
	case attr.LossSum:
		return r.sum(weighted), total
	}
	return r.flat(weighted), total
}

// spread shows a number for each of the batch, or for each target, along the targets.
func (r *lossRows) spread(v *Node) *Node {
	d := r.keep()
	if v.Rank() == r.lead {
		d = append(append([]int{}, d[:r.lead]...), ones(len(d)-r.lead)...)
	}
	return Reshape(Cast(v, r.x.DType()), d...)
}

// byClass sums a number for each target into those of the classes; there is no batch.
func (r *lossRows) byClass(v *Node) *Node {
	v = Where(r.valid, broadcastTo(v, r.valid.Shape()), constLike(v, 0))
	n := r.x.Dim(r.axis)
	zeros := FullOf(shape.Of(r.Op(), n), v.DType(), dtype.Scalar{Kind: dtype.KindFloat})
	return put(zeros, Reshape(r.target, -1), Reshape(v, -1), 0, attr.ReduceAdd)
}

func classLossVJP(n *Node, cot []*Node, need []bool) []*Node {
	a, out := n.Attr().(attr.ClassLoss), make([]*Node, n.NumIn())
	var lse *Node
	if a.Logits {
		lse = graph.TupleItem(n, 2)
	}
	if cot[0] != nil {
		in := []*Node{cot[0], n.In(1), n.In(0), graph.TupleItem(n, 1)}
		if a.Logits {
			in = append(in, lse)
		}
		out[0] = graph.New(opClassLossGrad, a, append(in, n.Ins()[2:]...)...)
	}
	if a.Logits && cot[2] != nil {
		d := n.In(0).Shape().Clone()
		d[a.Axis] = 1
		p := Exp(Sub(n.In(0), Reshape(lse, d...)))
		out[0] = addMaybe(out[0], Mul(p, Reshape(cot[2], d...)))
	}
	if n.NumIn() < 3 || !need[2] {
		return out
	}
	r := newLossRows(a, n.Ins(), 0)
	var by *Node // each target
	if cot[0] != nil {
		by = r.losses()
		g := r.spread(cot[0])
		if a.Fold == attr.LossMean {
			by, g = Sub(by, r.spread(graph.TupleItem(n, 0))), Div(g, r.spread(graph.TupleItem(n, 1)))
		}
		by = Mul(by, g)
	}
	if cot[1] != nil {
		by = addMaybe(by, r.spread(cot[1]))
	}
	if by != nil {
		out[2] = r.byClass(by)
	}
	return out
}

func classLossJVP(n *Node, tan []*Node) []*Node {
	a := n.Attr().(attr.ClassLoss)
	r := newLossRows(a, n.Ins(), 0)
	out := make([]*Node, 2, 3)
	if a.Logits {
		out = append(out, nil)
	}
	var weighted *Node
	if tan[0] != nil {
		t := Cast(tan[0], r.x.DType())
		l := Neg(gather(t, r.target, r.axis))
		if a.Logits {
			p := Exp(Sub(r.x, Reshape(graph.TupleItem(n, 2), r.keep()...)))
			s := sumKeep(Mul(p, t), []int{r.axis}, true)
			l, out[2] = Add(l, s), r.flat(s)
		}
		weighted = Mul(l, r.weights())
	}
	if len(tan) > 2 && tan[2] != nil {
		w := newLossRows(a, []*Node{n.In(0), n.In(1), tan[2]}, 0)
		out[1] = w.sum(w.weights())
		weighted = addMaybe(weighted, Mul(r.losses(), w.weights()))
	}
	if weighted == nil {
		return out
	}
	loss, total := r.fold(weighted)
	if a.Fold == attr.LossMean && out[1] != nil {
		loss = Sub(loss, Div(Mul(Cast(graph.TupleItem(n, 0), total.DType()), out[1]), total))
	}
	out[0] = Cast(loss, n.In(0).DType())
	return out
}

// lossGrad is class_loss_grad written with other ops: (p - 1 at the target)·s, where p is the probability of logits and 0 of others, and s
// the weight of a target times its loss's cotangent, divided by the sum of the weights where the loss is a mean.
type lossGrad struct {
	*lossRows
	g, total *Node
}

// newLossGrad takes the cotangent, the targets, x, the sum of weights, of logits log Σ exp(x), and perhaps the weights.
func newLossGrad(n *Node, in []*Node, lead int) *lossGrad {
	a, rest := n.Attr().(attr.ClassLoss), in[4:]
	var lse *Node
	if a.Logits {
		lse, rest = rest[0], rest[1:]
	}
	l := &lossGrad{lossRows: newLossRows(a, append([]*Node{in[2], in[1]}, rest...), lead)}
	l.g, l.total = l.spread(in[0]), l.spread(in[3])
	if a.Logits {
		l.lse = Reshape(lse, l.keep()...)
	}
	return l
}

// share is a target's part of the cotangent.
func (l *lossGrad) share() *Node {
	if l.Fold == attr.LossMean {
		return Div(l.weights(), l.total)
	}
	return l.weights()
}

func (l *lossGrad) scale() *Node { return Mul(l.share(), l.g) }

// hit is true at the targets.
func (l *lossGrad) hit() *Node {
	n := l.x.Dim(l.axis)
	return Eq(Reshape(Arange64(n), alongAxis(l.x.Rank(), l.axis, n)...), l.target)
}

func (l *lossGrad) p() *Node { return Exp(Sub(l.x, l.lse)) }

// value is the result for some s.
func (l *lossGrad) value(s *Node) *Node {
	at := Neg(Where(l.hit(), s, constLike(s, 0)))
	if l.Logits {
		return Add(Mul(l.p(), s), at)
	}
	return at
}

func classLossGradVJP(n *Node, cot []*Node, need []bool) []*Node {
	l, out := newLossGrad(n, n.Ins(), 0), make([]*Node, n.NumIn())
	c := Cast(cot[0], l.x.DType())
	by := Neg(gather(c, l.target, l.axis)) // of s
	if l.Logits {
		cp := Mul(c, l.p())
		by = Add(by, sumKeep(cp, []int{l.axis}, true))
		out[2] = Mul(cp, l.scale())
		out[4] = Neg(l.flat(sumKeep(out[2], []int{l.axis}, true)))
	}
	d := n.In(0).DType()
	if l.Fold == attr.LossNone {
		out[0] = Cast(l.flat(Mul(by, l.share())), d)
	} else {
		out[0] = Cast(l.sum(Mul(by, l.share())), d)
	}
	if l.Fold == attr.LossMean {
		out[3] = Neg(l.sum(Div(Mul(by, l.scale()), l.total)))
	}
	if last := n.NumIn() - 1; l.weight != nil && need[last] {
		w := Mul(by, l.g)
		if l.Fold == attr.LossMean {
			w = Div(w, l.total)
		}
		out[last] = l.byClass(w)
	}
	return out
}

func classLossGradJVP(n *Node, tan []*Node) []*Node {
	l := newLossGrad(n, n.Ins(), 0)
	var s, sum *Node // the tangent of s, of the result
	if tan[0] != nil {
		s = Mul(l.share(), l.spread(tan[0]))
	}
	if tan[3] != nil && l.Fold == attr.LossMean {
		s = addMaybe(s, Neg(Div(Mul(l.scale(), l.spread(tan[3])), l.total)))
	}
	if last := n.NumIn() - 1; l.weight != nil && tan[last] != nil {
		w := newLossRows(l.ClassLoss, []*Node{n.In(2), n.In(1), tan[last]}, 0)
		t := Mul(w.weights(), l.g)
		if l.Fold == attr.LossMean {
			t = Div(t, l.total)
		}
		s = addMaybe(s, t)
	}
	if s != nil {
		sum = l.value(s)
	}
	if l.Logits {
		var by *Node
		if tan[2] != nil {
			by = tan[2]
		}
		if tan[4] != nil {
			by = addMaybe(by, broadcastTo(Neg(Reshape(tan[4], l.keep()...)), l.x.Shape()))
		}
		if by != nil {
			sum = addMaybe(sum, Mul(Mul(l.p(), l.scale()), by))
		}
	}
	if sum == nil {
		return []*Node{nil}
	}
	return []*Node{Cast(broadcastTo(sum, l.x.Shape()), n.DType())}
}

// classLoss is the loss as one op, nil where that is not to be: elsewhere than on the host, where casts are folded into class_nll, without
// elements.
func classLoss(x, target, weight *Node, ignore *int, reduction string, logits bool) *Node {
	d := x.Device()
	fold, ok := map[string]attr.LossFold{"": attr.LossMean, "mean": attr.LossMean, "sum": attr.LossSum, "none": attr.LossNone}[reduction]
	if d != nil && (!d.Host || d.CastFolder != nil) || !ok || x.Shape().Numel() == 0 {
		return nil
	}
	in := []*Node{x, Cast(target, dtype.Int64)}
	if weight != nil {
		in = append(in, Cast(weight, statDType(x.DType())))
	}
	a := attr.ClassLoss{Axis: min(1, x.Rank()-1), Ignore: orElse(ignore, -100), Fold: fold, Logits: logits}
	return graph.TupleItem(graph.New(opClassLoss, a, in...), 0)
}
