package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// Control flow: nodes that own subgraphs. A body is traced once over placeholders. Handles from outside that it reads become
// inputs of the node; those it writes become part of the state (of a loop) or results (of a branch), and show the new value
// after the node. So parameters, buffers and the random generator behave as inside Compile.

// body is a traced function before its order of inputs is settled.
type body struct {
	trace    *graph.Trace
	args     []*Node // placeholders
	outs     []*Node
	effects  []*Node
	captured []graph.Captured
	written  []*graph.Array
	finals   []*Node
}

// traceBody runs f over placeholders like the given nodes. The caller ends the trace with done.
func traceBody(name string, like []graph.Spec, dev *Node, f func(args []*Node) []*Node) *body {
	parent, _ := scope.Current().Trace.(*graph.Trace)
	b := &body{trace: graph.NewTrace(graph.TraceControl, name, parent)}
	for i, s := range like {
		p := graph.NewPlaceholder(b.trace, i, s, dev.Device())
		p.Ref()
		b.args = append(b.args, p)
	}
	ok := false
	defer func() {
		if !ok {
			b.done()
		}
	}()
	inside := func(s *scope.State) { s.Trace, s.CheckpointLevel, s.Arena, s.Stop = b.trace, nil, nil, false }
	scope.With(inside, func() { b.outs = f(b.args) })
	b.trace.CaptureWritten()
	r := b.trace.Result()
	b.captured, b.effects = r.Captured, r.Effects
	for i, h := range r.Written { // one that shows again what it did before, as parameters that were swapped for a while, is only read
		if b.handle(h).Placeholder != r.Finals[i] {
			b.written, b.finals = append(b.written, h), append(b.finals, r.Finals[i])
		}
	}
	ok = true
	return b
}

// show makes a handle that a body writes show its new value. A parameter stays one, as with Assign inside NoGrad.
func show(h *graph.Array, n *Node) {
	switch old := h.Peek(); {
	case old.Leaf():
		n = NewLeaf(n, old.Slot())
	case old.Frozen() && !n.Tape() && n.Level() == nil:
		n = NewFrozen(n, old.Slot())
	}
	h.Rebind(n)
}

func (b *body) done() {
	b.trace.ReleaseOuter()
	b.trace.Close()
}

// handle finds the captured entry of a handle.
func (b *body) handle(h *graph.Array) graph.Captured {
	return b.captured[slices.IndexFunc(b.captured, func(c graph.Captured) bool { return c.Handle == h })]
}

// subgraph records the body with its inputs in this order; what it captured in addition is returned.
func (b *body) subgraph(outs, args []*Node) (*graph.Subgraph, []*Node) {
	return graph.NewSubgraph(outs, args, b.trace.Inside)
}

func specOf(n *Node) graph.Spec { return graph.Spec{Shape: n.Shape(), DType: n.DType()} }

func specsOf(ns []*Node) (list []graph.Spec) {
	for _, n := range ns {
		list = append(list, specOf(n))
	}
	return list
}

func sameSpec(a, b graph.Spec) bool { return a.DType == b.DType && a.Shape.Equal(b.Shape) }

// mustKeep refuses a state whose next value is of another kind.
func mustKeep(op, what string, i int, was, is graph.Spec) {
	if !sameSpec(was, is) {
		fault.Throw(fault.Shape, op, "%s %d is %v %v and becomes %v %v; keep its dtype and shape from round to round", what, i, was.DType,
			was.Shape, is.DType, is.Shape)
	}
}

// inferControl gives the specs of a node that owns subgraphs.
func inferControl(a attr.Attr, _ []*Node) []graph.Spec {
	c := a.(*graph.Control)
	if c.Branches != nil {
		return c.Branches[0].Out[:len(c.Result)]
	}
	specs := make([]graph.Spec, len(c.Result))
	for i, s := range c.Result {
		specs[i] = c.Step.In[s]
	}
	return specs
}

var opCond, opWhile, opScan *graph.Op

func init() {
	opCond = control("cond", condVJP, condJVP, condVMap)
	opWhile = control("while", whileVJP, whileJVP, whileVMap)
	opScan = control("scan", scanVJP, scanJVP, scanVMap)
}

// control declares an op that owns subgraphs.
func control(name string, vjp func(n *Node, cot []*Node, need []bool) []*Node, jvp func(n *Node, tan []*Node) []*Node,
	vmap func(n *Node, in []*Node, batched []bool, size int) []*Node) *graph.Op {
	return graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.Other, Inputs: graph.AtLeast(0),
		NoKernel: "the executor replays its subgraphs",
		Validate: func(op *graph.Op, _ attr.Attr, _ []*Node) {
			fault.Throw(fault.Format, op.Name, "has no subgraphs; a file must hold them")
		},
		SavesIn: ^uint32(0), SavesOut: true, Infer: inferControl, VJP: vjp, JVP: jvp, VMap: vmap})
}

// differentiated reports whether a rule may come to ask for the gradient of something made of the inputs.
func differentiated(in []*Node) bool {
	return slices.ContainsFunc(in, func(n *Node) bool { return n.DType().IsInexact() && (n.Tape() || n.Level() != nil) })
}

// orZeros gives every inexact value that lacks one a zero, and takes those of other values away.
func orZeros(list, like []*Node) []*Node {
	out := make([]*Node, len(like))
	for i, x := range like {
		if !x.DType().IsInexact() {
			continue
		}
		if list != nil {
			out[i] = list[i]
		}
		if out[i] == nil {
			out[i] = zerosLike(x)
		}
	}
	return out
}

// differentiable picks the values that have tangents and cotangents; nil stands for those of a value that has none.
func differentiable(list []*Node) (some []*Node) {
	for _, x := range list {
		if x != nil && x.DType().IsInexact() {
			some = append(some, x)
		}
	}
	return some
}

// spreadDifferentiable is the inverse of differentiable: it puts values back to the numbers of those of like that are inexact, nil
// elsewhere.
func spreadDifferentiable(values, like []*Node) []*Node {
	out := make([]*Node, len(like))
	for i, x := range like {
		if x.DType().IsInexact() {
			out[i], values = values[0], values[1:]
		}
	}
	return out
}

// selectAll takes a where the condition holds and b elsewhere; the condition has the first dimensions of both.
func selectAll(cond *Node, a, b []*Node) []*Node {
	out := make([]*Node, len(a))
	for i := range a {
		c := cond
		for c.Rank() < a[i].Rank() {
			c = Unsqueeze(c, c.Rank())
		}
		out[i] = Cast(Where(c, a[i], b[i]), a[i].DType())
	}
	return out
}

// batchAll gives the extra axis to all of the values.
func batchAll(in []*Node, batched []bool, size int) []*Node {
	out := make([]*Node, len(in))
	for i, x := range in {
		if out[i] = x; !batched[i] {
			out[i] = broadcastTo(x, batchShape("vmap", x.Shape(), size))
		}
	}
	return out
}

// rowAt returns x[i] for an index of one element.
func rowAt(x, i *Node) *Node {
	return reshapeTo(take(x, i, 0), shape.Of("scan", x.Shape().Dims()[1:]...))
}

// withRow returns x with row i replaced.
func withRow(x, i, row *Node) *Node {
	return put(x, i, Cast(Unsqueeze(row, 0), x.DType()), 0, attr.ReduceSet)
}

// Predicate checks a condition and makes it the number of a branch.
func Predicate(op string, p *Node) *Node {
	if p.Shape().Numel() != 1 || p.Rank() > 1 {
		fault.Throw(fault.Shape, op, "the condition has shape %v; want one value (reduce it with Any or All)", p.Shape())
	}
	if p.Rank() == 1 {
		p = reshapeTo(p, shape.Scalar)
	}
	return Cast(p, dtype.Bool)
}
