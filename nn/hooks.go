package nn

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid"
)

// ForwardPreHook sees the inputs of a module before Forward; what it returns replaces them, unless it is nil.
type ForwardPreHook func(m Module, in []*lucid.Tensor) []*lucid.Tensor

// ForwardHook sees the inputs and outputs of a module after Forward; what it returns replaces the outputs, unless it
// is nil.
type ForwardHook func(m Module, in, out []*lucid.Tensor) []*lucid.Tensor

// BackwardPreHook sees the gradient of an output of a module, by the output's index, before it goes on; what it
// returns replaces it, unless it is nil.
type BackwardPreHook func(m Module, index int, grad *lucid.Tensor) *lucid.Tensor

// BackwardHook sees the gradient of an input of a module, by the input's index; what it returns replaces it, unless
// it is nil.
type BackwardHook func(m Module, index int, grad *lucid.Tensor) *lucid.Tensor

// Handle takes a hook off again.
type Handle struct{ remove func() }

// Remove takes the hook off; a second time does nothing.
func (h *Handle) Remove() {
	if h.remove != nil {
		h.remove()
		h.remove = nil
	}
}

// hooks are what a module, or all modules, call around Forward. A set is never changed, only replaced.
type hooks struct {
	pre               []*ForwardPreHook
	post              []*ForwardHook
	backPre           []*BackwardPreHook
	back              []*BackwardHook
	loadPre, loadPost []*func(m Module, d *lucid.StateDict)
}

// hookCell holds the hooks of a module, nil while there are none.
type hookCell struct {
	mu      sync.Mutex
	set     atomic.Pointer[hooks]
	version lucid.GuardCell // a compiled function that ran the hooks is traced anew when they change
}

// load returns the hooks, nil if there never were any.
func (c *hookCell) load() *hooks {
	if c.version.Load() == 0 {
		return nil
	}
	return c.set.Load()
}

var global hookCell // hooks of all modules

// edit replaces the set by a changed copy.
func (c *hookCell) edit(f func(h *hooks)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var h hooks
	if old := c.set.Load(); old != nil {
		h = *old
	}
	f(&h)
	c.set.Store(&h)
	c.version.SetReason("the hooks of a module changed")
	c.version.Store(c.version.Load() + 1)
}

func register[F any](m Module, list func(*hooks) *[]*F, f F) *Handle {
	c := &global
	if m != nil {
		c = &m.base().hooks
	}
	p := &f
	c.edit(func(h *hooks) { l := list(h); *l = append(slices.Clip(*l), p) })
	return &Handle{func() {
		c.edit(func(h *hooks) {
			l := list(h)
			*l = slices.DeleteFunc(slices.Clone(*l), func(q *F) bool { return q == p })
		})
	}}
}

// RegisterForwardPreHook calls f before m's Forward; with m nil, before every module's. Modules of this package run
// their hooks in Forward; a module of one's own does when its Forward uses Enter and Leave.
func RegisterForwardPreHook(m Module, f ForwardPreHook) *Handle {
	return register(m, func(h *hooks) *[]*ForwardPreHook { return &h.pre }, f)
}

// RegisterForwardHook calls f after m's Forward; with m nil, after every module's.
func RegisterForwardHook(m Module, f ForwardHook) *Handle {
	return register(m, func(h *hooks) *[]*ForwardHook { return &h.post }, f)
}

// RegisterFullBackwardPreHook calls f with the gradient of m's outputs whenever Backward computes it; with m nil,
// of every module's.
func RegisterFullBackwardPreHook(m Module, f BackwardPreHook) *Handle {
	return register(m, func(h *hooks) *[]*BackwardPreHook { return &h.backPre }, f)
}

// RegisterFullBackwardHook calls f with the gradient of m's inputs whenever Backward computes it; with m nil, of
// every module's.
func RegisterFullBackwardHook(m Module, f BackwardHook) *Handle {
	return register(m, func(h *hooks) *[]*BackwardHook { return &h.back }, f)
}

// RegisterLoadStateDictPreHook calls f before LoadStateDict writes to m, which may change what is loaded.
func RegisterLoadStateDictPreHook(m Module, f func(m Module, d *lucid.StateDict)) *Handle {
	return register(m, func(h *hooks) *[]*func(Module, *lucid.StateDict) { return &h.loadPre }, f)
}

// RegisterLoadStateDictPostHook calls f after LoadStateDict wrote to m.
func RegisterLoadStateDictPostHook(m Module, f func(m Module, d *lucid.StateDict)) *Handle {
	return register(m, func(h *hooks) *[]*func(Module, *lucid.StateDict) { return &h.loadPost }, f)
}

// around returns the hooks that hold for m, those of all modules first; nil if there are none.
func around(m Module) *hooks {
	g, h := global.load(), m.base().hooks.load()
	switch {
	case g == nil:
		return h
	case h == nil:
		return g
	}
	return &hooks{
		pre: join(g.pre, h.pre), post: join(g.post, h.post), backPre: join(g.backPre, h.backPre), back: join(g.back, h.back),
		loadPre: join(g.loadPre, h.loadPre), loadPost: join(g.loadPost, h.loadPost),
	}
}

func join[T any](a, b []T) []T { return append(slices.Clip(a), b...) }

// Enter runs what must happen before m's Forward and returns the input to use. It is for modules whose Forward is called
// directly, as those of this package; Call does it for others.
func Enter(m Module, x *lucid.Tensor) *lucid.Tensor {
	h := around(m)
	if h == nil || called(m, x) {
		return x
	}
	return h.enter(m, []*lucid.Tensor{x})[0]
}

// Leave runs what must happen after m's Forward, and returns the output to give.
func Leave(m Module, x, y *lucid.Tensor) *lucid.Tensor {
	checkUsed(m)
	h := around(m)
	if h == nil || called(m, x) {
		return y
	}
	return h.leave(m, []*lucid.Tensor{x}, []*lucid.Tensor{y})[0]
}

// EnterN is Enter for several inputs; those that are nil stay nil.
func EnterN(m Module, in ...*lucid.Tensor) []*lucid.Tensor {
	h := around(m)
	if h == nil || called(m, in...) {
		return in
	}
	return h.enter(m, in)
}

// LeaveN is Leave for several inputs and outputs.
func LeaveN(m Module, in []*lucid.Tensor, out ...*lucid.Tensor) []*lucid.Tensor {
	checkUsed(m)
	h := around(m)
	if h == nil || called(m, in...) {
		return out
	}
	return h.leave(m, in, out)
}

func (h *hooks) enter(m Module, in []*lucid.Tensor) []*lucid.Tensor {
	for _, f := range h.pre {
		in = replaced("forward_pre_hook", in, (*f)(m, in))
	}
	if len(h.back) == 0 || !lucid.IsGradEnabled() {
		return in
	}
	in = slices.Clone(in)
	for i, x := range in {
		if x == nil || !x.RequiresGrad() {
			continue
		}
		in[i] = x.Clone() // its gradient is what this module gives, without other uses of x
		in[i].RegisterHook(func(g *lucid.Tensor) *lucid.Tensor {
			for _, f := range h.back {
				if r := (*f)(m, i, g); r != nil {
					g = r
				}
			}
			return g
		})
	}
	return in
}

func (h *hooks) leave(m Module, in, out []*lucid.Tensor) []*lucid.Tensor {
	for _, f := range h.post {
		out = replaced("forward_hook", out, (*f)(m, in, out))
	}
	if len(h.backPre) == 0 || !lucid.IsGradEnabled() {
		return out
	}
	out = slices.Clone(out)
	for i, y := range out {
		if y == nil || !y.RequiresGrad() {
			continue
		}
		out[i] = y.Clone()
		out[i].RegisterHook(func(g *lucid.Tensor) *lucid.Tensor {
			for _, f := range h.backPre {
				if r := (*f)(m, i, g); r != nil {
					g = r
				}
			}
			return g
		})
	}
	return out
}

func replaced(op string, old, got []*lucid.Tensor) []*lucid.Tensor {
	if got == nil {
		return old
	}
	if len(got) != len(old) {
		refuse(lucid.ErrValue, op, "a hook returned %d tensors for %d", len(got), len(old))
	}
	return got
}
