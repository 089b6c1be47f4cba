package transform

import (
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// VMapTrace records a function over examples that have no values yet.
type VMapTrace struct {
	Size     int
	trace    *graph.Trace
	standIns []*Node
	batched  []*Node // the whole batch of each placeholder, its axis in front
}

// NewVMap opens a trace over size examples.
func NewVMap(parent *graph.Trace, size int) *VMapTrace {
	return &VMapTrace{Size: size, trace: graph.NewTrace(graph.TraceVMap, "VMap", parent)}
}

// In returns the placeholder for one example of x, mapped along axis.
func (v *VMapTrace) In(x *Node, axis int) *Node {
	axis = shape.Axis("vmap", axis, x.Rank())
	d := x.Shape().Clone()
	if d[axis] != v.Size {
		fault.Throw(fault.Shape, "vmap", "an argument has %d examples along dim %d of %v, another has %d", d[axis], axis, x.Shape(), v.Size)
	}
	d = append(d[:axis], d[axis+1:]...)
	s := graph.NewPlaceholder(v.trace, len(v.standIns), graph.Spec{Shape: shape.Of("vmap", d...), DType: x.DType()}, x.Device())
	s.SetLevel(x.Level())
	s.Ref()
	x.Ref()
	v.standIns = append(v.standIns, s)
	v.batched = append(v.batched, ops.MoveAxis(x, axis, 0))
	return s
}

// Close ends the trace.
func (v *VMapTrace) Close() { v.trace.Close() }

// Out computes the outputs over all examples, with the extra axis at axes[i].
func (v *VMapTrace) Out(outputs []*Node, axes []int) []*Node {
	inside := func(n *Node) bool { return n.Trace() != nil && !n.IsPlaceholder() }
	var idx graph.Index
	idx.PostOrder(outputs, inside)
	val := make([]*Node, len(idx.Nodes)) // with the axis in front; nil: does not vary
	parts := map[int][]*Node{}
	for i, s := range v.standIns {
		if j := idx.Get(s); j >= 0 {
			val[j] = v.batched[i]
		}
	}
	for i, n := range idx.Nodes {
		if val[i] != nil || n.NumIn() == 0 || !inside(n) {
			continue
		}
		if k, ok := n.IsTupleItem(); ok {
			if p := parts[idx.Get(n.In(0))]; p != nil {
				val[i] = p[k]
			}
			continue
		}
		in, batched, some := make([]*Node, n.NumIn()), make([]bool, n.NumIn()), false
		for k := range in {
			j := idx.Get(n.In(k))
			in[k] = n.In(k)
			if val[j] != nil {
				in[k], batched[k], some = val[j], true, true
			}
		}
		if !some {
			continue
		}
		if n.Op().VMap == nil {
			fault.Throw(fault.NotImplemented, n.Op().Name, "cannot be vectorised: %s", n.Op().NoVMap)
		}
		out := v.apply(n, in, batched)
		if n.IsTuple() {
			parts[i] = out
			continue
		}
		val[i] = out[0]
	}
	res := make([]*Node, len(outputs))
	for i, o := range outputs {
		y := val[idx.Get(o)]
		if y == nil {
			y = ops.BroadcastTo(ops.Reshape(o, append([]int{1}, o.Shape().Dims()...)...), append([]int{v.Size}, o.Shape().Dims()...)...)
		}
		res[i] = ops.MoveAxis(y, 0, shape.Axis("vmap", axes[i], y.Rank()))
	}
	return res
}

// apply computes a node over all examples.
func (v *VMapTrace) apply(n *Node, in []*Node, batched []bool) (out []*Node) {
	if !n.Stopped() {
		return n.Op().VMap(n, in, batched, v.Size)
	}
	scope.With(func(s *scope.State) { s.NoGrad, s.Stop = true, true }, func() { out = n.Op().VMap(n, in, batched, v.Size) })
	return out
}

func init() { ops.Vectorise = vectorise }

// vectorise runs f over an extra axis in front of the batched inputs; a nil result stays nil.
func vectorise(f func([]*Node) []*Node, in []*Node, batched []bool, size int) []*Node {
	v := NewVMap(nil, size)
	defer v.Close()
	args := make([]*Node, len(in))
	for i, x := range in {
		args[i] = x
		if batched[i] {
			args[i] = v.In(x, 0)
		}
	}
	res := f(args)
	var live []*Node
	for _, r := range res {
		if r != nil {
			live = append(live, r)
		}
	}
	live = v.Out(live, make([]int, len(live)))
	out := make([]*Node, len(res))
	for i, r := range res {
		if r != nil {
			out[i], live = live[0], live[1:]
		}
	}
	return out
}
