package optim

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// RMSpropOptions are the numbers of RMSprop; LR is required.
type RMSpropOptions struct {
	LR          float64  // learning rate, required
	Alpha       *float64 // nil: 0.99
	Eps         *float64 // nil: 1e-8
	WeightDecay float64  // share of the parameter that is added to its gradient
	Momentum    float64  // share of the last step that is made again
	Centered    bool     // divide by the standard deviation, not the root mean square
	Maximize    bool     // go up the gradient
}

type rmsprop struct {
	Alpha, Eps, WeightDecay, Momentum float64
	Centered, Maximize                bool
}

// RMSprop divides the gradient by the root of its running mean square (Hinton).
type RMSprop struct{ engine[rmsprop] }

// NewRMSprop returns it for the parameters.
func NewRMSprop(params []*lucid.Tensor, o RMSpropOptions) *RMSprop {
	r := &RMSprop{}
	r.init(rmspropRule(), params, o.LR, o.numbers())
	return r
}

// AddParamGroup adds parameters with numbers of their own.
func (r *RMSprop) AddParamGroup(params []*lucid.Tensor, o RMSpropOptions) {
	r.add(params, o.LR, o.numbers())
}

func (o RMSpropOptions) numbers() rmsprop {
	needNumbers("rmsprop", o, o.LR, 0.01)
	return rmsprop{door.Or(o.Alpha, 0.99), door.Or(o.Eps, 1e-8), o.WeightDecay, o.Momentum, o.Centered, o.Maximize}
}

func rmspropRule() rule[rmsprop] {
	return rule[rmsprop]{name: "rmsprop",
		momentum: func(h rmsprop) float64 { return h.Momentum },
		begin:    func(h *rmsprop, v float64) { h.Momentum = v },
		state: func(h rmsprop, p *lucid.Tensor, _ float64) []named {
			s := []named{{"square_avg", zeros(p)}}
			if h.Momentum > 0 {
				s = append(s, named{"momentum_buffer", zeros(p)})
			}
			if h.Centered {
				s = append(s, named{"grad_avg", zeros(p)})
			}
			return s
		},
		update: func(h rmsprop, c *change) {
			g := decayed(c, h.Maximize, h.WeightDecay)
			avg := meanSquare(c.s(0), g, h.Alpha)
			if h.Centered {
				mean := lerp(c.s(len(c.state)-1), g, 1-h.Alpha)
				avg = avg.Sub(mean.Mul(mean))
			}
			avg = avg.Sqrt().Add(h.Eps)
			if h.Momentum > 0 {
				buf := c.s(1).Assign(c.s(1).Mul(c.beta).Add(g.Div(avg)))
				c.p.Sub_(buf.Mul(c.lr))
				return
			}
			c.p.Sub_(g.Mul(c.lr).Div(avg))
		}}
}

// AdagradOptions are the numbers of Adagrad; LR is required.
type AdagradOptions struct {
	LR                      float64  // learning rate, required
	LRDecay                 float64  // how fast the rate falls
	WeightDecay             float64  // share of the parameter that is added to its gradient
	InitialAccumulatorValue float64  // sum of squares at the start
	Eps                     *float64 // nil: 1e-10
	Maximize                bool     // go up the gradient
}

type adagrad struct {
	LRDecay, WeightDecay, InitialAccumulatorValue, Eps float64
	Maximize                                           bool
}

// Adagrad divides the gradient by the root of the sum of all its squares (Duchi et al.).
type Adagrad struct{ engine[adagrad] }

// NewAdagrad returns it for the parameters.
func NewAdagrad(params []*lucid.Tensor, o AdagradOptions) *Adagrad {
	a := &Adagrad{}
	a.init(adagradRule(), params, o.LR, o.numbers())
	return a
}

// AddParamGroup adds parameters with numbers of their own.
func (a *Adagrad) AddParamGroup(params []*lucid.Tensor, o AdagradOptions) {
	a.add(params, o.LR, o.numbers())
}

func (o AdagradOptions) numbers() adagrad {
	needNumbers("adagrad", o, o.LR, 0.01)
	return adagrad{o.LRDecay, o.WeightDecay, o.InitialAccumulatorValue, door.Or(o.Eps, 1e-10), o.Maximize}
}

func adagradRule() rule[adagrad] {
	return rule[adagrad]{name: "adagrad",
		state: func(h adagrad, p *lucid.Tensor, _ float64) []named {
			return []named{{"sum", full(p, h.InitialAccumulatorValue)}}
		},
		shared: func(h adagrad, c *change) []*lucid.Tensor {
			return []*lucid.Tensor{c.lr.Div(c.t.Sub(1).Mul(h.LRDecay).Add(1))}
		},
		update: func(h adagrad, c *change) {
			g := decayed(c, h.Maximize, h.WeightDecay)
			sum := c.s(0).Add_(g.Mul(g))
			c.p.Sub_(g.Mul(c.k[0]).Div(sum.Sqrt().Add(h.Eps)))
		}}
}

// AdadeltaOptions are the numbers of Adadelta; LR is required.
type AdadeltaOptions struct {
	LR          float64  // learning rate, required
	Rho         *float64 // nil: 0.9
	Eps         *float64 // nil: 1e-6
	WeightDecay float64  // share of the parameter that is added to its gradient
	Maximize    bool     // go up the gradient
}

type adadelta struct {
	Rho, Eps, WeightDecay float64
	Maximize              bool
}

// Adadelta scales the gradient by the ratio of the running sizes of steps and gradients (Zeiler).
type Adadelta struct{ engine[adadelta] }

// NewAdadelta returns it for the parameters.
func NewAdadelta(params []*lucid.Tensor, o AdadeltaOptions) *Adadelta {
	a := &Adadelta{}
	a.init(adadeltaRule(), params, o.LR, o.numbers())
	return a
}

// AddParamGroup adds parameters with numbers of their own.
func (a *Adadelta) AddParamGroup(params []*lucid.Tensor, o AdadeltaOptions) {
	a.add(params, o.LR, o.numbers())
}

func (o AdadeltaOptions) numbers() adadelta {
	needNumbers("adadelta", o, o.LR, 1)
	within("adadelta", "rho", door.Or(o.Rho, 0.9), 0, 1)
	return adadelta{door.Or(o.Rho, 0.9), door.Or(o.Eps, 1e-6), o.WeightDecay, o.Maximize}
}

func adadeltaRule() rule[adadelta] {
	return rule[adadelta]{name: "adadelta",
		state: func(_ adadelta, p *lucid.Tensor, _ float64) []named {
			return []named{{"square_avg", zeros(p)}, {"acc_delta", zeros(p)}}
		},
		update: func(h adadelta, c *change) {
			g := decayed(c, h.Maximize, h.WeightDecay)
			std := meanSquare(c.s(0), g, h.Rho).Add(h.Eps).Sqrt()
			delta := c.s(1).Add(h.Eps).Sqrt().Div(std).Mul(g)
			meanSquare(c.s(1), delta, h.Rho)
			c.p.Sub_(delta.Mul(c.lr))
		}}
}

// RpropOptions are the numbers of Rprop; LR, the size of the first step, is required.
type RpropOptions struct {
	LR        float64     // learning rate, required
	Etas      *[2]float64 // factors for a step that was too long and too short; nil: 0.5, 1.2
	StepSizes *[2]float64 // shortest and longest step; nil: 1e-6, 50
	Maximize  bool        // go up the gradient
}

type rprop struct {
	Less, More, Shortest, Longest float64
	Maximize                      bool
}

// Rprop goes by the sign of the gradient alone, with steps that grow while it stays (Riedmiller and Braun).
type Rprop struct{ engine[rprop] }

// NewRprop returns it for the parameters.
func NewRprop(params []*lucid.Tensor, o RpropOptions) *Rprop {
	r := &Rprop{}
	r.init(rpropRule(), params, o.LR, o.numbers())
	return r
}

// AddParamGroup adds parameters with numbers of their own.
func (r *Rprop) AddParamGroup(params []*lucid.Tensor, o RpropOptions) {
	r.add(params, o.LR, o.numbers())
}

func (o RpropOptions) numbers() rprop {
	needNumbers("rprop", o, o.LR, 0.01)
	e, s := door.Or(o.Etas, [2]float64{0.5, 1.2}), door.Or(o.StepSizes, [2]float64{1e-6, 50})
	if !(0 < e[0] && e[0] < 1 && 1 < e[1]) {
		refuse(lucid.ErrValue, "rprop", "etas are %v; want one below 1 and one above", e)
	}
	return rprop{e[0], e[1], s[0], s[1], o.Maximize}
}

func rpropRule() rule[rprop] {
	return rule[rprop]{name: "rprop",
		state: func(_ rprop, p *lucid.Tensor, lr float64) []named {
			return []named{{"prev", zeros(p)}, {"step_size", full(p, lr)}}
		},
		update: func(h rprop, c *change) {
			g := decayed(c, h.Maximize, 0)
			agree := g.Mul(c.s(0))
			factor := lucid.Where(agree.Gt(0), h.More, lucid.Where(agree.Lt(0), h.Less, lucid.OnesLike(agree)))
			size := c.s(1).Assign(c.atFirst(1, c.lr).Mul(factor).Clamp(h.Shortest, h.Longest))
			g = lucid.Where(agree.Lt(0), 0, g)
			c.p.Sub_(g.Sign().Mul(size))
			c.s(0).Assign(g)
		}}
}
