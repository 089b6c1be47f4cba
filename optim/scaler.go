package optim

import (
	"errors"
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
)

// GradScalerOptions are the numbers of a GradScaler; the zero value is PyTorch's default.
type GradScalerOptions struct {
	InitScale      float64      // the scale at the start; 0: 65536
	GrowthFactor   float64      // factor of the scale after GrowthInterval steps without an overflow; 0: 2
	BackoffFactor  float64      // factor of the scale after an overflow; 0: 0.5
	GrowthInterval int          // steps without an overflow until the scale grows; 0: 2000
	Disabled       bool         // change nothing: Step is the optimizer's
	Device         lucid.Device // where the scale is stored, best where the parameters are; zero: the default device
}

// GradScaler keeps small gradients from vanishing in float16: the loss is multiplied by a large number, the gradients are
// divided by it again, a step whose gradients are not finite is left out, and the number moves so that few are.
//
//	scaler := optim.NewGradScaler()
//	for … {
//		opt.ZeroGrad()
//		lucid.Autocast(lucid.Float16, func() { loss = … })
//		scaler.Scale(loss).Backward()
//		scaler.Step(opt)
//		scaler.Update()
//	}
//
// Nothing is read back: a step that is left out writes the old values again. So all of it works inside a compiled function
// too; Unscale, Step and Update of a round then belong into the same one. Bfloat16 has float32's range and needs no scaler.
type GradScaler struct {
	o       GradScalerOptions
	growth  float64
	backoff float64
	scale   *lucid.Tensor // 0-d float32
	good    *lucid.Tensor // 0-d int64: steps since the scale moved
	rounds  map[Optimizer]*round
}

// round is what was done for an optimizer since the last Update.
type round struct {
	found             *lucid.Tensor // 0-d bool: a gradient is not finite; nil before Unscale
	unscaled, stepped bool
	failed            bool          // Step returned an error: with other gradients, Unscale or Step begins another round
	left              []*graph.Node // the gradients that a failed Step left, unscaled
	trace             any           // the compiled function it was done in
}

// NewGradScaler returns a scaler.
func NewGradScaler(opts ...GradScalerOptions) *GradScaler {
	const op = "grad_scaler"
	if len(opts) > 1 {
		refuse(lucid.ErrValue, op, "%d options; want one", len(opts))
	}
	s := &GradScaler{rounds: map[Optimizer]*round{}}
	if len(opts) > 0 {
		s.o = opts[0]
	}
	start := door.Count(s.o.InitScale, 65536)
	s.growth, s.backoff = door.Count(s.o.GrowthFactor, 2), door.Count(s.o.BackoffFactor, 0.5)
	s.o.GrowthInterval = door.Count(s.o.GrowthInterval, 2000)
	switch {
	case !(start > 0) || math.IsInf(start, 1):
		refuse(lucid.ErrValue, op, "InitScale is %v; want a positive number", start)
	case !(s.growth > 1):
		refuse(lucid.ErrValue, op, "GrowthFactor is %v; want a number above 1", s.growth)
	case !(s.backoff > 0 && s.backoff < 1):
		refuse(lucid.ErrValue, op, "BackoffFactor is %v; want a number between 0 and 1", s.backoff)
	case s.o.GrowthInterval < 1:
		refuse(lucid.ErrValue, op, "GrowthInterval is %d; want a positive number", s.o.GrowthInterval)
	}
	s.scale = number(lucid.With{DType: lucid.Float32, Device: s.o.Device}, start)
	s.good = number(lucid.With{DType: lucid.Int64, Device: s.o.Device}, 0)
	return s
}

// Scale returns the loss times the scale: call Backward on it.
func (s *GradScaler) Scale(loss *lucid.Tensor) *lucid.Tensor {
	if s.o.Disabled {
		return loss
	}
	return loss.Mul(s.scale.To(loss.Device()))
}

// GetScale reads the scale.
func (s *GradScaler) GetScale() float64 {
	if s.o.Disabled {
		return 1
	}
	return s.scale.Item()
}

// of returns the round of an optimizer, which Unscale is the first to ask for. All of a round is done by one compiled
// function, or outside of any: what is only traced would not be noted when the function runs again.
func (s *GradScaler) of(op string, opt Optimizer, first bool) *round {
	switch opt.(type) {
	case *Accumulate:
		refuse(lucid.ErrNotImplemented, op,
			"Accumulate adds up gradients that were unscaled already; call the scaler's Step every n-th batch on the optimizer itself")
	case *LBFGS:
		refuse(lucid.ErrNotImplemented, op,
			"LBFGS evaluates its closure many times a step, which one scale does not fit; use it in float32")
	}
	trace := scope.Current().Trace
	r := s.rounds[opt]
	if r != nil && r.failed && r.trace == trace && slices.Equal(r.left, gradientNodes(opt)) { // the same step once more
		r.failed, r.stepped, r.left = false, false, nil
	}
	if r != nil && (r.failed || r.trace != nil && r.trace != trace && (first || r.stepped)) {
		r = nil // of a trace that was given up on the way, or of a step that was not taken
	}
	if r == nil {
		r = &round{trace: trace}
		s.rounds[opt] = r
	}
	if r.trace != trace {
		refuse(lucid.ErrTrace, op,
			"Unscale, Step and Update of a round are partly inside a compiled function and partly outside; put all of them inside, or none")
	}
	return r
}

// Unscale divides the gradients of an optimizer's parameters by the scale, to clip them before Step, which otherwise does it.
func (s *GradScaler) Unscale(opt Optimizer) {
	const op = "unscale"
	if s.o.Disabled {
		return
	}
	r := s.of(op, opt, true)
	if r.unscaled || r.stepped {
		refuse(lucid.ErrValue, op, "the gradients of this optimizer were unscaled already; call Update after Step")
	}
	door.Untaped(func() {
		inverse := s.scale.To(lucid.Float64).Reciprocal() // not in a half: 1/65536 is subnormal there
		var found *lucid.Tensor
		for _, g := range opt.ParamGroups() {
			for _, p := range g.Params {
				grad := p.Grad()
				if grad == nil {
					continue
				}
				if grad.DType() == lucid.Float16 {
					refuse(lucid.ErrDType, op,
						"a gradient of shape %v is float16; keep parameters in float32 and compute in float16 by Autocast", grad.Shape())
				}
				if bad := grad.IsFinite().All().LogicalNot(); found == nil {
					found = bad
				} else {
					found = lucid.LogicalOr(found, bad.To(found.Device()))
				}
				p.SetGrad(grad.Mul(inverse.To(grad.Device())))
			}
		}
		if r.found = found; found == nil { // no parameter has a gradient
			r.found = lucid.With{Device: s.scale.Device()}.Scalar(false)
		}
	})
	r.unscaled = true
}

// Step unscales the gradients, unless Unscale did, and steps the optimizer, or leaves everything as it is if a gradient is
// not finite. It panics with *lucid.Error if the evaluation cannot start.
func (s *GradScaler) Step(opt Optimizer) { must(s.TryStep(opt)) }

// TryStep is Step that returns the error.
func (s *GradScaler) TryStep(opt Optimizer) error {
	const op = "scaler_step"
	if s.o.Disabled {
		return opt.TryStep()
	}
	r := s.of(op, opt, false)
	if r.stepped {
		refuse(lucid.ErrValue, op, "this optimizer was stepped already; call Update after Step")
	}
	if !r.unscaled {
		s.Unscale(opt)
	}
	r.stepped = true
	m, masked := opt.(maskedStepper)
	if !masked && r.trace != nil {
		refuse(lucid.ErrNotImplemented, op, "a %T cannot leave out a step inside a compiled function; step it outside", opt)
	}
	var err error
	if masked {
		err = m.stepUnless(r.found)
	} else if err = lucid.Eval(r.found); err == nil && r.found.Item() == 0 {
		err = opt.TryStep()
	}
	if r.failed = err != nil; r.failed {
		r.left = gradientNodes(opt)
	}
	return err
}

// gradientNodes are the gradients of an optimizer's parameters, to find out whether they are still the same.
func gradientNodes(opt Optimizer) (list []*graph.Node) {
	for _, g := range opt.ParamGroups() {
		for _, p := range g.Params {
			var n *graph.Node
			if grad := p.Grad(); grad != nil {
				n = (*graph.Array)(grad).Peek()
			}
			list = append(list, n)
		}
	}
	return list
}

// Update moves the scale: down if a step was left out, up after GrowthInterval steps that were not.
func (s *GradScaler) Update() { must(s.TryUpdate()) }

// TryUpdate is Update that returns the error.
func (s *GradScaler) TryUpdate() error {
	const op = "scaler_update"
	if s.o.Disabled {
		return nil
	}
	trace := scope.Current().Trace
	var found *lucid.Tensor
	failed := false
	for opt, r := range s.rounds {
		if r.failed { // not a step that says something about the scale
			failed = true
			delete(s.rounds, opt)
			continue
		}
		if !r.unscaled { // refused on the way
			continue
		}
		if r.trace != trace {
			refuse(lucid.ErrTrace, op,
				"Unscale, Step and Update of a round are partly inside a compiled function and partly outside; put all of them "+
					"inside, or none")
		}
		if r.found = r.found.To(s.scale.Device()); found == nil {
			found = r.found
		} else {
			found = lucid.LogicalOr(found, r.found)
		}
		delete(s.rounds, opt)
	}
	switch {
	case found == nil && failed:
		return nil
	case found == nil:
		refuse(lucid.ErrValue, op, "no optimizer was stepped since the last Update; call Step before it")
	}
	// A batch that fails, of which the optimizer's next Step tells, leaves the scale as it is.
	var u *door.Update
	if trace == nil {
		if err := lucid.Eval(s.scale, s.good); err != nil { // stored, to have something to fall back to
			return err
		}
		u = door.BeginUpdate([]*graph.Array{(*graph.Array)(s.scale), (*graph.Array)(s.good)})
	}
	door.Untaped(func() {
		good := s.good.Add(1)
		up := good.Ge(s.o.GrowthInterval)
		grown := s.scale.Mul(s.growth)
		grown = lucid.Where(grown.IsFinite(), grown, s.scale)
		s.scale.Assign(lucid.Where(found, s.scale.Mul(s.backoff), lucid.Where(up, grown, s.scale)))
		s.good.Assign(lucid.Where(lucid.LogicalOr(found, up), 0, good))
	})
	if trace != nil {
		return nil
	}
	return u.Start(nil, func(error) {})
}

// StateDict returns the scale and the count of good steps.
func (s *GradScaler) StateDict() *lucid.StateDict {
	d := lucid.NewStateDict()
	d.Set("scale", s.scale.Clone())
	d.Set("_growth_tracker", s.good.Clone())
	return d
}

// LoadStateDict brings them back.
func (s *GradScaler) LoadStateDict(d *lucid.StateDict) error {
	for _, n := range s.named() {
		t := d.Get(n.name)
		if t == nil || t.NumElement() != 1 || d.Len() != len(s.named()) {
			return lucid.Errorf(lucid.ErrFormat, "load_state_dict",
				"the state of a scaler has %v; want scale and _growth_tracker, a number each", d.Names())
		}
	}
	for _, n := range s.named() {
		n.t.Assign(d.Get(n.name).Reshape())
	}
	return nil
}

func (s *GradScaler) named() []named { return []named{{"scale", s.scale}, {"_growth_tracker", s.good}} }

// maskedStepper is an optimizer that can leave out a step by a value that has not been read.
type maskedStepper interface {
	stepUnless(skip *lucid.Tensor) error
}

// stepUnless steps all, or none.
func (m *Multi) stepUnless(skip *lucid.Tensor) error {
	var errs []error
	for i, o := range m.list {
		k, ok := o.(maskedStepper)
		if !ok {
			refuse(lucid.ErrNotImplemented, "scaler_step", "optimizer %d, a %T, cannot leave out a step; give it a scaler of its own", i, o)
		}
		errs = append(errs, k.stepUnless(skip))
	}
	return errors.Join(errs...)
}

// snapshot holds what a step may change.
func (g *group[H]) snapshot(grads []*lucid.Tensor) (s snapshot) {
	s.add(g.clock)
	for i, q := range g.params {
		if grads[i] == nil {
			s.add(q.missed)
			continue
		}
		s.add(q.p)
		for _, x := range q.state {
			s.add(x.t)
		}
	}
	return s
}

// snapshot is what a group's tensors show before an update.
type snapshot []struct{ t, old *lucid.Tensor }

func (s *snapshot) add(ts ...*lucid.Tensor) {
	for _, t := range ts {
		*s = append(*s, struct{ t, old *lucid.Tensor }{t, t.Detach()})
	}
}

// restore writes back what was shown before if skip is true.
func (s snapshot) restore(skip *lucid.Tensor) {
	for _, x := range s {
		x.t.Assign(lucid.Where(skip.To(x.t.Device()), x.old, x.t.Detach()))
	}
}
