// Package tree looks into the arguments and results of the functions that transforms take: trees of tensors, which are a
// tensor, or structs, pointers to structs, slices, arrays and maps of trees. Everything else in an argument is a constant.
package tree

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unsafe"

	"github.com/lucid-go/lucid/internal/graph"
)

// Tensor is the type of a tensor: a pointer to a type that is graph.Array under another name. The public package sets it.
var Tensor reflect.Type

// array is the handle that a value of type Tensor points to.
func array(v reflect.Value) *graph.Array { return (*graph.Array)(v.UnsafePointer()) }

// value is the opposite of array.
func value(h *graph.Array) reflect.Value { return reflect.NewAt(Tensor.Elem(), unsafe.Pointer(h)) }

// Modules looks into modules; their package sets it. A module is a tree of its parameters and buffers for all transforms. Only Compile
// captures the tensors behind one among its arguments, and knows it by its structure or by its address: see moduleKey.
var Modules interface {
	// Is reports whether values of a pointer type are modules.
	Is(t reflect.Type) bool
	// Leaves lists the tensors of a module, each once, and their names.
	Leaves(m reflect.Value) (names []string, ts []*graph.Array)
	// Copy returns a copy of a module with other tensors in the order of Leaves; nil leaves a field nil.
	Copy(m reflect.Value, ts []*graph.Array) reflect.Value
	// CopyAll returns copies of modules that share with each other what those do, with other tensors in the stead of some.
	CopyAll(ms []reflect.Value, old, ts []*graph.Array) []reflect.Value
	// Base is the type of the struct that makes one a module by being embedded.
	Base() reflect.Type
	// Mode returns what is in a Base, and why it is not all there is to know: "" if it is.
	Mode(base unsafe.Pointer) (mode int64, opaque string)
	// Formed is a number that changes when the fields of a module that may be exchanged while it is called are others; 0: there are none.
	Formed(base unsafe.Pointer) int64
	// Model returns the model that a module was seen in last, or the module itself.
	Model(m any) any
}

func isModule(t reflect.Type) bool {
	if Modules == nil || t.Kind() != reflect.Pointer {
		return false
	}
	if known, ok := moduleTypes.Load(t); ok {
		return known.(bool)
	}
	is := Modules.Is(t)
	moduleTypes.Store(t, is)
	return is
}

var moduleTypes sync.Map // reflect.Type → bool

// Walk is how far a transform looks: into pointers to structs, and into modules if All is set. A pointer that comes twice is
// one tree, so what is shared stays shared, and circles end.
type Walk struct {
	All bool
	As  map[unsafe.Pointer]reflect.Value // modules that others stand for: their tensors are not listed
}

// Leaf is a tensor of a tree and its path: names of fields in lower_snake, keys and indices, with dots between.
type Leaf struct {
	Path   string
	Tensor *graph.Array
}

// behind returns the struct that a pointer leads to, if the walk goes there.
func (w Walk) behind(v reflect.Value) (reflect.Value, bool) {
	t := v.Type()
	if t.Kind() != reflect.Pointer || v.IsNil() || t.Elem().Kind() != reflect.Struct || isModule(t) || !HasTensors(t.Elem(), nil) {
		return reflect.Value{}, false
	}
	return v.Elem(), true
}

// FlattenAll lists the tensors of several values in a fixed order: fields as declared, maps by sorted key.
func (w Walk) FlattenAll(vs []reflect.Value) []*graph.Array {
	f := flattener{walk: w}
	for p := range w.As {
		f.first(p)
	}
	for _, v := range vs {
		f.add(v)
	}
	return f.out
}

// Leaves lists the tensors of a value with their paths, in the order of FlattenAll.
func (w Walk) Leaves(v reflect.Value) []Leaf {
	f := flattener{walk: w, named: true}
	f.add(v)
	leaves := make([]Leaf, len(f.out))
	for i, t := range f.out {
		leaves[i] = Leaf{f.names[i], t}
	}
	return leaves
}

type flattener struct {
	walk  Walk
	out   []*graph.Array
	seen  map[unsafe.Pointer]bool
	named bool // collect paths too
	path  []string
	names []string
}

func (f *flattener) leaf(t *graph.Array, name string) {
	f.out = append(f.out, t)
	if f.named {
		path := f.path
		if name != "" {
			path = append(path[:len(path):len(path)], name)
		}
		f.names = append(f.names, strings.Join(path, "."))
	}
}

// at adds a value under a name.
func (f *flattener) at(name func() string, v reflect.Value) {
	if !f.named {
		f.add(v)
		return
	}
	if n := name(); n != "" {
		f.path = append(f.path, n)
		defer func() { f.path = f.path[:len(f.path)-1] }()
	}
	f.add(v)
}

func (f *flattener) add(v reflect.Value) {
	if !v.IsValid() {
		return
	}
	if v.Type() == Tensor {
		if t := array(v); t != nil {
			f.leaf(t, "")
		}
		return
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		if !HasTensors(v.Type(), nil) {
			return
		}
		for i := range v.Len() {
			f.at(func() string { return strconv.Itoa(i) }, v.Index(i))
		}
	case reflect.Map:
		if !HasTensors(v.Type(), nil) {
			return
		}
		for _, k := range sortedKeys(v) {
			f.at(func() string { return fmt.Sprint(k) }, v.MapIndex(k))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if sf := v.Type().Field(i); sf.IsExported() {
				f.at(func() string {
					if sf.Anonymous {
						return ""
					}
					return Snake(sf.Name)
				}, v.Field(i))
			}
		}
	case reflect.Interface:
		f.add(v.Elem())
	case reflect.Pointer:
		if f.walk.All && !v.IsNil() && isModule(v.Type()) {
			if p := v.UnsafePointer(); f.first(p) {
				names, ts := Modules.Leaves(v)
				for i, t := range ts {
					f.leaf(t, names[i])
				}
			}
			return
		}
		if to, ok := f.walk.behind(v); ok && f.first(v.UnsafePointer()) {
			f.add(to)
		}
	}
}

// first reports whether a pointer was not met before.
func (f *flattener) first(p unsafe.Pointer) bool {
	if f.seen[p] {
		return false
	}
	if f.seen == nil {
		f.seen = map[unsafe.Pointer]bool{}
	}
	f.seen[p] = true
	return true
}

// Snake is the lower_snake form of a Go name: InProjWeight is in_proj_weight, FC1 is fc1.
func Snake(s string) string {
	r := []rune(s)
	var b strings.Builder
	for i, c := range r {
		if unicode.IsUpper(c) && i > 0 && r[i-1] != '_' {
			before, after := unicode.IsUpper(r[i-1]), i+1 < len(r) && unicode.IsLower(r[i+1]) && string(r[i+1:]) != "s" // IDs
			if !before || after {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
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
		return isModule(t) || t.Elem().Kind() == reflect.Struct && HasTensors(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && HasTensors(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// Holds reports whether one of the modules that others stand for is in values.
func (w Walk) Holds(vs []reflect.Value) bool {
	f := flattener{walk: Walk{All: true}}
	for _, v := range vs {
		f.add(v)
	}
	for p := range w.As {
		if f.seen[p] {
			return true
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
	put    int // modules that others were put for
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
	if c, ok := u.walk.As[v.UnsafePointer()]; ok && c.Type() == v.Type() {
		u.put++
		return c
	}
	if u.walk.All && !v.IsNil() && isModule(v.Type()) {
		return u.module(v)
	}
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
	before, put := len(u.ts), u.put
	u.fields(c.Elem(), to)
	if len(u.ts) == before && u.put == put && !u.holds(v) { // nothing in it: it stays what it is
		u.copies[p] = v
		return v
	}
	return c
}

func (u *unflattener) module(v reflect.Value) reflect.Value {
	p := v.UnsafePointer()
	if c, ok := u.copies[p]; ok {
		return c
	}
	_, old := Modules.Leaves(v)
	c := Modules.Copy(v, u.ts[:len(old)])
	u.ts = u.ts[len(old):]
	if u.copies == nil {
		u.copies = map[unsafe.Pointer]reflect.Value{}
	}
	u.copies[p] = c
	return c
}

// holds reports whether a pointer leads to any tensor; one that was met before may have all of them.
func (u *unflattener) holds(v reflect.Value) bool {
	return len(u.walk.FlattenAll([]reflect.Value{v})) > 0
}

// FlattenAll lists the tensors of several values, as Compile sees them.
func FlattenAll(vs []reflect.Value) []*graph.Array { return Walk{}.FlattenAll(vs) }

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
