package compile

import (
	"container/list"
	"maps"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/tree"
)

// A trace depends on the Go values in the modules it uses: a probability, a list of layers, which module a field holds. While a function
// is traced, modules tell when they are called, and the tensors that are captured tell in which module they are. The model that such a
// module was seen in is looked at before and after: fields that are the same then are compared at each replay. Those that the function
// changes itself, such as counters, are left out from then on. Modules among the arguments that are known by their structure are in the
// key instead.

// fieldChanged says that some field changed; whichField says which.
const fieldChanged = "a field of a module changed"

const (
	// So many states of one model are remembered with their traces: a probability that goes back and forth finds its trace again, and
	// modules that were replaced are not held for long.
	maxStates = 4
	// So many traces in a row that were made because a field changed, without one that was found, are a warning.
	manyChanged = 16
	maxKnown    = 32 // traces that are looked at for the state of a model
)

// moduleWatch collects the models that a trace uses. A nil one collects nothing.
type moduleWatch struct {
	mu     sync.Mutex
	st     *standIns
	moving map[unsafe.Pointer]bool
	known  []*tree.Fields // of models that earlier traces used, as they are now
	used   []*tree.Fields
	seen   map[uintptr]bool // modules, by their Base
	c      *Function
}

func (c *Function) newModuleWatch(st *standIns) *moduleWatch {
	w := c.spareWatch.Swap(nil)
	if w == nil {
		w = &moduleWatch{seen: map[uintptr]bool{}}
	}
	c.mu.Lock()
	w.c, w.st, w.moving, w.known = c, st, c.moving, append(w.known[:0], c.lastUsed...)
	c.mu.Unlock()
	if slices.ContainsFunc(w.known, func(f *tree.Fields) bool { return !f.Good() }) {
		w.lookAnew()
	}
	return w
}

// lookAnew finds the states of models again, or looks at the models.
func (w *moduleWatch) lookAnew() {
	before := w.known
	w.c.mu.Lock()
	n := 0
	for e := range w.c.cache.all() {
		for _, f := range e.fields {
			if !slices.Contains(before, f) {
				before = append(before, f)
			}
		}
		if n++; n == maxKnown {
			break
		}
	}
	w.c.mu.Unlock()
	w.known = nil
	for _, f := range before {
		if f.Good() {
			w.known = append(w.known, f)
		}
	}
	for _, f := range before {
		if !slices.ContainsFunc(w.known, func(k *tree.Fields) bool { return k.Model == f.Model }) {
			w.known = append(w.known, tree.FieldsOf(f.Model, w.moving))
		}
	}
}

// Module is told of a module that is used.
func (w *moduleWatch) Module(m any, base unsafe.Pointer) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[uintptr(base)] {
		return
	}
	w.seen[uintptr(base)] = true
	if w.st.has(base) {
		return
	}
	if model := tree.Modules.Model(m); !w.use(model).Has(base) {
		w.use(m)
	}
}

// Made is told of a module that the function makes.
func (w *moduleWatch) Made(base unsafe.Pointer) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[uintptr(base)] = true
}

// use notes a model.
func (w *moduleWatch) use(model any) *tree.Fields {
	same := func(f *tree.Fields) bool { return f.Model == model }
	if i := slices.IndexFunc(w.used, same); i >= 0 {
		return w.used[i]
	}
	var f *tree.Fields
	if i := slices.IndexFunc(w.known, same); i >= 0 {
		f = w.known[i]
	} else {
		f = tree.FieldsOf(model, w.moving)
	}
	w.used = append(w.used, f)
	return f
}

// settle returns the fields that a finished trace depends on, and ends the watch.
func (w *moduleWatch) settle(e *entry) []*tree.Fields {
	for i := range e.captured {
		if c := &e.captured[i]; c.slot != nil && c.leaf == 0 {
			note, ok := c.slot.Owner().(tree.Owner)
			if !ok || w.seen[note.Base()] {
				continue
			}
			if m, base := note.Owner(); m != nil {
				w.Module(m, base)
			}
		}
	}
	for i, f := range w.used {
		if !f.Same() {
			w.moving = w.c.leaveOut(f.Changes())
			w.used[i] = tree.FieldsOf(f.Model, w.moving)
		}
	}
	used := w.used
	w.c.mu.Lock()
	if slices.Equal(used, w.c.lastUsed) {
		used = w.c.lastUsed
	} else {
		used = slices.Clone(used)
		w.c.lastUsed = used
	}
	w.c.mu.Unlock()
	clear(w.seen)
	w.st, w.known, w.used = nil, emptied(w.known), emptied(w.used)
	w.c.spareWatch.Store(w)
	return used
}

// leaveOut notes fields that a call changes itself.
func (c *Function) leaveOut(list []tree.Change) map[unsafe.Pointer]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := maps.Clone(c.moving)
	if all == nil {
		all = map[unsafe.Pointer]bool{}
	}
	for _, x := range list {
		all[x.Field] = true
	}
	c.moving = all
	return all
}

// has reports whether a module is one of the copies.
func (st *standIns) has(base unsafe.Pointer) bool {
	return st != nil && slices.ContainsFunc(st.modules, func(m reflect.Value) bool {
		return uintptr(base)-m.Pointer() < m.Type().Elem().Size()
	})
}

// whichField says which field of a module changed.
func (e *entry) whichField() string {
	for _, f := range e.fields {
		if !f.Same() {
			return f.FirstChange()
		}
	}
	return fieldChanged
}

// dropSuperseded counts the states of models that a new trace depends on. If one of them is new and there are too many of its model, the
// traces of the others that were not used for longest are dropped.
func (k *cache) dropSuperseded(e *entry) {
	for _, f := range e.fields {
		if k.states == nil {
			k.states = map[*tree.Fields]int{}
		}
		if k.states[f]++; k.states[f] > 1 {
			continue
		}
		var states []*tree.Fields
		var next *list.Element
		for el := k.list.Front(); el != nil; el = next {
			next = el.Next()
			for _, g := range el.Value.(*entry).fields {
				if g.Model != f.Model || slices.Contains(states, g) {
					continue
				}
				if len(states) == maxStates {
					k.remove(el)
					break
				}
				states = append(states, g)
			}
		}
	}
}

// forgetStates is the opposite, for a trace that is dropped.
func (k *cache) forgetStates(e *entry) {
	for _, f := range e.fields {
		if k.states[f]--; k.states[f] == 0 {
			delete(k.states, f)
		}
	}
}

// warnFields warns once if traces are made again and again because fields change.
func (c *Function) warnFields(why string) {
	if c.fieldsWarned || c.cache.unfound < manyChanged {
		return
	}
	c.fieldsWarned = true
	Warn("lucid: a compiled function is traced at each call because a field of a module changes", "function", c.o.Name, "last", why,
		"remedy", "make the field a tensor, which is assigned to, or change it less often")
}
