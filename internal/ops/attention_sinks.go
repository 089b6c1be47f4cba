package ops

import "github.com/lucid-go/lucid/internal/dtype"

// bottomRight makes a mask of a causal attention whose last query sees all keys, unless it is the usual one.
func bottomRight(query, key, mask *Node, o ScaledDotProductAttentionOptions) (*Node, ScaledDotProductAttentionOptions) {
	l, s := query.Dim(-2), key.Dim(-2)
	if !o.BottomRight || l == s {
		return mask, o
	}
	o.IsCausal = false
	if l == 1 { // it sees everything
		return nil, o
	}
	last := Add(Reshape(Arange64(l), l, 1), s-l)
	return Ge(last, Reshape(Arange64(s), 1, s)), o
}

// attentionWithSinks computes attention with one more key, in front of the others, whose score is the sink of its head and whose value is
// 0. Vectors get one more element: in queries the sink, in that key 1, in all others 0. So the score of the new key is the sink, scores of
// the others stay, and kernels that never hold the weights can be used. A causal attention has one more query in front, so that every
// query sees the sink.
func attentionWithSinks(query, key, value, mask, sinks *Node, o ScaledDotProductAttentionOptions) *Node {
	scale := attentionScale(query, o)
	if scale == 0 { // a product with it gives no sink
		if o.EnableGQA {
			const op = "scaled_dot_product_attention"
			key, value = repeatHeads(op, query, key), repeatHeads(op, query, value)
		}
		return Matmul(attentionWeights(query, key, mask, sinks, scale, o), value)
	}
	e := query.Dim(-1)
	more := 8 - e%8 // kernels like multiples of 8
	column := query.Shape().Clone()
	column[len(column)-1] = 1
	sink := BroadcastTo(Reshape(Cast(Div(sinks, scale), query.DType()), sinks.Dim(0), 1, 1), column...)
	query = Pad(Cat([]*Node{query, sink}, -1), []int{0, more - 1}, PadOptions{})
	key, value = Pad(key, []int{0, more, 1, 0}, PadOptions{}), Pad(value, []int{0, 0, 1, 0}, PadOptions{})
	row, element := Reshape(Arange64(key.Dim(-2)), key.Dim(-2), 1), Reshape(Arange64(e+more), 1, e+more)
	key = Where(LogicalAnd(Eq(row, 0), Eq(element, e)), constLike(key, 1), key)
	switch {
	case o.IsCausal:
		query = Pad(query, []int{0, 0, 1, 0}, PadOptions{})
	case mask != nil:
		mask = maskWithSink(mask, key.Dim(-2)-1)
	}
	o.Scale, o.BottomRight = &scale, false
	y := ScaledDotProductAttention(query, key, value, mask, nil, o)
	if o.IsCausal {
		y = Narrow(y, -2, 1, y.Dim(-2)-1)
	}
	return y
}

// maskWithSink adds a first column, of a key that all queries see; s is how many keys there are without it.
func maskWithSink(mask *Node, s int) *Node {
	if mask.Rank() == 0 {
		mask = Reshape(mask, 1)
	}
	if d := mask.Shape().Clone(); d[len(d)-1] == 1 && s != 1 {
		d[len(d)-1] = s
		mask = BroadcastTo(mask, d...)
	}
	fill := any(0)
	if mask.DType() == dtype.Bool {
		fill = true
	}
	return Pad(mask, []int{1, 0}, PadOptions{Value: fill})
}

// attendWithSinks makes weights of scores, of which a share goes to the sinks.
func attendWithSinks(s, mask, sinks *Node, causal bool) *Node {
	if sinks == nil {
		return attend(s, mask, causal)
	}
	column := s.Shape().Clone()
	l, k := s.Dim(-2), s.Dim(-1)
	column[len(column)-1] = 1
	sink := BroadcastTo(Reshape(Cast(sinks, s.DType()), sinks.Dim(0), 1, 1), column...)
	s = Cat([]*Node{sink, s}, -1)
	switch {
	case causal:
		mask = Ge(Reshape(Arange64(l), l, 1), Sub(Reshape(Arange64(k+1), 1, k+1), 1))
	case mask != nil:
		mask = maskWithSink(mask, k)
	}
	return Narrow(attend(s, mask, false), -1, 1, k)
}
