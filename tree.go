package lucid

import (
	"reflect"

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

// ownConstants gives the caller slices and maps without tensors that nobody else has: the trace keeps its own.
func ownConstants(vs []reflect.Value) {
	for i, v := range vs {
		switch {
		case hasTensors(v.Type(), nil):
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

// function is a user's function seen by a transform.
type function struct {
	v      reflect.Value
	t      reflect.Type
	hasErr bool
}

// functionOf checks that a transform can handle a function, when the transform is made.
func functionOf(op string, f any) function {
	v := reflect.ValueOf(f)
	if !v.IsValid() || v.Kind() != reflect.Func {
		fault.Throw(fault.Value, op, "wants a function, got %T", f)
	}
	if v.IsNil() {
		fault.Throw(fault.Value, op, "wants a function, got a nil %T", f)
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
	switch op {
	case "vmap", "compile", "checkpoint": // what is inside has no value, or none that is kept
		for i := range n {
			if i < n-1 || !fn.hasErr {
				fn.mustReturn(op, fn.t.Out(i), nil)
			}
		}
	}
	return fn
}

// mustReturn refuses a result in which tensors could hide from a transform.
func (f function) mustReturn(op string, t reflect.Type, seen map[reflect.Type]bool) {
	if t == tensorType || seen[t] {
		return
	}
	if seen == nil {
		seen = map[reflect.Type]bool{}
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Func, reflect.Chan:
		fault.Throw(fault.Value, op, "%v returns a %v, in which a tensor from inside could hide; return tensors, or structs, slices and maps of them", f.t, t)
	case reflect.Pointer:
		if hasTensors(t.Elem(), nil) && t.Elem().Kind() != reflect.Interface {
			fault.Throw(fault.Value, op, "%v returns tensors behind a %v, where they are not looked for; return the %v itself", f.t, t, t.Elem())
		}
	case reflect.Slice, reflect.Array, reflect.Map:
		f.mustReturn(op, t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				f.mustReturn(op, t.Field(i).Type, seen)
			}
		}
	}
}

// mustVary refuses an argument without tensors, by which nothing can be differentiated, and a first result without any.
func (f function) mustVary(op string, k int) {
	if t := f.t.In(k); !hasTensors(t, nil) {
		fault.Throw(fault.Value, op, "argument %d of %v is a %v, which holds no tensors", k, f.t, t)
	}
	if t := f.t.Out(0); !hasTensors(t, nil) {
		fault.Throw(fault.Value, op, "the first result of %v is a %v; want a tensor", f.t, t)
	}
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
