package ops

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// ScaledDotProductAttentionOptions: Scale nil is 1/sqrt(E). IsCausal lets query i see keys 0 to i. EnableGQA repeats
// the heads of key and value until they are as many as the query's.
type ScaledDotProductAttentionOptions struct {
	DropoutP  float64  // share of the weights that are dropped, in training or not
	IsCausal  bool     // query i sees keys 0 to i
	Scale     *float64 // factor of the scores; nil: 1/sqrt(E)
	EnableGQA bool     `lucid:"enable_gqa"` // heads of key and value are shared by groups of query heads
	// BottomRight makes IsCausal let the last query see all keys, as MLX's "causal" does: query i sees keys 0 to i + S - L.
	BottomRight bool
}

// ScaledDotProductAttention returns softmax(query·keyᵀ·scale + mask)·value; query is (…, L, E), key (…, S, E), value
// (…, S, Ev). attnMask is added, or, if bool, says which keys take part; a query without any gets zeros. sinks, (heads), are
// scores of one more key a head, whose value is 0: they take a share of the weights. Memory is linear
// in L and S, but for the gradient of a mask, for dropout, whose numbers come from the default generator, and for
// derivatives beyond the first, which hold the weights.
//
//lucid:pkg nn/functional
//lucid:optional attnMask sinks
//lucid:amp half
func ScaledDotProductAttention(query, key, value, attnMask, sinks *Node, o ScaledDotProductAttentionOptions) *Node {
	const op = "scaled_dot_product_attention"
	query, key, value = attentionChecked(op, query, key, value, attnMask, sinks, o)
	attnMask, o = bottomRight(query, key, attnMask, o)
	if o.EnableGQA && (o.DropoutP > 0 || key.Rank() < 3 || value.Rank() < 3 || key.Dim(-3) != value.Dim(-3)) {
		key, value = repeatHeads(op, query, key), repeatHeads(op, query, value)
	}
	scale := attentionScale(query, o)
	if o.DropoutP > 0 {
		return Matmul(attentionWeights(query, key, attnMask, sinks, scale, o), value) // holds all weights
	}
	in, lead := attentionOperands(op, query, key, value, attnMask, o.EnableGQA)
	n := apply(opAttention, attr.Attention{Causal: o.IsCausal, Scale: scale}, in...)
	y := Reshape(graph.TupleItem(n, 0), slices.Concat(lead, []int{query.Dim(-2), value.Dim(-1)})...)
	if sinks == nil {
		return y
	}
	return shareWithSinks(y, Reshape(graph.TupleItem(n, 1), slices.Concat(lead, []int{query.Dim(-2), 1})...), sinks)
}

// attentionOperands brings operands to the four dimensions of the primitive. lead is what stands before the last two
// dimensions of the result.
func attentionOperands(op string, query, key, value, mask *Node, grouped bool) (in []*Node, lead []int) {
	in = []*Node{query, key, value}
	l, s := query.Dim(-2), key.Dim(-2)
	if mask != nil {
		if mask.DType() != dtype.Bool && mask.DType() != statDType(query.DType()) {
			mask = Cast(mask, query.DType())
		}
		if mask.Rank() < 2 {
			mask = Reshape(mask, append(ones(2-mask.Rank()), mask.Shape().Dims()...)...)
		}
		if !shape.BroadcastsTo(shape.Of(op, mask.Dim(-2), mask.Dim(-1)), shape.Of(op, l, s)) {
			fault.Throw(fault.Shape, op, "attn_mask has shape %v; want it to broadcast to (…, %d, %d)", mask.Shape(), l, s)
		}
		in = append(in, mask)
	}
	batch, heads := shape.Scalar, 1
	headed := false
	for i, x := range in {
		d := x.Shape().Dims()[:x.Rank()-2]
		h := 1
		if len(d) > 0 {
			d, h, headed = d[:len(d)-1], d[len(d)-1], true
		}
		batch = shape.Broadcast(op, batch, shape.Of(op, d...))
		switch {
		case grouped && (i == 1 || i == 2):
			if h == 0 || query.Rank() < 3 || query.Dim(-3)%h != 0 {
				fault.Throw(fault.Shape, op, "the heads of query %v are no multiple of those of %v", query.Shape(), x.Shape())
			}
		default:
			heads = shape.Broadcast(op, shape.Of(op, heads), shape.Of(op, h)).Dim(0)
		}
	}
	for i, x := range in {
		h := heads
		if grouped && (i == 1 || i == 2) {
			h = x.Dim(-3)
		}
		if i == 3 && x.Shape().Numel() == x.Dim(-2)*x.Dim(-1) { // a mask for all
			in[i] = Reshape(x, 1, 1, x.Dim(-2), x.Dim(-1))
			continue
		}
		x = broadcastTo(x, shape.Of(op, append(batch.Clone(), h, x.Dim(-2), x.Dim(-1))...))
		in[i] = Reshape(x, batch.Numel(), h, x.Dim(-2), x.Dim(-1))
	}
	if headed {
		lead = append(batch.Clone(), heads)
	}
	return in, lead
}

// attend makes weights of scores. A row that sees nothing is computed as if it saw everything, then set to 0: so
// neither it nor its gradient is NaN.
func attend(s, mask *Node, causal bool) *Node {
	low := constLike(s, math.Inf(-1))
	last := s.Rank() - 1
	switch {
	case causal:
		l, k := s.Dim(-2), s.Dim(-1)
		sees := Ge(Reshape(Arange64(l), l, 1), Reshape(Arange64(k), 1, k))
		return Softmax(Where(sees, s, low), last, SoftmaxOptions{})
	case mask == nil:
		return Softmax(s, last, SoftmaxOptions{})
	}
	var none *Node
	if mask.DType() == dtype.Bool {
		none = LogicalNot(reduce(opAny, mask, []int{mask.Rank() - 1}, true))
		s = Where(mask, s, low)
	} else {
		s = Add(s, Cast(mask, s.DType()))
		none = Eq(StopGradient(reduce(opAmax, s, []int{s.Rank() - 1}, true)), low)
	}
	p := Softmax(Where(none, constLike(s, 0), s), s.Rank()-1, SoftmaxOptions{})
	return Where(none, constLike(p, 0), p)
}

// repeatHeads shows every head of x (dim -3) as often as query has more of them.
func repeatHeads(op string, query, x *Node) *Node {
	if query.Rank() < 3 || x.Rank() < 3 || x.Dim(-3) == 0 || query.Dim(-3)%x.Dim(-3) != 0 {
		fault.Throw(fault.Shape, op, "the heads of query %v are no multiple of those of %v", query.Shape(), x.Shape())
	}
	n := query.Dim(-3) / x.Dim(-3)
	if n == 1 {
		return x
	}
	d := x.Shape().Clone()
	at := len(d) - 3
	wide := append(append(append([]int{}, d[:at+1]...), n), d[at+1:]...)
	y := BroadcastTo(Unsqueeze(x, at+1), wide...)
	d[at] *= n
	return Reshape(y, d...)
}
