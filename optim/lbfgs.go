package optim

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// LBFGSOptions are the numbers of LBFGS; LR is required.
type LBFGSOptions struct {
	LR              float64  // learning rate, required
	MaxIter         int      // iterations of one step; 0: 20
	MaxEval         int      // calls of the function in one step; 0: MaxIter·5/4
	ToleranceGrad   *float64 // nil: 1e-7
	ToleranceChange *float64 // nil: 1e-9
	HistorySize     int      // steps that are remembered; 0: 100
	LineSearchFn    string   // "" for none, or "strong_wolfe"
	Maximize        bool     // go up the gradient
}

// LBFGS is the quasi-Newton method with limited memory. It calls the function several times a step, so it is stepped
// by StepClosure, and not inside compiled functions; the function it calls may be compiled.
type LBFGS struct {
	group Group
	o     LBFGSOptions
	s     lbfgsState
}

// lbfgsState is what is stored from step to step. Vectors are all parameters in a row.
type lbfgsState struct {
	iter, evals int
	d, grad     *lucid.Tensor // last direction and the gradient before it
	t, scale    float64       // last step length, scale of the first Hessian
	loss        float64
	dirs, steps []*lucid.Tensor
	ro          []float64
}

// NewLBFGS returns it for the parameters.
func NewLBFGS(params []*lucid.Tensor, o LBFGSOptions) *LBFGS {
	needNumbers("lbfgs", o, o.LR, 1)
	if o.LineSearchFn != "" && o.LineSearchFn != "strong_wolfe" {
		refuse(lucid.ErrValue, "lbfgs", "LineSearchFn is %q; want strong_wolfe or nothing", o.LineSearchFn)
	}
	if len(params) == 0 {
		refuse(lucid.ErrValue, "lbfgs", "there are no parameters")
	}
	for i, p := range params {
		if !p.DType().IsFloat() || !p.IsLeaf() {
			refuse(lucid.ErrDType, "lbfgs", "parameter %d is %v; want floating leaves", i, p.DType())
		}
	}
	l := &LBFGS{o: o}
	l.group = Group{Params: append([]*lucid.Tensor(nil), params...), InitialLR: o.LR, lr: o.LR, rate: scalarLike(params[0], o.LR)}
	return l
}

// ParamGroups returns the one group.
func (l *LBFGS) ParamGroups() []*Group { return []*Group{&l.group} }

// ZeroGrad clears the gradients of all parameters.
func (l *LBFGS) ZeroGrad() {
	for _, p := range l.group.Params {
		p.ZeroGrad()
	}
}

// Step is refused: the method needs the function; see StepClosure.
func (l *LBFGS) Step() { must(l.TryStep()) }

// TryStep is refused, as Step is.
func (l *LBFGS) TryStep() error {
	return lucid.Errorf(lucid.ErrValue, "lbfgs", "a step calls the function several times; use StepClosure")
}

// flat returns tensors in a row.
func flat(ts []*lucid.Tensor) *lucid.Tensor {
	rows := make([]*lucid.Tensor, len(ts))
	for i, t := range ts {
		rows[i] = t.Reshape(-1)
	}
	return lucid.Cat(rows, 0)
}

func (l *LBFGS) gradient() *lucid.Tensor {
	gs := make([]*lucid.Tensor, len(l.group.Params))
	for i, p := range l.group.Params {
		if gs[i] = p.Grad(); gs[i] == nil {
			gs[i] = zeros(p)
		}
	}
	g := flat(gs).Detach()
	if l.o.Maximize {
		g = g.Neg()
	}
	return g.Eval()
}

// move adds a part of a direction to the parameters.
func (l *LBFGS) move(t float64, d *lucid.Tensor) {
	at := 0
	for _, p := range l.group.Params {
		n := p.NumElement()
		p.Add_(d.At(lucid.Range{Start: at, Stop: at + n}).Reshape(p.Shape()...).Mul(t))
		at += n
	}
}

func dot(x, y *lucid.Tensor) float64  { return x.Mul(y).Sum().Item() }
func largest(x *lucid.Tensor) float64 { return x.Abs().Max().Item() }

// StepClosure makes one step. closure clears the gradients, computes the loss, calls Backward and returns the loss.
// It returns the loss of the first call.
func (l *LBFGS) StepClosure(closure func() *lucid.Tensor) (first *lucid.Tensor, err error) {
	if inTrace(l.group.Params[0]) {
		return nil, lucid.Errorf(lucid.ErrNotImplemented, "lbfgs",
			"a step reads losses and slopes on its way, which a compiled function cannot; compile the closure")
	}
	err = lucid.Try(func() { door.Untaped(func() { first = l.step(closure) }) })
	return first, err
}

func (l *LBFGS) step(closure func() *lucid.Tensor) *lucid.Tensor {
	var got *lucid.Tensor
	call := func() (float64, *lucid.Tensor) {
		lucid.EnableGrad(func() { got = closure() })
		f := got.Item()
		if l.o.Maximize {
			f = -f
		}
		return f, l.gradient()
	}
	maxIter := door.Count(l.o.MaxIter, 20)
	maxEval := door.Count(l.o.MaxEval, maxIter*5/4)
	tolGrad, tolChange := door.Or(l.o.ToleranceGrad, 1e-7), door.Or(l.o.ToleranceChange, 1e-9)
	s := &l.s
	loss, g := call()
	first := got
	evals := 1
	s.evals++
	if largest(g) <= tolGrad {
		return first
	}
	for n := 1; n <= maxIter; n++ {
		s.iter++
		l.direct(g)
		s.grad, s.loss = g, loss
		s.t = l.group.lr
		if s.iter == 1 {
			s.t *= math.Min(1, 1/g.Abs().Sum().Item())
		}
		slope := dot(g, s.d)
		if slope > -tolChange {
			break
		}
		calls := 0
		if l.o.LineSearchFn != "" {
			x := make([]*lucid.Tensor, len(l.group.Params))
			for i, p := range l.group.Params {
				x[i] = p.Detach()
			}
			at := func(t float64) (float64, *lucid.Tensor) {
				l.move(t, s.d)
				f, g := call()
				for i, p := range l.group.Params {
					p.Assign(x[i])
				}
				return f, g
			}
			w := wolfe{at: at, d: s.d, f: loss, g: g, slope: slope, width: largest(s.d), tol: tolChange, most: maxEval - evals}
			loss, g, s.t, calls = w.search(s.t)
			l.move(s.t, s.d)
		} else {
			l.move(s.t, s.d)
			if n != maxIter {
				loss, g = call()
				calls = 1
			}
		}
		evals += calls
		s.evals += calls
		if n == maxIter || evals >= maxEval || largest(g) <= tolGrad || largest(s.d)*s.t <= tolChange || math.Abs(loss-s.loss) < tolChange {
			break
		}
	}
	return first
}

// direct sets the direction: minus the gradient, through what the last steps tell about the Hessian.
func (l *LBFGS) direct(g *lucid.Tensor) {
	s := &l.s
	if s.iter == 1 {
		s.d, s.scale, s.dirs, s.steps, s.ro = g.Neg().Eval(), 1, nil, nil, nil
		return
	}
	y, step := g.Sub(s.grad).Eval(), s.d.Mul(s.t).Eval()
	if ys := dot(y, step); ys > 1e-10 {
		if len(s.dirs) == door.Count(l.o.HistorySize, 100) {
			s.dirs, s.steps, s.ro = s.dirs[1:], s.steps[1:], s.ro[1:]
		}
		s.dirs, s.steps, s.ro = append(s.dirs, y), append(s.steps, step), append(s.ro, 1/ys)
		s.scale = ys / dot(y, y)
	}
	al := make([]float64, len(s.dirs))
	q := g.Neg()
	for i := len(s.dirs) - 1; i >= 0; i-- {
		al[i] = dot(s.steps[i], q) * s.ro[i]
		q = q.Sub(s.dirs[i].Mul(al[i]))
	}
	r := q.Mul(s.scale)
	for i := range s.dirs {
		be := dot(s.dirs[i], r) * s.ro[i]
		r = r.Add(s.steps[i].Mul(al[i] - be))
	}
	s.d = r.Eval()
}

// StateDict returns what a run needs to go on.
func (l *LBFGS) StateDict() *lucid.StateDict {
	d, s := lucid.NewStateDict(), &l.s
	w := lucid.With{DType: lucid.Float64}
	set := func(name string, v float64) { d.Set(name, number(w, v)) }
	set("state.0.n_iter", float64(s.iter))
	set("state.0.func_evals", float64(s.evals))
	set("state.0.t", s.t)
	set("state.0.H_diag", s.scale)
	set("state.0.prev_loss", s.loss)
	if s.d != nil {
		d.Set("state.0.d", s.d.Detach())
		d.Set("state.0.prev_flat_grad", s.grad.Detach())
	}
	for i := range s.dirs {
		d.Set(fmt.Sprintf("state.0.old_dirs.%d", i), s.dirs[i].Detach())
		d.Set(fmt.Sprintf("state.0.old_stps.%d", i), s.steps[i].Detach())
		set(fmt.Sprintf("state.0.ro.%d", i), s.ro[i])
	}
	set("param_groups.0.lr", l.group.lr)
	set("param_groups.0.initial_lr", l.group.InitialLR)
	return d
}

// LoadStateDict brings it back.
func (l *LBFGS) LoadStateDict(d *lucid.StateDict) error {
	return lucid.Try(func() {
		get := func(name string) *lucid.Tensor {
			t := d.Get(name)
			if t == nil {
				refuse(lucid.ErrFormat, "load_state_dict", "lbfgs: the state has no %s", name)
			}
			return t
		}
		num := func(name string) float64 { return get(name).Item() }
		s := lbfgsState{iter: int(num("state.0.n_iter")), evals: int(num("state.0.func_evals")), t: num("state.0.t"),
			scale: num("state.0.H_diag"), loss: num("state.0.prev_loss")}
		if s.iter > 0 {
			s.d, s.grad = get("state.0.d"), get("state.0.prev_flat_grad")
		}
		for i := 0; d.Has(fmt.Sprintf("state.0.ro.%d", i)); i++ {
			s.dirs, s.steps = append(s.dirs, get(fmt.Sprintf("state.0.old_dirs.%d", i))),
				append(s.steps, get(fmt.Sprintf("state.0.old_stps.%d", i)))
			s.ro = append(s.ro, num(fmt.Sprintf("state.0.ro.%d", i)))
		}
		lr, initial := num("param_groups.0.lr"), num("param_groups.0.initial_lr")
		l.s = s
		l.group.InitialLR = initial
		l.group.SetLR(lr)
	})
}

// ClosureStepper is an optimizer that calls the function itself.
type ClosureStepper interface {
	Optimizer
	StepClosure(closure func() *lucid.Tensor) (*lucid.Tensor, error)
}

// StepClosure makes a step of any optimizer: closure clears the gradients, computes the loss, calls Backward and
// returns the loss.
func StepClosure(opt Optimizer, closure func() *lucid.Tensor) (*lucid.Tensor, error) {
	if c, ok := opt.(ClosureStepper); ok {
		return c.StepClosure(closure)
	}
	var loss *lucid.Tensor
	if err := lucid.Try(func() { lucid.EnableGrad(func() { loss = closure() }) }); err != nil {
		return nil, err
	}
	return loss, opt.TryStep()
}
