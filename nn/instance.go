package nn

import (
	"reflect"
	"runtime"
	"sync"
	"unsafe"
	"weak"

	"github.com/lucid-go/lucid/internal/fault"
)

// An error in a Forward names the module, such as layers.2.attention. A Forward is an ordinary method, so nothing runs when it is called:
// the address of its module is read from the stack when an error is found. Which model it is part of was noted when the model was walked
// over last, for its parameters, its state or its mode.

// instance is a module that was seen in a walk. It does not hold the module.
type instance struct {
	base   weak.Pointer[Base]
	at     uintptr      // of Base
	inside uintptr      // where Base is in the struct
	typ    reflect.Type // of the struct
	root   *instance    // the model it was seen in
}

// instances are by the address of the struct.
var instances = struct {
	sync.Mutex
	at map[uintptr]*instance
}{at: map[uintptr]*instance{}}

// module returns the module, nil if it is gone or cannot be found by its Base.
func (i *instance) module() Module {
	b := i.base.Value()
	if b == nil || i.typ == nil {
		return nil
	}
	m, _ := reflect.NewAt(i.typ, unsafe.Add(unsafe.Pointer(b), -int(i.inside))).Interface().(Module)
	return m
}

// naming notes the modules of a walk. Nothing is noted in the walk over a part of a model that was seen as a whole before.
type naming struct {
	root *instance
	part bool
}

func (n *naming) note(m Module) {
	if n.part {
		return
	}
	seen := m.base().seen.Load()
	if n.root == nil {
		if seen != nil && seen.root != seen && seen.root.module() != nil {
			n.part = true
			return
		}
		if seen == nil || seen.root != seen {
			seen = remember(m, nil)
		}
		n.root = seen
		return
	}
	if seen == nil || seen.root != n.root {
		remember(m, n.root)
	}
}

// remember notes a module as part of a model; root is nil for the model itself.
func remember(m Module, root *instance) *instance {
	b, v := m.base(), reflect.ValueOf(m)
	i := &instance{base: weak.Make(b), at: uintptr(unsafe.Pointer(b)), typ: v.Type().Elem(), root: root}
	if root == nil {
		i.root = i
	}
	i.inside = uintptr(unsafe.Pointer(b)) - v.Pointer()
	if i.inside >= i.typ.Size() { // Base is in another struct that this one embeds by a pointer
		i.typ, i.inside = nil, 0
		return i
	}
	first := b.seen.Swap(i) == nil
	instances.Lock()
	instances.at[v.Pointer()] = i
	instances.Unlock()
	if first {
		runtime.AddCleanup(b, forget, v.Pointer())
	}
	return i
}

// forget drops the module that was at an address, unless there is another by now.
func forget(at uintptr) {
	instances.Lock()
	defer instances.Unlock()
	if i := instances.at[at]; i != nil && i.base.Value() == nil {
		delete(instances.at, at)
	}
}

func init() { fault.ModuleName = moduleName }

// moduleName names the innermost of some modules, given by address, in the model that one of them was seen in.
func moduleName(receivers []uintptr) (name string) {
	var root Module
	instances.Lock()
	for _, at := range receivers {
		if i := instances.at[at]; i != nil {
			if root = i.root.module(); root != nil {
				break
			}
		}
	}
	instances.Unlock()
	if root == nil {
		return ""
	}
	names := map[uintptr]string{}
	// A model that was changed so that it cannot be walked over any more has no names.
	if err := fault.Catch(func() {
		for name, m := range NamedModules(root) {
			names[reflect.ValueOf(m).Pointer()] = name
		}
	}); err != nil {
		return ""
	}
	for _, at := range receivers {
		if name, ok := names[at]; ok {
			return name
		}
	}
	return ""
}
