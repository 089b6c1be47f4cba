package graph

import (
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/fault"
)

// Slot is where Backward leaves the gradient of a leaf. The leaf's node and every later leaf made by rebinding
// its handle share it, so Backward after a rebind still reaches the same gradient.
type Slot struct {
	home   *Trace // where it was made; nil: outside
	adding sync.Mutex
	mu     sync.Mutex
	grad   *Node  // the slot's reference
	handle *Array // made by Grad(); then a rebind of it is a rebind of the gradient
	hooks  []*Hook
	post   []*Hook
	moved  atomic.Int64 // how often the hooks changed
	owner  atomic.Value // what the package of modules notes: in which one the tensor was seen last
	user   atomic.Value // what the package of optimizers notes: which one was made for the tensor last

	// root is the loss of the last Backward that filled the slot; Optimizer.Step evaluates it along.
	root   atomic.Pointer[Node]
	retain atomic.Bool
}

// NewSlot returns an empty slot. One made inside a trace is the trace's own, and so is its gradient.
func NewSlot() *Slot { return &Slot{home: currentTrace()} }

// MadeIn reports whether the slot was made inside a trace.
func (s *Slot) MadeIn(t *Trace) bool { return s.home == t }

// Hook is a function on a gradient that can be taken off again.
type Hook struct {
	slot *Slot
	F    func(*Array) *Array // may replace the gradient; nil keeps it
}

// Remove takes the hook off.
func (k *Hook) Remove() {
	k.slot.mu.Lock()
	defer k.slot.mu.Unlock()
	k.slot.moved.Add(1)
	k.slot.hooks = without(k.slot.hooks, k)
	k.slot.post = without(k.slot.post, k)
}

func without(list []*Hook, k *Hook) []*Hook {
	out := make([]*Hook, 0, len(list))
	for _, h := range list {
		if h != k {
			out = append(out, h)
		}
	}
	return out
}

// AddHook registers f; a post hook runs after the gradient was accumulated.
func (s *Slot) AddHook(f func(*Array) *Array, post bool) *Hook {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved.Add(1)
	k := &Hook{slot: s, F: f}
	if post {
		s.post = append(s.post[:len(s.post):len(s.post)], k)
	} else {
		s.hooks = append(s.hooks[:len(s.hooks):len(s.hooks)], k)
	}
	return k
}

// HooksChanged counts the changes of the hooks: a trace that ran them holds while it stays the same.
func (s *Slot) HooksChanged() int64 { return s.moved.Load() }

// Hooks returns the hooks registered now.
func (s *Slot) Hooks(post bool) []*Hook {
	s.mu.Lock()
	defer s.mu.Unlock()
	if post {
		return s.post
	}
	return s.hooks
}

// Grad returns the gradient as a handle, nil if there is none. It is the same handle until the gradient is cleared.
func (s *Slot) Grad() *Array {
	if t := currentTrace(); t != nil {
		return t.readGrad(s)
	}
	if s.home != nil {
		fault.Throw(fault.Trace, s.home.Name, "the gradient of a tensor made in %s was asked for after the call; return it instead",
			s.home.Name)
	}
	return s.Shown()
}

// Shown is Grad outside any trace.
func (s *Slot) Shown() *Array {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.handle == nil && s.grad != nil {
		s.handle = Wrap(s.grad) // whatever it was computed by, it is a tensor of its own
		s.handle.born = 0       // as old as its slot, however often it is computed
		s.grad.Unref()
		s.grad = nil
	}
	return s.handle
}

// Node returns the gradient's node, nil if there is none, referenced until Unref. The slot's own reference stays the engine's.
func (s *Slot) Node() *Node {
	if t := currentTrace(); t != nil {
		if h := t.readGrad(s); h != nil {
			return h.Acquire()
		}
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.handle != nil {
		return s.handle.Acquire()
	}
	if s.grad != nil {
		s.grad.Ref()
	}
	return s.grad
}

// SetGrad replaces the gradient; nil clears it.
func (s *Slot) SetGrad(n *Node) {
	if t := currentTrace(); t != nil {
		t.writeGrad(s, n)
		return
	}
	s.set(n)
}

func (s *Slot) set(n *Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n != nil {
		n.Ref()
	}
	if s.handle != nil && n != nil {
		s.handle.set(n)
		n.Unref()
		return
	}
	if s.grad != nil {
		s.grad.Unref()
	}
	s.grad, s.handle = n, nil
}

// Write is SetGrad outside any trace: how a replayed function fills its slots.
func (s *Slot) Write(n *Node) { s.set(n) }

// Present reports whether there is a gradient, outside any trace.
func (s *Slot) Present() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grad != nil || s.handle != nil
}

// TakeRoot forgets the loss whose Backward filled the slot last, and returns it with the slot's reference; nil if there is none.
func (s *Slot) TakeRoot() *Node { return s.root.Swap(nil) }

// SetRoot notes the loss.
func (s *Slot) SetRoot(n *Node) {
	n.Ref()
	if old := s.root.Swap(n); old != nil {
		old.Unref()
	}
}

// Accumulate makes the gradient what add makes of it and of g; of g alone if there is none. One after the other: none is lost.
func (s *Slot) Accumulate(g *Node, add func(old, g *Node) *Node) {
	s.adding.Lock()
	defer s.adding.Unlock()
	old := s.Node()
	if old == nil {
		s.SetGrad(g)
		return
	}
	s.SetGrad(add(old, g))
	old.Unref()
}

// NewLeaf returns a leaf that shows x and leaves its gradient in s.
func NewLeaf(op *Op, x *Node, s *Slot) *Node {
	n := finish(op, nil, Spec{x.shape, x.dtype}, x, nil, nil)
	n.leaf = true
	n.slot.Store(s)
	n.flags.Or(flagTape)
	return n
}

// Freeze notes the slot that a tensor had while it required a gradient: the gradient and the hooks stay with it.
func (n *Node) Freeze(s *Slot) *Node {
	n.slot.Store(s)
	return n
}

// Frozen reports whether the node shows a tensor that required a gradient before, and has its slot still.
func (n *Node) Frozen() bool { return !n.leaf && n.slot.Load() != nil && !n.Tape() && !n.TapeFreed() }

// OwnSlot returns the slot of a tensor that requires a gradient as a leaf, or did; nil for others.
func (n *Node) OwnSlot() *Slot {
	if n.leaf || n.Frozen() {
		return n.slot.Load()
	}
	return nil
}

// EnsureSlot gives a node on the tape a slot, for hooks and retained gradients.
func (n *Node) EnsureSlot() *Slot {
	if s := n.slot.Load(); s != nil {
		return s
	}
	n.slot.CompareAndSwap(nil, NewSlot())
	return n.slot.Load()
}

// Retain asks for the gradient of a node that is no leaf.
func (s *Slot) Retain() { s.retain.Store(true) }

// Release takes that back.
func (s *Slot) Release() { s.retain.Store(false) }

// Retained reports whether it was asked for.
func (s *Slot) Retained() bool { return s.retain.Load() }

// NoteOwner notes in which module the tensor was seen; all notes are of one type.
func (s *Slot) NoteOwner(m any) {
	if s.owner.Load() != m {
		s.owner.Store(m)
	}
}

// Owner returns what was noted, nil if nothing.
func (s *Slot) Owner() any { return s.owner.Load() }

// SwapUser notes which optimizer the tensor was given to, and returns the note before, nil for none; all notes are of one type.
func (s *Slot) SwapUser(o any) any { return s.user.Swap(o) }
