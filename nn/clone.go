package nn

import (
	"reflect"
	"unsafe"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/tree"
)

// Clone returns a deep copy of m: a target network, one more member of an ensemble, a model to go back to. Every tensor
// and module in any field, exported or not, is copied, with its gradient, whether it is trained or frozen, its mode and
// its parametrizations; what was shared by two fields, such as tied weights, is shared in the copy. A tensor that was computed is
// copied as a value, without what it was computed from. Slices and maps are copied too. Shared with m are functions,
// module hooks among them (taking one off m leaves it on the copy), channels, and pointers to anything else; hooks of
// single tensors and locks that are held are not copied. Memory is taken when one of the two changes. Optimizers know
// the parameters of m, so the copy needs its own. Do not change m meanwhile.
func Clone[M Module](m M) M {
	watched(m)
	c := cloner{made: map[any]reflect.Value{}}
	return c.of(reflect.ValueOf(&m).Elem()).Interface().(M)
}

// cloner copies values; made has the copies of tensors and modules by the pointers they were found under.
type cloner struct{ made map[any]reflect.Value }

// of returns a copy of a value of any kind.
func (c *cloner) of(src reflect.Value) reflect.Value {
	dst := reflect.New(src.Type()).Elem()
	if !src.CanAddr() { // found in an interface or a map
		at := reflect.New(src.Type()).Elem()
		at.Set(src)
		src = at
	}
	c.copy(dst, src)
	return dst
}

// copy makes dst, which is zero, a copy of src. Both are addressable and were found without unexported names.
func (c *cloner) copy(dst, src reflect.Value) {
	switch src.Kind() {
	case reflect.Pointer:
		dst.Set(c.pointer(src))
	case reflect.Interface:
		if !src.IsNil() {
			dst.Set(c.of(src.Elem()))
		}
	case reflect.Slice:
		if !src.IsNil() {
			dst.Set(reflect.MakeSlice(src.Type(), src.Len(), src.Len()))
			c.elements(dst, src)
		}
	case reflect.Array:
		c.elements(dst, src)
	case reflect.Map:
		if src.IsNil() {
			return
		}
		dst.Set(reflect.MakeMapWithSize(src.Type(), src.Len()))
		for k, v := range src.Seq2() {
			dst.SetMapIndex(c.of(k), c.of(v))
		}
	case reflect.Struct:
		c.structure(dst, src)
	default:
		dst.Set(src)
	}
}

func (c *cloner) elements(dst, src reflect.Value) {
	if k := src.Type().Elem().Kind(); k <= reflect.Complex128 || k == reflect.String {
		reflect.Copy(dst, src)
		return
	}
	for i := range src.Len() {
		c.copy(dst.Index(i), src.Index(i))
	}
}

// pointer copies what is behind a pointer to a tensor or a module, once; other pointers stay.
func (c *cloner) pointer(src reflect.Value) reflect.Value {
	if src.IsNil() {
		return src
	}
	key := src.Interface()
	if done, ok := c.made[key]; ok {
		return done
	}
	if t, ok := key.(*lucid.Tensor); ok {
		c.made[key] = reflect.ValueOf(cloneTensor(t))
		return c.made[key]
	}
	if _, ok := key.(Module); !ok || src.Type().Elem().Kind() != reflect.Struct {
		return src
	}
	dst := reflect.New(src.Type().Elem())
	c.made[key] = dst
	c.structure(dst.Elem(), src.Elem())
	return dst
}

// cloneTensor copies a tensor with its gradient; a parameter that is frozen stays one.
func cloneTensor(t *lucid.Tensor) *lucid.Tensor {
	n := t.Detach().Clone()
	if g := t.Grad(); t.IsLeaf() && ((*graph.Array)(t).Peek().OwnSlot() != nil || g != nil) {
		defer n.RequiresGrad_(t.RequiresGrad())
		n.RequiresGrad_(true)
		if g != nil {
			n.SetGrad(g.Detach().Clone())
		}
	}
	return n
}

func (c *cloner) structure(dst, src reflect.Value) {
	t := src.Type()
	if t == baseType {
		c.base(dst.Addr().Interface().(*Base), src.Addr().Interface().(*Base))
		return
	}
	switch t.PkgPath() {
	case "sync":
		if t.Name() == "Once" { // what was done is done in the copy; locks and pools begin anew
			dst.Set(src)
		}
		return
	case "sync/atomic":
		dst.Set(src)
		return
	}
	if m, ok := src.Addr().Interface().(Module); ok { // held by value: pointers to it follow
		c.made[m] = dst.Addr()
	}
	for i := range src.NumField() {
		if t.Field(i).Name != "_" {
			c.copy(reach(dst.Field(i)), reach(src.Field(i)))
		}
	}
}

// reach lets reflection use an unexported field: a module may keep a layer or a tensor there in addition to the exported field,
// and the copy must not go on with the old one.
func reach(v reflect.Value) reflect.Value {
	if v.CanSet() {
		return v
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

func (c *cloner) base(dst, src *Base) {
	if w, ok := scope.Current().GuardCells.(tree.Watch); ok {
		w.Made(unsafe.Pointer(dst))
	}
	dst.setTraining(src.Training())
	if h := src.hooks.load(); h != nil {
		dst.hooks.edit(func(n *hooks) { *n = *h })
	}
	if src.formed.version.Load() == 0 {
		return
	}
	var list []*parametrized
	for _, p := range src.formed.all() {
		q := &parametrized{name: p.name, field: p.field, flat: p.flat, shown: cloned(c, p.shown)}
		q.used.Store(p.used.Load())
		for _, t := range p.originals {
			q.originals = append(q.originals, cloned(c, t))
		}
		for _, f := range p.chain {
			q.chain = append(q.chain, cloned(c, f))
		}
		list = append(list, q)
	}
	dst.formed.store(list)
}

func cloned[V any](c *cloner, v V) V {
	return c.of(reflect.ValueOf(&v).Elem()).Interface().(V)
}
