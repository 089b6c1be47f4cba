package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// ScaledDotProductAttentionOptions: Scale nil is 1/sqrt(E). IsCausal lets query i see keys 0 to i. EnableGQA repeats
// the heads of key and value until they are as many as the query's.
type ScaledDotProductAttentionOptions struct {
	DropoutP  float64
	IsCausal  bool
	Scale     *float64
	EnableGQA bool `lucid:"enable_gqa"`
}

// ScaledDotProductAttention returns softmax(query·keyᵀ·scale + mask)·value; query is (…, L, E), key (…, S, E), value
// (…, S, Ev). attnMask is added, or, if bool, says which keys take part; a query without any gets zeros. Dropout
// needs a generator and is refused here.
//
//lucid:func
//lucid:optional attnMask
func ScaledDotProductAttention(query, key, value, attnMask *Node, o ScaledDotProductAttentionOptions) *Node {
	const op = "scaled_dot_product_attention"
	switch {
	case o.DropoutP != 0:
		fault.Throw(fault.NotImplemented, op, "dropout_p is %v; drop from the result of a softmax of your own, or leave it 0", o.DropoutP)
	case query.Rank() < 2 || key.Rank() < 2 || value.Rank() < 2 || query.Dim(-1) != key.Dim(-1) || key.Dim(-2) != value.Dim(-2):
		fault.Throw(fault.Shape, op, "query %v, key %v and value %v do not fit; want (…, L, E), (…, S, E), (…, S, Ev)", query.Shape(), key.Shape(), value.Shape())
	case o.IsCausal && attnMask != nil:
		fault.Throw(fault.Value, op, "is_causal and attn_mask are both given; put the causal part into the mask")
	}
	realFloat(op, query)
	if o.EnableGQA {
		key, value = repeatHeads(op, query, key), repeatHeads(op, query, value)
	}
	scale := orElse(o.Scale, 1/math.Sqrt(float64(query.Dim(-1))))
	s := Matmul(Mul(query, scale), swapLast(key))
	s = inFloat32(s, func(s *Node) *Node { return attend(s, attnMask, o.IsCausal) })
	return Matmul(s, value)
}

// attend turns scores into weights. A row that sees nothing is computed as if it saw everything, then set to 0: so
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
		none = Eq(StopGradient(reduce(opAmax, s, []int{last}, true)), low)
	}
	p := Softmax(Where(none, constLike(s, 0), s), last, SoftmaxOptions{})
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
