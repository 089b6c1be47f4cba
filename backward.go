package lucid

import (
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/transform"
)

// NoGrad runs f without recording for Backward, for this call in this goroutine. Inside a function that was given to Grad, VJP,
// Checkpoint, VMap, Custom, Cond, Scan or their like, what f computes has no gradient; around them it changes nothing. Tangents (JVP) go
// through it; Detach stops both. A value that f only assigns keeps its gradient for transforms.
func NoGrad(f func()) { scope.With(func(s *scope.State) { s.NoGrad, s.Stop = true, true }, f) }

// EnableGrad runs f recording for Backward, also inside NoGrad.
func EnableGrad(f func()) {
	scope.With(func(s *scope.State) { s.NoGrad, s.Stop, s.Inference = false, false, false }, f)
}

// InferenceMode is NoGrad.
func InferenceMode(f func()) {
	scope.With(func(s *scope.State) { s.NoGrad, s.Stop, s.Inference = true, true, true }, f)
}

// SetGradEnabled is EnableGrad or NoGrad.
func SetGradEnabled(on bool, f func()) {
	if on {
		EnableGrad(f)
	} else {
		NoGrad(f)
	}
}

// IsGradEnabled reports whether this goroutine records for Backward.
func IsGradEnabled() bool { return !scope.Current().NoGrad }

// Inherit returns f to be run in another goroutine under the scopes that hold here.
func Inherit(f func()) func() { return scope.Inherit(f) }

// RequiresGrad_ says whether Backward computes a gradient for the tensor, and returns it. Switching it on makes the
// tensor a leaf; one for which it is switched off keeps the gradient it has, and its hooks.
func (t *Tensor) RequiresGrad_(on bool) *Tensor {
	n := acquire(t)
	defer release(n)
	switch {
	case on == n.Tape():
		if on && !n.Leaf() {
			return t
		}
	case on:
		if !n.DType().IsInexact() {
			fault.Throw(fault.DType, "requires_grad", "%v has no gradient; want a floating or complex dtype", n.DType())
		}
		s := n.OwnSlot()
		if s == nil {
			s = graph.NewSlot()
		}
		t.array().Rebind(ops.NewLeaf(n, s))
	case !n.Leaf():
		fault.Throw(fault.Gradient, "requires_grad", "only a leaf can stop requiring a gradient; use Detach")
	default:
		t.array().Rebind(ops.StopGradient(n).Freeze(n.Slot()))
		t.array().UnmarkView()
	}
	return t
}

// RequiresGrad reports whether the tensor is a leaf that Backward leaves a gradient in, or was computed from one.
func (t *Tensor) RequiresGrad() bool { return requires(t.array().Peek()) }

// requires holds after Backward freed the tape too.
func requires(n *graph.Node) bool { return n.Tape() || n.TapeFreed() }

// IsLeaf reports whether the tensor was not computed from tensors that require a gradient.
func (t *Tensor) IsLeaf() bool {
	n := t.array().Peek()
	return n.Leaf() || !requires(n)
}

// Detach returns the value as a constant: no gradient passes.
func (t *Tensor) Detach() *Tensor {
	n := acquire(t)
	r := ops.StopGradient(n)
	release(n)
	return wrapView(r)
}

// Grad returns the gradient that Backward left, nil if there is none.
func (t *Tensor) Grad() *Tensor {
	s := t.array().Peek().Slot()
	if s == nil {
		return nil
	}
	return (*Tensor)(s.Grad())
}

// SetGrad replaces the gradient; nil clears it.
func (t *Tensor) SetGrad(g *Tensor) *Tensor {
	n := t.array().Peek()
	if n.Slot() == nil {
		fault.Throw(fault.Gradient, "set_grad", "the tensor does not require a gradient")
	}
	if g == nil {
		n.Slot().SetGrad(nil)
		return t
	}
	m := acquire(g)
	defer release(m)
	if !m.Shape().Equal(n.Shape()) {
		fault.Throw(fault.Shape, "set_grad", "a gradient of shape %v for a tensor of shape %v", m.Shape(), n.Shape())
	}
	if m.DType() != n.DType() {
		fault.Throw(fault.DType, "set_grad", "a gradient of %v for a tensor of %v; cast it", m.DType(), n.DType())
	}
	n.Slot().SetGrad(m)
	return t
}

// ZeroGrad clears the gradient.
func (t *Tensor) ZeroGrad() *Tensor {
	if s := t.array().Peek().Slot(); s != nil {
		s.SetGrad(nil)
	}
	return t
}

// RetainGrad makes Backward leave the gradient of a tensor that is no leaf.
func (t *Tensor) RetainGrad() *Tensor {
	n := t.array().Peek()
	if !requires(n) {
		fault.Throw(fault.Gradient, "retain_grad", "the tensor does not require a gradient")
	}
	n.EnsureSlot().Retain()
	return t
}

// Hook is a function on a gradient that can be taken off again.
type Hook struct{ k *graph.Hook }

// Remove takes the hook off.
func (h *Hook) Remove() { h.k.Remove() }

// RegisterHook calls f with the gradient of the tensor whenever Backward computes it; what f returns replaces it,
// unless it is nil.
func (t *Tensor) RegisterHook(f func(grad *Tensor) *Tensor) *Hook {
	return t.hook("register_hook", f, f == nil, false)
}

// RegisterPostAccumulateGradHook calls f with the tensor, a leaf, after Backward added to its gradient.
func (t *Tensor) RegisterPostAccumulateGradHook(f func(t *Tensor)) *Hook {
	if !t.IsLeaf() {
		fault.Throw(fault.Gradient, "register_post_accumulate_grad_hook",
			"the tensor is no leaf, so no gradient is accumulated in it; use RegisterHook")
	}
	return t.hook("register_post_accumulate_grad_hook", func(*Tensor) *Tensor { f(t); return nil }, f == nil, true)
}

func (t *Tensor) hook(op string, f func(*Tensor) *Tensor, none, post bool) *Hook {
	n := t.array().Peek()
	if none {
		fault.Throw(fault.Value, op, "the hook is nil; want a function")
	}
	if !requires(n) {
		fault.Throw(fault.Gradient, op, "the tensor of shape %v does not require a gradient; a leaf does after RequiresGrad_(true)",
			n.Shape())
	}
	return &Hook{n.EnsureSlot().AddHook(func(g *graph.Array) *graph.Array {
		return (*graph.Array)(f((*Tensor)(g)))
	}, post)}
}

// BackwardOptions say how Backward runs; the zero value is PyTorch's default.
type BackwardOptions struct {
	Gradient    *Tensor   // cotangent of a loss that is no scalar
	RetainGraph bool      // keep the tape for another Backward
	CreateGraph bool      // make the gradients differentiable
	Inputs      []*Tensor // leave gradients in these alone, leaves or not; nil: in all leaves
}

// Backward adds the gradient of the tensor to the Grad of every leaf it was computed from.
func (t *Tensor) Backward(opts ...BackwardOptions) {
	o := option("backward", opts)
	backward([]*Tensor{t}, []*Tensor{o.Gradient}, o)
}

// Backward adds the gradients of several tensors to the Grad of every leaf they were computed from, in one pass. gradients are their
// cotangents, nil where a tensor is a scalar; a nil slice stands for scalars alone.
func Backward(tensors, gradients []*Tensor, opts ...BackwardOptions) {
	o := option("backward", opts)
	switch {
	case len(tensors) == 0:
		fault.Throw(fault.Value, "backward", "no tensors; want at least one")
	case gradients != nil && len(gradients) != len(tensors):
		fault.Throw(fault.Value, "backward", "%d tensors and %d gradients; want as many, or none", len(tensors), len(gradients))
	case o.Gradient != nil:
		fault.Throw(fault.Value, "backward", "both gradients and the option Gradient; want one of them")
	case gradients == nil:
		gradients = make([]*Tensor, len(tensors))
	}
	backward(tensors, gradients, o)
}

// backward is Backward with a gradient, or nil, for each tensor.
func backward(tensors, gradients []*Tensor, o BackwardOptions) {
	roots := acquireAll(tensors)
	defer releaseAll(roots)
	cots := make([]*graph.Node, len(roots))
	for i, n := range roots {
		cots[i] = cotangent("backward", n, gradients[i])
	}
	leaves := tapeLeaves(roots...)
	if scope.Current().Anomaly {
		forwardAnomaly(roots, transform.OnTape)
	}
	if o.Inputs != nil && len(o.Inputs) == 0 {
		fault.Throw(fault.Value, "backward", "Inputs is empty; leave it nil for all leaves")
	}
	only := map[*graph.Slot]bool{}
	for _, x := range o.Inputs {
		m := x.array().Peek()
		if !m.Tape() {
			fault.Throw(fault.Gradient, "backward", "an input of shape %v does not require a gradient", m.Shape())
		}
		only[m.EnsureSlot()] = true
	}
	keep := func(f func()) { f() }
	if !o.CreateGraph {
		keep = door.Untaped
	}
	var found []arrived
	keep(func() {
		pull(roots, cots, leaves, func(x, g *graph.Node) {
			s := x.Slot()
			if s == nil || len(only) > 0 && !only[s] || len(only) == 0 && !x.Leaf() && !s.Retained() {
				return
			}
			g.Ref()
			if found = append(found, arrived{s, g}); len(s.Hooks(true)) > 0 { // who asked to be told is told at once
				found = leave(roots[0], found)
			}
		})
		leave(roots[0], found)
	})
	if !o.RetainGraph && !o.CreateGraph {
		freeTape(roots...)
	}
}

// cotangent checks or makes the cotangent of a loss.
func cotangent(op string, n *graph.Node, given *Tensor) *graph.Node {
	n.MustLive()
	if !n.Tape() {
		if n.TapeFreed() {
			fault.Throw(fault.Gradient, op, "the graph was freed by an earlier Backward; give that one RetainGraph")
		}
		fault.Throw(fault.Gradient, op,
			"the tensor of shape %v does not depend on anything that requires a gradient; RequiresGrad_(true) makes a leaf that does, "+
				"and what is computed inside NoGrad or from Detach does not", n.Shape())
	}
	if given == nil {
		if n.Shape().Numel() != 1 {
			fault.Throw(fault.Gradient, op, "the loss has shape %v; only a scalar has a gradient of its own, give BackwardOptions.Gradient",
				n.Shape())
		}
		if n.DType().IsComplex() {
			fault.Throw(fault.Gradient, op, "the loss is %v; only a real number has a gradient of its own, give BackwardOptions.Gradient",
				n.DType())
		}
		return ops.OnesLike(n)
	}
	g := acquire(given)
	defer release(g)
	if !g.Shape().Equal(n.Shape()) {
		fault.Throw(fault.Shape, op, "the cotangent has shape %v, the loss %v", g.Shape(), n.Shape())
	}
	return ops.Cast(g, n.DType())
}

// tapeLeaves lists the leaves behind nodes. A part of the tape that was freed is an error, never a wrong gradient.
func tapeLeaves(roots ...*graph.Node) []*graph.Node {
	idx := graph.NewIndex()
	defer idx.Release()
	var leaves []*graph.Node
	exec.Locked(func() {
		idx.PostOrder(roots, transform.OnTape)
		for _, m := range idx.Nodes {
			if m.Leaf() {
				leaves = append(leaves, m)
			} else if m.TapeFreed() && !m.Tape() {
				fault.Throw(fault.Gradient, "backward",
					"the graph behind a value of shape %v was freed by an earlier Backward; give that one RetainGraph", m.Shape())
			}
		}
	})
	return leaves
}

// pull runs reverse mode over the imperative tape and calls at with every final cotangent.
func pull(roots, cots, inputs []*graph.Node, at func(x, g *graph.Node)) []*graph.Node {
	p := transform.Pullback{See: transform.OnTape, Zeros: true, At: func(x, g *graph.Node) *graph.Node {
		g = runHooks(x, g)
		if at != nil {
			at(x, g)
		}
		return g
	}}
	if scope.Current().Anomaly {
		p.Gave = anomaly
	}
	return p.Run(roots, cots, inputs)
}

func runHooks(x, g *graph.Node) *graph.Node {
	s := x.Slot()
	if s == nil {
		return g
	}
	for _, k := range s.Hooks(false) {
		h := (*graph.Array)(wrap(g)) // the hook's own to change in place
		r := k.F(h)
		if r == nil {
			r = h
		}
		m := r.Peek()
		if !m.Shape().Equal(x.Shape()) {
			fault.Throw(fault.Shape, "hook", "a hook returned a gradient of shape %v for a tensor of shape %v", m.Shape(), x.Shape())
		}
		g = ops.Cast(m, x.DType())
	}
	return g
}

// arrived is a gradient, referenced, and the slot it is for.
type arrived struct {
	s *graph.Slot
	g *graph.Node
}

// leave adds gradients of a loss to their slots. From then on others may evaluate them, so it is done when all are known: rules look at
// what their cotangents are made of.
func leave(loss *graph.Node, found []arrived) []arrived {
	for _, a := range found {
		a.s.Accumulate(a.g, func(old, g *graph.Node) *graph.Node { return ops.Add(old, g) })
		if loss.Trace() == nil {
			a.s.SetRoot(loss)
		}
		for _, k := range a.s.Hooks(true) {
			k.F(nil)
		}
	}
	for _, a := range found {
		a.g.Unref()
	}
	return nil
}

// freeTape takes everything behind nodes off the tape.
func freeTape(roots ...*graph.Node) {
	idx := graph.NewIndex()
	defer idx.Release()
	exec.Locked(func() {
		idx.PostOrder(roots, transform.OnTape)
		for i := len(idx.Nodes) - 1; i >= 0; i-- {
			if m := idx.Nodes[i]; m.Tape() {
				m.ReleaseTape()
			}
		}
	})
}

// GradientsOptions say how Gradients runs; the zero value is PyTorch's default.
type GradientsOptions struct {
	Gradient    *Tensor // cotangent of an output that is no scalar
	RetainGraph bool    // the graph stays for another call; otherwise it is released
	CreateGraph bool    // the gradients can be differentiated in turn
	AllowUnused bool    // give nil, not an error, for an input the output does not depend on
}

// Gradients returns the gradient of output with respect to each input, and leaves Grad alone.
func Gradients(output *Tensor, inputs []*Tensor, opts ...GradientsOptions) []*Tensor {
	o := option("gradients", opts)
	n := acquire(output)
	defer release(n)
	ins := acquireAll(inputs)
	defer releaseAll(ins)
	cot := cotangent("gradients", n, o.Gradient)
	for i, x := range ins {
		if !requires(x) {
			fault.Throw(fault.Gradient, "gradients", "input %d of shape %v does not require a gradient", i, x.Shape())
		}
	}
	tapeLeaves(n)
	var grads []*graph.Node
	keep := func(f func()) { f() }
	if !o.CreateGraph {
		keep = door.Untaped
	}
	keep(func() { grads = pull([]*graph.Node{n}, []*graph.Node{cot}, ins, nil) })
	out := make([]*Tensor, len(ins))
	for i, g := range grads {
		if g == nil && !o.AllowUnused {
			fault.Throw(fault.Gradient, "gradients", "the output does not depend on input %d of shape %v; set AllowUnused to get nil", i,
				ins[i].Shape())
		}
		out[i] = wrap(g)
	}
	if !o.RetainGraph && !o.CreateGraph {
		freeTape(n)
	}
	return out
}

// assign rebinds a handle. A leaf that requires a gradient stays one, on the same slot, and may be written inside
// NoGrad only.
func assign(op string, h *graph.Array, n *graph.Node) {
	n.MustLive()
	old := h.Peek()
	if to := old.Device(); to != n.Device() { // what is written goes to where the tensor is
		n = moved(n, to)
	}
	if out := h.Raw(); IsGradEnabled() && (old.Leaf() || out != nil && out.Leaf() && old.Trace() != nil) {
		fault.Throw(fault.Gradient, op, "a leaf of shape %v that requires a gradient is changed in place; do it inside NoGrad", old.Shape())
	}
	if old.Leaf() {
		n = ops.NewLeaf(n, old.Slot())
	} else if old.Frozen() && !n.Tape() && n.Level() == nil {
		n = ops.NewFrozen(n, old.Slot())
	} else if s := old.Slot(); s != nil && s.Retained() && n.Tape() && n != old {
		s.Release() // the gradient that is asked for is the handle's
		n.EnsureSlot().Retain()
	}
	h.Rebind(n)
}

// DetectAnomaly runs f and makes Backward, Grad and ValueAndGrad inside it fail at the op that first produces NaN, by name: in the values
// that the loss was computed from, where infinities count too, or in the gradients. The error has the line that recorded the op, and
// the modules. Values are computed one by one for that, so it is slow.
func DetectAnomaly(f func()) {
	defer graph.LabelNodes()()
	scope.With(func(s *scope.State) { s.Anomaly = true }, f)
}

// forwardAnomaly refuses the first NaN or infinity in the values behind some roots, in the order in which ops were recorded: one that has
// no NaN or infinity among its own inputs.
func forwardAnomaly(roots []*graph.Node, see func(n *graph.Node) bool) {
	var idx graph.Index
	exec.Locked(func() { idx.PostOrder(roots, see) })
	for _, n := range idx.Nodes { // inputs come first
		if n.Trace() != nil || n.IsTuple() || n.Op().NoKernel != "" && !n.Leaf() || !n.DType().IsInexact() {
			continue
		}
		n.Ref()
		nan, inf := wrap(ops.Any(ops.IsNaN(n), ops.ReduceOptions{})), wrap(ops.Any(ops.IsInf(n), ops.ReduceOptions{}))
		what := ""
		switch {
		case nan.Item() != 0:
			what = "NaN"
		case inf.Item() != 0:
			what = "an infinity"
		default:
			continue
		}
		e := fault.New(fault.Gradient, n.Op().Name, "its value, of shape %v, has %s, and its inputs have none; want finite numbers",
			n.Shape(), what)
		if n.Leaf() {
			e = fault.New(fault.Gradient, "leaf", "a leaf of shape %v has %s; want finite numbers", n.Shape(), what)
		}
		panic(located(e, n))
	}
}

// located adds the line that recorded a node to an error.
func located(e *fault.Error, n *graph.Node) *fault.Error {
	s := n.Site()
	if s == nil || s.Line() == "" {
		return e
	}
	return e.Located("", []string{s.Line()}, s.Module(), s.Modules())
}

// anomaly refuses a NaN that an op's rule gave for its input k.
func anomaly(x *graph.Node, k int, g *graph.Node) {
	if x.Trace() != nil {
		return
	}
	g.Ref() // it is read here and used later; an evaluation lets go of what is not referenced
	bad := wrap(ops.Any(ops.IsNaN(g), ops.ReduceOptions{}))
	if bad.Item() != 0 {
		panic(located(fault.New(fault.Gradient, x.Op().Name, "the gradient it gives its input %d, of shape %v, has NaN", k, g.Shape()), x))
	}
}
