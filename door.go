package lucid

import (
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// wrap makes a handle for a node: the end of every door.
func wrap(n *graph.Node) *Tensor { return (*Tensor)(door.Wrap(n)) }

// wrapView is wrap for a function whose result is a view.
func wrapView(n *graph.Node) *Tensor { return (*Tensor)(door.WrapView(n)) }

func wrapViews(ns []*graph.Node) []*Tensor {
	ts := make([]*Tensor, len(ns))
	for i, n := range ns {
		ts[i] = wrapView(n)
	}
	return ts
}

func wrapAll(ns []*graph.Node) []*Tensor {
	ts := make([]*Tensor, len(ns))
	for i, n := range ns {
		ts[i] = wrap(n)
	}
	return ts
}

// acquire references the node a tensor shows now; release lets it go once the result holds it.
func acquire(t *Tensor) *graph.Node {
	if t == nil {
		missing("a tensor is nil")
	}
	return (*graph.Array)(t).Acquire()
}

func missing(format string, args ...any) {
	fault.Throw(fault.Value, calledOp(), format+"; only those that the documentation says may be can be left out", args...)
}

// acquireMaybe is acquire of a tensor that may be nil.
func acquireMaybe(t *Tensor) *graph.Node {
	if t == nil {
		return nil
	}
	return acquire(t)
}

func release(n *graph.Node) {
	if n != nil {
		n.Unref()
	}
}

// acquireAny is acquire for an operand that may be a number.
func acquireAny(x any) any {
	switch x := x.(type) {
	case *Tensor:
		if x == nil {
			missing("an operand is a nil tensor")
		}
		return (*graph.Array)(x).Acquire()
	case int:
		return x
	}
	return x
}

func releaseAny(x any) {
	if n, ok := x.(*graph.Node); ok {
		n.Unref()
	}
}

func acquireAll(ts []*Tensor) []*graph.Node {
	ns := make([]*graph.Node, len(ts))
	for i, t := range ts {
		if t == nil {
			missing("tensor %d of the list is nil", i)
		}
		ns[i] = acquire(t)
	}
	return ns
}

func releaseAll(ns []*graph.Node) {
	for _, n := range ns {
		n.Unref()
	}
}

// option returns the options given, or the zero value.
func option[T any](op string, opts []T) T { return door.Option(op, opts) }

// own marks a result as a value of its own, though its last step showed elements of another: in-place forms may write it.
func own(t *Tensor) *Tensor {
	(*graph.Array)(t).UnmarkView()
	return t
}

// rebind makes the handle show the result of an in-place form. The tensor keeps its shape, and its dtype: a result of the
// same kind or a lower one is cast to it, others are refused.
func (t *Tensor) rebind(op string, n *graph.Node) *Tensor {
	h := (*graph.Array)(t)
	if h.IsView() {
		fault.Throw(fault.Value, op+"_",
			"in place on a view of shape %v would change nothing else; use SetAt or AddAt on the tensor it shows", n.Shape())
	}
	old := h.Peek()
	if !n.Shape().Equal(old.Shape()) {
		fault.Throw(fault.Shape, op+"_", "the result has shape %v, the tensor %v, which it keeps in place; use %s",
			n.Shape(), old.Shape(), op)
	}
	if n.DType() != old.DType() {
		if !dtype.CanCast(n.DType(), old.DType()) {
			fault.Throw(fault.DType, op+"_", "the result is %v, the tensor %v, which it keeps in place; use %s", n.DType(), old.DType(), op)
		}
		n = ops.Cast(n, old.DType())
	}
	assign(op+"_", h, n)
	return t
}
