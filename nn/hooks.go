package nn

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/lucid-go/lucid"
)

// ForwardPreHook sees the inputs of a module before Forward; what it returns replaces them, unless it is nil.
type ForwardPreHook func(m Module, in []*lucid.Tensor) []*lucid.Tensor

// ForwardHook sees the inputs and outputs of a module after Forward; what it returns replaces the outputs, unless it
// is nil.
type ForwardHook func(m Module, in, out []*lucid.Tensor) []*lucid.Tensor

// BackwardPreHook sees the gradients of a module's outputs before they go on; what it returns replaces them, unless it is nil.
type BackwardPreHook func(m Module, gradOut []*lucid.Tensor) []*lucid.Tensor

// BackwardHook sees the gradients of a module's inputs and of its outputs; what it returns replaces those of the inputs, unless it is nil.
// Where a tensor has no gradient, there is nil.
type BackwardHook func(m Module, gradIn, gradOut []*lucid.Tensor) []*lucid.Tensor

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

// RegisterFullBackwardPreHook calls f with the gradients of m's outputs when all are computed; with m nil, of every module's.
func RegisterFullBackwardPreHook(m Module, f BackwardPreHook) *Handle {
	return register(m, func(h *hooks) *[]*BackwardPreHook { return &h.backPre }, f)
}

// RegisterFullBackwardHook calls f with the gradients of m's inputs and outputs when all are computed; with m nil, of every module's.
func RegisterFullBackwardHook(m Module, f BackwardHook) *Handle {
	return register(m, func(h *hooks) *[]*BackwardHook { return &h.back }, f)
}

// RegisterLoadStateDictPreHook calls f before LoadStateDict writes to m, with m's part of the state, by its names inside m. f may change
// what is loaded; the state that LoadStateDict was called with stays as it is.
func RegisterLoadStateDictPreHook(m Module, f func(m Module, d *lucid.StateDict)) *Handle {
	return register(m, func(h *hooks) *[]*func(Module, *lucid.StateDict) { return &h.loadPre }, f)
}

// RegisterLoadStateDictPostHook calls f after LoadStateDict wrote to m, with m's part of the state.
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
	watched(m)
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
	watched(m)
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
	if len(h.back) == 0 || !lucid.IsGradEnabled() || !anyGrad(in) {
		return in
	}
	b := &backwardCall{h: h, m: m}
	in = b.show("backward_hook", in, func(grads []*lucid.Tensor) []*lucid.Tensor { return b.run(grads) })
	k := keyOf(m, in)
	running.Store(k, b)
	runtime.AddCleanup(k.x.Value(), func(k callKey) { running.Delete(k) }, k) // if Forward panics
	return in
}

func (h *hooks) leave(m Module, in, out []*lucid.Tensor) []*lucid.Tensor {
	for _, f := range h.post {
		out = replaced("forward_hook", out, (*f)(m, in, out))
	}
	if len(h.backPre)+len(h.back) == 0 || !lucid.IsGradEnabled() || !anyGrad(out) {
		return out
	}
	b := &backwardCall{h: h, m: m}
	entered := false
	if v, ok := running.LoadAndDelete(keyOf(m, in)); ok {
		b, entered = v.(*backwardCall), true
	}
	return b.show("backward_pre_hook", out, func(grads []*lucid.Tensor) []*lucid.Tensor {
		for _, f := range h.backPre {
			grads = replaced("backward_pre_hook", grads, (*f)(m, grads))
		}
		if b.out = grads; !entered && len(h.back) > 0 { // no input has a gradient
			b.run(make([]*lucid.Tensor, len(in)))
		}
		return grads
	})
}

// running are the calls between enter and leave whose inputs have a gradient.
var running sync.Map

// callKey is a call of a module: the module and the first input that it is given.
type callKey struct {
	m Module
	x weak.Pointer[lucid.Tensor]
}

func keyOf(m Module, in []*lucid.Tensor) callKey {
	for _, x := range in {
		if x != nil {
			return callKey{m, weak.Make(x)}
		}
	}
	return callKey{m: m}
}

func anyGrad(list []*lucid.Tensor) bool {
	return slices.ContainsFunc(list, func(x *lucid.Tensor) bool { return x != nil && x.RequiresGrad() })
}

// backwardCall is a call of a module whose gradients hooks see.
type backwardCall struct {
	h   *hooks
	m   Module
	out []*lucid.Tensor // gradients of the outputs
}

// run calls the hooks with the gradients of the inputs.
func (b *backwardCall) run(grads []*lucid.Tensor) []*lucid.Tensor {
	for _, f := range b.h.back {
		grads = replaced("backward_hook", grads, (*f)(b.m, grads, b.out))
	}
	return grads
}

// show returns the tensors through one node, whose rule calls f with all their gradients at once. Those without a gradient stay as they
// are: for them there is nil.
func (b *backwardCall) show(name string, list []*lucid.Tensor, f func(grads []*lucid.Tensor) []*lucid.Tensor) []*lucid.Tensor {
	var at []int
	var vary []*lucid.Tensor
	for i, x := range list {
		if x != nil && x.RequiresGrad() {
			at, vary = append(at, i), append(vary, x)
		}
	}
	same := lucid.Custom(lucid.CustomFunc{Name: name,
		Forward: func(in []*lucid.Tensor) []*lucid.Tensor { return slices.Clone(in) },
		VJP: func(_, _, cot []*lucid.Tensor) []*lucid.Tensor {
			all := make([]*lucid.Tensor, len(list))
			for k, i := range at {
				all[i] = cot[k]
			}
			all = f(all)
			back := make([]*lucid.Tensor, len(at))
			for k, i := range at {
				back[k] = all[i]
			}
			return back
		}})
	shown := slices.Clone(list)
	for k, y := range same(vary...) {
		shown[at[k]] = y
	}
	return shown
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
