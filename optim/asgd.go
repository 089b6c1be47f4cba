package optim

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// ASGDOptions are the numbers of ASGD; LR is required.
type ASGDOptions struct {
	LR          float64  // learning rate, required
	Lambd       *float64 // nil: 1e-4
	Alpha       *float64 // nil: 0.75
	T0          *float64 // step from which parameters are averaged; nil: 1e6
	WeightDecay float64  // share of the parameter that is added to its gradient
	Maximize    bool     // go up the gradient
}

type asgd struct {
	Lambd, Alpha, T0, WeightDecay float64
	Maximize                      bool
}

// ASGD is gradient descent that keeps an average of the parameters in its state, as ax (Polyak and Juditsky).
type ASGD struct{ engine[asgd] }

// NewASGD returns it for the parameters.
func NewASGD(params []*lucid.Tensor, o ASGDOptions) *ASGD {
	a := &ASGD{}
	a.init(asgdRule(), params, o.LR, o.numbers())
	return a
}

// AddParamGroup adds parameters with numbers of their own.
func (a *ASGD) AddParamGroup(params []*lucid.Tensor, o ASGDOptions) { a.add(params, o.LR, o.numbers()) }

func (o ASGDOptions) numbers() asgd {
	needNumbers("asgd", o, o.LR, 0.01)
	return asgd{door.Or(o.Lambd, 1e-4), door.Or(o.Alpha, 0.75), door.Or(o.T0, 1e6), o.WeightDecay, o.Maximize}
}

func asgdRule() rule[asgd] {
	return rule[asgd]{name: "asgd",
		state: func(_ asgd, p *lucid.Tensor, lr float64) []named {
			return []named{{"eta", scalarLike(p, lr)}, {"mu", scalarLike(p, 1)}, {"ax", zeros(p)}}
		},
		update: func(h asgd, c *change) {
			g := decayed(c, h.Maximize, h.WeightDecay)
			eta, mu, ax := c.s(0), c.s(1), c.s(2)
			now := c.atFirst(0, c.lr)
			c.p.Mul_(now.Mul(h.Lambd).Rsub(1))
			c.p.Sub_(g.Mul(now))
			ax.Assign(lucid.Where(mu.Eq(1), c.p, c.p.Sub(ax).Mul(mu).Add(ax)))
			eta.Assign(c.lr.Div(lucid.Pow(c.lr.Mul(h.Lambd).Mul(c.t).Add(1), h.Alpha)))
			mu.Assign(lucid.Maximum(c.t.Sub(h.T0), 1).Reciprocal())
		}}
}
