package nn

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/lucid-go/lucid"
)

// UpdateModules replaces modules inside m by others, by name: "blocks.0.attn". Every name must be one of a module inside m, whose field, or
// element of a slice or map, can hold the new one: it has the same type, or is of an interface type such as Layer. An optimizer has
// the parameters it was made with: make one for the new ones.
func UpdateModules(m Module, modules map[string]Module) {
	left := maps.Clone(modules)
	r := replacer{op: "update_modules", advice: "give a module of that type", other: func(name string, _ Module) Module {
		c := left[name]
		delete(left, name)
		return c
	}}
	r.inside(m)
	if len(left) > 0 {
		refuse(lucid.ErrValue, r.op, "%T has no module %q inside, or it is replaced too", m, slices.Sorted(maps.Keys(left))[0])
	}
}

// replacer replaces modules in values.
type replacer struct {
	op, advice string
	other      func(name string, m Module) Module // what stands for a module; nil: it stays
	seen       map[any]bool
	n          int
}

// inside replaces modules inside m and returns how many.
func (r *replacer) inside(m Module) int {
	r.seen = map[any]bool{}
	r.value(reflect.ValueOf(m), "")
	return r.n
}

// value replaces what is inside v.
func (r *replacer) value(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			r.value(v.Elem(), name)
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type() == tensorType || v.Elem().Kind() != reflect.Struct || r.seen[v.Interface()] {
			return
		}
		r.seen[v.Interface()] = true
		if d, ok := v.Interface().(*ModuleDict); ok {
			for part, m := range d.All() {
				e := reflect.New(moduleType).Elem()
				e.Set(reflect.ValueOf(m))
				r.element(e, name, part)
				d.Set(part, e.Interface().(Module))
			}
			return
		}
		r.fields(v.Elem(), name)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			r.element(v.Index(i), name, strconv.Itoa(i))
		}
	case reflect.Struct:
		r.fields(v, name)
	case reflect.Map:
		r.entries(v, name)
	}
}

// fields looks at those that may hold modules.
func (r *replacer) fields(v reflect.Value, name string) {
	for _, f := range fields(v.Type()) {
		if f.inline {
			r.value(v.Field(f.index), name)
			continue
		}
		r.element(v.Field(f.index), name, f.name)
	}
}

// element looks at a part of a value, which must be able to hold what replaces it.
func (r *replacer) element(v reflect.Value, name, part string) {
	if name != "" {
		part = name + "." + part
	}
	if k := v.Kind(); (k == reflect.Pointer || k == reflect.Interface) && !v.IsNil() && v.CanInterface() {
		if m, ok := v.Interface().(Module); ok {
			if c := r.other(part, m); c != nil {
				if !reflect.TypeOf(c).AssignableTo(v.Type()) || !v.CanSet() {
					refuse(lucid.ErrNotImplemented, r.op, "%s is in a field of type %v, which cannot hold a %T; make it an nn.Layer, or %s",
						part, v.Type(), c, r.advice)
				}
				v.Set(reflect.ValueOf(c))
				r.n++
				return
			}
		}
	}
	r.value(v, part)
}

// entries replaces the values of a map, in the order of its keys.
func (r *replacer) entries(v reflect.Value, name string) {
	for _, k := range sortedKeys(v) {
		e := reflect.New(v.Type().Elem()).Elem()
		e.Set(v.MapIndex(k))
		r.element(e, name, fmt.Sprint(k))
		v.SetMapIndex(k, e)
	}
}
