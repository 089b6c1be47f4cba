package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// attention is a tuple node: softmax(q·kᵀ·scale + mask)·v, and the logarithm of each row's sum, from which the gradient
// recomputes the weights: no device has to keep a matrix of them. q is (N, H, L, E), k (N, G, S, E) and v (N, G, S, F), G
// dividing H; the mask, if there is one, is bool or a float, and each of its four sizes is that of the weights or 1. A row
// that sees nothing gives zeros, and its logarithm is +Inf, so that recomputed weights are 0.
//
// attention_grad gives the cotangents of q, k and v. Its inputs are the cotangent of the result, q, k, v, the
// logarithms, the result, whose products with its cotangent are summed up along rows, the cotangent of the logarithms if the
// attribute says Shifted, and perhaps the mask.
var opAttention, opAttentionGrad *graph.Op

func init() {
	opAttention = graph.Register(graph.Op{Name: "attention", Version: 1, Kind: graph.Contract,
		Inputs: graph.Between(3, 4), Validate: rule(validateAttention),
		AMP: graph.AMPHalf, SavesIn: 15, SavesOut: true, FLOPs: attentionFLOPs,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			q, d := in[0], in[0].Shape().Clone()
			d[3] = in[2].Dim(3)
			return []graph.Spec{{Shape: shape.Of("attention", d...), DType: q.DType()},
				{Shape: shape.Of("attention", d[:3]...), DType: statDType(q.DType())}}
		},
		VJP: attentionVJP, JVP: attentionJVP,
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			return unfold(n, graph.New(n.Op(), n.Attr(), foldBatch(n, in, batched, size, 3)...), size)
		}})
	opAttentionGrad = graph.Register(graph.Op{Name: "attention_grad", Version: 2, Kind: graph.Contract,
		Inputs: graph.Between(6, 8), Validate: rule(validateAttentionGrad),
		SavesIn: 255, FLOPs: attentionGradFLOPs,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			var out []graph.Spec
			for _, x := range in[1:4] {
				out = append(out, graph.Spec{Shape: x.Shape(), DType: x.DType()})
			}
			return out
		},
		VJP: attentionGradVJP, JVP: attentionGradJVP,
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			return unfold(n, graph.New(n.Op(), n.Attr(), foldBatch(n, in, batched, size, attentionGradMask(n.Attr()))...), size)
		}})
}

// foldBatch makes the extra axis part of the first dimension. The mask, that input, may have the size 1
// there where the others have more.
func foldBatch(n *Node, in []*Node, batched []bool, size, mask int) []*Node {
	out := make([]*Node, len(in))
	for i, x := range in {
		switch {
		case i == mask && !batched[i] && x.Dim(0) == 1:
			out[i] = x
			continue
		case i == mask && batched[i] && x.Dim(1) != n.In(1).Dim(0):
			d := x.Shape().Clone()
			d[1] = n.In(1).Dim(0)
			x = broadcastTo(x, shape.Of("attention", d...))
		case i == mask && !batched[i]:
			x = broadcastTo(x, batchShape("attention", x.Shape(), size))
		case !batched[i]:
			x = broadcastTo(x, batchShape("attention", x.Shape(), size))
		}
		d := x.Shape().Clone()
		d[1] *= size
		out[i] = Reshape(x, d[1:]...)
	}
	return out
}

// unfold splits the extra axis off the results that all gives for every example of n.
func unfold(n, all *Node, size int) []*Node {
	out := graph.TupleItems(all)
	for i, one := range graph.TupleItems(n) {
		out[i] = reshapeTo(out[i], batchShape("vmap", one.Shape(), size))
	}
	return out
}

// attended is an attention as rules see it: with the whole matrix of weights, in the dtype of sums, every head of the
// query having keys of its own. First orders do not come here.
type attended struct {
	a          attr.Attention
	q, k, v    *Node
	mask       *Node
	lse, group *Node // group is what k was before its heads were repeated
	p          *Node
}

func readAttended(a attr.Attr, q, k, v, lse, mask *Node) *attended {
	d := lse.DType()
	r := &attended{a: a.(attr.Attention), q: Cast(q, d), v: Cast(v, d), group: k, mask: mask, lse: Unsqueeze(lse, -1)}
	r.k, r.v = r.repeat(Cast(k, d)), r.repeat(r.v)
	s := Mul(contract(r.q, swapLast(r.k)), r.a.Scale)
	low := constLike(s, math.Inf(-1))
	switch {
	case r.a.Causal:
		l, k := s.Dim(-2), s.Dim(-1)
		s = Where(Ge(Reshape(Arange64(l), l, 1), Reshape(Arange64(k), 1, k)), s, low)
	case mask == nil:
	case mask.DType() == dtype.Bool:
		s = Where(mask, s, low)
	default:
		s = Add(s, Cast(mask, d))
	}
	r.p = Exp(Sub(s, r.lse))
	return r
}

// repeat shows each head of keys or values for all heads of the query that share it; gather sums them again.
func (r *attended) repeat(x *Node) *Node {
	d := x.Shape().Clone()
	n := r.q.Dim(1) / max(1, d[1])
	if n <= 1 {
		return x
	}
	y := BroadcastTo(Unsqueeze(x, 2), d[0], d[1], n, d[2], d[3])
	return Reshape(y, d[0], d[1]*n, d[2], d[3])
}

func (r *attended) gather(x *Node) *Node {
	d := x.Shape().Clone()
	h := r.group.Dim(1)
	if h == d[1] {
		return x
	}
	return sumKeep(Reshape(x, d[0], h, d[1]/h, d[2], d[3]), []int{2}, false)
}

// cast gives x the dtype of another node, and nothing where there is nothing.
func castLike(x, to *Node) *Node { return castMaybe(x, to.DType()) }

// tangent of the scores.
func (r *attended) scores(tq, tk, tmask *Node) (t *Node) {
	d := r.p.DType()
	if tq != nil {
		t = contract(Cast(tq, d), swapLast(r.k))
	}
	if tk != nil {
		t = addMaybe(t, contract(r.q, swapLast(r.repeat(Cast(tk, d)))))
	}
	if t != nil {
		t = Mul(t, r.a.Scale)
	}
	if tmask != nil {
		t = addMaybe(t, broadcastTo(Cast(tmask, d), r.p.Shape()))
	}
	return t
}

func sumLast(x *Node) *Node { return sumKeep(x, []int{x.Rank() - 1}, true) }

// optional returns input i, nil if there are not so many.
func optionalIn(n *Node, i int) *Node {
	if n.NumIn() > i {
		return n.In(i)
	}
	return nil
}

func attentionVJP(n *Node, cot []*Node, need []bool) []*Node {
	lse := graph.TupleItem(n, 1)
	d := lse.DType()
	g := cot[0]
	if g == nil {
		g = zerosLike(graph.TupleItem(n, 0))
	}
	y := graph.TupleItem(n, 0)
	a := n.Attr().(attr.Attention)
	in := []*Node{Cast(g, n.In(0).DType()), n.In(0), n.In(1), n.In(2), lse, y}
	var shift *Node
	if len(cot) > 1 && cot[1] != nil {
		shift, a.Shifted = Cast(cot[1], d), true
		in = append(in, shift)
	}
	out := make([]*Node, n.NumIn())
	mask := optionalIn(n, 3)
	if mask != nil {
		in = append(in, mask)
	}
	if need[0] || need[1] || need[2] {
		copy(out, graph.TupleItems(graph.New(opAttentionGrad, a, in...)))
	}
	if mask != nil && need[3] && mask.DType().IsFloat() {
		r := readAttended(n.Attr(), n.In(0), n.In(1), n.In(2), lse, mask)
		g, y := Cast(g, d), Cast(y, d)
		ds := Mul(r.p, Sub(contract(g, swapLast(r.v)), rowSums(g, y, shift)))
		out[3] = castLike(SumTo(ds, mask.Shape()), mask)
	}
	return out
}

// rowSums are those of the result times its cotangent, less the cotangent of the logarithms if there is one: what is taken from
// the cotangents of weights. They are (N, H, L, 1).
func rowSums(g, y, shift *Node) *Node {
	sums := sumLast(Mul(g, y))
	if shift != nil {
		sums = Sub(sums, Unsqueeze(shift, -1))
	}
	return sums
}

func attentionJVP(n *Node, tan []*Node) []*Node {
	lse := graph.TupleItem(n, 1)
	mask := optionalIn(n, 3)
	r := readAttended(n.Attr(), n.In(0), n.In(1), n.In(2), lse, mask)
	var tm *Node
	if mask != nil && mask.DType().IsFloat() {
		tm = tan[3]
	}
	out := make([]*Node, 2)
	if t := r.scores(tan[0], tan[1], tm); t != nil {
		tl := sumLast(Mul(r.p, t))
		out[0] = contract(Mul(r.p, Sub(t, tl)), r.v)
		out[1] = Squeeze(tl, -1)
	}
	if tan[2] != nil {
		out[0] = addMaybe(out[0], contract(r.p, r.repeat(Cast(tan[2], lse.DType()))))
	}
	out[0] = castLike(out[0], graph.TupleItem(n, 0))
	return out
}
