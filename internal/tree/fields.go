package tree

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// Watch is told which modules a traced function uses, so that the trace is made anew when their fields change. It is what
// scope.State.GuardCells holds.
type Watch interface {
	// Module is told of a module that is called, and where its Base is.
	Module(m any, base unsafe.Pointer)
	// Made is told of a module that the function made: no one else changes it.
	Made(base unsafe.Pointer)
}

// Owner is what the slot of a tensor notes: the module that it was seen in last.
type Owner interface {
	Base() uintptr // where its Base is, or was
	// Owner returns the module; nil if it is gone.
	Owner() (m any, base unsafe.Pointer)
}

// Fields are the Go values in a model and in all modules inside, as they were when it was looked at. They are compared word by word:
// a replay does so each time. What is behind the words is held, so that nothing else can be there meanwhile.
type Fields struct {
	Model  any // a pointer to the module
	spans  []span
	was    []byte // what the spans held, one behind the other
	texts  []text
	tables []table
	pins   []unsafe.Pointer
	inside map[unsafe.Pointer]bool // the Base of each module
	bases  []unsafe.Pointer        // the same
	formed int64                   // see Modules.Formed
}

// span is memory that is compared.
type span struct {
	at unsafe.Pointer
	n  uintptr
}

func (s span) bytes() []byte { return unsafe.Slice((*byte)(s.at), s.n) }

// text is a string, compared as such: another one of the same letters is no change.
type text struct {
	at  *string
	was string
}

// table is a map, whose entries are found by their keys.
type table struct {
	at   reflect.Value // the field, addressable
	keys []reflect.Value
	was  []reflect.Value
}

const (
	mostPlain   = 1 << 10 // bytes of numbers or strings in a slice that are compared; of a longer one its address and length are
	mostEntries = 1 << 8  // of a map, the same
)

// FieldsOf looks at a model. Fields in skip, by their address, are left out.
func FieldsOf(model any, skip map[unsafe.Pointer]bool) *Fields {
	f := &Fields{Model: model, inside: map[unsafe.Pointer]bool{}}
	w := fieldWalk{skip: skip, base: func(p unsafe.Pointer) { f.inside[p], f.bases = true, append(f.bases, p) }}
	w.leaf = func(l leaf) {
		switch {
		case l.text:
			s := (*string)(l.at)
			f.texts = append(f.texts, text{s, *s})
			return
		case l.value.Kind() == reflect.Map && l.entries:
			f.tables = append(f.tables, tableOf(l.value))
			return
		}
		s := span{l.at, l.n}
		f.was = append(f.was, s.bytes()...)
		if last := len(f.spans) - 1; last >= 0 && l.joined && unsafe.Add(f.spans[last].at, f.spans[last].n) == l.at {
			f.spans[last].n += l.n
		} else {
			f.spans = append(f.spans, s)
		}
		f.pins = appendPins(f.pins, l.value)
	}
	w.run(model)
	f.formed = f.formedNow()
	f.was, f.spans, f.pins = slices.Clip(f.was), slices.Clip(f.spans), slices.Clip(f.pins)
	return f
}

// appendPins appends what the words of a field lead to.
func appendPins(pins []unsafe.Pointer, v reflect.Value) []unsafe.Pointer {
	p := unsafe.Pointer(nil)
	switch v.Kind() {
	case reflect.Pointer, reflect.Chan, reflect.Map, reflect.UnsafePointer, reflect.Slice:
		p = v.UnsafePointer()
	case reflect.Func:
		p = closure(v)
	case reflect.Interface:
		p = (*[2]unsafe.Pointer)(v.Addr().UnsafePointer())[1]
	}
	if p != nil {
		pins = append(pins, p)
	}
	return pins
}

func (f *Fields) formedNow() (n int64) {
	for _, b := range f.bases {
		n += Modules.Formed(b)
	}
	return n
}

// Bytes estimates the memory that the copies take.
func (f *Fields) Bytes() int {
	const entry = 24 // of a map from addresses, and in a list
	return len(f.was) + len(f.spans)*int(unsafe.Sizeof(span{})) + len(f.texts)*int(unsafe.Sizeof(text{})) + len(f.pins)*int(word) +
		len(f.inside)*entry
}

// Has reports whether the module with a Base is the model or one inside.
func (f *Fields) Has(base unsafe.Pointer) bool { return f.inside[base] }

// Same reports whether no field changed.
func (f *Fields) Same() bool {
	was := f.was
	for i := range f.spans {
		s := &f.spans[i]
		if string(s.bytes()) != string(was[:s.n]) {
			return false
		}
		was = was[s.n:]
	}
	for i := range f.texts {
		if t := &f.texts[i]; *t.at != t.was {
			return false
		}
	}
	for i := range f.tables {
		if !f.tables[i].same() {
			return false
		}
	}
	return true
}

// Good reports whether a trace that is made now may depend on these: no field changed, and the same ones would be compared.
func (f *Fields) Good() bool { return f.Same() && f.formed == f.formedNow() }

func tableOf(v reflect.Value) table {
	t := table{at: v, keys: v.MapKeys()}
	for _, k := range t.keys {
		t.was = append(t.was, v.MapIndex(k))
	}
	return t
}

func (t *table) same() bool {
	if m, ok := t.at.Addr().Interface().(*map[string]int); ok { // without the values that reflection allocates
		for i, k := range t.keys {
			if x, ok := (*m)[k.String()]; !ok || int64(x) != t.was[i].Int() {
				return false
			}
		}
		return len(*m) == len(t.keys)
	}
	if t.at.Len() != len(t.keys) {
		return false
	}
	for i, k := range t.keys {
		if !sameValue(t.at.MapIndex(k), t.was[i]) {
			return false
		}
	}
	return true
}

// sameValue compares two values of one type; of those that Go cannot compare, it says no.
func sameValue(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	return a.Comparable() && b.Comparable() && a.Equal(b)
}

// Change is a field that changed.
type Change struct {
	Field  unsafe.Pointer // its address
	Path   string         // names of fields, with dots between
	before string         // what it was and is, for numbers and strings; else empty
	now    string
}

// String says so.
func (c Change) String() string {
	if c.before != "" || c.now != "" {
		return "field " + c.Path + " of a module went from " + c.before + " to " + c.now
	}
	return "field " + c.Path + " of a module was assigned"
}

// Changes lists the fields of the model that changed, as far as it still leads to them: what is in a module that was replaced is not.
func (f *Fields) Changes() (list []Change) {
	moved := map[uintptr]int{} // addresses of bytes that changed → where they are in f.was
	at := 0
	for _, s := range f.spans {
		for i, b := range s.bytes() {
			if b != f.was[at+i] {
				moved[uintptr(s.at)+uintptr(i)] = at + i
			}
		}
		at += int(s.n)
	}
	w := fieldWalk{named: true, base: func(unsafe.Pointer) {}}
	w.leaf = func(l leaf) {
		c := Change{Field: l.at, Path: l.path}
		if l.text {
			i := slices.IndexFunc(f.texts, func(t text) bool { return unsafe.Pointer(t.at) == l.at })
			if i >= 0 && *f.texts[i].at != f.texts[i].was {
				c.before, c.now = quoted(f.texts[i].was), quoted(*f.texts[i].at)
				list = append(list, c)
			}
			return
		}
		if l.entries {
			i := slices.IndexFunc(f.tables, func(t table) bool { return t.at.Addr().UnsafePointer() == l.at })
			if i >= 0 && !f.tables[i].same() {
				list = append(list, c)
			}
			return
		}
		for i := range l.n {
			if k, ok := moved[uintptr(l.at)+i]; ok {
				if first := k - int(i); l.value.Kind() <= reflect.Complex128 && first >= 0 && first+int(l.n) <= len(f.was) {
					old := reflect.New(l.value.Type())
					copy(unsafe.Slice((*byte)(old.UnsafePointer()), l.n), f.was[first:])
					c.before, c.now = printed(old.Elem()), printed(l.value)
				}
				list = append(list, c)
				return
			}
		}
	}
	w.run(f.Model)
	return list
}

// FirstChange says what changed first.
func (f *Fields) FirstChange() string {
	if list := f.Changes(); len(list) > 0 {
		return strings.TrimSuffix(list[0].String(), ".")
	}
	return "a field of a module changed"
}
