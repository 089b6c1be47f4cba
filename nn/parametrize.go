package nn

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// Parametrization computes a tensor of a module from others, the originals, which are trained instead of it. It may
// hold parameters and buffers of its own.
type Parametrization interface {
	Module
	Forward(originals ...*lucid.Tensor) *lucid.Tensor
}

// RightInverse is a Parametrization that knows originals which give a value. With one, the module's tensor keeps its
// value when the parametrization is put on, as far as it can; without, the tensor becomes the original.
type RightInverse interface {
	Parametrization
	RightInverse(value *lucid.Tensor) []*lucid.Tensor
}

// parametrized is a tensor of a module that is computed.
type parametrized struct {
	name      string
	shown     *lucid.Tensor // what the module's field holds; Use takes it to the computed tensor
	field     field
	originals []*lucid.Tensor
	chain     []Parametrization
	flat      bool
	used      atomic.Bool
}

// formed is the computed tensors of a module. A list is never changed, only replaced.
type formed struct {
	version lucid.GuardCell // 0 while no tensor was ever computed
	list    atomic.Pointer[[]*parametrized]
	calling sync.Mutex // held while fields hold computed tensors; see Call
}

func (f *formed) all() []*parametrized {
	if l := f.list.Load(); l != nil {
		return *l
	}
	return nil
}

func (f *formed) store(list []*parametrized) {
	f.list.Store(&list)
	f.version.SetReason("the parametrizations of a module changed")
	f.version.Store(f.version.Load() + 1)
}

func (f *formed) of(name string) *parametrized {
	for _, p := range f.all() {
		if p.name == name {
			return p
		}
	}
	return nil
}

// hides reports whether t stands in a field for a computed tensor.
func (f *formed) hides(t *lucid.Tensor) bool {
	return slices.ContainsFunc(f.all(), func(p *parametrized) bool { return p.shown == t })
}

func (p *parametrized) value() *lucid.Tensor {
	y := p.chain[0].Forward(p.originals...)
	for _, c := range p.chain[1:] {
		y = c.Forward(y)
	}
	return y
}

// Use returns what m computes with in place of t, one of its own tensors: t itself, or what the parametrizations registered for it
// give; nil stays nil. A Forward that reads its tensors through Use sees parametrizations when it is called directly, and tensors in
// slices and maps; Call shows a Forward without it those in fields.
func Use(m Module, t *lucid.Tensor) *lucid.Tensor {
	watched(m)
	f := &m.base().formed
	if t == nil || f.version.Load() == 0 {
		return t
	}
	for _, p := range f.all() {
		if p.shown == t {
			p.used.Store(true)
			return p.value()
		}
	}
	return t
}

// checkUsed refuses a Forward that passed parametrizations by.
func checkUsed(m Module) {
	f := &m.base().formed
	if f.version.Load() == 0 {
		return
	}
	for _, p := range f.all() {
		if !p.used.Load() {
			refuse(lucid.ErrValue, "parametrize",
				"%T has a parametrization of %s, but its Forward read the tensor itself; call it by nn.Call, or let it read "+
					"nn.Use(m, m.%s)", m, p.name, p.name)
		}
	}
}

// ParametrizationOptions say how a parametrization is put on.
type ParametrizationOptions struct {
	Unsafe bool // do not check that shape and dtype stay
	Flat   bool // name the original <name>_orig and the parametrization's tensors <name>_<field>, as PyTorch's pruning does
}

// own returns a tensor of m that is in no inner module, and its field.
func own(op string, m Module, name string) (t *lucid.Tensor, f field) {
	var names []string
	var w walker
	w.tensor = func(n string, x *lucid.Tensor, fl field) {
		if len(w.open) == 1 {
			names = append(names, n)
			if n == name {
				t, f = x, fl
			}
		}
	}
	w.visit(m)
	if t == nil {
		refuse(lucid.ErrValue, op, "%T has no tensor %q; it has %v", m, name, names)
	}
	return t, f
}

// RegisterParametrization makes m compute its tensor of that name by p. The state has parametrizations.<name>.original,
// or original0 and so on where p has several, in place of <name>, and behind it the tensors of p. A second one for the
// same tensor works on what the first computes. The tensor of a single original of the same shape stays the same
// tensor; otherwise make the optimizer afterwards.
func RegisterParametrization(m Module, name string, p Parametrization, opts ...ParametrizationOptions) {
	const op = "register_parametrization"
	o := door.Option(op, opts)
	f := &m.base().formed
	if q := f.of(name); q != nil {
		extend(op, m, q, p, o)
		return
	}
	t, fl := own(op, m, name)
	q := &parametrized{name: name, shown: t, field: fl, chain: []Parametrization{p}, flat: o.Flat, originals: []*lucid.Tensor{t}}
	SetTraining(p, m.base().Training())
	if inv, ok := p.(RightInverse); ok {
		q.originals = originals(inv, t)
	}
	if !o.Unsafe {
		var y *lucid.Tensor
		lucid.NoGrad(func() { y = q.value() })
		sameKind(op, name, y, t)
	}
	if len(q.originals) == 1 && q.originals[0] != t && like(q.originals[0], t) {
		lucid.NoGrad(func() { t.Assign(q.originals[0]) })
		q.originals[0] = t
	}
	f.store(append(slices.Clip(f.all()), q))
}

// extend adds a parametrization behind others.
func extend(op string, m Module, q *parametrized, p Parametrization, o ParametrizationOptions) {
	if q.flat || o.Flat {
		refuse(lucid.ErrValue, op, "%s is pruned, or to be; a pruned tensor has no other parametrization", q.name)
	}
	SetTraining(p, m.base().Training())
	if !o.Unsafe {
		lucid.NoGrad(func() {
			y := q.value()
			sameKind(op, q.name, p.Forward(y), y)
		})
	}
	f := &m.base().formed
	list := slices.Clone(f.all())
	next := &parametrized{name: q.name, shown: q.shown, field: q.field, originals: q.originals, chain: append(slices.Clip(q.chain), p)}
	list[slices.Index(list, q)] = next
	f.store(list)
}

// originals returns leaves that give the value of t.
func originals(inv RightInverse, t *lucid.Tensor) (list []*lucid.Tensor) {
	lucid.NoGrad(func() {
		for _, v := range inv.RightInverse(t.Detach()) {
			list = append(list, Parameter(v).RequiresGrad_(t.RequiresGrad()))
		}
	})
	if len(list) == 0 {
		refuse(lucid.ErrValue, "register_parametrization", "the RightInverse of %T returned nothing", inv)
	}
	return list
}

func like(a, b *lucid.Tensor) bool {
	return a.DType() == b.DType() && slices.Equal(a.Shape(), b.Shape())
}

func sameKind(op, name string, y, t *lucid.Tensor) {
	if !like(y, t) {
		refuse(lucid.ErrShapeMismatch, op, "the parametrization makes %s %v of shape %v; want %v of shape %v, or the option Unsafe", name,
			y.DType(), y.Shape(), t.DType(), t.Shape())
	}
}

// visitFormed visits what the computed tensors of a module are computed from.
func (w *walker) visitFormed(list []*parametrized) {
	for _, p := range list {
		if p.flat {
			w.at(p.name+"_orig", func() { w.tensorAt(p.originals[0], p.field) })
			for _, c := range p.chain {
				w.prefixed(p.name+"_", c)
			}
			continue
		}
		w.at("parametrizations", func() {
			w.at(p.name, func() {
				for i, t := range p.originals {
					name := "original"
					if len(p.originals) > 1 {
						name = fmt.Sprint("original", i)
					}
					w.at(name, func() { w.tensorAt(t, p.field) })
				}
				for i, c := range p.chain {
					w.at(fmt.Sprint(i), func() { w.visit(c) })
				}
			})
		})
	}
}
