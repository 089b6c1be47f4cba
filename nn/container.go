package nn

import (
	"fmt"
	"iter"
	"slices"

	"github.com/lucid-go/lucid"
)

// Sequential applies layers one after the other. Their names are their indices.
type Sequential struct {
	Base
	Layers []Layer `nn:",inline"`
}

// NewSequential returns the layers as one.
func NewSequential(layers ...Layer) *Sequential { return &Sequential{Layers: layers} }

// Append adds layers at the end, and returns m.
func (m *Sequential) Append(layers ...Layer) *Sequential {
	m.Layers = append(m.Layers, layers...)
	return m
}

// Len returns the number of layers.
func (m *Sequential) Len() int { return len(m.Layers) }

// Forward applies all layers to x.
func (m *Sequential) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	y, at := x, 0
	defer func() {
		if p := recover(); p != nil {
			panic(placed(p, at, m.Layers))
		}
	}()
	for at = range m.Layers {
		y = Call(m.Layers[at], y)
	}
	at = len(m.Layers)
	return Leave(m, x, y)
}

// placed says in which of some layers a mistake was found: the line in the stack is the same for all of them.
func placed(p any, at int, layers []Layer) any {
	e, ok := p.(*lucid.Error)
	if !ok || at == len(layers) {
		return p
	}
	c := *e
	c.Msg += fmt.Sprintf("; in layer %d, %T", at, layers[at])
	return &c
}

// ModuleList holds modules under their indices; it computes nothing by itself.
type ModuleList struct {
	Base
	Modules []Module `nn:",inline"`
}

// NewModuleList returns a list of the modules.
func NewModuleList(modules ...Module) *ModuleList { return &ModuleList{Modules: modules} }

// Append adds modules at the end.
func (m *ModuleList) Append(modules ...Module) { m.Modules = append(m.Modules, modules...) }

// At returns the module at an index; negative counts from the end.
func (m *ModuleList) At(i int) Module {
	if i < 0 {
		i += len(m.Modules)
	}
	return m.Modules[i]
}

// Len returns the number of modules.
func (m *ModuleList) Len() int { return len(m.Modules) }

// ordered is a map that keeps the order in which keys were set.
type ordered[T any] struct {
	keys []string
	m    map[string]T
}

func (o *ordered[T]) set(key string, v T) {
	if o.m == nil {
		o.m = map[string]T{}
	}
	if _, ok := o.m[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.m[key] = v
}

func (o *ordered[T]) all() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, k := range o.keys {
			if !yield(k, o.m[k]) {
				return
			}
		}
	}
}

func anyOf[T any](s iter.Seq2[string, T]) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for k, v := range s {
			if !yield(k, v) {
				return
			}
		}
	}
}

// ModuleDict holds modules under names, in the order they were set.
type ModuleDict struct {
	Base
	o ordered[Module]
}

// NewModuleDict returns an empty one.
func NewModuleDict() *ModuleDict { return &ModuleDict{} }

// Set puts a module under a name and returns m.
func (m *ModuleDict) Set(name string, c Module) *ModuleDict { m.o.set(name, c); return m }

// Get returns the module under a name, nil if there is none.
func (m *ModuleDict) Get(name string) Module { return m.o.m[name] }

// Names returns the names in order.
func (m *ModuleDict) Names() []string { return slices.Clone(m.o.keys) }

// All iterates over names and modules in order.
func (m *ModuleDict) All() iter.Seq2[string, Module] { return m.o.all() }

func (m *ModuleDict) held() iter.Seq2[string, any] { return anyOf(m.o.all()) }

// ParameterList holds parameters under their indices.
type ParameterList struct {
	Base
	Tensors []*lucid.Tensor `nn:",inline"`
}

// NewParameterList makes parameters of the tensors.
func NewParameterList(tensors ...*lucid.Tensor) *ParameterList {
	m := &ParameterList{}
	m.Append(tensors...)
	return m
}

// Append adds parameters at the end.
func (m *ParameterList) Append(tensors ...*lucid.Tensor) {
	for _, t := range tensors {
		m.Tensors = append(m.Tensors, parameterOf(t))
	}
}

// parameterOf makes t a parameter unless it is one already.
func parameterOf(t *lucid.Tensor) *lucid.Tensor {
	if t.RequiresGrad() && t.IsLeaf() {
		return t
	}
	return Parameter(t)
}

// ParameterDict holds parameters under names, in the order they were set.
type ParameterDict struct {
	Base
	o ordered[*lucid.Tensor]
}

// NewParameterDict returns an empty one.
func NewParameterDict() *ParameterDict { return &ParameterDict{} }

// Set puts a parameter under a name and returns m.
func (m *ParameterDict) Set(name string, t *lucid.Tensor) *ParameterDict {
	m.o.set(name, parameterOf(t))
	return m
}

// Get returns the parameter under a name, nil if there is none.
func (m *ParameterDict) Get(name string) *lucid.Tensor { return m.o.m[name] }

// Names returns the names in order.
func (m *ParameterDict) Names() []string { return slices.Clone(m.o.keys) }

func (m *ParameterDict) held() iter.Seq2[string, any] { return anyOf(m.o.all()) }
