package nn

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/tree"
)

// owned marks a result as a value of its own, though its last step showed elements of another: in-place forms may write it.
func owned(x *lucid.Tensor) *lucid.Tensor {
	(*graph.Array)(x).UnmarkView()
	return x
}

var (
	tensorType = reflect.TypeFor[*lucid.Tensor]()
	moduleType = reflect.TypeFor[Module]()
	baseType   = reflect.TypeFor[Base]()
)

// walker visits the tensors and modules inside a module, in order.
type walker struct {
	module func(name string, m Module)
	leave  func(m Module) // after all inside
	tensor func(name string, t *lucid.Tensor, f field)
	path   []string
	open   map[Module]bool // modules being visited, against cycles
	again  bool            // visit a module met a second time, under its other name, too
	seen   map[Module]bool
	owner  *Base  // of the module being visited
	names  naming // which modules were seen, for errors
}

// field is what a struct's type says about one of its fields.
type field struct {
	index     int
	name      string
	buffer    bool
	transient bool
	inline    bool
}

var fieldsOf sync.Map // reflect.Type → []field

// fields lists the exported fields of a struct type that may hold tensors or modules.
func fields(t reflect.Type) []field {
	if f, ok := fieldsOf.Load(t); ok {
		return f.([]field)
	}
	var list []field
	for i := range t.NumField() {
		sf := t.Field(i)
		name, flags, _ := strings.Cut(sf.Tag.Get("nn"), ",")
		if sf.Type == baseType || name == "-" || !visible(sf) || !mayHold(sf.Type, nil) {
			continue
		}
		f := field{index: i, name: name, inline: sf.Anonymous && name == ""}
		if name == "" {
			f.name = tree.Snake(sf.Name)
		}
		for _, flag := range strings.Split(flags, ",") {
			switch flag {
			case "buffer":
				f.buffer = true
			case "transient":
				f.transient = true
			case "inline":
				f.inline = true
			case "":
			default:
				refuse(lucid.ErrValue, "nn", "field %s of %v has the unknown mark %q in its tag; want buffer, transient or inline", sf.Name,
					t, flag)
			}
		}
		list = append(list, f)
	}
	distinct(t, list, map[string]string{}, "")
	fieldsOf.Store(t, list)
	return list
}

// distinct refuses two fields of one name: the state of a module has each name once, and one of two would be lost. Those
// of embedded structs count as the outer one's.
func distinct(t reflect.Type, list []field, seen map[string]string, path string) {
	for _, f := range list {
		sf := t.Field(f.index)
		goName := path + sf.Name
		if f.inline {
			if sf.Type.Kind() == reflect.Struct {
				distinct(sf.Type, fields(sf.Type), seen, goName+".")
			}
			continue
		}
		if other, twice := seen[f.name]; twice {
			refuse(lucid.ErrValue, "nn",
				"fields %s and %s of %v are both named %q in the state; give one another name with a tag, `nn:\"other_name\"`, or leave "+
					"it out with `nn:\"-\"`",
				other, goName, t, f.name)
		}
		seen[f.name] = goName
	}
}

// visible reports whether a field is part of the module: it is exported, or embedded and so shows its own fields.
func visible(f reflect.StructField) bool {
	return f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct
}

// mayHold reports whether a value of the type can hold tensors or modules.
func mayHold(t reflect.Type, outer []reflect.Type) bool {
	if t == tensorType || t.Implements(moduleType) || reflect.PointerTo(t).Implements(moduleType) {
		return true
	}
	if slices.Contains(outer, t) {
		return false
	}
	outer = append(outer, t)
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Slice, reflect.Array:
		return mayHold(t.Elem(), outer)
	case reflect.Map:
		k := t.Key().Kind()
		return (k == reflect.String || k >= reflect.Int && k <= reflect.Uint64) && mayHold(t.Elem(), outer)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); visible(f) && mayHold(f.Type, outer) {
				return true
			}
		}
	}
	return false
}

// lister is a container that names what it holds itself.
type lister interface{ held() iter.Seq2[string, any] }

func (w *walker) name() string { return strings.Join(w.path, ".") }

func (w *walker) at(name string, visit func()) {
	if name != "" {
		w.path = append(w.path, name)
		defer func() { w.path = w.path[:len(w.path)-1] }()
	}
	visit()
}

func (w *walker) visit(m Module) {
	if w.open == nil {
		w.open, w.seen = map[Module]bool{}, map[Module]bool{}
	}
	if w.open[m] || w.seen[m] && !w.again {
		return
	}
	w.open[m], w.seen[m] = true, true
	defer delete(w.open, m)
	w.names.note(m)
	if w.module != nil {
		w.module(w.name(), m)
	}
	outer := w.owner
	w.owner = m.base()
	w.structure(reflect.ValueOf(m).Elem())
	w.visitFormed(w.owner.formed.all())
	w.owner = outer
	if w.leave != nil {
		w.leave(m)
	}
}

// tensorAt shows a tensor to the visitor.
func (w *walker) tensorAt(t *lucid.Tensor, f field) {
	if w.owner != nil {
		if i, n := w.owner.seen.Load(), (*graph.Array)(t).Raw(); i != nil && n != nil && n.OwnSlot() != nil {
			n.OwnSlot().NoteOwner(i)
		}
	}
	if w.tensor != nil {
		w.tensor(w.name(), t, f)
	}
}

// prefixed visits the fields of m as if they were the outer module's, under longer names.
func (w *walker) prefixed(prefix string, m Module) {
	v := reflect.ValueOf(m).Elem()
	for _, f := range fields(v.Type()) {
		w.at(prefix+f.name, func() { w.field(v.Field(f.index), f) })
	}
}

var ownPackage = baseType.PkgPath()

// list visits what a container names itself. A struct of another package that embeds one has the method too, but
// fields of its own as well.
func (w *walker) list(v reflect.Value) bool {
	if !v.CanAddr() || v.Type().PkgPath() != ownPackage {
		return false
	}
	l, ok := v.Addr().Interface().(lister)
	if ok {
		for name, v := range l.held() {
			w.at(name, func() { w.value(reflect.ValueOf(v), field{}) })
		}
	}
	return ok
}

func (w *walker) structure(v reflect.Value) {
	if v.Kind() != reflect.Struct || v.CanInterface() && w.list(v) {
		return
	}
	for _, f := range fields(v.Type()) {
		name := f.name
		if f.inline {
			name = ""
		}
		w.at(name, func() { w.field(v.Field(f.index), f) })
	}
}

// field visits a field. An embedded module is part of the struct around it, not a module of its own.
func (w *walker) field(v reflect.Value, f field) {
	if f.inline && v.Kind() == reflect.Struct {
		w.structure(v)
		return
	}
	w.value(v, f)
}

func (w *walker) value(v reflect.Value, f field) {
	if !v.IsValid() {
		return
	}
	if v.Type() == tensorType {
		if t := v.Interface().(*lucid.Tensor); t != nil && (w.owner == nil || !w.owner.formed.hides(t)) {
			w.tensorAt(t, f)
		}
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		w.value(v.Elem(), f)
	case reflect.Pointer:
		if m, ok := v.Interface().(Module); ok && !v.IsNil() {
			w.visit(m)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			w.at(strconv.Itoa(i), func() { w.value(v.Index(i), f) })
		}
	case reflect.Map:
		for _, k := range sortedKeys(v) {
			w.at(fmt.Sprint(k), func() { w.value(v.MapIndex(k), f) })
		}
	case reflect.Struct:
		if v.CanAddr() {
			if m, ok := v.Addr().Interface().(Module); ok {
				w.visit(m)
				return
			}
		}
		w.structure(v)
	}
}

// sortedKeys returns the keys of a map in order, so that walks never depend on Go's own.
func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		switch {
		case a.Kind() == reflect.String:
			return strings.Compare(a.String(), b.String())
		case a.CanInt():
			return int(min(max(a.Int()-b.Int(), -1), 1))
		}
		return strings.Compare(fmt.Sprintf("%020d", a.Uint()), fmt.Sprintf("%020d", b.Uint()))
	})
	return keys
}

// isBuffer reports whether a tensor in a field is a buffer, not a parameter.
func isBuffer(t *lucid.Tensor, f field) bool {
	d := t.DType()
	return f.buffer || !(d.IsInexact())
}

// mustBeParameter refuses a tensor in a parameter's field that never required a gradient: it would count as a parameter
// and never be trained. One that was frozen by RequiresGrad_(false) is a parameter still, as is what a transform put there.
func mustBeParameter(name string, t *lucid.Tensor) {
	if n := (*graph.Array)(t).Peek(); n.OwnSlot() == nil && !n.Tape() && n.Trace() == nil && n.Level() == nil {
		refuse(lucid.ErrGradient, "nn", "%s of shape %v is a plain tensor, which no optimizer would train; make it nn.Parameter(t), "+
			"or tag its field `nn:\",buffer\"` if it is no parameter", name, t.Shape())
	}
}
