package tree

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/graph"
)

// moduleKey is the part of a key about modules that are known by their structure: which fields hold tensors, and the Go values in all
// fields, exported or not. What is behind other pointers, and functions, are known by their address, numbers behind pointers by value.
type moduleKey struct {
	depth   int // of modules around what is written
	list    []reflect.Value
	tensors []*graph.Array
	numbers map[unsafe.Pointer]int // of modules and tensors that were written before
	opaque  string
	room    [2]int // lengths of the lists that the key before had
}

// A step gets the same kind of model again and again: what its key was written with is used again.
var structureKeys = sync.Pool{New: func() any {
	return &treeKey{modules: &moduleKey{numbers: map[unsafe.Pointer]int{}}}
}}

// takeStructureKey returns an empty key that knows modules by their structure.
func takeStructureKey() *treeKey {
	k := structureKeys.Get().(*treeKey)
	m := k.modules
	k.b, m.opaque = k.b[:0], ""
	m.list, m.tensors = make([]reflect.Value, 0, m.room[0]), make([]*graph.Array, 0, m.room[1])
	return k
}

// giveBack ends the use of a key.
func (k *treeKey) giveBack() {
	m := k.modules
	m.room = [2]int{len(m.list), len(m.tensors)}
	m.list, m.tensors = nil, nil
	clear(m.numbers)
	clear(k.structs)
	structureKeys.Put(k)
}

// seen returns the number of a pointer if it was written before; else it gets the next one.
func (m *moduleKey) seen(k *treeKey, p unsafe.Pointer) bool {
	if n, ok := m.numbers[p]; ok {
		k.b = append(k.b, '@')
		k.num(uint64(n))
		return true
	}
	m.numbers[p] = len(m.numbers)
	return false
}

func (m *moduleKey) tensor(k *treeKey, t *graph.Array) {
	if !m.seen(k, unsafe.Pointer(t)) {
		k.b = append(k.b, 'T')
		m.tensors = append(m.tensors, t)
	}
}

// pointer writes a pointer; it reports false for one that is known by its address.
func (m *moduleKey) pointer(k *treeKey, v reflect.Value) bool {
	p := v.UnsafePointer()
	switch {
	case v.IsNil():
		k.b = append(k.b, '0')
		return true
	case isModule(v.Type()) && v.Type().Elem().Kind() == reflect.Struct:
		if !m.seen(k, p) {
			v = reflect.NewAt(v.Type().Elem(), p) // a field that is not exported may hold it
			m.list = append(m.list, v)
			k.b = append(k.b, 'M')
			m.depth++
			k.fields(v.Elem(), false)
			m.depth--
		}
		return true
	case m.depth == 0:
		to, ok := (Walk{}).behind(v)
		if ok {
			k.behind(p, to)
		}
		return ok
	}
	if kind := v.Type().Elem().Kind(); kind <= reflect.Complex128 || kind == reflect.String {
		k.b = append(k.b, '&')
		k.add(v.Elem(), false)
		return true
	}
	return false
}

// special writes the structs that are not the sum of their fields: what makes a struct a module, and locks.
func (m *moduleKey) special(k *treeKey, v reflect.Value) bool {
	switch t := v.Type(); {
	case t == Modules.Base():
		mode, opaque := Modules.Mode(v.Addr().UnsafePointer())
		k.num(uint64(mode))
		if opaque != "" {
			m.opaque = opaque
		}
		return true
	case t.PkgPath() == "sync":
		return true
	}
	return false
}
