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

// shareWithSinks gives the sinks their share of a result y of attention, (…, heads, L, Ev): the sums of exponentials, whose logarithms
// are (…, heads, L, 1), grow by that of the sink.
func shareWithSinks(y, logSums, sinks *Node) *Node {
	share := Sigmoid(Sub(logSums, Reshape(Cast(sinks, logSums.DType()), sinks.Dim(0), 1, 1)))
	return Cast(Mul(Cast(y, logSums.DType()), share), y.DType())
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
