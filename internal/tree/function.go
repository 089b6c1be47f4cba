package tree

import (
	"reflect"
	"runtime"

	"github.com/lucid-go/lucid/internal/fault"
)

// Function is a user's function seen by a transform.
type Function struct {
	Type   reflect.Type
	value  reflect.Value
	hasErr bool
}

// FunctionOf checks that a transform can handle a function, when the transform is made.
func FunctionOf(op string, f any) Function {
	v := reflect.ValueOf(f)
	if !v.IsValid() || v.Kind() != reflect.Func {
		fault.Throw(fault.Value, op, "wants a function, got %T", f)
	}
	if v.IsNil() {
		fault.Throw(fault.Value, op, "wants a function, got a nil %T", f)
	}
	fn := Function{value: v, Type: v.Type()}
	if fn.Type.IsVariadic() {
		fault.Throw(fault.Value, op, "cannot handle a variadic function %v; take a slice", fn.Type)
	}
	n := fn.Type.NumOut()
	fn.hasErr = n > 0 && fn.Type.Out(n-1) == reflect.TypeFor[error]()
	some := false
	for i := range n {
		some = some || HasTensors(fn.Type.Out(i), nil)
	}
	if !some && op != "compile" {
		fault.Throw(fault.Value, op, "the function %v returns no tensors", fn.Type)
	}
	switch op {
	case "vmap", "compile", "checkpoint": // what is inside has no value, or none that stays
		for i := range n {
			if i < n-1 || !fn.hasErr {
				fn.mustReturn(op, fn.Type.Out(i), nil)
			}
		}
	}
	return fn
}

// mustReturn refuses a result in which tensors could hide from a transform.
func (f Function) mustReturn(op string, t reflect.Type, seen map[reflect.Type]bool) {
	if t == Tensor || seen[t] {
		return
	}
	if seen == nil {
		seen = map[reflect.Type]bool{}
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Func, reflect.Chan:
		fault.Throw(fault.Value, op,
			"%v returns a %v, in which a tensor from inside could hide; return tensors, or structs, slices and maps of them", f.Type, t)
	case reflect.Pointer:
		if isModule(t) {
			return // its tensors are found
		}
		if t.Elem().Kind() == reflect.Struct {
			f.mustReturn(op, t.Elem(), seen)
		} else if HasTensors(t.Elem(), nil) && t.Elem().Kind() != reflect.Interface {
			fault.Throw(fault.Value, op, "%v returns tensors behind a %v, where they are not looked for; return the %v itself",
				f.Type, t, t.Elem())
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

// MustVary refuses an argument without tensors, by which nothing can be differentiated, and a first result without any.
func (f Function) MustVary(op string, k int) {
	if t := f.Type.In(k); !HasTensors(t, nil) {
		fault.Throw(fault.Value, op, "argument %d of %v is a %v, which holds no tensors", k, f.Type, t)
	}
	if t := f.Type.Out(0); !HasTensors(t, nil) {
		fault.Throw(fault.Value, op, "the first result of %v is a %v; want a tensor", f.Type, t)
	}
}

// Call runs the function; an error it returns comes back as such.
func (f Function) Call(args []reflect.Value) ([]reflect.Value, error) {
	res := f.value.Call(args)
	if f.hasErr {
		last := res[len(res)-1]
		if !last.IsNil() {
			return res, last.Interface().(error)
		}
	}
	return res, nil
}

// MakeLike returns a function of the same type that runs impl.
func MakeLike[F any](f Function, impl func(args []reflect.Value) ([]reflect.Value, error)) F {
	return reflect.MakeFunc(f.Type, func(args []reflect.Value) []reflect.Value {
		res, err := impl(args)
		if err != nil {
			if !f.hasErr {
				fault.Rethrow("function", err)
			}
			res = make([]reflect.Value, f.Type.NumOut())
			for i := range res {
				res[i] = reflect.Zero(f.Type.Out(i))
			}
			res[len(res)-1] = reflect.ValueOf(&err).Elem()
		}
		return res
	}).Interface().(F)
}

// Name is the function's own name, or its type if it has none.
func (f Function) Name() string {
	// What a transform returned has no code of its own.
	if code := runtime.FuncForPC(f.value.Pointer()); code != nil && code.Name() != "reflect.makeFuncStub" {
		return code.Name()
	}
	return "a function of type " + f.Type.String()
}
