package optim

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// AdamaxOptions are the numbers of Adamax; LR is required.
type AdamaxOptions struct {
	LR          float64     // learning rate, required
	Betas       *[2]float64 // nil: 0.9, 0.999
	Eps         *float64    // nil: 1e-8
	WeightDecay float64     // share of the parameter that is added to its gradient
	Maximize    bool        // go up the gradient
}

// Adamax is Adam with the largest gradient in place of the mean square (Kingma and Ba).
type Adamax struct{ engine[adam] }

// NewAdamax returns it for the parameters.
func NewAdamax(params []*lucid.Tensor, o AdamaxOptions) *Adamax {
	a := &Adamax{}
	a.init(adamaxRule(), params, o.LR, o.numbers())
	return a
}

// AddParamGroup adds parameters with numbers of their own.
func (a *Adamax) AddParamGroup(params []*lucid.Tensor, o AdamaxOptions) {
	a.add(params, o.LR, o.numbers())
}

func (o AdamaxOptions) numbers() adam {
	needNumbers("adamax", o, o.LR, 0.002)
	b := betas("adamax", o.Betas, 0.9, 0.999)
	return adam{b[0], b[1], door.Or(o.Eps, 1e-8), o.WeightDecay, false, o.Maximize, false, false}
}

func adamaxRule() rule[adam] {
	return rule[adam]{name: "adamax",
		momentum: func(h adam) float64 { return h.Beta1 },
		state: func(_ adam, p *lucid.Tensor, _ float64) []named {
			return []named{{"exp_avg", zeros(p)}, {"exp_inf", zeros(p)}}
		},
		shared: func(_ adam, c *change) []*lucid.Tensor {
			return []*lucid.Tensor{c.lr.Div(bias(c.beta, c.t)), c.beta.Rsub(1)}
		},
		update: func(h adam, c *change) {
			g := decayed(c, h.Maximize, h.WeightDecay)
			m := lerp(c.s(0), g, c.k[1])
			inf := c.s(1).Assign(c.s(1).Mul(h.Beta2).Maximum(g.Abs().Add(h.Eps)))
			c.p.Sub_(m.Mul(c.k[0]).Div(inf))
		}}
}

// RAdamOptions are the numbers of RAdam; LR is required.
type RAdamOptions struct {
	LR                   float64     // learning rate, required
	Betas                *[2]float64 // nil: 0.9, 0.999
	Eps                  *float64    // nil: 1e-8
	WeightDecay          float64     // share of the parameter that is added to its gradient
	DecoupledWeightDecay bool        // apply it to the parameters, as AdamW does
	Maximize             bool        // go up the gradient
}

// RAdam is Adam that uses the mean square only once it knows it well enough (Liu et al.).
type RAdam struct{ engine[adam] }

// NewRAdam returns it for the parameters.
func NewRAdam(params []*lucid.Tensor, o RAdamOptions) *RAdam {
	a := &RAdam{}
	a.init(radamRule(), params, o.LR, o.numbers())
	return a
}

// AddParamGroup adds parameters with numbers of their own.
func (a *RAdam) AddParamGroup(params []*lucid.Tensor, o RAdamOptions) {
	a.add(params, o.LR, o.numbers())
}

func (o RAdamOptions) numbers() adam {
	needNumbers("radam", o, o.LR, 0.001)
	b := betas("radam", o.Betas, 0.9, 0.999)
	return adam{b[0], b[1], door.Or(o.Eps, 1e-8), o.WeightDecay, false, o.Maximize, o.DecoupledWeightDecay, false}
}

func radamRule() rule[adam] {
	return rule[adam]{name: "radam",
		momentum: func(h adam) float64 { return h.Beta1 },
		state: func(_ adam, p *lucid.Tensor, _ float64) []named {
			return []named{{"exp_avg", zeros(p)}, {"exp_avg_sq", zeros(p)}}
		},
		shared: func(h adam, c *change) []*lucid.Tensor {
			bc2 := bias(h.Beta2, c.t)
			most := 2/(1-h.Beta2) - 1 // length of the mean square's memory, at the end
			rho := c.t.Mul(2).Mul(lucid.Pow(h.Beta2, c.t)).Div(bc2).Rsub(most)
			known := rho.Gt(5)
			rect := rho.Sub(4).Mul(rho.Sub(2)).Mul(most).Div(rho.Mul((most - 4) * (most - 2)))
			rect = lucid.Where(known, rect, 1).Sqrt()
			return []*lucid.Tensor{c.lr.Div(bias(c.beta, c.t)), c.beta.Rsub(1), known, rect.Mul(bc2.Sqrt()),
				c.lr.Mul(h.WeightDecay).Rsub(1)}
		},
		update: func(h adam, c *change) {
			decay := h.WeightDecay
			if h.DecoupledWeightDecay && decay != 0 {
				c.p.Mul_(c.k[4])
				decay = 0
			}
			g := decayed(c, h.Maximize, decay)
			m := lerp(c.s(0), g, c.k[1])
			v := meanSquare(c.s(1), g, h.Beta2)
			scale := lucid.Where(c.k[2], v.Sqrt().Add(h.Eps).Reciprocal().Mul(c.k[3]), 1)
			c.p.Sub_(m.Mul(c.k[0]).Mul(scale))
		}}
}

// NAdamOptions are the numbers of NAdam; LR is required.
type NAdamOptions struct {
	LR                   float64     // learning rate, required
	Betas                *[2]float64 // nil: 0.9, 0.999
	Eps                  *float64    // nil: 1e-8
	WeightDecay          float64     // share of the parameter that is added to its gradient
	MomentumDecay        *float64    // nil: 0.004
	DecoupledWeightDecay bool        // apply it to the parameters, as AdamW does
	Maximize             bool        // go up the gradient
}

type nadam struct {
	Beta1, Beta2, Eps, WeightDecay, MomentumDecay float64
	Maximize, DecoupledWeightDecay                bool
}

// NAdam is Adam with Nesterov's momentum (Dozat).
type NAdam struct{ engine[nadam] }

// NewNAdam returns it for the parameters.
func NewNAdam(params []*lucid.Tensor, o NAdamOptions) *NAdam {
	a := &NAdam{}
	a.init(nadamRule(), params, o.LR, o.numbers())
	return a
}

// AddParamGroup adds parameters with numbers of their own.
func (a *NAdam) AddParamGroup(params []*lucid.Tensor, o NAdamOptions) {
	a.add(params, o.LR, o.numbers())
}

func (o NAdamOptions) numbers() nadam {
	needNumbers("nadam", o, o.LR, 0.002)
	b := betas("nadam", o.Betas, 0.9, 0.999)
	return nadam{b[0], b[1], door.Or(o.Eps, 1e-8), o.WeightDecay, door.Or(o.MomentumDecay, 0.004), o.Maximize, o.DecoupledWeightDecay}
}

func nadamRule() rule[nadam] {
	return rule[nadam]{name: "nadam",
		momentum: func(h nadam) float64 { return h.Beta1 },
		state: func(_ nadam, p *lucid.Tensor, _ float64) []named {
			return []named{{"mu_product", scalarLike(p, 1)}, {"exp_avg", zeros(p)}, {"exp_avg_sq", zeros(p)}}
		},
		shared: func(h nadam, c *change) []*lucid.Tensor {
			mu := func(t *lucid.Tensor) *lucid.Tensor {
				return lucid.Pow(0.96, t.Mul(h.MomentumDecay)).Mul(0.5).Rsub(1).Mul(c.beta)
			}
			return []*lucid.Tensor{mu(c.t), mu(c.t.Add(1)), bias(h.Beta2, c.t), c.beta.Rsub(1), c.lr.Mul(h.WeightDecay).Rsub(1)}
		},
		update: func(h nadam, c *change) {
			decay := h.WeightDecay
			if h.DecoupledWeightDecay && decay != 0 {
				c.p.Mul_(c.k[4])
				decay = 0
			}
			g := decayed(c, h.Maximize, decay)
			mu, next := c.k[0], c.k[1]
			product := c.s(0).Mul_(mu)
			m := lerp(c.s(1), g, c.k[3])
			v := meanSquare(c.s(2), g, h.Beta2)
			denom := v.Div(c.k[2]).Sqrt().Add(h.Eps)
			now := mu.Rsub(1).Mul(c.lr).Div(product.Rsub(1))
			then := next.Mul(c.lr).Div(product.Mul(next).Rsub(1))
			c.p.Sub_(g.Mul(now).Div(denom))
			c.p.Sub_(m.Mul(then).Div(denom))
		}}
}

// LionOptions are the numbers of Lion; LR is required.
type LionOptions struct {
	LR          float64     // learning rate, required
	Betas       *[2]float64 // nil: 0.9, 0.99
	WeightDecay float64     // share of the parameter that is added to its gradient
	Maximize    bool        // go up the gradient
}

// Lion goes by the sign of a mean of gradients (Chen et al.).
type Lion struct{ engine[adam] }

// NewLion returns it for the parameters.
func NewLion(params []*lucid.Tensor, o LionOptions) *Lion {
	l := &Lion{}
	l.init(lionRule(), params, o.LR, o.numbers())
	return l
}

// AddParamGroup adds parameters with numbers of their own.
func (l *Lion) AddParamGroup(params []*lucid.Tensor, o LionOptions) { l.add(params, o.LR, o.numbers()) }

func (o LionOptions) numbers() adam {
	needNumbers("lion", o, o.LR, 1e-4)
	b := betas("lion", o.Betas, 0.9, 0.99)
	return adam{b[0], b[1], 0, o.WeightDecay, false, o.Maximize, true, false}
}

func lionRule() rule[adam] {
	return rule[adam]{name: "lion",
		momentum: func(h adam) float64 { return h.Beta1 },
		state:    func(_ adam, p *lucid.Tensor, _ float64) []named { return []named{{"exp_avg", zeros(p)}} },
		shared: func(h adam, c *change) []*lucid.Tensor {
			return []*lucid.Tensor{c.beta.Rsub(1), c.lr.Mul(h.WeightDecay).Rsub(1)}
		},
		update: func(h adam, c *change) {
			g := decayed(c, h.Maximize, 0)
			m := c.s(0)
			c.p.Mul_(c.k[1])
			c.p.Sub_(m.Mul(c.beta).Add(g.Mul(c.k[0])).Sign().Mul(c.lr))
			m.Assign(m.Mul(h.Beta2).Add(g.Mul(1 - h.Beta2)))
		}}
}
