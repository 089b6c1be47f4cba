package autograd

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/tree"
)

// Hooks decide how a value is stored that Backward will need. Pack is called with each when the function is called, after it was computed,
// and what it returns is stored; Unpack gives the value back when Backward comes to it, on the same device, of the same dtype and shape.
type Hooks struct {
	Pack   func(t *lucid.Tensor) any
	Unpack func(packed any) *lucid.Tensor
}

// SavedTensorHooks returns f with hooks for the values inside it that its gradient needs. Its inputs, and tensors it reads from outside
// such as parameters, exist anyway and are not packed. The result is computed at once, as are the values.
//
// The hooks are for Backward. Where no gradient is recorded, inside Compile, VMap and functional transforms, f runs as it is; a Backward
// with CreateGraph computes the values again instead of unpacking them, so that gradients of gradients are right.
func SavedTensorHooks(f func([]*lucid.Tensor) []*lucid.Tensor, h Hooks) func(xs ...*lucid.Tensor) []*lucid.Tensor {
	const op = "saved_tensor_hooks"
	tree.FunctionOf(op, f)
	if h.Pack == nil || h.Unpack == nil {
		fault.Throw(fault.Value, op, "a hook is nil; want Pack and Unpack")
	}
	return func(xs ...*lucid.Tensor) []*lucid.Tensor {
		if scope.Current().NoGrad || scope.Current().Trace != nil || slices.ContainsFunc(xs, inTransform) {
			return f(xs)
		}
		s := newSaved(f, xs)
		if s == nil { // nothing requires a gradient
			return f(xs)
		}
		return s.show(h)
	}
}

// SaveOnCPU returns f with the values inside it that its gradient needs stored in host memory, and brought back to their device when
// Backward comes to them. See SavedTensorHooks.
func SaveOnCPU(f func([]*lucid.Tensor) []*lucid.Tensor) func(xs ...*lucid.Tensor) []*lucid.Tensor {
	type moved struct {
		t    *lucid.Tensor
		from lucid.Device
	}
	return SavedTensorHooks(f, Hooks{
		Pack: func(t *lucid.Tensor) any {
			m := moved{t.To(lucid.CPU), t.Device()}
			if m.t == t { // it is there
				return m
			}
			if err := lucid.Eval(m.t); err != nil {
				fault.Rethrow("save_on_cpu", err)
			}
			t.Free() // the device's memory is free at once
			return m
		},
		Unpack: func(packed any) *lucid.Tensor {
			m := packed.(moved)
			return m.t.To(m.from)
		}})
}

func inTransform(x *lucid.Tensor) bool {
	n := (*graph.Array)(x).Peek()
	return n.Trace() != nil || n.Level() != nil
}

// saved is a call of a function whose values are packed.
type saved struct {
	inputs []*graph.Node // the arguments, then what the function read from outside
	outs   []*graph.Node
	all    *graph.Subgraph // from inputs to every value inside
	which  []int           // of those, the results
	back   *graph.Subgraph // from packed values, inputs and cotangents to the cotangents of inputs
	has    []bool          // the inputs that have a cotangent
	values []value         // to be packed
}

// value is one of the values inside, or an output of it if it is a tuple.
type value struct{ at, item int }

// newSaved runs f and finds out which values its gradient reads; nil if nothing requires a gradient.
func newSaved(f func([]*lucid.Tensor) []*lucid.Tensor, xs []*lucid.Tensor) *saved {
	given, release := acquireAll(xs)
	defer release()
	epoch := graph.BeginEpoch()
	args := make([]*graph.Node, len(xs))
	var outs []*graph.Node
	level := graph.NewLevel(nil) // as in Checkpoint: handles that f leaves behind are no reason to store a value
	defer level.Close()
	scope.With(func(s *scope.State) { s.CheckpointLevel, s.NoGrad, s.Stop = level, true, false }, func() {
		handles := make([]*lucid.Tensor, len(xs))
		for i, n := range given {
			args[i] = ops.StopGradient(n)
			args[i].SetLevel(level)
			handles[i] = (*tensor)(door.Wrap(args[i]))
		}
		for _, y := range f(handles) {
			outs = append(outs, (*graph.Array)(y).Peek())
		}
	})
	if len(outs) == 0 {
		fault.Throw(fault.Gradient, "saved_tensor_hooks", "the function returned no tensor")
	}
	inside := func(n *graph.Node) bool { return n.Since(epoch) && n.NumIn() > 0 && !slices.Contains(args, n) }
	var idx graph.Index
	idx.PostOrder(outs, inside)
	var nodes []*graph.Node
	for _, n := range idx.Nodes {
		if inside(n) {
			nodes = append(nodes, n)
		}
	}
	s := &saved{outs: outs}
	for _, o := range outs {
		if at := slices.Index(nodes, o); at >= 0 {
			s.which = append(s.which, at)
			continue
		}
		nodes = append(nodes, o) // an input itself
		s.which = append(s.which, len(nodes)-1)
	}
	var captured []*graph.Node
	s.all, captured = graph.NewSubgraph(nodes, args, inside)
	s.inputs = append(slices.Clone(given), captured...)
	if !slices.ContainsFunc(s.inputs, (*graph.Node).Tape) {
		return nil
	}
	s.findValues()
	return s
}

// over records the function again and returns its results.
func (s *saved) over(in []*graph.Node) []*graph.Node {
	every := s.all.Over(in)
	outs := make([]*graph.Node, len(s.which))
	for i, k := range s.which {
		outs[i] = every[k]
	}
	return outs
}

// findValues records function and gradient over placeholders. What the gradient reads of the function is to be packed.
func (s *saved) findValues() {
	t := graph.NewTrace(graph.TraceControl, "saved_tensor_hooks", nil)
	defer t.Close()
	holder := func(i int, n *graph.Node) *graph.Node {
		return graph.NewPlaceholder(t, i, graph.Spec{Shape: n.Shape(), DType: n.DType()}, n.Device())
	}
	var in, cots, every []*graph.Node
	need := make([]bool, len(s.inputs))
	for i, n := range s.inputs {
		in = append(in, holder(i, n))
		need[i] = n.Tape()
	}
	for i, n := range s.outs {
		cots = append(cots, holder(len(in)+i, n))
	}
	var grads []*graph.Node
	lucid.NoGrad(func() {
		grads = ops.Pull(func(fresh []*graph.Node) []*graph.Node {
			copy(in, fresh)
			every = s.all.Over(in)
			outs := make([]*graph.Node, len(s.which))
			for i, k := range s.which {
				outs[i] = every[k]
			}
			return outs
		}, slices.Clone(in), cots, need)
	})
	at := map[*graph.Node]int{} // the values inside; -1: an input or a cotangent
	for i, n := range every {
		at[n] = i
	}
	for _, n := range append(slices.Clone(in), cots...) {
		at[n] = -1
	}
	edge := func(n *graph.Node) bool {
		_, value := at[n]
		_, item := n.IsTupleItem()
		if item && !value {
			_, value = at[n.In(0)]
		}
		return value
	}
	var roots []*graph.Node
	for _, g := range grads {
		if s.has = append(s.has, g != nil); g != nil {
			roots = append(roots, g)
		}
	}
	var idx graph.Index
	idx.PostOrder(roots, func(n *graph.Node) bool { return !edge(n) })
	var read []*graph.Node
	for _, n := range idx.Nodes {
		switch i, known := at[n]; {
		case known && i >= 0:
			read = append(read, n)
			s.values = append(s.values, value{i, -1})
		case !known && edge(n):
			k, _ := n.IsTupleItem()
			read = append(read, n)
			s.values = append(s.values, value{at[n.In(0)], k})
		}
	}
	s.back, _ = graph.NewSubgraph(roots, append(append(read, in...), cots...), func(*graph.Node) bool { return true })
}

// show computes the results, packs the values, and gives the results the rules that unpack them. Handles that f left behind hold what it
// recorded until the collector finds them, so the function is recorded again without any.
func (s *saved) show(h Hooks) []*lucid.Tensor {
	var outs, nodes []*graph.Node
	lucid.NoGrad(func() {
		in := make([]*graph.Node, len(s.inputs))
		for i, n := range s.inputs {
			in[i] = ops.StopGradient(n)
		}
		every := s.all.Over(in)
		for _, k := range s.which {
			outs = append(outs, every[k])
		}
		for _, v := range s.values {
			n := every[v.at]
			if v.item >= 0 {
				n = graph.TupleItem(n, v.item)
			}
			nodes = append(nodes, n)
		}
	})
	graph.Discard(s.outs, nil)
	s.outs = nil
	results, values := wrapAll(outs), wrapAll(nodes)
	if err := lucid.Eval(append(slices.Clone(results), values...)...); err != nil {
		fault.Rethrow("saved_tensor_hooks", err)
	}
	specs, packed := make([]graph.Spec, len(values)), make([]any, len(values))
	for i, v := range values {
		specs[i] = graph.Spec{Shape: nodes[i].Shape(), DType: nodes[i].DType()}
		packed[i] = h.Pack(v)
	}
	r := &ops.Rules{Name: "saved_tensor_hooks", In: len(s.inputs),
		VJP: func(in, _, cot []*graph.Node, need []bool) []*graph.Node {
			if !scope.Current().NoGrad || scope.Current().Trace != nil {
				return ops.Pull(s.over, in, cot, need)
			}
			return s.pull(h, specs, packed, in, cot, need)
		},
		JVP: func(in, tan []*graph.Node) []*graph.Node { return ops.Push(s.over, in, tan) }}
	shown := wrapAll(ops.WithRules(r, s.inputs, outs))
	for _, t := range results {
		t.Free()
	}
	return shown
}

// pull records the gradient over values that are unpacked.
func (s *saved) pull(h Hooks, specs []graph.Spec, packed []any, in, cot []*graph.Node, need []bool) []*graph.Node {
	list := make([]*lucid.Tensor, len(packed))
	for i, p := range packed {
		t := h.Unpack(p)
		if t == nil {
			fault.Throw(fault.Value, "saved_tensor_hooks", "Unpack gave no tensor; want the value that was packed")
		}
		n := (*graph.Array)(t).Peek()
		if !n.Shape().Equal(specs[i].Shape) || n.DType() != specs[i].DType {
			fault.Throw(fault.Shape, "saved_tensor_hooks", "Unpack gave %v of shape %v; what was packed is %v of shape %v", n.DType(),
				n.Shape(), specs[i].DType, specs[i].Shape)
		}
		list[i] = t
	}
	values, release := acquireAll(list)
	defer release()
	grads := s.back.Over(append(append(values, in...), cot...))
	out := make([]*graph.Node, len(in))
	for i := range out {
		if !s.has[i] {
			continue
		}
		if need[i] {
			out[i] = grads[0]
		}
		grads = grads[1:]
	}
	return out
}
