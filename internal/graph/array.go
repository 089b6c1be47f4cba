package graph

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/scope"
)

// Array is a handle: it shows a node, and may be rebound to show another.
type Array struct {
	node atomic.Pointer[Node]
	born uint32      // as its first node was
	view atomic.Bool // made by a function that gives views: in-place forms would change nothing else
}

// Wrap returns a new handle on n.
func Wrap(n *Node) *Array {
	h := n.firstHandle()
	if h == nil {
		h = new(Array)
	}
	n.refs.Add(1)
	h.born = n.born
	h.node.Store(n)
	return h
}

// currentTrace returns the compile trace open in this goroutine.
func currentTrace() *Trace {
	t, _ := scope.Current().Trace.(*Trace)
	return t
}

// Acquire returns the node the handle shows now, referenced until Release. Inside a trace, a handle from outside
// becomes an input of the trace.
func (h *Array) Acquire() *Node {
	if h == nil {
		noTensor()
	}
	return h.acquire(currentTrace())
}

// acquire is Acquire as seen from a trace; nil: from outside all.
func (h *Array) acquire(t *Trace) *Node {
	if t != nil {
		n := t.read(h)
		n.refs.Add(1)
		return n
	}
	for spin := 0; ; spin++ {
		n := h.node.Load()
		if n == nil {
			fault.Throw(fault.Freed, "read", "the tensor was freed; use it before Free or Scope ends")
		}
		if n.TryRef() {
			if h.node.Load() == n {
				return n
			}
			n.Unref()
			continue
		}
		Pause(spin) // a compiled function is writing the handle's next value over this one: it is about to be rebound
	}
}

// Pause lets others run before the next look, number spin, at something that is about to change.
func Pause(spin int) {
	if spin < 100 {
		runtime.Gosched()
	} else {
		time.Sleep(20 * time.Microsecond)
	}
}

func noTensor() {
	fault.Throw(fault.Value, "read", "a tensor is nil; only those that the documentation says may be can be left out")
}

// Peek returns the node without a reference: for shape, dtype and other facts that never change while it is shown.
func (h *Array) Peek() *Node {
	if h == nil {
		noTensor()
	}
	if t := currentTrace(); t != nil {
		return t.read(h)
	}
	n := h.node.Load()
	if n == nil {
		fault.Throw(fault.Freed, "read", "the tensor was freed; use it before Free or Scope ends")
	}
	return n
}

// Raw returns the node shown outside any trace, nil after Free.
func (h *Array) Raw() *Node { return h.node.Load() }

// IsView reports whether the handle was made by a function that gives views.
func (h *Array) IsView() bool { return h.view.Load() }

// Rebind makes the handle show n. Inside a trace the handle itself changes only when the compiled function is called.
func (h *Array) Rebind(n *Node) {
	if t := currentTrace(); t != nil && t.write(h, n) {
		return
	}
	h.MustAccept(n)
	h.set(n)
	h.view.Store(false)
}

// MustAccept panics if the handle cannot show n: one from outside a VMap, a value from inside. A handle made inside may show a
// value that is the same for all examples, such as zeros; it takes one that is not.
func (h *Array) MustAccept(n *Node) {
	if n.trace == nil || n.trace.kind != TraceVMap {
		return
	}
	if old := h.node.Load(); old != nil && old.trace != n.trace && h.born < n.trace.epoch {
		fault.Throw(fault.Trace, "assign",
			"a value of shape %v from inside a VMap cannot be assigned to a tensor from outside; return it instead", n.shape)
	}
}

// RebindTemporarily is Rebind for a while: the caller gives the handle back what it showed before anybody else can see it. So it takes
// a value from inside a VMap too.
func (h *Array) RebindTemporarily(n *Node) {
	if t := currentTrace(); t != nil && t.write(h, n) {
		return
	}
	h.set(n)
	h.view.Store(false)
}

func (h *Array) set(n *Node) {
	n.refs.Add(1)
	if old := h.node.Swap(n); old != nil {
		old.unwatch()
		old.Unref()
	}
}

// Set rebinds the handle itself, whatever trace is open: how a replayed function writes its state.
func (h *Array) Set(n *Node) { h.set(n) }

// Replace is Set if the handle still shows old: another node of the same value replaces it.
func (h *Array) Replace(old, n *Node) {
	n.refs.Add(1)
	if h.node.CompareAndSwap(old, n) {
		old.unwatch()
		old.Unref()
	} else {
		n.Unref()
	}
}

// Free drops the handle's reference; later use is a typed error.
func (h *Array) Free() {
	if h == nil {
		return
	}
	if old := h.node.Swap(nil); old != nil {
		old.unwatch()
		old.Unref()
	}
}

// MarkView marks a handle as showing elements of another tensor. Only functions whose results are views by their definition
// call it: many others end in a view op, and their results are values of their own. A view function that had nothing to
// do returns its operand's node, which is no view.
func (h *Array) MarkView() {
	if n := h.node.Load(); n != nil && n.op.Kind == View && !n.leaf {
		h.view.Store(true)
	}
}

// UnmarkView marks a handle as showing a value of its own from now on.
func (h *Array) UnmarkView() { h.view.Store(false) }
