package optim

import (
	"errors"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
)

// Optimizer changes parameters by their gradients.
type Optimizer interface {
	// Step changes every parameter that has a gradient. It panics with *lucid.Error if the evaluation cannot start, as readers of
	// values do: lucid.Try gives the error, or TryStep.
	Step()
	// TryStep is Step that returns the error.
	TryStep() error
	// ZeroGrad clears all gradients.
	ZeroGrad()
	// ParamGroups returns the groups of parameters; each has its own learning rate.
	ParamGroups() []*Group
	// StateDict returns what training needs to go on, under PyTorch's names with dots between: state.0.exp_avg.
	StateDict() *lucid.StateDict
	// LoadStateDict brings it back.
	LoadStateDict(d *lucid.StateDict) error
}

// Group is parameters that share a learning rate and the other numbers of their optimizer.
type Group struct {
	Params    []*lucid.Tensor
	InitialLR float64 // what the group was made with

	lr, momentum         float64
	rate, momentumTensor *lucid.Tensor // the same as 0-d tensors; momentumTensor is nil for optimizers without momentum
	begin                func(v float64)
	changed              func()                                 // makes compiled steps be traced anew
	schedule             func(step *lucid.Tensor) *lucid.Tensor // nil: the rate is lr
}

// LR returns the learning rate; of a group with a schedule the one of the last step.
func (g *Group) LR() float64 {
	if g.schedule != nil {
		return g.rate.Item()
	}
	return g.lr
}

// SetSchedule makes the rate a function of the steps taken, which is a 0-d float64 tensor: 0 in the first step. It is computed in
// every step with other ops, so a compiled step needs nothing from outside. The functions of package sched are such schedules.
// Without a function the rate stays as it is and SetLR changes it again. It is called outside of compiled functions, which are then
// traced anew.
func (g *Group) SetSchedule(f func(step *lucid.Tensor) *lucid.Tensor) {
	outside("set_schedule")
	if g.changed == nil {
		refuse(lucid.ErrNotImplemented, "set_schedule", "LBFGS reads its rate as a Go number; use a schedule of package sched")
	}
	if f == nil && g.schedule != nil {
		g.lr = g.rate.Item()
	}
	g.schedule = f
	g.changed()
}

// scheduled returns the rate of a step, which follows steps taken before.
func (g *Group) scheduled(steps *lucid.Tensor) *lucid.Tensor {
	if g.schedule == nil {
		return g.rate
	}
	rate := g.schedule(steps)
	if rate == nil || rate.NumElement() != 1 || !rate.DType().IsFloat() {
		refuse(lucid.ErrValue, "set_schedule", "the schedule returns %v; want one floating number", rate)
	}
	return g.rate.Assign(rate.Reshape().To(g.rate.DType()))
}

// outside refuses to change a number from inside a compiled function, which would be done once and never again.
func outside(op string) {
	if scope.Current().Trace != nil {
		refuse(lucid.ErrNotImplemented, op,
			"a rate is changed inside a compiled function, which would happen when it is traced and not when it runs; change it outside, "+
				"or step the schedule there: a compiled step sees the new rate")
	}
}

// SetLR changes the learning rate; compiled steps see it. It is called outside of them.
func (g *Group) SetLR(lr float64) {
	outside("set_lr")
	if g.schedule != nil {
		refuse(lucid.ErrValue, "set_lr", "the rate is a schedule's; SetSchedule(nil) ends it")
	}
	g.lr = lr
	g.rate.Assign(lr)
}

// Momentum returns the momentum, or the first of the betas; ok is false for an optimizer that has neither.
func (g *Group) Momentum() (v float64, ok bool) { return g.momentum, g.momentumTensor != nil }

// SetMomentum changes the momentum, or the first of the betas, where the optimizer has it. It is called outside of
// compiled steps, which see it.
func (g *Group) SetMomentum(v float64) {
	outside("set_momentum")
	if g.momentumTensor != nil {
		if g.begin != nil && v != 0 {
			g.begin(v)
		}
		g.momentum = v
		g.momentumTensor.Assign(v)
	}
}

// named is a tensor of an optimizer's state.
type named struct {
	name string
	t    *lucid.Tensor
}

// param is a parameter with its state.
type param struct {
	p      *lucid.Tensor
	missed *lucid.Tensor // steps of the group in which it had no gradient
	state  []named
}

// group has H, the numbers of an optimizer.
type group[H any] struct {
	Group
	h           H
	clock       *lucid.Tensor   // steps taken; a parameter's own are those less the ones it missed
	stepsDiffer lucid.GuardCell // 0: no parameter missed any, so that all are of one age
	params      []param
	parts       graph.Parts // the update of all parameters, as compiled functions have it
	// given are gradients from outside, by parameter; nil: those of the parameters themselves.
	given map[*lucid.Tensor]*lucid.Tensor
}

// change is one update of a parameter: what a rule sees.
type change struct {
	p, grad *lucid.Tensor
	lr      *lucid.Tensor // 0-d float64
	beta    *lucid.Tensor // 0-d float64: momentum or the first beta; nil if there is none
	t       *lucid.Tensor // 0-d float64: number of this step, from 1
	k       []*lucid.Tensor
	state   []named
}

// s returns a tensor of the state.
func (c *change) s(i int) *lucid.Tensor { return c.state[i].t }

// atFirst returns a tensor of the state; in the first step of the parameter it is v instead. A learning rate that is
// changed before that step then holds for it.
func (c *change) atFirst(i int, v *lucid.Tensor) *lucid.Tensor {
	s := c.s(i)
	return lucid.Where(c.t.Eq(1), v.To(s.DType()), s)
}

// rule is what makes one optimizer differ from another.
type rule[H any] struct {
	name string
	// momentum returns the number that schedules may move; nil if there is none.
	momentum func(h H) float64
	// begin gives numbers that were made without momentum some, for which there is more state; nil if there is no need to.
	begin func(h *H, v float64)
	// state returns what is stored for a parameter, as it is at the start.
	state func(h H, p *lucid.Tensor, lr float64) []named
	// shared returns 0-d numbers that all parameters of the same age share.
	shared func(h H, c *change) []*lucid.Tensor
	update func(h H, c *change)
	// complexOK lets parameters be complex.
	complexOK bool
}

// engine runs a rule over groups of parameters.
type engine[H any] struct {
	rule    rule[H]
	groups  []*group[H]
	version lucid.GuardCell // moves when numbers change that a trace took for constants
	// replaced moves when another optimizer is made for some of the parameters: what a traced function holds may be that one by now.
	replaced *lucid.GuardCell
	steps    atomic.Int64               // eager steps begun
	last     atomic.Pointer[stepResult] // of the last one
}

func refuse(kind error, op, format string, args ...any) {
	panic(lucid.Errorf(kind, op, format, args...))
}

// notNegative are numbers that are 0 or more in every optimizer that has them.
var notNegative = []string{"WeightDecay", "Momentum", "Eps", "Eps1", "Eps2", "LRDecay", "InitialAccumulatorValue", "Alpha", "Lambd",
	"MomentumDecay", "ToleranceGrad", "ToleranceChange"}

// needNumbers refuses a learning rate that was not given, and numbers below 0 in the options.
func needNumbers(op string, options any, lr, usual float64) {
	if !(lr > 0) {
		refuse(lucid.ErrValue, op, "LR is %v; want a positive number, such as %v", lr, usual)
	}
	o := reflect.ValueOf(options)
	for _, name := range notNegative {
		f := o.FieldByName(name)
		if f.IsValid() && f.Kind() == reflect.Pointer {
			f = f.Elem() // not valid for nil
		}
		if f.IsValid() && !(f.Float() >= 0) {
			refuse(lucid.ErrValue, op, "%s is %v; want a number from 0", name, f.Float())
		}
	}
}

// within refuses a number outside of an interval.
func within(op, name string, v, low, high float64) {
	if !(v >= low && v <= high) {
		refuse(lucid.ErrValue, op, "%s is %v; want a number from %v to %v", name, v, low, high)
	}
}

func (e *engine[H]) init(r rule[H], params []*lucid.Tensor, lr float64, h H) {
	e.rule = r
	e.version.SetReason("the numbers of an optimizer changed")
	e.replaced = new(lucid.GuardCell)
	e.replaced.SetReason("another optimizer was made for parameters of this one")
	e.add(params, lr, h)
}

// add makes a group of parameters.
func (e *engine[H]) add(params []*lucid.Tensor, lr float64, h H) {
	op := e.rule.name
	if len(params) == 0 {
		refuse(lucid.ErrValue, op, "there are no parameters; give nn.Parameters(m) of a module that has some, in exported fields")
	}
	known := map[*lucid.Tensor]bool{}
	for _, g := range e.groups {
		for _, p := range g.Params {
			known[p] = true
		}
	}
	for i, p := range params {
		if p == nil || known[p] {
			refuse(lucid.ErrValue, op, "parameter %d is nil or there twice", i)
		}
		known[p] = true
		if !p.IsLeaf() {
			refuse(lucid.ErrGradient, op, "parameter %d of shape %v was computed from others; want leaves", i, p.Shape())
		}
		if d := p.DType(); !d.IsFloat() && !(e.rule.complexOK && d.IsComplex()) {
			refuse(lucid.ErrDType, op, "parameter %d is %v; want a floating dtype", i, d)
		}
	}
	w := lucid.With{DType: lucid.Float64, Device: params[0].Device()}
	g := &group[H]{h: h, clock: number(w, 0)}
	g.stepsDiffer.SetReason("parameters stopped being updated together")
	g.Group = Group{Params: append([]*lucid.Tensor(nil), params...), InitialLR: lr, lr: lr, rate: number(w, lr)}
	g.changed = func() { e.version.Store(e.version.Load() + 1) }
	if e.rule.momentum != nil {
		g.momentum = e.rule.momentum(h)
		g.momentumTensor = number(w, g.momentum)
		if e.rule.begin != nil && g.momentum == 0 {
			g.begin = func(v float64) { e.begin(g, v) }
		}
	}
	for _, p := range params {
		q := param{p: p, missed: number(w, 0)}
		if e.rule.state != nil {
			q.state = e.rule.state(h, p, lr)
		}
		g.params = append(g.params, q)
		e.claim(p)
	}
	e.groups = append(e.groups, g)
	e.version.Store(e.version.Load() + 1)
}

// claim tells the optimizer that had a parameter before. Its slot holds the cell, not the optimizer.
func (e *engine[H]) claim(p *lucid.Tensor) {
	n := (*graph.Array)(p).Raw()
	if n == nil || n.OwnSlot() == nil {
		return
	}
	if before, ok := n.OwnSlot().SwapUser(e.replaced).(*lucid.GuardCell); ok && before != e.replaced {
		before.Store(before.Load() + 1)
	}
}

// changeable is read by all that a compiled function may do with the optimizer.
func (e *engine[H]) changeable() {
	e.version.Load()
	e.replaced.Load()
}

// begin makes the state that a group made without momentum lacks, and leaves the rest as it is.
func (e *engine[H]) begin(g *group[H], v float64) {
	g.begin = nil
	e.rule.begin(&g.h, v)
	for i := range g.params {
		q := &g.params[i]
		state := e.rule.state(g.h, q.p, g.lr)
		for k, s := range state {
			if at := slices.IndexFunc(q.state, func(o named) bool { return o.name == s.name }); at >= 0 {
				state[k] = q.state[at]
			}
		}
		q.state = state
	}
	e.version.Store(e.version.Load() + 1)
}

// number returns a 0-d tensor that shows v and can be assigned to.
func number(w lucid.With, v float64) *lucid.Tensor { return w.Full([]int{}, v) }

// zeros returns state shaped like a parameter.
func zeros(p *lucid.Tensor) *lucid.Tensor { return lucid.ZerosLike(p) }

// full returns state shaped like a parameter that starts with another number, one in memory for each element: a compiled
// step can write over it from the first call.
func full(p *lucid.Tensor, v float64) *lucid.Tensor {
	return lucid.FullLike(p.Detach(), v).Contiguous()
}

// scalarLike returns a 0-d float64 of a parameter's device.
func scalarLike(p *lucid.Tensor, v float64) *lucid.Tensor {
	return number(lucid.With{DType: lucid.Float64, Device: p.Device()}, v)
}

// ParamGroups returns the groups of parameters.
func (e *engine[H]) ParamGroups() []*Group {
	out := make([]*Group, len(e.groups))
	for i, g := range e.groups {
		out[i] = &g.Group
	}
	return out
}

// ZeroGrad clears the gradients of all parameters.
func (e *engine[H]) ZeroGrad() {
	e.changeable() // there may be more parameters at the next call
	for _, g := range e.groups {
		for _, p := range g.Params {
			p.ZeroGrad()
		}
	}
}

// Step changes every parameter that has a gradient. It panics with *lucid.Error if the evaluation cannot start.
func (e *engine[H]) Step() { must(e.TryStep()) }

// TryStep is Step that returns the error.
func (e *engine[H]) TryStep() error { return e.stepUnless(nil) }

// must panics with an error, as a *lucid.Error.
func must(err error) {
	if err == nil {
		return
	}
	var e *lucid.Error
	if !errors.As(err, &e) {
		e = lucid.Errorf(lucid.ErrValue, "step", "%v", err)
	}
	panic(e)
}

// stepUnless is Step, which changes nothing if skip, a 0-d bool, is true when it is computed; nil means false.
func (e *engine[H]) stepUnless(skip *lucid.Tensor) error {
	e.changeable()
	if inTrace(e.groups[0].Params[0]) {
		door.Untaped(func() { e.apply(nil, skip) })
		return nil
	}
	last := e.last.Load()
	if err := last.failure(); err != nil && e.last.CompareAndSwap(last, nil) { // it is told once
		return err
	}
	u, err := e.beginUpdate()
	if err != nil {
		return err
	}
	// What updates make on the way is given back before the evaluation, which can then write new state over old.
	b := batch{update: u}
	lucid.Scope(func() []*lucid.Tensor {
		door.Untaped(func() { e.apply(&b, skip) })
		return append(b.losses, b.grads...)
	})
	now := &stepResult{number: e.steps.Add(1), done: make(chan struct{})}
	e.last.Store(now)
	return b.start(now)
}

// inTrace reports whether the code runs inside a compiled function.
func inTrace(p *lucid.Tensor) bool {
	t := (*graph.Array)(p).Peek().Trace()
	return t != nil
}

// apply updates all groups; b, if given, collects what there is to evaluate.
func (e *engine[H]) apply(b *batch, skip *lucid.Tensor) {
	for _, g := range e.groups {
		grads := g.gradients()
		if grads == nil {
			continue
		}
		var s snapshot
		if skip != nil {
			s = g.snapshot(grads)
		}
		g.apply(&e.rule, grads, b)
		s.restore(skip)
	}
}

// gradOf is the gradient of a parameter, nil if there is none.
func (g *group[H]) gradOf(p *lucid.Tensor) *lucid.Tensor {
	if g.given != nil {
		return g.given[p]
	}
	return gradOf(p)
}

// gradients returns the gradient of each parameter, nil if none has any. From the first time that some are missing on,
// each parameter has an age of its own. A trace may note that and then not run: what is counted is tensors, so nothing is lost.
func (g *group[H]) gradients() []*lucid.Tensor {
	grads := make([]*lucid.Tensor, len(g.params))
	have := 0
	for i, q := range g.params {
		if grads[i] = g.gradOf(q.p); grads[i] != nil {
			have++
		}
	}
	if have == 0 {
		return nil
	}
	if have < len(g.params) {
		g.stepsDiffer.Store(1) // before anybody asks: the trace that finds it out holds at the next call too
	}
	return grads
}

// age returns how many steps a parameter took.
func (g *group[H]) age(q *param) *lucid.Tensor { return g.clock.Sub(q.missed) }

// apply updates the group. Inside a compiled function that is recorded once, however often the function is traced: it does not depend on
// the sizes of the data. What a schedule does is not known.
func (g *group[H]) apply(r *rule[H], grads []*lucid.Tensor, b *batch) {
	together := g.stepsDiffer.Load() == 0
	if b != nil || g.schedule != nil {
		g.update(r, grads, b, together)
		return
	}
	g.parts.Record(func() (any, []*graph.Array) { return g.recorded(grads, together) }, func() { g.update(r, grads, b, together) })
}

// recordedKey is what an update depends on besides the tensors.
type recordedKey[H any] struct {
	h       H
	ages    string // parameters without a gradient, if they are of different ages
	float   lucid.DType
	members int
}

// recorded returns that, and the tensors that the update reads and assigns.
func (g *group[H]) recorded(grads []*lucid.Tensor, together bool) (any, []*graph.Array) {
	k := recordedKey[H]{h: g.h, float: lucid.DefaultDType(), members: len(g.params)}
	tensors := make([]*graph.Array, 0, 3+len(g.params)*5)
	add := func(t *lucid.Tensor) { tensors = append(tensors, (*graph.Array)(t)) }
	add(g.clock)
	add(g.rate)
	if g.momentumTensor != nil {
		add(g.momentumTensor)
	}
	var ages []byte
	for i := range g.params {
		q := &g.params[i]
		if !together {
			add(q.missed)
			if ages = append(ages, 'y'); grads[i] == nil {
				ages[i] = 'n'
				continue
			}
		}
		add(q.p)
		add(grads[i])
		for _, s := range q.state {
			add(s.t)
		}
	}
	k.ages = string(ages)
	return k, tensors
}

func (g *group[H]) update(r *rule[H], grads []*lucid.Tensor, b *batch, together bool) {
	c := change{lr: g.scheduled(g.clock), beta: g.momentumTensor, t: g.clock}
	g.clock.Add_(1)
	if together && r.shared != nil {
		c.k = r.shared(g.h, &c)
	}
	for i := range g.params {
		q := &g.params[i]
		if grads[i] == nil {
			q.missed.Add_(1)
			continue
		}
		if !together {
			if c.t = g.age(q); r.shared != nil {
				c.k = r.shared(g.h, &c)
			}
		}
		c.p, c.grad, c.state = q.p, grads[i], q.state
		r.update(g.h, &c)
		if b != nil {
			b.add(q, grads[i])
		}
	}
}
