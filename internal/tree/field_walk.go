package tree

import (
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"unsafe"
)

// leaf is a part of a module that is compared: a number, a pointer, the address and length of a slice, the numbers in one.
type leaf struct {
	at      unsafe.Pointer
	n       uintptr
	value   reflect.Value // addressable
	joined  bool          // it is in the object that the leaf before is in
	text    bool          // a string
	entries bool          // the entries of a map
	path    string
}

// fieldWalk visits what a model holds in Go values: the fields of all modules inside, exported or not, one module after the other.
// Left out are the tensors' values, what makes a struct a module, locks and atomic values, and what a lock in the same struct guards.
type fieldWalk struct {
	leaf  func(l leaf)
	base  func(p unsafe.Pointer) // where the Base of a module is
	skip  map[unsafe.Pointer]bool
	named bool // leaves get a path

	queue  []fieldItem
	seen   map[fieldTarget]bool
	joined bool
	formed bool // tensors of the module in hand may be exchanged while it is called
}

type fieldTarget struct {
	p unsafe.Pointer
	t reflect.Type
}

type fieldItem struct {
	v        reflect.Value
	path     string
	elements bool // of a slice
}

func (w *fieldWalk) run(model any) {
	w.seen = map[fieldTarget]bool{}
	w.follow(reflect.ValueOf(model), "")
	for i := 0; i < len(w.queue); i++ {
		it := w.queue[i]
		w.queue[i] = fieldItem{}
		w.joined, w.formed = false, false
		if it.elements {
			w.elements(it.v, it.path)
		} else {
			w.value(it.v, it.path)
		}
	}
}

// emit shows a leaf.
func (w *fieldWalk) emit(v reflect.Value, n uintptr, path string) {
	w.show(leaf{at: v.Addr().UnsafePointer(), n: n, value: v, path: path})
}

func (w *fieldWalk) show(l leaf) {
	if w.skip[l.at] {
		w.joined = false
		return
	}
	if l.joined = w.joined; !l.text && !l.entries {
		w.joined = true
	}
	w.leaf(l)
}

const word = unsafe.Sizeof(uintptr(0))

// value visits a value that is addressable and was found without unexported names.
func (w *fieldWalk) value(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Struct:
		w.structure(v, path)
	case reflect.Array:
		for i := range v.Len() {
			w.value(v.Index(i), w.index(path, i))
		}
	case reflect.String:
		w.show(leaf{at: v.Addr().UnsafePointer(), value: v, text: true, path: path})
	case reflect.Slice:
		w.emit(v, 2*word, path)
		if v.Len() > 0 {
			w.queue = append(w.queue, fieldItem{v, path, true})
		}
	case reflect.Map:
		w.emit(v, word, path)
		w.entries(v, path)
	case reflect.Interface:
		w.emit(v, 2*word, path)
		if e := v.Elem(); e.IsValid() && e.Kind() == reflect.Pointer {
			w.follow(e, path)
		}
	case reflect.Pointer:
		if v.Type() == Tensor && w.formed {
			w.joined = false
			return
		}
		w.emit(v, word, path)
		w.follow(v, path)
	default:
		w.emit(v, v.Type().Size(), path)
	}
}

func (w *fieldWalk) index(path string, i int) string {
	if !w.named {
		return ""
	}
	return w.below(path, strconv.Itoa(i))
}

func (w *fieldWalk) below(path, name string) string {
	if !w.named || path == "" {
		return name
	}
	return path + "." + name
}

// structure visits the fields of a struct. What makes one a module has guards of its own. Fields that are not exported, in a struct
// with a lock, are what the lock is for.
func (w *fieldWalk) structure(v reflect.Value, path string) {
	t := v.Type()
	if t == Modules.Base() {
		p := v.Addr().UnsafePointer()
		w.base(p)
		w.joined, w.formed = false, Modules.Formed(p) != 0
		return
	}
	if internal(t) {
		w.joined = false
		return
	}
	locked := hasLock(t)
	for i, f := range fieldsOf(t) {
		fv := v.Field(i)
		if f.name == "_" || locked && (!f.exported || fv.Kind() == reflect.Map) {
			w.joined = false
			continue
		}
		if !f.exported {
			fv = reflect.NewAt(fv.Type(), fv.Addr().UnsafePointer()).Elem()
		}
		w.value(fv, w.below(path, f.name))
	}
}

// internal reports whether the values of a struct change as it is used, or have guards of their own.
func internal(t reflect.Type) bool {
	switch t.PkgPath() {
	case "sync", "sync/atomic":
		return true
	}
	return t == GuardCell
}

// GuardCell is the type of the public package's guard cells, which sets it.
var GuardCell reflect.Type

func hasLock(t reflect.Type) bool {
	for i := range t.NumField() {
		f := t.Field(i).Type
		if f.PkgPath() == "sync" && (f.Name() == "Mutex" || f.Name() == "RWMutex") {
			return true
		}
	}
	return false
}

// elements visits what is in a slice. Of long slices of numbers and strings it is not compared.
func (w *fieldWalk) elements(v reflect.Value, path string) {
	e := v.Type().Elem()
	size := e.Size() * uintptr(v.Len())
	if plain(e) && size > mostPlain {
		return
	}
	if e.Kind() <= reflect.Complex128 {
		if size > 0 {
			w.show(leaf{at: v.UnsafePointer(), n: size, value: v, path: path})
		}
		return
	}
	for i := range v.Len() {
		w.value(v.Index(i), w.index(path, i))
	}
}

// entries visits those of a map that is not too long.
func (w *fieldWalk) entries(v reflect.Value, path string) {
	if v.Len() > mostEntries && plain(v.Type().Elem()) {
		return
	}
	w.show(leaf{at: v.Addr().UnsafePointer(), value: v, entries: true, path: path})
	w.joined = false
	if e := v.Type().Elem().Kind(); e != reflect.Pointer && e != reflect.Interface {
		return
	}
	for _, k := range sortedKeys(v) {
		e := v.MapIndex(k)
		if e.Kind() == reflect.Interface {
			e = e.Elem()
		}
		if e.IsValid() && e.Kind() == reflect.Pointer {
			p := ""
			if w.named {
				p = w.below(path, fmt.Sprint(k))
			}
			w.follow(e, p)
		}
	}
}

// follow queues what a pointer leads to: a module, a number, or a struct of nothing but numbers and strings, such as a configuration.
func (w *fieldWalk) follow(v reflect.Value, path string) {
	t := v.Type()
	if v.IsNil() || t == Tensor || !(isModule(t) && t.Elem().Kind() == reflect.Struct) && !plain(t.Elem()) {
		return
	}
	to := fieldTarget{v.UnsafePointer(), t}
	if !w.seen[to] {
		w.seen[to] = true
		w.queue = append(w.queue, fieldItem{reflect.NewAt(t.Elem(), to.p).Elem(), path, false})
	}
}

// plain reports whether values of a type are numbers and strings alone, in structs, arrays and slices.
func plain(t reflect.Type) bool {
	if known, ok := plainTypes.Load(t); ok {
		return known.(bool)
	}
	plainTypes.Store(t, false) // a type that leads to itself is not
	is := isPlain(t)
	plainTypes.Store(t, is)
	return is
}

var plainTypes sync.Map // reflect.Type → bool

func isPlain(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.String:
		return true
	case reflect.Slice, reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		if internal(t) {
			return false
		}
		for i := range t.NumField() {
			if !plain(t.Field(i).Type) {
				return false
			}
		}
		return true
	default:
		return k <= reflect.Complex128 && k != reflect.Invalid
	}
}

func printed(v reflect.Value) string { return fmt.Sprint(v) }

func quoted(s string) string {
	const most = 60
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strconv.Quote(s)
}
