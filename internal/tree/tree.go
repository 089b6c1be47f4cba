// Package tree looks into the arguments and results of the functions that transforms take: trees of tensors, which are a
// tensor, or structs, pointers to structs, slices, arrays and maps of trees. Everything else in an argument is a constant.
package tree

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/graph"
)

// Tensor is the type of a tensor: a pointer to a type that is graph.Array under another name. The public package sets it.
var Tensor reflect.Type

// array is the handle that a value of type Tensor points to.
func array(v reflect.Value) *graph.Array { return (*graph.Array)(v.UnsafePointer()) }

// value is the opposite of array.
func value(h *graph.Array) reflect.Value { return reflect.NewAt(Tensor.Elem(), unsafe.Pointer(h)) }

// Captured reports whether values of a pointer type are state rather than data: modules, whose package sets it. Compile captures
// the tensors behind them and keys them by address; all other transforms look into them.
var Captured = func(reflect.Type) bool { return false }

// Walk is how far a transform looks: into pointers to structs, and into those that are state if All is set. A pointer that comes twice is
// one tree, so what is shared stays shared, and circles end.
type Walk struct{ All bool }

// behind returns the struct that a pointer leads to, if the walk goes there.
func (w Walk) behind(v reflect.Value) (reflect.Value, bool) {
	t := v.Type()
	if t.Kind() != reflect.Pointer || v.IsNil() || t.Elem().Kind() != reflect.Struct || !w.All && Captured(t) || !HasTensors(t.Elem(), nil) {
		return reflect.Value{}, false
	}
	return v.Elem(), true
}

// FlattenAll lists the tensors of several values in a fixed order: fields as declared, maps by sorted key.
func (w Walk) FlattenAll(vs []reflect.Value) []*graph.Array {
	f := flattener{walk: w}
	for _, v := range vs {
		f.add(v)
	}
	return f.out
}

type flattener struct {
	walk Walk
	out  []*graph.Array
	seen map[unsafe.Pointer]bool
}

func (f *flattener) add(v reflect.Value) {
	if !v.IsValid() {
		return
	}
	if v.Type() == Tensor {
		if t := array(v); t != nil {
			f.out = append(f.out, t)
		}
		return
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		if !HasTensors(v.Type(), nil) {
			return
		}
		for i := range v.Len() {
			f.add(v.Index(i))
		}
	case reflect.Map:
		if !HasTensors(v.Type(), nil) {
			return
		}
		for _, k := range sortedKeys(v) {
			f.add(v.MapIndex(k))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.add(v.Field(i))
			}
		}
	case reflect.Interface:
		f.add(v.Elem())
	case reflect.Pointer:
		if to, ok := f.walk.behind(v); ok && !f.seen[v.UnsafePointer()] {
			if f.seen == nil {
				f.seen = map[unsafe.Pointer]bool{}
			}
			f.seen[v.UnsafePointer()] = true
			f.add(to)
		}
	}
}

// HasTensors reports whether values of a type may hold tensors.
func HasTensors(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == Tensor {
		return true
	}
	if seen[t] {
		return false
	}
	if seen == nil {
		if known, ok := holds.Load(t); ok {
			return known.(bool)
		}
		has := hasTensors(t, map[reflect.Type]bool{t: true})
		holds.Store(t, has)
		return has
	}
	seen[t] = true
	return hasTensors(t, seen)
}

var holds sync.Map // reflect.Type → bool

func hasTensors(t reflect.Type, seen map[reflect.Type]bool) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return HasTensors(t.Elem(), seen)
	case reflect.Interface:
		return true
	case reflect.Pointer:
		return t.Elem().Kind() == reflect.Struct && HasTensors(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && HasTensors(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// UnflattenAll returns copies of values with their tensors replaced in order by those in ts. Structs behind pointers are copied where
// a tensor is in them; everything else in them is carried along.
func (w Walk) UnflattenAll(vs []reflect.Value, ts []*graph.Array) []reflect.Value {
	u := unflattener{walk: w, ts: ts}
	out := make([]reflect.Value, len(vs))
	for i, v := range vs {
		out[i] = u.copy(v)
	}
	return out
}

type unflattener struct {
	walk   Walk
	ts     []*graph.Array
	copies map[unsafe.Pointer]reflect.Value
}

func (u *unflattener) copy(v reflect.Value) reflect.Value {
	if !v.IsValid() {
		return v
	}
	t := v.Type()
	if t == Tensor {
		if v.IsNil() {
			return v
		}
		n := u.ts[0]
		u.ts = u.ts[1:]
		return value(n)
	}
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() || !HasTensors(t, nil) {
			return v
		}
		c := reflect.MakeSlice(t, v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(u.copy(v.Index(i)))
		}
		return c
	case reflect.Array:
		c := reflect.New(t).Elem()
		for i := range v.Len() {
			c.Index(i).Set(u.copy(v.Index(i)))
		}
		return c
	case reflect.Map:
		if v.IsNil() || !HasTensors(t, nil) {
			return v
		}
		c := reflect.MakeMapWithSize(t, v.Len())
		for _, k := range sortedKeys(v) {
			c.SetMapIndex(k, u.copy(v.MapIndex(k)))
		}
		return c
	case reflect.Struct:
		c := reflect.New(t).Elem()
		c.Set(v)
		u.fields(c, v)
		return c
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		c := reflect.New(t).Elem()
		c.Set(u.copy(v.Elem()))
		return c
	case reflect.Pointer:
		return u.pointer(v)
	}
	return v
}

func (u *unflattener) fields(c, v reflect.Value) {
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			c.Field(i).Set(u.copy(v.Field(i)))
		}
	}
}

func (u *unflattener) pointer(v reflect.Value) reflect.Value {
	to, ok := u.walk.behind(v)
	if !ok {
		return v
	}
	p := v.UnsafePointer()
	if c, ok := u.copies[p]; ok {
		return c
	}
	if u.copies == nil {
		u.copies = map[unsafe.Pointer]reflect.Value{}
	}
	c := reflect.New(to.Type())
	c.Elem().Set(to)
	u.copies[p] = c
	before := len(u.ts)
	u.fields(c.Elem(), to)
	if len(u.ts) == before && !u.holds(v) { // nothing in it: it stays what it is
		u.copies[p] = v
		return v
	}
	return c
}

// holds reports whether a pointer leads to any tensor; one that was met before may have all of them.
func (u *unflattener) holds(v reflect.Value) bool {
	return len(u.walk.FlattenAll([]reflect.Value{v})) > 0
}

// FlattenAll lists the tensors of several values, as Compile sees them.
func FlattenAll(vs []reflect.Value) []*graph.Array { return Walk{}.FlattenAll(vs) }

// UnflattenAll puts other tensors into copies of several values, as Compile does.
func UnflattenAll(vs []reflect.Value, ts []*graph.Array) []reflect.Value {
	return Walk{}.UnflattenAll(vs, ts)
}

// OwnConstants gives the caller slices and maps without tensors of its own: the trace keeps its own.
func OwnConstants(vs []reflect.Value) {
	for i, v := range vs {
		switch {
		case HasTensors(v.Type(), nil):
		case v.Kind() == reflect.Slice && !v.IsNil():
			c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(c, v)
			vs[i] = c
		case v.Kind() == reflect.Map && !v.IsNil():
			c := reflect.MakeMapWithSize(v.Type(), v.Len())
			for _, k := range v.MapKeys() {
				c.SetMapIndex(k, v.MapIndex(k))
			}
			vs[i] = c
		}
	}
}
