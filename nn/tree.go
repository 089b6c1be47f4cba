package nn

import (
	"reflect"
	"unsafe"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/tree"
)

func init() { tree.Modules = moduleTrees{} }

// moduleTrees lets transforms see a module as a tree of its parameters and buffers.
type moduleTrees struct{}

func (moduleTrees) Is(t reflect.Type) bool { return t.Implements(moduleType) }

func (moduleTrees) Leaves(m reflect.Value) (names []string, ts []*graph.Array) {
	seen := map[*lucid.Tensor]bool{}
	w := walker{tensor: func(name string, t *lucid.Tensor, _ field) {
		if !seen[t] {
			seen[t] = true
			names, ts = append(names, name), append(ts, (*graph.Array)(t))
		}
	}}
	w.visit(m.Interface().(Module))
	return names, ts
}

func (l moduleTrees) Copy(m reflect.Value, ts []*graph.Array) reflect.Value {
	watched(m.Interface().(Module))
	c := cloner{made: map[any]reflect.Value{}}
	_, old := l.Leaves(m)
	for i, t := range old {
		c.made[(*lucid.Tensor)(t)] = reflect.ValueOf((*lucid.Tensor)(ts[i]))
	}
	return c.of(m)
}

func (moduleTrees) CopyAll(ms []reflect.Value, old, ts []*graph.Array) []reflect.Value {
	c := cloner{made: map[any]reflect.Value{}}
	for i, t := range old {
		c.made[(*lucid.Tensor)(t)] = reflect.ValueOf((*lucid.Tensor)(ts[i]))
	}
	copies := make([]reflect.Value, len(ms))
	for i, m := range ms {
		copies[i] = c.of(m)
	}
	return copies
}

func (moduleTrees) Base() reflect.Type { return baseType }

func (moduleTrees) Mode(base unsafe.Pointer) (mode int64, opaque string) {
	b := (*Base)(base)
	switch {
	case b.hooks.load() != nil:
		opaque = "a module has hooks"
	case b.formed.version.Load() != 0:
		opaque = "a module has parametrizations"
	}
	return b.mode.Load(), opaque
}

func (moduleTrees) Formed(base unsafe.Pointer) int64 { return (*Base)(base).formed.version.Load() }

func (moduleTrees) Model(m any) any {
	if i := m.(Module).base().seen.Load(); i != nil {
		if root := i.root.module(); root != nil {
			return root
		}
	}
	return m
}

// Owner returns the module, and where its Base is.
func (i *instance) Owner() (any, unsafe.Pointer) {
	m := i.module()
	if m == nil {
		return nil, nil
	}
	return m, unsafe.Pointer(m.base())
}

// Base is where its Base is, or was.
func (i *instance) Base() uintptr { return i.at }

// watched tells a compiled function that is being traced that it uses a module.
func watched(m Module) {
	if w, ok := scope.Current().GuardCells.(tree.Watch); ok {
		w.Module(m, unsafe.Pointer(m.base()))
	}
}
