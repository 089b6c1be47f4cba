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
func (e *entry) differs(in []*graph.Array, tr *trees, t *signature) string {
	s := &e.sig
	switch {
	case len(e.tensors) != len(in) || s.tree != t.tree:
		return "the structure or the constants of the arguments changed" + tr.where(s.tree)
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
	sig      signature
	pins     []unsafe.Pointer // what the signature names by address
	standIns []unsafe.Pointer // what the modules among the arguments were when it was traced, if one is a result too
	tensors  []tensorSpec     // of the arguments
	prog     *exec.Replay
	inline   bool
	why      string

	captured []captured // read from outside, in the order of the placeholders behind the arguments
	specs    []tensorSpec
	hooks    []hookGuard
	written  []written // assigned; their final values are the outputs behind the function's own
	grads    []gradOut
	guards   []gradGuard
	cells    []guardCell
	fields   []*tree.Fields // of the modules it uses
	numOut   int            // outputs that are the function's own
	leaves   []leafResult
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
	leaf  int         // the tensor of a module among the arguments that it is, from 1, and h is nil; 0: none
	grad  *graph.Slot // whose gradient it is; h is the one that was there when it was traced
	taped bool        // it may not be on a tape
	slot  *graph.Slot // where its own gradient is
	anew  bool        // that is another after every call
}

// now is the tensor, nil if it is a gradient that is not there. leaves are the tensors of the modules among the arguments.
func (c *captured) now(leaves []*graph.Array) *graph.Array {
	switch s := slotNow(c.grad, c.leaf, leaves); {
	case c.grad == nil && c.leaf == 0:
		return c.h
	case c.grad == nil:
		return leaves[c.leaf-1]
	case s == nil:
		return nil
	default:
		return s.Shown()
	}
}

type gradOut struct {
	slot *graph.Slot
	leaf int // whose slot it is, as in captured
	out  int // position among the outputs, -1: cleared
	of   int // number of the assigned tensor that has the slot, if it was made inside; else -1
}

type gradGuard struct {
	slot    *graph.Slot
	leaf    int
	present bool
}

// hookGuard is a slot whose hooks may be part of a trace.
type hookGuard struct {
	slot    *graph.Slot
	leaf    int
	changed int64
}

// leafResult is an output that is a leaf the function made, or one that is frozen.
type leafResult struct {
	out    int
	frozen bool
}

const gradientWent = "whether a gradient is there changed"

// guardsFail says why the trace cannot serve now, "" if it can.
func (e *entry) guardsFail(leaves []*graph.Array) string {
	for i := range e.captured {
		c := &e.captured[i]
		h := c.now(leaves)
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
		if s := n.OwnSlot(); s != c.slot && !c.anew && (c.leaf == 0 || c.grad != nil || (s == nil) != (c.slot == nil)) {
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
		if s := slotNow(g.slot, g.leaf, leaves); s == nil || s.HooksChanged() != g.changed {
			return "the hooks of a captured tensor changed"
		}
	}
	for _, g := range e.guards {
		if s := slotNow(g.slot, g.leaf, leaves); s == nil || s.Present() != g.present {
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
	for _, f := range e.fields {
		if !f.Same() {
			return fieldChanged
		}
	}
	return ""
}

// trace runs the function once over placeholders and plans what it recorded.
func (c *Function) trace(k *call, tr *trees, sig signature, hash uint64) (e *entry, err error) {
	e, err = c.record(k, tr, sig, true)
	switch {
	case err != nil || !e.stored():
	case e.prog != nil && e.prog.Once():
		c.pass(hash)
	default:
		e.letGo(tr)
		c.add(e, hash)
	}
	return e, err
}

// letGo drops the nodes of the trace, to which its results lead: each call gives them other tensors.
func (e *entry) letGo(tr *trees) {
	if e.res == nil {
		return
	}
	for _, h := range tr.results.FlattenAll(e.res) {
		if n := h.Raw(); n != nil && n.Trace() != nil {
			h.Replace(n, n.Bare())
		}
	}
}

// stored reports whether the trace serves later calls: not what runs uncompiled because of a transform around this one.
func (e *entry) stored() bool { return e.cells != nil }

// record runs the function once over placeholders, and plans what it recorded if asked to.
func (c *Function) record(k *call, tr *trees, sig signature, plan bool) (e *entry, err error) {
	in := k.in
	e = c.newEntry()
	e.sig, e.tensors = sig, argSpecs(e.tensors, in)
	var st *standIns
	if tr != nil {
		e.pins = tree.Pinned(tr.args, tr.byStructure)
		st = newStandIns(tr)
		defer st.free()
	}
	t := graph.NewTrace(graph.TraceCompile, c.o.Name, nil)
	defer t.Release()
	watch := watchCells(c.newModuleWatch(st))
	placeholders := make([]*graph.Node, len(in))
	args := make([]*graph.Array, len(in))
	for i, x := range in {
		n := x.Raw()
		placeholders[i] = graph.NewPlaceholder(t, i, graph.Spec{Shape: n.Shape(), DType: n.DType()}, n.Device())
		placeholders[i].Ref()
		args[i] = door.Unscoped(placeholders[i])
	}
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
		var outs []*graph.Array
		if outs, e.res, err = c.invokeWith(st, args, tr); err != nil {
			return
		}
		e.standIns = st.returned(tr, e.res)
		roots, from := e.learn(t, placeholders, args, outs, st)
		if err = st.check(tr); err == nil && plan && !e.inline {
			err = c.plan(e, k, t, roots, append(placeholders, from...))
		}
	})
	if err != nil {
		return nil, err
	}
	if inlined {
		// Not stored: the next call may come from outside the transform.
		return &entry{sig: sig, tensors: e.tensors, inline: true, why: "a captured tensor varies under a transform outside"}, nil
	}
	e.settleLeaves()
	e.cells, e.fields = st.outside(watch.read()), watch.settle(e)
	if tr != nil && tr.why != "" {
		c.knownByAddress(tr)
	}
	return e, nil
}

// learn notes what the finished trace reads and writes, and returns its outputs and the placeholders of what it captured.
func (e *entry) learn(t *graph.Trace, placeholders []*graph.Node, args, outs []*graph.Array, st *standIns) (roots, captures []*graph.Node) {
	for _, o := range outs {
		roots = append(roots, o.Peek())
	}
	e.numOut = len(roots)
	r := t.Result()
	e.written = slices.Grow(e.written, len(r.Written))
	roots = slices.Grow(roots, len(r.Written)+len(r.Grads))
	for i, h := range r.Written {
		if r.Finals[i].IsPlaceholder() && slices.ContainsFunc(r.Captured, func(k graph.Captured) bool {
			return k.Handle == h && k.Placeholder == r.Finals[i]
		}) {
			continue // it was given back what it showed
		}
		e.assigned(t, written{h: h, leaf: st.leaf(h)}, r.Finals[i])
		roots = append(roots, r.Finals[i])
		st.touch(h, nil)
	}
	for i, x := range args {
		if n := x.Raw(); n != nil && n != placeholders[i] {
			e.assigned(t, written{arg: i, isArg: true}, n)
			roots = append(roots, n)
		}
	}
	roots = e.learnGradients(roots, r.Grads, st)
	e.results(t, roots[:e.numOut], r.Grads)
	captures = e.capture(r.Captured, st)
	roots = append(roots, r.Effects...) // they are not read
	for i := range e.written {
		e.written[i].at = e.position(&e.written[i])
	}
	e.writes = len(e.written)+len(e.grads) > 0
	return roots, captures
}

// learnGradients notes the gradients that are read and written, and adds those that are outputs.
func (e *entry) learnGradients(roots []*graph.Node, grads []graph.GradCell, st *standIns) []*graph.Node {
	for _, g := range grads {
		of := -1
		if g.Local {
			of = slices.IndexFunc(e.written, func(w written) bool { return w.slot == g.Slot })
			if of < 0 {
				continue // it ends with the call
			}
		}
		leaf := st.leafOf(g.Slot)
		st.touch(nil, g.Slot)
		if g.ReadFirst && !g.Local {
			e.guards = append(e.guards, gradGuard{g.Slot, leaf, g.Present})
		}
		if g.Written {
			out := -1
			if g.Final != nil {
				out = len(roots)
				roots = append(roots, g.Final)
			}
			e.grads = append(e.grads, gradOut{g.Slot, leaf, out, of})
		}
	}
	return roots
}

// results says which outputs of the function are leaves that it made: each call gives them slots of their own. Others that require a
// gradient make it run uncompiled.
func (e *entry) results(t *graph.Trace, outs []*graph.Node, grads []graph.GradCell) {
	for i, n := range outs {
		if s := n.OwnSlot(); s != nil && s.MadeIn(t) &&
			!slices.ContainsFunc(e.written, func(w written) bool { return w.slot == s }) &&
			!slices.ContainsFunc(grads, func(g graph.GradCell) bool { return g.Slot == s && g.Written }) {
			e.leaves = append(e.leaves, leafResult{i, !n.Leaf()})
		} else if n.Tape() {
			e.inline, e.why = true, "a result requires a gradient: run Backward inside, or call inside NoGrad"
		}
	}
}

// capture notes what is read from outside, and returns its placeholders.
func (e *entry) capture(list []graph.Captured, st *standIns) (placeholders []*graph.Node) {
	e.captured, e.specs = slices.Grow(e.captured, len(list)), slices.Grow(e.specs, len(list))
	local := slices.ContainsFunc(e.written, func(w written) bool { return w.local })
	placeholders = make([]*graph.Node, 0, len(list))
	for _, k := range list {
		placeholders = append(placeholders, k.Placeholder)
		n := k.Handle.Raw()
		s, leaf := n.OwnSlot(), st.leaf(k.Handle)
		if k.Grad != nil {
			leaf = st.leafOf(k.Grad)
		} else {
			st.read(k.Handle, s)
		}
		anew := local && slices.ContainsFunc(e.written, func(w written) bool { return w.h == k.Handle && w.local })
		e.captured = append(e.captured, captured{k.Handle, leaf, k.Grad, k.Taped, s, anew})
		e.specs = append(e.specs, specOf(n))
		if s != nil && n.Leaf() {
			e.hooks = append(e.hooks, hookGuard{s, leaf, s.HooksChanged()})
			if leaf > 0 && s.HooksChanged() != 0 {
				st.why = "a tensor of one has hooks"
			}
		}
	}
	return placeholders
}

// position finds a tensor among those captured.
func (e *entry) position(w *written) int {
	return slices.IndexFunc(e.captured, func(c captured) bool { return c.h == w.h && !w.isArg })
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
