package graph

import (
	"slices"
	"sync"

	"github.com/lucid-go/lucid/internal/fault"
)

// Control is the attribute of an op that owns subgraphs. The executor reads Branches, or Cond, Step, Rounds and Init; the rules
// of cond, while and scan read Loop.
type Control struct {
	// Branches of a conditional: the first input of the node is an int32 that selects one. Feeds gives, by branch, the inputs of
	// the node that the branch reads.
	Branches []*Subgraph
	Feeds    [][]int

	// Step of a loop makes the next state of the present one. Its inputs are the state, then what stays the same. It runs
	// Rounds times or, with Cond, as long as Cond gives true for the same inputs.
	Step, Cond *Subgraph
	Rounds     int
	// Init says where each part of the state comes from; Result says by output of the node which part it shows.
	Init   []StateInit
	Result []int
	// Fixed are the inputs of the node that stay the same.
	Fixed []int

	Loop any // what the rules need to know

	mu    sync.Mutex
	plans map[any]any
}

// StateInit is where a part of a loop's state starts: an input of the node, the memory of an output, which the loop fills, or
// the number 0 of a counter.
type StateInit struct {
	Input  int // -1: none
	Output int // -1: none
}

// Plan returns what the executor made of the subgraphs for a key, and makes it the first time.
func (c *Control) Plan(key any, build func() (any, error)) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.plans[key]; p != nil {
		return p, nil
	}
	p, err := build()
	if err != nil {
		return nil, err
	}
	if c.plans == nil {
		c.plans = map[any]any{}
	}
	c.plans[key] = p
	return p, nil
}

// readControl returns what h shows inside the body of control flow: every handle from outside becomes an input of the body, so
// that one which the body writes can be its state.
func (t *Trace) readControl(h *Array) *Node {
	n := h.node.Load()
	if n == nil {
		fault.Throw(fault.Freed, "read", "the tensor was freed; use it before Free or Scope ends")
	}
	if t.inside(n) || n.IsConst() {
		return n
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if m := t.cur[h]; m != nil {
		return m
	}
	m := t.capture(h, n)
	t.cur[h] = m
	return m
}

// capture makes what a handle shows outside an input of the body.
func (t *Trace) capture(h *Array, n *Node) *Node {
	m := NewPlaceholder(t, -1, Spec{n.shape, n.dtype}, n.Device())
	m.refs.Add(1)
	t.captured = append(t.captured, Captured{Handle: h, Placeholder: m, Outer: h.acquire(t.parent)})
	return m
}

// CaptureWritten makes inputs of the handles that the body writes and never reads: after no round they show what they did.
func (t *Trace) CaptureWritten() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range t.written {
		if !slices.ContainsFunc(t.captured, func(c Captured) bool { return c.Handle == h }) {
			t.capture(h, h.node.Load())
		}
	}
}

// Capture makes what a handle shows outside an input of the body that is not read through the handle itself.
func (t *Trace) Capture(h *Array) Captured {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.capture(h, h.node.Load())
	return t.captured[len(t.captured)-1]
}

// ReleaseOuter drops the references of a control-flow trace on what it captured.
func (t *Trace) ReleaseOuter() {
	for _, c := range t.captured {
		c.Outer.UnrefNoFree()
	}
}

// Inside reports whether n belongs to t or to a trace within it.
func (t *Trace) Inside(n *Node) bool { return t.inside(n) }
