// Package door is the last step of every public function: it makes the handle for a node. Nothing above the engine makes
// handles elsewhere, so that every one is freed with its scope and no graph grows without bound.
package door

import (
	"context"

	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
)

// Pending graphs are bounded: a handle made past either bound is evaluated, so that a long loop that never asks for a
// value holds neither an endless graph nor endless memory.
const (
	maxPendingDepth = 2048
	maxPendingBytes = 4 << 30
)

// Arena collects the handles made in a scope.
type Arena interface{ Add(h *graph.Array) }

// Wrap makes a handle for a node; nil stays nil.
func Wrap(n *graph.Node) *graph.Array {
	if n == nil {
		return nil
	}
	h := graph.Wrap(n)
	n.Watch(h)
	Bound(n)
	if a, ok := scope.Current().Arena.(Arena); ok {
		a.Add(h)
	}
	return h
}

// Bound evaluates a node whose pending graph is past one of the bounds. The caller holds a reference.
func Bound(n *graph.Node) {
	if n.PendingDepth() > maxPendingDepth || n.PendingBytes() > maxPendingBytes {
		if n.Trace() == nil && !n.Stored() {
			// A failure leaves the node pending; it surfaces at the next explicit read.
			_ = exec.Eval(context.Background(), n)
		}
	}
}

// WrapView is Wrap for the result of a function that shows elements of its operands: in-place forms refuse the handle.
func WrapView(n *graph.Node) *graph.Array {
	h := Wrap(n)
	if h != nil {
		h.MarkView()
	}
	return h
}

// Unscoped makes a handle that no scope frees: its maker does, or the trace it is an argument of ends first. nil stays nil.
func Unscoped(n *graph.Node) *graph.Array {
	if n == nil {
		return nil
	}
	return graph.Wrap(n)
}

// Untaped runs f without recording for Backward, as NoGrad does, while transforms of functions see through it: they differentiate
// through an optimizer's step.
func Untaped(f func()) { scope.With(func(s *scope.State) { s.NoGrad = true }, f) }
