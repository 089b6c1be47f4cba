package optim

import (
	"reflect"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/tree"
)

// The functional way, as in MLX: gradients are data. nn.ValueAndGrad makes them, an optimizer takes them.

var everything = tree.Walk{All: true}

// Update changes the parameters of model by gradients that have its form, as nn.ValueAndGrad gives them. What they have nil stays,
// and Grad of the parameters is neither read nor written.
func (e *engine[H]) Update(model, grads any) {
	e.stepBy(gradientsOf("update", e.ParamGroups(), model, grads))
}

// gradientsOf pairs the parameters of the groups with gradients at the same path.
func gradientsOf(op string, groups []*Group, model, grads any) map[*lucid.Tensor]*lucid.Tensor {
	mine := map[*lucid.Tensor]bool{}
	for _, g := range groups {
		for _, p := range g.Params {
			mine[p] = true
		}
	}
	at := map[string]*lucid.Tensor{}
	for _, l := range everything.Leaves(reflect.ValueOf(model)) {
		at[l.Path] = (*lucid.Tensor)(l.Tensor)
	}
	given := map[*lucid.Tensor]*lucid.Tensor{}
	for _, l := range everything.Leaves(reflect.ValueOf(grads)) {
		p, g := at[l.Path], (*lucid.Tensor)(l.Tensor)
		switch {
		case p == nil:
			refuse(lucid.ErrValue, op, "there is a gradient of %q, which %T does not have", l.Path, model)
		case !mine[p]:
			refuse(lucid.ErrValue, op, "there is a gradient of %q, which is no parameter of the optimizer", l.Path)
		}
		mustFit(op, l.Path, p, g)
		given[p] = g
	}
	return given
}

// mustFit refuses a gradient of another shape.
func mustFit(op, name string, p, g *lucid.Tensor) {
	if !slices.Equal(p.Shape(), g.Shape()) {
		refuse(lucid.ErrShapeMismatch, op, "the gradient of %s has shape %v; the parameter has %v", name, g.Shape(), p.Shape())
	}
}

// stepBy is Step with other gradients than those of the parameters.
func (e *engine[H]) stepBy(given map[*lucid.Tensor]*lucid.Tensor) {
	for _, g := range e.groups {
		g.given = given
		defer func() { g.given = nil }()
	}
	e.Step()
}

// Update changes the parameters of model by gradients that have its form, each by the optimizer that has it.
func (m *Multi) Update(model, grads any) {
	m.stepBy(gradientsOf("update", m.ParamGroups(), model, grads))
}

func (m *Multi) stepBy(given map[*lucid.Tensor]*lucid.Tensor) {
	for _, o := range m.list {
		stepperOf("update", o).stepBy(given)
	}
}

// stepperOf refuses an optimizer that cannot take gradients from outside.
func stepperOf(op string, opt Optimizer) stepper {
	s, ok := opt.(stepper)
	if !ok {
		refuse(lucid.ErrNotImplemented, op, "%T takes its gradients from its parameters; use Step", opt)
	}
	return s
}

// stepper is an optimizer that takes gradients from outside.
type stepper interface {
	ParamGroups() []*Group
	stepBy(given map[*lucid.Tensor]*lucid.Tensor)
}

// ApplyGradients returns the tree that opt makes of params by grads. What it changes is as many tensors as opt has parameters, in their
// order: all of params, such as nn.TrainableParameters(model), or else those that have a gradient, as in a whole model and the
// gradients of nn.ValueAndGrad. Of a whole model the result has frozen parameters and a copy of the buffers too, and can stand in for it.
// What was a parameter is one in the result. The model stays as it is; moments and other state of opt go on.
func ApplyGradients[T any](opt Optimizer, grads, params T) T {
	const op = "apply_gradients"
	s := stepperOf(op, opt)
	var own []*lucid.Tensor
	for _, g := range s.ParamGroups() {
		own = append(own, g.Params...)
	}
	byPath := map[string]*lucid.Tensor{}
	for _, l := range everything.Leaves(reflect.ValueOf(&grads).Elem()) {
		byPath[l.Path] = (*lucid.Tensor)(l.Tensor)
	}
	all := everything.Leaves(reflect.ValueOf(&params).Elem())
	leaves := all
	if len(all) > len(own) {
		leaves = slices.DeleteFunc(slices.Clone(all), func(l tree.Leaf) bool { return byPath[l.Path] == nil })
	}
	if len(leaves) != len(own) {
		refuse(lucid.ErrValue, op, "params has %d tensors and grads %d, the optimizer %d parameters; "+
			"give the model of the optimizer, or its nn.TrainableParameters", len(all), len(byPath), len(own))
	}
	given := map[*lucid.Tensor]*lucid.Tensor{}
	handles, shown := make([]*graph.Array, len(own)), make([]*graph.Array, len(own))
	for i, l := range leaves {
		p := (*lucid.Tensor)(l.Tensor)
		if at := slices.Index(own, p); at >= 0 && at != i { // the state of another parameter would be used
			refuse(lucid.ErrValue, op, "%s is parameter %d of params and parameter %d of the optimizer; "+
				"give the optimizer its parameters, and groups, in the order of params", l.Path, i, at)
		}
		mustFit(op, l.Path, own[i], p)
		if g := byPath[l.Path]; g != nil {
			mustFit(op, l.Path, p, g)
			given[own[i]] = g
		}
		handles[i], shown[i] = (*graph.Array)(own[i]), (*graph.Array)(p.Detach().Clone())
	}
	door.Untaped(func() { door.Swap(handles, shown, func() { s.stepBy(given) }) })
	for i, l := range leaves {
		alike(shown[i], l.Tensor)
	}
	return everything.UnflattenAll([]reflect.Value{reflect.ValueOf(&params).Elem()}, others(all, leaves, shown))[0].Interface().(T)
}

// others puts the other leaves of a tree between the new values of some: frozen parameters as they are, and copies of buffers, which
// training writes. A compiled function returns copies of both.
func others(all, changed []tree.Leaf, values []*graph.Array) []*graph.Array {
	if len(all) == len(changed) {
		return values
	}
	list := make([]*graph.Array, len(all))
	for i, l := range all {
		switch {
		case len(changed) > 0 && l.Tensor == changed[0].Tensor:
			list[i], changed, values = values[0], changed[1:], values[1:]
		case l.Tensor.Peek().OwnSlot() != nil && !inTrace((*lucid.Tensor)(l.Tensor)):
			list[i] = l.Tensor
		default:
			list[i] = (*graph.Array)((*lucid.Tensor)(l.Tensor).Detach().Clone())
			alike(list[i], l.Tensor)
		}
	}
	return list
}

// alike makes a tensor a parameter, or a frozen one, if another is.
func alike(t, as *graph.Array) {
	n := as.Peek()
	if n.OwnSlot() == nil {
		return
	}
	p := (*lucid.Tensor)(t).RequiresGrad_(true)
	if !n.Leaf() {
		p.RequiresGrad_(false)
	}
}

// Init gives the state of the optimizer its first values again: moments, counts of steps.
func (e *engine[H]) Init() {
	door.Untaped(func() {
		for _, g := range e.groups {
			g.clock.Assign(0)
			for i := range g.params {
				q := &g.params[i]
				q.missed.Assign(0)
				if e.rule.state == nil {
					continue
				}
				for k, s := range e.rule.state(g.h, q.p, g.lr) {
					q.state[k].t.Assign(s.t)
				}
			}
		}
	})
}

// ClipGradients returns gradients scaled so that the 2-norm of all of them together is at most maxNorm, and what it was.
func ClipGradients[T any](grads T, maxNorm float64) (clipped T, norm *lucid.Tensor) {
	leaves := everything.FlattenAll([]reflect.Value{reflect.ValueOf(&grads).Elem()})
	if len(leaves) == 0 {
		refuse(lucid.ErrValue, "clip_gradients", "there are no gradients in %T", grads)
	}
	if !(maxNorm >= 0) {
		refuse(lucid.ErrValue, "clip_gradients", "maxNorm is %v; want a number from 0", maxNorm)
	}
	var sum *lucid.Tensor
	for _, h := range leaves {
		s := (*lucid.Tensor)(h).Square().Sum()
		if sum != nil {
			s = sum.Add(s)
		}
		sum = s
	}
	norm = sum.Sqrt()
	scale := lucid.Minimum(norm.Add(1e-6).Reciprocal().Mul(maxNorm), 1)
	out := make([]*graph.Array, len(leaves))
	for i, h := range leaves {
		t := (*lucid.Tensor)(h)
		out[i] = (*graph.Array)(t.Mul(scale.To(t.DType())))
	}
	return everything.UnflattenAll([]reflect.Value{reflect.ValueOf(&grads).Elem()}, out)[0].Interface().(T), norm
}
