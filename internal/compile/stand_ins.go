package compile

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/tree"
)

// A module among the arguments is known by its structure, so that another one of the same structure is replayed: what an optimizer
// returned, another member of an ensemble. Its tensors are captured as others are, but stand for those of the module that a call gets.
// The trace sees copies of the modules, with handles of their own: so it is known what was read through an argument, and what the
// function holds anyway. Where the two are the same tensors and are written, as in a step of an optimizer that was made for them,
// modules are known by their address, and all of their tensors are captured.

// standIns are the copies of the modules that a trace sees. All methods take nil for none.
type standIns struct {
	modules []reflect.Value
	tensors []*graph.Array
	key     string // of the modules
	at      map[*graph.Array]int
	slots   map[*graph.Slot]int
	origin  map[*graph.Array]int // the tensors that the copies are of
	same    map[int]bool         // tensors that were read from outside too
	touched map[int]bool         // tensors that were written, or their gradients used
	why     string               // why the copies do not do
}

// errShared says that the arguments must be looked at anew, with modules known by their address.
var errShared = errors.New("modules among the arguments are known by their address")

func newStandIns(tr *trees) *standIns {
	s := &tr.s
	if len(s.Modules) == 0 {
		return nil
	}
	st := &standIns{key: tree.StructureOf(s.Modules, true).Key, at: map[*graph.Array]int{}, slots: map[*graph.Slot]int{},
		origin: map[*graph.Array]int{}, same: map[int]bool{}, touched: map[int]bool{}}
	for i, h := range s.Tensors {
		n := h.Acquire()
		c := door.Unscoped(n)
		st.tensors = append(st.tensors, c)
		st.at[c], st.origin[h] = i+1, i+1
		if slot := n.OwnSlot(); slot != nil {
			st.slots[slot] = i + 1
		}
		n.Unref()
	}
	st.modules = tree.Modules.CopyAll(s.Modules, s.Tensors, st.tensors)
	return st
}

// free ends the handles of the copies.
func (st *standIns) free() {
	if st != nil {
		for _, h := range st.tensors {
			h.Free()
		}
	}
}

// leaf is the number of a tensor of the copies, from 1; 0 for others.
func (st *standIns) leaf(h *graph.Array) int {
	if st == nil {
		return 0
	}
	return st.at[h]
}

// leafOf is the number of the tensor with a slot.
func (st *standIns) leafOf(s *graph.Slot) int {
	if st == nil {
		return 0
	}
	return st.slots[s]
}

// touch notes that a tensor or the gradient in a slot is used in a way that matters if the tensor is read from outside too.
func (st *standIns) touch(h *graph.Array, s *graph.Slot) {
	if st == nil {
		return
	}
	for _, i := range []int{st.at[h], st.origin[h], st.slots[s]} {
		if i > 0 {
			st.touched[i] = true
		}
	}
	if i := st.origin[h]; i > 0 {
		st.same[i] = true
	}
}

// read notes that a tensor is read.
func (st *standIns) read(h *graph.Array, s *graph.Slot) {
	if st == nil || st.at[h] > 0 {
		return
	}
	for _, i := range []int{st.origin[h], st.slots[s]} {
		if i > 0 {
			st.same[i] = true
		}
	}
}

// check reports errShared if the trace is not good for other modules.
func (st *standIns) check(tr *trees) error {
	if st == nil {
		return nil
	}
	for i := range st.touched {
		if st.same[i] {
			st.why = "the function holds tensors of one, and changes them or uses their gradients"
		}
	}
	if now := tree.StructureOf(st.modules, true); st.why == "" && (now.Key != st.key || !slices.Equal(now.Tensors, st.tensors)) {
		st.why = "the function changes fields of one"
	}
	if st.why == "" {
		return nil
	}
	return tr.fallBack(st.why)
}

// fallBack makes the next look at the arguments know modules by their address.
func (tr *trees) fallBack(why string) error {
	tr.why, tr.fellBack = why, true
	return errShared
}

// outside drops the guard cells of the copies, which no one changes.
func (st *standIns) outside(cells []guardCell) []guardCell {
	if st == nil {
		return cells
	}
	return slices.DeleteFunc(cells, func(c guardCell) bool {
		return slices.ContainsFunc(st.modules, func(m reflect.Value) bool {
			p := uintptr(unsafe.Pointer(c.cell))
			return p-m.Pointer() < m.Type().Elem().Size()
		})
	})
}

// returned lists where the copies were, if the function returned one; else nil.
func (st *standIns) returned(tr *trees, res []reflect.Value) (list []unsafe.Pointer) {
	if st == nil || !tr.results.Holds(res) {
		return nil
	}
	for _, m := range st.modules {
		list = append(list, m.UnsafePointer())
	}
	return list
}

// asArguments says what the function gets in the stead of the modules.
func (st *standIns) asArguments(tr *trees) map[unsafe.Pointer]reflect.Value {
	if st == nil {
		return nil
	}
	as := map[unsafe.Pointer]reflect.Value{}
	for i, m := range tr.s.Modules {
		as[m.UnsafePointer()] = st.modules[i]
	}
	return as
}

// asResults says what the caller gets in the stead of modules among the results that are arguments too: the arguments.
func (st *standIns) asResults(tr *trees) map[unsafe.Pointer]reflect.Value {
	if len(tr.s.Modules) == 0 {
		return nil
	}
	as := map[unsafe.Pointer]reflect.Value{}
	for i, m := range tr.s.Modules {
		if st != nil {
			m = st.modules[i]
		}
		as[m.UnsafePointer()] = m
	}
	return as
}

// asResults is the same for a replay.
func (e *entry) asResults(tr *trees) map[unsafe.Pointer]reflect.Value {
	as := map[unsafe.Pointer]reflect.Value{}
	for i, p := range e.standIns {
		as[p] = tr.s.Modules[i]
	}
	return as
}

// invokeWith runs the user's function over copies of modules. If it fails with them, it is run with the modules themselves: it may
// look for them elsewhere, as an optimizer looks for its parameters.
func (c *Function) invokeWith(st *standIns, in []*graph.Array, tr *trees) (outs []*graph.Array, res []reflect.Value, err error) {
	if st != nil {
		defer func() {
			if r := recover(); r != nil && r != any(graph.Inline) {
				err = tr.fallBack(fmt.Sprintf("the function fails with a copy of one: %v", r))
			} else if r != nil {
				panic(r)
			} else if err != nil {
				err = tr.fallBack(fmt.Sprintf("the function fails with a copy of one: %v", err))
			}
		}()
	}
	return c.invoke(in, tr, st)
}

// knownByAddress notes why modules are not known by their structure. If that is because of what the function does, it is so from now on.
func (c *Function) knownByAddress(tr *trees) {
	if tr.fellBack {
		c.byAddress.Store(&tr.why)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.addressed, tr.why) && len(c.addressed) < maxReasons {
		c.addressed = append(c.addressed, tr.why)
	}
}

// slotNow is where a gradient is: in a slot, or in that of a tensor in an argument, if leaf is not 0.
func slotNow(s *graph.Slot, leaf int, leaves []*graph.Array) *graph.Slot {
	if leaf == 0 {
		return s
	}
	n := leaves[leaf-1].Raw()
	if n == nil {
		return nil
	}
	return n.OwnSlot()
}

// anySlot stands for the slots of the modules that a trace was made for, which it shall not hold.
var anySlot = graph.NewSlot()

// settleLeaves lets go of the modules that the trace was made for.
func (e *entry) settleLeaves() {
	for i := range e.captured {
		if c := &e.captured[i]; c.leaf > 0 {
			c.h = nil
			if c.grad != nil {
				c.grad = anySlot
			}
			if c.slot != nil {
				c.slot = anySlot
			}
		}
	}
	for i := range e.written {
		if w := &e.written[i]; w.leaf > 0 {
			w.h = nil
			if w.slot != nil {
				w.slot = anySlot
			}
		}
	}
	for i := range e.hooks {
		if g := &e.hooks[i]; g.leaf > 0 {
			g.slot = nil
		}
	}
	for i := range e.guards {
		if g := &e.guards[i]; g.leaf > 0 {
			g.slot = nil
		}
	}
	for i := range e.grads {
		if g := &e.grads[i]; g.leaf > 0 {
			g.slot = nil
		}
	}
}
