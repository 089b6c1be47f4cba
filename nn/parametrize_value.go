package nn

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// IsParametrized reports whether m computes the tensor of that name, or any if the name is empty.
func IsParametrized(m Module, name string) bool {
	f := &m.base().formed
	return f.of(name) != nil || name == "" && len(f.all()) > 0
}

// Parametrizations returns what computes a tensor of m, in order; nothing if it is not computed.
func Parametrizations(m Module, name string) []Parametrization {
	if p := m.base().formed.of(name); p != nil {
		return slices.Clone(p.chain)
	}
	return nil
}

// Originals returns what a tensor of m is computed from; nothing if it is not computed.
func Originals(m Module, name string) []*lucid.Tensor {
	if p := m.base().formed.of(name); p != nil {
		return slices.Clone(p.originals)
	}
	return nil
}

// SetParametrized gives the computed tensor of m a value, through the right inverses of its parametrizations.
func SetParametrized(m Module, name string, value *lucid.Tensor) {
	const op = "set_parametrized"
	p := m.base().formed.of(name)
	if p == nil {
		refuse(lucid.ErrValue, op, "%T does not compute %q", m, name)
	}
	lucid.NoGrad(func() {
		v := []*lucid.Tensor{value.Detach()}
		for i := len(p.chain) - 1; i >= 0; i-- {
			inv, ok := p.chain[i].(RightInverse)
			if !ok {
				refuse(lucid.ErrNotImplemented, op, "%T has no RightInverse", p.chain[i])
			}
			v = inv.RightInverse(v[0])
		}
		if len(v) != len(p.originals) {
			refuse(lucid.ErrValue, op, "the right inverse gives %d tensors for %d originals", len(v), len(p.originals))
		}
		for i, o := range p.originals {
			o.Assign(v[i])
		}
	})
}

// RemoveOptions say what is left when parametrizations are taken off.
type RemoveOptions struct {
	KeepOriginal bool // leave the original, not the value computed from it: PyTorch's leave_parametrized=False
}

// RemoveParametrizations takes all parametrizations of a tensor off. The tensor keeps the value it has, as a parameter
// or buffer again.
func RemoveParametrizations(m Module, name string, opts ...RemoveOptions) {
	const op = "remove_parametrizations"
	o := door.Option(op, opts)
	f := &m.base().formed
	p := f.of(name)
	if p == nil {
		refuse(lucid.ErrValue, op, "%T does not compute %q", m, name)
	}
	if o.KeepOriginal && (len(p.originals) != 1 || !like(p.originals[0], p.shown)) {
		refuse(lucid.ErrValue, op, "%s has %d originals, none of its shape and dtype; take off KeepOriginal", name, len(p.originals))
	}
	lucid.NoGrad(func() {
		v := p.originals[0]
		if !o.KeepOriginal {
			v = p.value()
		}
		if v != p.shown {
			rebind(p.shown, v.Detach())
		}
	})
	f.store(slices.DeleteFunc(slices.Clone(f.all()), func(q *parametrized) bool { return q == p }))
}

// AllParametrizations returns what computes the tensors of m.
func AllParametrizations(m Module) (list []Parametrization) {
	for _, p := range m.base().formed.all() {
		list = append(list, p.chain...)
	}
	return list
}

// Value returns the tensor of that name as m computes with it: the result of its parametrizations, or a parameter or
// buffer of m; nil if there is none.
func Value(m Module, name string) *lucid.Tensor {
	if p := m.base().formed.of(name); p != nil {
		return p.value()
	}
	if t := GetParameter(m, name); t != nil {
		return t
	}
	return GetBuffer(m, name)
}
