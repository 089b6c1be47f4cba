package transform

import "github.com/lucid-go/lucid/internal/ops"

// Pushforward carries tangents from inputs to outputs; nil where an output does not vary.
func Pushforward(outputs, inputs, tangents []*Node) []*Node {
	t := record(outputs, inputs, OnLevel)
	defer t.idx.Release()
	tan := make([]*Node, len(t.idx.Nodes))
	parts := map[int][]*Node{}
	for i, x := range inputs {
		if j := t.idx.Get(x); j >= 0 {
			tan[j] = tangents[i]
		}
	}
	for i, n := range t.idx.Nodes {
		if !t.dep[i] || tan[i] != nil || n.NumIn() == 0 {
			continue
		}
		if k, ok := n.IsTupleItem(); ok {
			if p := parts[t.idx.Get(n.In(0))]; p != nil {
				tan[i] = p[k]
			}
			continue
		}
		if n.Op().JVP == nil {
			continue
		}
		in := make([]*Node, n.NumIn())
		some := false
		for k := range in {
			if j := t.idx.Get(n.In(k)); j >= 0 && t.dep[j] {
				in[k] = tan[j]
				some = some || in[k] != nil
			}
		}
		if !some {
			continue
		}
		out := n.Op().JVP(n, in)
		for k, o := range out {
			if o != nil {
				s := n.Out(k)
				if !o.Shape().Equal(s.Shape) {
					o = ops.BroadcastTo(o, s.Shape.Dims()...)
				}
				out[k] = ops.Cast(o, s.DType)
			}
		}
		if n.IsTuple() {
			parts[i] = out
			continue
		}
		tan[i] = out[0]
	}
	res := make([]*Node, len(outputs))
	for i, o := range outputs {
		res[i] = tan[t.idx.Get(o)]
	}
	return res
}
