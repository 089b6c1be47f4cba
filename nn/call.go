package nn

import (
	"reflect"
	"strings"
	"sync"

	"github.com/lucid-go/lucid"
)

// Call computes m of x as PyTorch's m(x) does: forward hooks run, and parametrized tensors are what their parametrizations
// compute, though m's Forward knows nothing of either. Call modules of your own by it, in the Forward of others too; the modules of
// this package may be called by their Forward as well. Modules in a Sequential are called so.
func Call(m Layer, x *lucid.Tensor) *lucid.Tensor {
	watched(m)
	if around(m) == nil && m.base().formed.version.Load() == 0 {
		return m.Forward(x) // without the slices that several inputs need
	}
	return CallN(m, func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{m.Forward(in[0])} }, x)[0]
}

// CallN is Call for a module with several inputs or outputs: forward calls its Forward.
//
//	out := nn.CallN(m, func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{m.Forward(in[0], in[1])} }, x, mask)
func CallN(m Module, forward func(in []*lucid.Tensor) []*lucid.Tensor, in ...*lucid.Tensor) []*lucid.Tensor {
	watched(m)
	h := around(m)
	plain := m.base().formed.version.Load() == 0
	if h == nil && plain || builtIn(m) {
		return forward(in)
	}
	if h != nil {
		in = h.enter(m, in)
	}
	defer entering(m, in)()
	var out []*lucid.Tensor
	if plain {
		out = forward(in)
	} else {
		formedCall(m, func() { out = forward(in) })
		checkUsed(m)
	}
	if h != nil {
		out = h.leave(m, in, out)
	}
	return out
}

// builtIn reports whether a module is of this package or one below it: its Forward runs hooks and uses parametrizations itself.
func builtIn(m Module) bool {
	path := reflect.TypeOf(m).Elem().PkgPath()
	const nn = "github.com/lucid-go/lucid/nn"
	return path == nn || strings.HasPrefix(path, nn+"/")
}

// calls are the calls that Call has begun: the Enter and Leave of such a module's Forward have nothing left to do.
var calls = struct {
	sync.Mutex
	open map[call]int
}{open: map[call]int{}}

// call is a module at work on an input.
type call struct {
	base *Base
	in   *lucid.Tensor
}

func callOf(m Module, in []*lucid.Tensor) call {
	for _, x := range in {
		if x != nil {
			return call{m.base(), x}
		}
	}
	return call{base: m.base()}
}

// entering notes a call, and returns what ends it.
func entering(m Module, in []*lucid.Tensor) (leave func()) {
	c := callOf(m, in)
	calls.Lock()
	calls.open[c]++
	calls.Unlock()
	return func() {
		calls.Lock()
		defer calls.Unlock()
		if calls.open[c]--; calls.open[c] == 0 {
			delete(calls.open, c)
		}
	}
}

// called reports whether Call runs the hooks of m for this input.
func called(m Module, in ...*lucid.Tensor) bool {
	calls.Lock()
	defer calls.Unlock()
	return len(calls.open) > 0 && calls.open[callOf(m, in)] > 0
}

// formedCall runs f while the fields of m hold the computed tensors. Calls of one module run one after the other.
func formedCall(m Module, f func()) {
	g := &m.base().formed
	g.calling.Lock()
	defer g.calling.Unlock()
	for _, p := range g.all() {
		if v := fieldOf(reflect.ValueOf(m).Elem(), p.shown); v.IsValid() {
			shown := p.shown
			v.Set(reflect.ValueOf(p.value()))
			p.used.Store(true)
			defer func() { v.Set(reflect.ValueOf(shown)) }()
		}
	}
	f()
}

// fieldOf finds the exported field of a struct that holds t, also in structs it embeds.
func fieldOf(s reflect.Value, t *lucid.Tensor) (v reflect.Value) {
	for i := range s.NumField() {
		f := s.Type().Field(i)
		if !f.IsExported() || f.Type == reflect.TypeFor[Base]() {
			continue
		}
		switch x := s.Field(i); {
		case f.Type == reflect.TypeFor[*lucid.Tensor]():
			if x.Interface() == t {
				return x
			}
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			if v = fieldOf(x, t); v.IsValid() {
				return v
			}
		}
	}
	return v
}
