package lucid

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// tensorSpec is what a trace assumes of a tensor.
type tensorSpec struct {
	spec graph.Spec
	dev  Device
	leaf bool
	lay  *shape.Layout // strides; nil for row-major order, whatever its offset
	at   *backend.Device
}

func specOf(n *graph.Node) tensorSpec {
	return tensorSpec{graph.Spec{Shape: n.Shape(), DType: n.DType()}, deviceOf(n), n.Leaf(), stridesOf(n), n.Device()}
}

// plainly reports whether a node is as assumed at a first look: most are, call after call.
func (a *tensorSpec) plainly(n *graph.Node) bool {
	_, lay := n.Buffer()
	return n.Shape() == a.spec.Shape && n.DType() == a.spec.DType && n.Leaf() == a.leaf && n.Device() == a.at && (a.at != nil || deviceOf(n) == a.dev) && lay == nil && a.lay == nil
}

func argSpecs(in []*Tensor) []tensorSpec {
	s := make([]tensorSpec, len(in))
	for i, t := range in {
		s[i] = specOf(t.array().Peek())
	}
	return s
}

// stridesOf returns the layout of a stored node that is not in row-major order.
func stridesOf(n *graph.Node) *shape.Layout {
	_, lay := n.Buffer()
	if lay == nil || lay.IsContiguous(n.Shape()) {
		return nil
	}
	return lay
}

func (a tensorSpec) differs(b tensorSpec) string {
	switch {
	case a.spec.Shape != b.spec.Shape && !a.spec.Shape.Equal(b.spec.Shape):
		return fmt.Sprintf("shape went from %v to %v", a.spec.Shape, b.spec.Shape)
	case a.spec.DType != b.spec.DType:
		return fmt.Sprintf("dtype went from %v to %v", a.spec.DType, b.spec.DType)
	case a.dev != b.dev:
		return fmt.Sprintf("device went from %v to %v", a.dev, b.dev)
	case a.leaf != b.leaf:
		return "whether it requires a gradient changed"
	case a.lay != b.lay && !a.lay.SameStrides(b.lay):
		return fmt.Sprintf("strides went from %v to %v", stridesText(a.lay), stridesText(b.lay))
	}
	return ""
}

func stridesText(l *shape.Layout) string {
	if l == nil {
		return "row-major"
	}
	return fmt.Sprint(l.Strides)
}

// signature is the key of a trace beside the argument tensors: everything else outside of tensors' values that it
// depends on.
type signature struct {
	tree   string // structure and constants of the arguments
	noGrad bool
	det    bool
	wino   bool
	cast   dtype.DType
	dev    any
	float  dtype.DType
}

func signatureOf(tr *trees, st *scope.State) signature {
	s := signature{noGrad: st.NoGrad, det: st.Deterministic, wino: st.Winograd, cast: st.Autocast, dev: st.Device, float: ops.DefaultFloat()}
	if tr != nil {
		b := []byte(nil)
		for _, v := range tr.args {
			b = describe(v, b)
		}
		s.tree = string(b)
	}
	return s
}

// describe writes the structure of a value and its constants.
func describe(v reflect.Value, b []byte) []byte {
	if !v.IsValid() {
		return append(b, "nil;"...)
	}
	if v.Type() == tensorType {
		if v.IsNil() {
			return append(b, "-;"...)
		}
		return append(b, "T;"...)
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		b = fmt.Appendf(b, "%d[", v.Len())
		for i := range v.Len() {
			b = describe(v.Index(i), b)
		}
		return append(b, ']')
	case reflect.Map:
		b = append(b, '{')
		for _, k := range sortedKeys(v) {
			b = fmt.Appendf(b, "%v:", k)
			b = describe(v.MapIndex(k), b)
		}
		return append(b, '}')
	case reflect.Struct:
		b = append(b, '(')
		for i := range v.NumField() {
			b = describe(v.Field(i), b)
		}
		return append(b, ')')
	case reflect.Interface:
		return describe(v.Elem(), b)
	case reflect.Pointer, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return fmt.Appendf(b, "%x;", v.Pointer())
	case reflect.String:
		return fmt.Appendf(b, "%q;", v.String())
	}
	return fmt.Appendf(b, "%v;", v)
}

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

// written is a tensor from outside that the function assigns.
type written struct {
	h     *graph.Array // nil: an argument
	arg   int
	slot  *graph.Slot // of a leaf; nil for others
	local bool        // the leaf was made inside: each call gives it a slot of its own
}

// handle returns the tensor among a call's arguments, or the one that was captured.
func (w *written) handle(in []*Tensor) *graph.Array {
	if w.h != nil {
		return w.h
	}
	return in[w.arg].array()
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

// assigned notes that the function leaves a value in a tensor from outside.
func (e *entry) assigned(t *graph.Trace, w written, final *graph.Node) {
	if final.Leaf() {
		w.slot = final.Slot()
		w.local = w.slot.MadeIn(t)
	} else if final.Tape() {
		e.inline, e.why = true, "an assigned value requires a gradient"
	}
	e.written = append(e.written, w)
}

// meets reports whether one of the arguments is also another argument or a captured tensor, and the function assigns one of
// them: the trace takes each to be a tensor of its own. It also reports an assigned argument that is a view, which is refused.
func (e *entry) meets(in []*Tensor) bool {
	for i := range e.written {
		w := &e.written[i]
		for k, x := range in {
			if (w.h != nil || k != w.arg) && x.array() == w.handle(in) {
				return true
			}
		}
		if w.h == nil && (w.handle(in).IsView() || slices.Contains(e.captured, w.handle(in))) {
			return true
		}
	}
	return false
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
