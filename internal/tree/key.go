package tree

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/graph"
)

// treeKey writes the structure of trees and their constants, so that two calls have the same key only if a function sees no
// difference between them but in its tensors: values, not how they print, with their types where these may vary.
type treeKey struct {
	b    []byte
	pins *[]unsafe.Pointer // if there is one, it gets what the key names by address: while it is held, nothing else can be there
	bare bool              // addresses are left out
	// structs numbers the structs behind pointers.
	structs map[unsafe.Pointer]int
	modules *moduleKey // if there is one, modules are known by their structure, else by their address
	marks   *[]mark    // if there is one, it gets where in the key the parts of the trees begin
	path    []string
}

// mark says what the bytes of a key from some index on are about.
type mark struct {
	at   int
	path string
}

func (k *treeKey) num(x uint64) { k.b = binary.AppendUvarint(k.b, x) }

func (k *treeKey) address(p unsafe.Pointer) {
	if k.b = append(k.b, '*'); k.bare {
		return
	}
	k.num(uint64(uintptr(p)))
	if k.pins != nil && p != nil {
		*k.pins = append(*k.pins, p)
	}
}

// add writes a value. Tensors in fields that are not exported are hidden: transforms do not see them, so they are constants
// like other pointers.
func (k *treeKey) add(v reflect.Value, hidden bool) {
	if !v.IsValid() {
		k.b = append(k.b, '0')
		return
	}
	if v.Type() == Tensor && !hidden {
		k.tensor(v)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		k.b = append(k.b, 'f')
		if v.Bool() {
			k.b[len(k.b)-1] = 't'
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		k.num(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		k.num(v.Uint())
	case reflect.Float32, reflect.Float64:
		k.num(math.Float64bits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		c := v.Complex()
		k.num(math.Float64bits(real(c)))
		k.num(math.Float64bits(imag(c)))
	case reflect.String:
		k.num(uint64(v.Len()))
		k.b = append(k.b, v.String()...)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			k.b = append(k.b, '0')
			return
		}
		k.b = append(k.b, '[')
		k.num(uint64(v.Len()))
		for i := range v.Len() {
			k.enter(i)
			k.add(v.Index(i), hidden)
			k.leave()
		}
	case reflect.Map:
		if v.IsNil() {
			k.b = append(k.b, '0')
			return
		}
		k.b = append(k.b, '{')
		k.num(uint64(v.Len()))
		for _, key := range sortedKeys(v) {
			k.add(key, true)
			k.enter(key)
			k.add(v.MapIndex(key), hidden)
			k.leave()
		}
	case reflect.Struct:
		k.fields(v, hidden)
	case reflect.Interface:
		if v = v.Elem(); v.IsValid() {
			k.num(uint64(reflect.ValueOf(v.Type()).Pointer()))
		}
		k.add(v, hidden)
	case reflect.Func:
		k.address(closure(v))
	case reflect.Pointer:
		k.pointer(v, hidden)
	default:
		k.address(v.UnsafePointer())
	}
}

// tensor writes that there is one, or none. Which fields of modules share one is part of the structure.
func (k *treeKey) tensor(v reflect.Value) {
	switch {
	case v.IsNil():
		k.b = append(k.b, '-')
	case k.modules != nil && k.modules.depth > 0:
		k.modules.tensor(k, array(v))
	default:
		k.b = append(k.b, 'T')
	}
}

func (k *treeKey) pointer(v reflect.Value, hidden bool) {
	if m := k.modules; m != nil && !hidden && (m.depth > 0 || !v.IsNil()) {
		if m.pointer(k, v) {
			return
		}
	} else if to, ok := (Walk{}).behind(v); ok && !hidden {
		k.behind(v.UnsafePointer(), to)
		return
	}
	k.address(v.UnsafePointer())
}

// enter begins a part of a tree, leave ends it.
func (k *treeKey) enter(name any) {
	if k.marks != nil {
		k.path = append(k.path, fmt.Sprint(name))
		*k.marks = append(*k.marks, mark{len(k.b), strings.Join(k.path, ".")})
	}
}

func (k *treeKey) leave() {
	if k.marks != nil {
		k.path = k.path[:len(k.path)-1]
	}
}

// behind writes what is behind a pointer: its structure, not its address, so that another struct of the same structure has the same
// key. One that was written before is a number.
func (k *treeKey) behind(p unsafe.Pointer, to reflect.Value) {
	if n, ok := k.structs[p]; ok {
		k.b = append(k.b, '@')
		k.num(uint64(n))
		return
	}
	if k.structs == nil {
		k.structs = map[unsafe.Pointer]int{}
	}
	k.structs[p] = len(k.structs)
	k.b = append(k.b, '&')
	k.fields(to, false)
}

func (k *treeKey) fields(v reflect.Value, hidden bool) {
	if !v.CanAddr() && v.CanInterface() { // a function in a field can be told from others of the same code by its address
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		v = c
	}
	inside := k.modules != nil && k.modules.depth > 0
	if inside && k.modules.special(k, v) {
		return
	}
	for i, f := range fieldsOf(v.Type()) {
		k.enterField(f.name)
		k.add(v.Field(i), hidden || !inside && !f.exported)
		k.leave()
	}
}

func (k *treeKey) enterField(name string) {
	if k.marks != nil {
		k.enter(Snake(name))
	}
}

// structField is what is asked of a field again and again; reflection allocates what it answers.
type structField struct {
	name     string
	exported bool
}

var structFields sync.Map // reflect.Type → []structField

func fieldsOf(t reflect.Type) []structField {
	if known, ok := structFields.Load(t); ok {
		return known.([]structField)
	}
	list := make([]structField, t.NumField())
	for i := range list {
		f := t.Field(i)
		list[i] = structField{f.Name, f.IsExported()}
	}
	structFields.Store(t, list)
	return list
}

// closure is the word that a func value holds: its code with what it closes over.
func closure(v reflect.Value) unsafe.Pointer {
	switch {
	case v.IsNil():
		return nil
	case v.CanAddr():
		return *(*unsafe.Pointer)(v.Addr().UnsafePointer())
	case v.CanInterface():
		return Pointer(v.Interface())
	}
	return v.UnsafePointer()
}

// Pointer identifies a function by the word that a func value holds.
func Pointer(f any) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&f))[1]
}

// Structure is what a compiled function may depend on in its arguments in addition to the values of tensors.
type Structure struct {
	Key     string
	Modules []reflect.Value // pointers to those that are known by their structure, each once
	Tensors []*graph.Array  // of these, each once
	Opaque  string          // why they cannot be known by it; "" if they can
}

// StructureOf looks at trees. Modules are known by their address unless byStructure is set.
func StructureOf(vs []reflect.Value, byStructure bool) Structure {
	if !byStructure {
		var k treeKey
		k.all(vs)
		return Structure{Key: string(k.b)}
	}
	k := takeStructureKey()
	k.all(vs)
	m := k.modules
	s := Structure{Key: string(k.b), Modules: m.list, Tensors: m.tensors, Opaque: m.opaque}
	k.giveBack()
	return s
}

// Shape is the key of a structure without addresses.
func Shape(vs []reflect.Value) string {
	k := treeKey{bare: true}
	k.all(vs)
	return string(k.b)
}

func (k *treeKey) all(vs []reflect.Value) {
	for i, v := range vs {
		k.enter(i)
		k.add(v, false)
		k.leave()
	}
}

// Pinned lists what the key of trees names by address: while it is held, nothing else can be stored there.
func Pinned(vs []reflect.Value, byStructure bool) (pins []unsafe.Pointer) {
	k := treeKey{pins: &pins}
	if byStructure {
		k.modules = &moduleKey{numbers: map[unsafe.Pointer]int{}}
	}
	k.all(vs)
	return pins
}

// Difference names the first part of trees in which their key is not the one given: the number of an argument and names of fields.
func Difference(vs []reflect.Value, byStructure bool, key string) string {
	var marks []mark
	k := treeKey{marks: &marks}
	if byStructure {
		k.modules = &moduleKey{numbers: map[unsafe.Pointer]int{}}
	}
	k.all(vs)
	at := 0
	for at < min(len(k.b), len(key)) && k.b[at] == key[at] {
		at++
	}
	where := ""
	for _, m := range marks {
		if m.at > at {
			break
		}
		where = m.path
	}
	return where
}

// sortedKeys lists the keys of a map in order: numbers by size, strings by their bytes, others in some fixed order.
func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		switch a.Kind() {
		case reflect.String:
			return cmp.Compare(a.String(), b.String())
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			return cmp.Compare(a.Int(), b.Int())
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
			return cmp.Compare(a.Uint(), b.Uint())
		case reflect.Float32, reflect.Float64:
			return cmp.Compare(a.Float(), b.Float())
		}
		var x, y treeKey
		x.add(a, true)
		y.add(b, true)
		return bytes.Compare(x.b, y.b)
	})
	return keys
}
