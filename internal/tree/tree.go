// Package tree looks into the arguments and results of the functions that transforms take: trees of tensors, which are a
// tensor, or structs, slices, arrays and maps of trees. Everything else in an argument is a constant.
package tree

import (
	"reflect"
	"unsafe"

	"github.com/lucid-go/lucid/internal/graph"
)

// Tensor is the type of a tensor: a pointer to a type that is graph.Array under another name. The public package sets it.
var Tensor reflect.Type

// array is the handle that a value of type Tensor points to.
func array(v reflect.Value) *graph.Array { return (*graph.Array)(v.UnsafePointer()) }

// value is the opposite of array.
func value(h *graph.Array) reflect.Value { return reflect.NewAt(Tensor.Elem(), unsafe.Pointer(h)) }

// Flatten appends the tensors of a value in a fixed order: fields as declared, maps by sorted key.
func Flatten(v reflect.Value, out []*graph.Array) []*graph.Array {
	if !v.IsValid() {
		return out
	}
	if v.Type() == Tensor {
		if t := array(v); t != nil {
			out = append(out, t)
		}
		return out
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		if !HasTensors(v.Type(), nil) {
			return out
		}
		for i := range v.Len() {
			out = Flatten(v.Index(i), out)
		}
	case reflect.Map:
		if !HasTensors(v.Type(), nil) {
			return out
		}
		for _, k := range sortedKeys(v) {
			out = Flatten(v.MapIndex(k), out)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out = Flatten(v.Field(i), out)
			}
		}
	case reflect.Interface:
		out = Flatten(v.Elem(), out)
	}
	return out
}

// HasTensors reports whether values of a type may hold tensors. Pointers other than Tensor are not followed.
func HasTensors(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == Tensor {
		return true
	}
	if seen[t] {
		return false
	}
	if seen == nil {
		seen = map[reflect.Type]bool{}
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return HasTensors(t.Elem(), seen)
	case reflect.Interface:
		return true
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && HasTensors(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// Unflatten returns a copy of a value with its tensors replaced in order by those in ts, which it consumes.
func Unflatten(v reflect.Value, ts *[]*graph.Array) reflect.Value {
	if !v.IsValid() {
		return v
	}
	t := v.Type()
	if t == Tensor {
		if v.IsNil() {
			return v
		}
		n := (*ts)[0]
		*ts = (*ts)[1:]
		return value(n)
	}
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() || !HasTensors(t, nil) {
			return v
		}
		c := reflect.MakeSlice(t, v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(Unflatten(v.Index(i), ts))
		}
		return c
	case reflect.Array:
		c := reflect.New(t).Elem()
		for i := range v.Len() {
			c.Index(i).Set(Unflatten(v.Index(i), ts))
		}
		return c
	case reflect.Map:
		if v.IsNil() || !HasTensors(t, nil) {
			return v
		}
		c := reflect.MakeMapWithSize(t, v.Len())
		for _, k := range sortedKeys(v) {
			c.SetMapIndex(k, Unflatten(v.MapIndex(k), ts))
		}
		return c
	case reflect.Struct:
		c := reflect.New(t).Elem()
		c.Set(v)
		for i := range v.NumField() {
			if t.Field(i).IsExported() {
				c.Field(i).Set(Unflatten(v.Field(i), ts))
			}
		}
		return c
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		c := reflect.New(t).Elem()
		c.Set(Unflatten(v.Elem(), ts))
		return c
	}
	return v
}

// FlattenAll lists the tensors of several values.
func FlattenAll(vs []reflect.Value) []*graph.Array {
	var ts []*graph.Array
	for _, v := range vs {
		ts = Flatten(v, ts)
	}
	return ts
}

// UnflattenAll is Unflatten of several values.
func UnflattenAll(vs []reflect.Value, ts []*graph.Array) []reflect.Value {
	out := make([]reflect.Value, len(vs))
	for i, v := range vs {
		out[i] = Unflatten(v, &ts)
	}
	return out
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
