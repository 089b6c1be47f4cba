package lucid

import (
	"fmt"
	"reflect"
	"sort"

	"github.com/lucid-go/lucid/internal/fault"
)

// Transforms work on functions over trees of tensors: a *Tensor, or structs, slices, arrays and maps of trees.
// Everything else in an argument is a constant.

var (
	tensorType = reflect.TypeFor[*Tensor]()
	errorType  = reflect.TypeFor[error]()
)

// flatten appends the tensors of a value in a fixed order: fields as declared, maps by sorted key.
func flatten(v reflect.Value, out []*Tensor) []*Tensor {
	if !v.IsValid() {
		return out
	}
	if v.Type() == tensorType {
		if t := v.Interface().(*Tensor); t != nil {
			out = append(out, t)
		}
		return out
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		if !hasTensors(v.Type(), nil) {
			return out
		}
		for i := range v.Len() {
			out = flatten(v.Index(i), out)
		}
	case reflect.Map:
		if !hasTensors(v.Type(), nil) {
			return out
		}
		for _, k := range sortedKeys(v) {
			out = flatten(v.MapIndex(k), out)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out = flatten(v.Field(i), out)
			}
		}
	case reflect.Interface:
		out = flatten(v.Elem(), out)
	}
	return out
}

// hasTensors reports whether values of a type may hold tensors. Pointers other than *Tensor are not followed.
func hasTensors(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == tensorType {
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
		return hasTensors(t.Elem(), seen)
	case reflect.Interface:
		return true
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && hasTensors(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return fmt.Sprint(keys[i]) < fmt.Sprint(keys[j]) })
	return keys
}

// unflatten returns a copy of a value with its tensors replaced in order by those in ts, which it consumes.
func unflatten(v reflect.Value, ts *[]*Tensor) reflect.Value {
	if !v.IsValid() {
		return v
	}
	t := v.Type()
	if t == tensorType {
		if v.IsNil() {
			return v
		}
		n := (*ts)[0]
		*ts = (*ts)[1:]
		return reflect.ValueOf(n)
	}
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() || !hasTensors(t, nil) {
			return v
		}
		c := reflect.MakeSlice(t, v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(unflatten(v.Index(i), ts))
		}
		return c
	case reflect.Array:
		c := reflect.New(t).Elem()
		for i := range v.Len() {
			c.Index(i).Set(unflatten(v.Index(i), ts))
		}
		return c
	case reflect.Map:
		if v.IsNil() || !hasTensors(t, nil) {
			return v
		}
		c := reflect.MakeMapWithSize(t, v.Len())
		for _, k := range sortedKeys(v) {
			c.SetMapIndex(k, unflatten(v.MapIndex(k), ts))
		}
		return c
	case reflect.Struct:
		c := reflect.New(t).Elem()
		c.Set(v)
		for i := range v.NumField() {
			if t.Field(i).IsExported() {
				c.Field(i).Set(unflatten(v.Field(i), ts))
			}
		}
		return c
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		c := reflect.New(t).Elem()
		c.Set(unflatten(v.Elem(), ts))
		return c
	}
	return v
}

func flattenAll(vs []reflect.Value) []*Tensor {
	var ts []*Tensor
	for _, v := range vs {
		ts = flatten(v, ts)
	}
	return ts
}

func unflattenAll(vs []reflect.Value, ts []*Tensor) []reflect.Value {
	out := make([]reflect.Value, len(vs))
	for i, v := range vs {
		out[i] = unflatten(v, &ts)
	}
	return out
}

// function is a user's function seen by a transform.
type function struct {
	v      reflect.Value
	t      reflect.Type
	hasErr bool
}

// functionOf checks that a transform can handle a function, when the transform is made.
func functionOf(op string, f any) function {
	v := reflect.ValueOf(f)
	if !v.IsValid() || v.Kind() != reflect.Func || v.IsNil() {
		fault.Throw(fault.Value, op, "wants a function, got %T", f)
	}
	fn := function{v: v, t: v.Type()}
	if fn.t.IsVariadic() {
		fault.Throw(fault.Value, op, "cannot handle a variadic function %v; take a slice", fn.t)
	}
	n := fn.t.NumOut()
	fn.hasErr = n > 0 && fn.t.Out(n-1) == errorType
	some := false
	for i := range n {
		some = some || hasTensors(fn.t.Out(i), nil)
	}
	if !some && op != "compile" {
		fault.Throw(fault.Value, op, "the function %v returns no tensors", fn.t)
	}
	return fn
}

// call runs the function; an error it returns comes back as such.
func (f function) call(args []reflect.Value) ([]reflect.Value, error) {
	res := f.v.Call(args)
	if f.hasErr {
		last := res[len(res)-1]
		if !last.IsNil() {
			return res, last.Interface().(error)
		}
	}
	return res, nil
}

// make returns a function of the same type that runs impl.
func makeLike[F any](f function, impl func(args []reflect.Value) ([]reflect.Value, error)) F {
	return reflect.MakeFunc(f.t, func(args []reflect.Value) []reflect.Value {
		res, err := impl(args)
		if err != nil {
			if !f.hasErr {
				throw("function", err)
			}
			res = make([]reflect.Value, f.t.NumOut())
			for i := range res {
				res[i] = reflect.Zero(f.t.Out(i))
			}
			res[len(res)-1] = reflect.ValueOf(&err).Elem()
		}
		return res
	}).Interface().(F)
}
