package tree

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// treeKey writes the structure of trees and their constants, so that two calls have the same key only if a function sees no
// difference between them but in its tensors: values, not how they print, with their types where these may vary.
type treeKey struct {
	b    []byte
	pins *[]unsafe.Pointer // if there is one, it gets what the key names by address: while it is held, nothing else can be there
	bare bool              // addresses are left out
	// structs numbers the structs behind pointers.
	structs map[unsafe.Pointer]int
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
		if v.IsNil() {
			k.b = append(k.b, '-')
		} else {
			k.b = append(k.b, 'T')
		}
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
			k.add(v.Index(i), hidden)
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
			k.add(v.MapIndex(key), hidden)
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
		if to, ok := (Walk{}).behind(v); ok && !hidden {
			k.behind(v.UnsafePointer(), to)
			return
		}
		k.address(v.UnsafePointer())
	default:
		k.address(v.UnsafePointer())
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
	for i := range v.NumField() {
		k.add(v.Field(i), hidden || !v.Type().Field(i).IsExported())
	}
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

// Key writes the structure of trees and their constants.
func Key(vs []reflect.Value) string { return keyOf(vs, treeKey{}) }

// Shape is Key without addresses.
func Shape(vs []reflect.Value) string { return keyOf(vs, treeKey{bare: true}) }

func keyOf(vs []reflect.Value, k treeKey) string {
	for _, v := range vs {
		k.add(v, false)
	}
	return string(k.b)
}

// Pinned lists what the key of trees names by address: while it is held, nothing else can be stored there.
func Pinned(vs []reflect.Value) (pins []unsafe.Pointer) {
	keyOf(vs, treeKey{pins: &pins})
	return pins
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
