package lucid

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// differs says why the trace was not made for such arguments, "" if it was.
func (e *entry) differs(in []*Tensor, t *signature) string {
	s := &e.sig
	switch {
	case len(e.tensors) != len(in) || s.tree != t.tree:
		return "the structure or the constants of the arguments changed"
	case s.noGrad != t.noGrad || s.det != t.det || s.wino != t.wino || s.cast != t.cast || s.dev != t.dev || s.float != t.float:
		return "the scopes around the call changed"
	}
	for i, x := range in {
		n := x.array().Peek()
		if e.tensors[i].plainly(n) {
			continue
		}
		if w := e.tensors[i].differs(specOf(n)); w != "" {
			return fmt.Sprintf("argument tensor %d: %s", i, w)
		}
	}
	return ""
}

// entry is one trace, planned.
type entry struct {
	sig     signature
	tensors []tensorSpec // of the arguments
	prog    *exec.Replay
	inline  bool
	why     string

	captured []*graph.Array // read from outside, in the order of the stand-ins behind the arguments
	specs    []tensorSpec
	written  []written // assigned; their final values are the outputs behind the function's own
	grads    []gradOut
	guards   []gradGuard
	cells    []guardCell
	numOut   int // outputs that are the function's own
	res      []reflect.Value
	writes   bool
	donate   []bool // by argument and captured handle: its buffer may be written over
}

type gradOut struct {
	slot *graph.Slot
	out  int // place among the outputs, -1: cleared
	of   int // number of the assigned tensor that has the slot, if it was made inside; else -1
}

type gradGuard struct {
	slot    *graph.Slot
	present bool
}

// guardsFail says why the trace cannot serve now, "" if it can.
func (e *entry) guardsFail() string {
	for i, h := range e.captured {
		n := h.Raw()
		if n == nil {
			return "a captured tensor was freed"
		}
		if n.Level() != nil || n.Trace() != nil {
			return "a captured tensor varies under a transform"
		}
		if e.specs[i].plainly(n) {
			continue
		}
		if w := e.specs[i].differs(specOf(n)); w != "" {
			return "a captured tensor: " + w
		}
	}
	for _, g := range e.guards {
		if g.slot.Present() != g.present {
			return "whether a gradient is there changed"
		}
	}
	if e.prog != nil {
		if d := e.prog.Unset(); d != nil {
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

// trace runs the function once over stand-ins and plans what it recorded.
func (c *compiled) trace(in []*Tensor, tr *trees, sig signature) (e *entry, err error) {
	e = &entry{sig: sig, tensors: argSpecs(in)}
	t := graph.NewTrace(graph.TraceCompile, c.o.Name, nil)
	defer t.Close()
	watch := watchCells()
	standIns := make([]*graph.Node, len(in))
	args := make([]*Tensor, len(in))
	for i, x := range in {
		n := x.array().Raw()
		standIns[i] = graph.NewStandIn(t, i, graph.Spec{Shape: n.Shape(), DType: n.DType()}, n.Device())
		standIns[i].Ref()
		args[i] = (*Tensor)(graph.Wrap(standIns[i]))
	}
	var outs []*Tensor
	inlined := false
	scope.With(func(s *scope.State) { s.Trace, s.Arena, s.Cells = t, nil, watch }, func() {
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
		err = e.plan(t, standIns, args, outs, c.o.Recompute)
	})
	if err != nil {
		return nil, err
	}
	if inlined {
		// Not kept: the next call may come from outside the transform.
		return &entry{sig: sig, tensors: e.tensors, inline: true, why: "a captured tensor varies under a transform outside"}, nil
	}
	e.cells = watch.read()
	c.add(e)
	return e, nil
}

// plan turns the finished trace into a program, which may do a share of its work again.
func (e *entry) plan(t *graph.Trace, standIns []*graph.Node, args, outs []*Tensor, again float64) error {
	var roots []*graph.Node
	for _, o := range outs {
		n := o.array().Peek()
		if n.Tape() {
			e.inline, e.why = true, "a result requires a gradient: run Backward inside, or call inside NoGrad"
		}
		roots = append(roots, n)
	}
	e.numOut = len(roots)
	r := t.Result()
	for i, h := range r.Written {
		e.assigned(t, written{h: h}, r.Finals[i])
		roots = append(roots, r.Finals[i])
	}
	for i, x := range args {
		if n := x.array().Raw(); n != nil && n != standIns[i] {
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
	for _, k := range r.Captured {
		standIns = append(standIns, k.StandIn)
		e.captured = append(e.captured, k.Handle)
		e.specs = append(e.specs, specOf(k.Handle.Raw()))
	}
	e.writes = len(e.written)+len(e.grads) > 0
	if e.inline {
		return nil
	}
	for _, n := range roots {
		if tr := n.Trace(); tr != nil && tr != t {
			fault.Throw(fault.Trace, t.Name, "a value of another trace came out")
		}
	}
	simple, _ := compile.Simplify(roots)
	becomes := make([]int, len(simple))
	for i := range becomes {
		becomes[i] = -1
		if k := i - e.numOut; k >= 0 && k < len(e.written) {
			if w := e.written[k]; w.h == nil {
				becomes[i] = w.arg
			} else if c := slices.Index(e.captured, w.h); c >= 0 {
				becomes[i] = len(standIns) - len(e.captured) + c
			}
		}
	}
	e.donate = make([]bool, len(standIns))
	first := len(standIns) - len(e.captured)
	for _, k := range becomes {
		if k >= 0 {
			e.donate[k] = true
		}
	}
	var err error
	if e.prog, err = exec.NewReplay(simple, standIns, e.strides(), becomes, again); err != nil {
		return err
	}
	moved, err := e.ready(first)
	if err == nil && moved {
		e.prog, err = exec.NewReplay(simple, standIns, e.strides(), becomes, again)
	}
	if err != nil {
		return err
	}
	e.prog.State = slices.Clone(e.donate)
	clear(e.prog.State[:first]) // an argument is another tensor at the next call
	return nil
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

// funcPointer identifies a closure by the word a func value holds.
func funcPointer(f any) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&f))[1]
}
