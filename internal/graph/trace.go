package graph

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/scope"
)

// TraceKind says what a trace is for.
type TraceKind uint8

// The kinds.
const (
	TraceCompile TraceKind = iota
	TraceVMap
	TraceControl // a branch or a body of control flow
)

// Trace records a function whose inputs have no values. While a compile trace is open, handles from outside that
// are read become its inputs, and handles that are written its outputs.
type Trace struct {
	kind   TraceKind
	parent *Trace
	depth  int
	epoch  uint32
	Name   string // of the function, for messages
	Export bool   // the function goes to a file, so that nothing is stored for a gradient now
	Open   bool   // sizes are open: a slice of all of a tensor is recorded, since at other sizes it may be of a part

	mu sync.Mutex
	*learned
	closed atomic.Bool
	block  atomic.Pointer[traceBlock] // where the next nodes are
}

// learned is what a trace knows. Compiled functions are traced again and again: the next trace has the space.
type learned struct {
	cur      map[*Array]*Node // what an outside handle shows inside
	captured []Captured
	untaped  map[*Array]int // indices in captured of handles that were only read inside NoGrad
	written  []*Array
	grads    map[*Slot]*gradCell
	slots    []*Slot // in order of first touch
	effects  []*Node // computed at every call, whether or not their values are used
	finals   []*Node
	cells    []GradCell
}

var (
	spaces = sync.Pool{New: func() any {
		return &learned{cur: map[*Array]*Node{}, untaped: map[*Array]int{}, grads: map[*Slot]*gradCell{}}
	}}
	ended learned // what a trace that ended knows
)

// maxLearned is up to how many handles a trace had whose space is worth keeping.
const maxLearned = 1 << 12

// reset empties the space.
func (l *learned) reset() {
	clear(l.cur)
	clear(l.untaped)
	clear(l.grads)
	l.captured, l.written, l.slots = empty(l.captured), empty(l.written), empty(l.slots)
	l.effects, l.finals, l.cells = empty(l.effects), empty(l.finals), empty(l.cells)
}

func empty[T any](list []T) []T {
	clear(list)
	return list[:0]
}

// Captured is a handle from outside and the placeholder that shows it inside.
type Captured struct {
	Handle      *Array
	Placeholder *Node
	Taped       bool  // read where it matters whether it is on a tape
	Grad        *Slot // the handle shows the gradient in this slot; after it was cleared another does
	Outer       *Node // in control flow: what the handle shows around it
}

// gradCell is what a gradient slot shows inside a trace.
type gradCell struct {
	handle       *Array // nil: no gradient
	readFirst    bool   // its state before the call matters: a guard
	presentFirst bool
	outer        *Array // the handle captured when present
	written      bool
}

// NewTrace opens a trace.
func NewTrace(kind TraceKind, name string, parent *Trace) *Trace {
	d := 1
	if parent != nil {
		d = parent.depth + 1
	}
	return &Trace{kind: kind, parent: parent, depth: d, epoch: traces.Add(1), Name: name, learned: spaces.Get().(*learned)}
}

// Exports reports whether what the trace records goes to a file: it is that of Export, or that of a branch or a loop inside it.
func (t *Trace) Exports() bool {
	for ; t != nil; t = t.parent {
		if t.Export {
			return true
		}
	}
	return false
}

// Made reports whether a handle was made since the trace began.
func (t *Trace) Made(h *Array) bool { return h.born >= t.epoch }

// Close ends the trace; its nodes may not be used any more.
func (t *Trace) Close() { t.closed.Store(true) }

// Release is Close, and lets other traces have the space of its result.
func (t *Trace) Release() {
	t.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.learned; l != &ended {
		t.learned = &ended
		t.block.Store(nil)
		if len(l.cur) <= maxLearned {
			l.reset()
			spaces.Put(l)
		}
	}
}

// Kind returns what the trace is for.
func (t *Trace) Kind() TraceKind { return t.kind }

// MustLive refuses a value whose trace was closed.
func (n *Node) MustLive() {
	if n.trace != nil {
		n.trace.mustBeOpen()
	}
}

func (t *Trace) mustBeOpen() {
	if t.closed.Load() {
		fault.Throw(fault.Trace, t.Name,
			"a value traced in %s was used after the call; return it, or assign it to a tensor that existed before", t.Name)
	}
}

// mustHaveSpace refuses a goroutine of the function that outlived it.
func (t *Trace) mustHaveSpace() {
	if t.learned == &ended {
		t.mustBeOpen()
	}
}

// deeperTrace is the inner one of two open traces. A loop inside a VMap is as deep as that, which is no parent, and was opened later.
func deeperTrace(a, b *Trace) *Trace {
	b.mustBeOpen()
	if a == nil || b.depth > a.depth || b.depth == a.depth && b.epoch > a.epoch {
		return b
	}
	return a
}

// inside reports whether n belongs to t or to a trace within it.
func (t *Trace) inside(n *Node) bool {
	for u := n.trace; u != nil; u = u.parent {
		if u == t {
			return true
		}
	}
	return false
}

// Inline is the panic of a trace that met a value of a transform outside it.
var Inline = &struct{ why string }{"the function must be inlined"}

// read returns what h shows inside the trace.
func (t *Trace) read(h *Array) *Node {
	if t.kind == TraceControl {
		return t.readControl(h)
	}
	n := h.node.Load()
	if n == nil {
		fault.Throw(fault.Freed, "read", "the tensor was freed; use it before Free or Scope ends")
	}
	if t.inside(n) || n.IsConst() {
		return n
	}
	grad := !scope.Current().NoGrad && !t.Export // a file gets the value alone
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mustHaveSpace()
	if m := t.cur[h]; m != nil {
		if i, ok := t.untaped[h]; ok && grad && m == t.captured[i].Placeholder {
			if n.OnTape() {
				panic(Inline)
			}
			t.captured[i].Taped = true
			delete(t.untaped, h)
		}
		return m
	}
	if n.Level() != nil || n.trace != nil || grad && n.OnTape() {
		panic(Inline) // it varies under a transform outside: the function must be part of that
	}
	if h.born >= t.epoch && n.born >= t.epoch && n.op.Kind != Source && !n.Stored() {
		fault.Throw(fault.Trace, t.Name,
			"a tensor of shape %v was made outside %s while it was being traced, by another goroutine; make it before, or inside",
			n.shape, t.Name)
	}
	m := NewPlaceholder(t, len(t.captured), Spec{n.shape, n.dtype}, n.Device())
	if n.leaf {
		// The leaf inside is of its own, on the same slot: Backward inside reaches the gradient.
		m.leaf = true
		m.slot.Store(n.slot.Load())
		m.flags.Or(flagTape)
	} else if n.Frozen() {
		m.slot.Store(n.slot.Load())
	}
	m.refs.Add(1)
	if !grad {
		t.untaped[h] = len(t.captured)
	}
	t.captured = append(t.captured, Captured{Handle: h, Placeholder: m, Taped: grad})
	t.cur[h] = m
	return m
}

// write makes h show n inside the trace, if it is a handle from outside.
func (t *Trace) write(h *Array, n *Node) bool {
	old := h.node.Load()
	if old != nil && t.inside(old) {
		return false
	}
	if old != nil && !old.leaf && t.Made(h) {
		t.own(h, old)
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mustHaveSpace()
	n.refs.Add(1)
	t.cur[h] = n
	for _, w := range t.written {
		if w == h {
			return true
		}
	}
	t.written = append(t.written, h)
	return true
}

// own makes a handle of the function what was made inside, of numbers that were there: each call begins with those, which another
// handle shows from now on.
func (t *Trace) own(h *Array, first *Node) {
	var shown *Array
	for u := t; u != nil; u = u.parent {
		u.mu.Lock()
		if i := slices.IndexFunc(u.captured, func(c Captured) bool { return c.Handle == h }); i >= 0 {
			if shown == nil {
				shown = Wrap(first)
			}
			u.captured[i].Handle, u.cur[shown] = shown, u.cur[h]
			if k, ok := u.untaped[h]; ok {
				u.untaped[shown] = k
			}
			delete(u.cur, h)
			delete(u.untaped, h)
		}
		u.mu.Unlock()
	}
}

func (t *Trace) cell(s *Slot) *gradCell {
	if t.kind == TraceControl {
		fault.Throw(fault.NotImplemented, t.Name,
			"the body uses the gradient slot of a tensor; use Grad or ValueAndGrad in it, not Backward")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mustHaveSpace()
	c := t.grads[s]
	if c == nil {
		c = &gradCell{}
		t.grads[s] = c
		t.slots = append(t.slots, s)
		c.outer = s.Shown()
		c.presentFirst = c.outer != nil
	}
	return c
}

func (t *Trace) readGrad(s *Slot) *Array {
	c := t.cell(s)
	if !c.written {
		c.readFirst = true
		return c.outer // an outside handle, captured by being read
	}
	return c.handle
}

func (t *Trace) writeGrad(s *Slot, n *Node) {
	c := t.cell(s)
	c.written = true
	if n == nil {
		c.handle = nil
		return
	}
	c.handle = Wrap(n)
}

// MustRun makes a compiled function compute the node at every call; in other traces, and outside, nodes are computed when wanted.
func (n *Node) MustRun() {
	if t := n.trace; t != nil && t.kind != TraceVMap && !t.Export {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.mustHaveSpace()
		t.effects = append(t.effects, n)
		n.refs.Add(1)
	}
}

// GradCell is a slot's part in a trace.
type GradCell struct {
	Slot      *Slot
	ReadFirst bool
	Present   bool  // had a gradient when read first
	Written   bool  // its final state is an output
	Final     *Node // nil: cleared
	Local     bool  // made inside: it matters only if a tensor from outside has it at the end
}

// Result is what a trace learned in addition to the function's own outputs.
type Result struct {
	Captured []Captured
	Written  []*Array
	Finals   []*Node // what each written handle shows at the end
	Grads    []GradCell
	Effects  []*Node
}

// Result collects captures and writes; call it after the function returned. It is good until Release.
func (t *Trace) Result() Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := Result{Captured: t.captured, Written: t.written, Effects: t.effects, Finals: t.finals[:0], Grads: t.cells[:0]}
	for _, h := range t.written {
		r.Finals = append(r.Finals, t.cur[h])
	}
	var of map[*Array]*Slot
	for _, s := range t.slots {
		c := t.grads[s]
		if c.outer != nil {
			if of == nil {
				of = map[*Array]*Slot{}
			}
			of[c.outer] = s
		}
		g := GradCell{Slot: s, ReadFirst: c.readFirst, Present: c.presentFirst, Written: c.written, Local: s.home == t}
		if c.written && c.handle != nil {
			g.Final = c.handle.node.Load()
			if m := t.cur[c.handle]; m != nil {
				g.Final = m
			}
		}
		r.Grads = append(r.Grads, g)
	}
	for i := range r.Captured {
		r.Captured[i].Grad = of[r.Captured[i].Handle]
	}
	t.finals, t.cells = r.Finals, r.Grads
	return r
}
