package compile

import (
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
	"github.com/lucid-go/lucid/internal/tree"
)

// differs says why the trace was not made for such arguments, "" if it was.
func (e *entry) differs(in []*graph.Array, t *signature) string {
	s := &e.sig
	switch {
	case len(e.tensors) != len(in) || s.tree != t.tree:
		return "the structure or the constants of the arguments changed"
	case s.noGrad != t.noGrad || s.det != t.det || s.wino != t.wino || s.cast != t.cast || s.dev != t.dev || s.float != t.float:
		return "the scopes around the call changed"
	}
	for i, x := range in {
		n := x.Peek()
		if e.tensors[i].plainly(n) {
			continue
		}
		if w := e.tensors[i].differs(specOf(n)); w != "" {
			return fmt.Sprintf("argument tensor %d: %s", i, w)
		}
	}
	return ""
}

// plainly reports whether the trace was made for such arguments; differs says why not, which takes longer.
func (e *entry) plainly(in []*graph.Array, t *signature) bool {
	if len(e.tensors) != len(in) || e.sig != *t {
		return false
	}
	for i, x := range in {
		if n := x.Peek(); !e.tensors[i].plainly(n) && !e.tensors[i].same(specOf(n)) {
			return false
		}
	}
	return true
}

// entry is one trace, planned.
type entry struct {
	sig     signature
	pins    []unsafe.Pointer // what the signature names by address
	tensors []tensorSpec     // of the arguments
	prog    *exec.Replay
	inline  bool
	why     string

	captured []captured // read from outside, in the order of the placeholders behind the arguments
	specs    []tensorSpec
	hooks    []hookGuard
	written  []written // assigned; their final values are the outputs behind the function's own
	grads    []gradOut
	guards   []gradGuard
	cells    []guardCell
	numOut   int // outputs that are the function's own
	res      []reflect.Value
	writes   bool
	hash     uint64      // of the arguments
	bytes    int         // what it takes
	donate   []bool      // by argument and captured handle: its buffer may be written over
	used     atomic.Bool // a later call found it
}

// captured is a tensor from outside.
type captured struct {
	h     *graph.Array
	grad  *graph.Slot // whose gradient it is; h is the one that was there when it was traced
	taped bool        // it may not be on a tape
	slot  *graph.Slot // where its own gradient is
	anew  bool        // that is another after every call
}

// now is the tensor, nil if it is a gradient that is not there.
func (c *captured) now() *graph.Array {
	if c.grad != nil {
		return c.grad.Shown()
	}
	return c.h
}

type gradOut struct {
	slot *graph.Slot
	out  int // position among the outputs, -1: cleared
	of   int // number of the assigned tensor that has the slot, if it was made inside; else -1
}

type gradGuard struct {
	slot    *graph.Slot
	present bool
}

// hookGuard is a slot whose hooks may be part of a trace.
type hookGuard struct {
	slot    *graph.Slot
	changed int64
}

const gradientWent = "whether a gradient is there changed"

// guardsFail says why the trace cannot serve now, "" if it can.
func (e *entry) guardsFail() string {
	for i := range e.captured {
		c := &e.captured[i]
		h := c.now()
		if h == nil {
			return gradientWent
		}
		n := h.Raw()
		if n == nil {
			return "a captured tensor was freed"
		}
		if n.Level() != nil || n.Trace() != nil {
			return "a captured tensor varies under a transform"
		}
		if c.taped && n.OnTape() {
			return "a captured tensor was computed from others that require a gradient"
		}
		if n.OwnSlot() != c.slot && !c.anew {
			return "a captured tensor has its gradient elsewhere, or none any more"
		}
		if e.specs[i].plainly(n) {
			continue
		}
		if w := e.specs[i].differs(specOf(n)); w != "" {
			return "a captured tensor: " + w
		}
	}
	for _, g := range e.hooks {
		if g.slot.HooksChanged() != g.changed {
			return "the hooks of a captured tensor changed"
		}
	}
	for _, g := range e.guards {
		if g.slot.Present() != g.present {
			return gradientWent
		}
	}
	if e.prog != nil {
		if d := e.prog.ChangedDevice(); d != nil {
			return fmt.Sprintf("a setting of device %v changed", d)
		}
	}
	for _, c := range e.cells {
		if c.cell.v.Load() != c.value {
			if c.cell.What == "" {
				return "a guard cell changed"
			}
			return c.cell.What
		}
	}
	return ""
}

// trace runs the function once over placeholders and plans what it recorded.
func (c *Function) trace(in []*graph.Array, tr *trees, sig signature, hash uint64) (e *entry, err error) {
	e, err = c.record(in, tr, sig, true)
	if err == nil && e.stored() {
		c.add(e, hash)
	}
	return e, err
}

// stored reports whether the trace serves later calls: not what runs uncompiled because of a transform around this one.
func (e *entry) stored() bool { return e.cells != nil }

// record runs the function once over placeholders, and plans what it recorded if asked to.
func (c *Function) record(in []*graph.Array, tr *trees, sig signature, plan bool) (e *entry, err error) {
	e = &entry{sig: sig, tensors: argSpecs(in)}
	if tr != nil {
		e.pins = tree.Pinned(tr.args)
	}
	t := graph.NewTrace(graph.TraceCompile, c.o.Name, nil)
	if last := c.last.Load(); last != nil {
		t.Expect(len(last.captured))
	}
	defer t.Close()
	watch := watchCells()
	standIns := make([]*graph.Node, len(in))
	args := make([]*graph.Array, len(in))
	for i, x := range in {
		n := x.Raw()
		standIns[i] = graph.NewPlaceholder(t, i, graph.Spec{Shape: n.Shape(), DType: n.DType()}, n.Device())
		standIns[i].Ref()
		args[i] = door.Unscoped(standIns[i])
	}
	var outs []*graph.Array
	inlined := false
	scope.With(func(s *scope.State) { s.Trace, s.Arena, s.GuardCells = t, nil, watch }, func() {
		defer func() {
			if r := recover(); r != nil {
				if r != any(graph.Inline) {
					panic(r)
				}
				inlined = true
			}
		}()
		outs, e.res, err = c.invoke(args, tr)
		if err != nil {
			return
		}
		roots, from := e.learn(t, standIns, args, outs)
		if plan && !e.inline {
			err = c.plan(e, t, roots, append(standIns, from...))
		}
	})
	if err != nil {
		return nil, err
	}
	if inlined {
		// Not stored: the next call may come from outside the transform.
		return &entry{sig: sig, tensors: e.tensors, inline: true, why: "a captured tensor varies under a transform outside"}, nil
	}
	e.cells = watch.read()
	return e, nil
}

// learn notes what the finished trace reads and writes, and returns its outputs and the placeholders of what it captured.
func (e *entry) learn(t *graph.Trace, standIns []*graph.Node, args, outs []*graph.Array) (roots, captures []*graph.Node) {
	for _, o := range outs {
		n := o.Peek()
		if n.Tape() {
			e.inline, e.why = true, "a result requires a gradient: run Backward inside, or call inside NoGrad"
		}
		roots = append(roots, n)
	}
	e.numOut = len(roots)
	r := t.Result()
	e.written = make([]written, 0, len(r.Written))
	roots = slices.Grow(roots, len(r.Written)+len(r.Grads))
	for i, h := range r.Written {
		e.assigned(t, written{h: h}, r.Finals[i])
		roots = append(roots, r.Finals[i])
	}
	for i, x := range args {
		if n := x.Raw(); n != nil && n != standIns[i] {
			e.assigned(t, written{arg: i}, n)
			roots = append(roots, n)
		}
	}
	for _, g := range r.Grads {
		of := -1
		if g.Local {
			of = slices.IndexFunc(e.written, func(w written) bool { return w.slot == g.Slot })
			if of < 0 {
				continue // it ends with the call
			}
		} else if g.ReadFirst {
			e.guards = append(e.guards, gradGuard{g.Slot, g.Present})
		}
		if g.Written {
			out := -1
			if g.Final != nil {
				out = len(roots)
				roots = append(roots, g.Final)
			}
			e.grads = append(e.grads, gradOut{g.Slot, out, of})
		}
	}
	e.captured, e.specs = make([]captured, 0, len(r.Captured)), make([]tensorSpec, 0, len(r.Captured))
	captures = make([]*graph.Node, 0, len(r.Captured))
	for _, k := range r.Captured {
		captures = append(captures, k.Placeholder)
		n := k.Handle.Raw()
		s := n.OwnSlot()
		anew := slices.ContainsFunc(e.written, func(w written) bool { return w.h == k.Handle && w.local })
		e.captured = append(e.captured, captured{k.Handle, k.Grad, k.Taped, s, anew})
		e.specs = append(e.specs, specOf(n))
		if s != nil && n.Leaf() {
			e.hooks = append(e.hooks, hookGuard{s, s.HooksChanged()})
		}
	}
	roots = append(roots, r.Effects...) // they are not read
	for i := range e.written {
		e.written[i].at = e.position(e.written[i].h)
	}
	e.writes = len(e.written)+len(e.grads) > 0
	return roots, captures
}

// position finds a tensor among those captured, as they were when the trace was made.
func (e *entry) position(h *graph.Array) int {
	return slices.IndexFunc(e.captured, func(c captured) bool { return c.h == h })
}

// strides lists the layouts that the trace assumes of its arguments and captured tensors; nil if all are in row-major order.
func (e *entry) strides() []*shape.Layout {
	lays, some := make([]*shape.Layout, 0, len(e.tensors)+len(e.specs)), false
	for _, list := range [][]tensorSpec{e.tensors, e.specs} {
		for i := range list {
			lays = append(lays, list[i].lay)
			some = some || list[i].lay != nil
		}
	}
	if !some {
		return nil
	}
	return lays
}
