package lucid

import (
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// wrap makes a handle for a node: the end of every door.
func wrap(n *graph.Node) *Tensor { return (*Tensor)(door.Wrap(n)) }

func wrapAll(ns []*graph.Node) []*Tensor {
	ts := make([]*Tensor, len(ns))
	for i, n := range ns {
		ts[i] = wrap(n)
	}
	return ts
}

// acquire claims the node a tensor shows now; release lets it go once the result holds it.
func acquire(t *Tensor) *graph.Node {
	if t == nil {
		return nil
	}
	return (*graph.Array)(t).Acquire()
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
			fault.Throw(fault.Value, "operand", "an operand is a nil tensor")
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
			fault.Throw(fault.Value, "operand", "tensor %d of the list is nil", i)
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

// rebind makes the handle show the result of an in-place form.
func (t *Tensor) rebind(op string, n *graph.Node) *Tensor {
	h := (*graph.Array)(t)
	if h.IsView() {
		fault.Throw(fault.Value, op+"_", "in place on a view of shape %v would change nothing else; use SetAt or AddAt on the tensor it shows", n.Shape())
	}
	assign(op+"_", h, n)
	return t
}
