package optim

import "github.com/lucid-go/lucid"

// SGDOptions are the numbers of SGD; LR is required.
type SGDOptions struct {
	LR          float64 // learning rate, required
	Momentum    float64 // share of the last step that is made again
	Dampening   float64 // share of the gradient that does not enter the momentum
	WeightDecay float64 // share of the parameter that is added to its gradient
	Nesterov    bool    // look a step ahead
	Maximize    bool    // go up the gradient
}

type sgd struct {
	Momentum, Dampening, WeightDecay float64
	Nesterov, Maximize               bool
}

// SGD is gradient descent with momentum.
type SGD struct{ engine[sgd] }

// NewSGD returns it for the parameters.
func NewSGD(params []*lucid.Tensor, o SGDOptions) *SGD {
	s := &SGD{}
	s.init(sgdRule(), params, o.LR, o.numbers())
	return s
}

// AddParamGroup adds parameters with numbers of their own.
func (s *SGD) AddParamGroup(params []*lucid.Tensor, o SGDOptions) { s.add(params, o.LR, o.numbers()) }

func (o SGDOptions) numbers() sgd {
	needNumbers("sgd", o, o.LR, 0.01)
	if o.Nesterov && (o.Momentum == 0 || o.Dampening != 0) {
		refuse(lucid.ErrValue, "sgd", "Nesterov needs a momentum and no dampening; momentum is %v, dampening %v", o.Momentum, o.Dampening)
	}
	return sgd{o.Momentum, o.Dampening, o.WeightDecay, o.Nesterov, o.Maximize}
}

func sgdRule() rule[sgd] {
	return rule[sgd]{name: "sgd", complexOK: true,
		momentum: func(h sgd) float64 { return h.Momentum },
		begin:    func(h *sgd, v float64) { h.Momentum = v },
		state: func(h sgd, p *lucid.Tensor, _ float64) []named {
			if h.Momentum == 0 {
				return nil
			}
			return []named{{"momentum_buffer", zeros(p)}}
		},
		update: func(h sgd, c *change) {
			g := decayed(c, h.Maximize, h.WeightDecay)
			if h.Momentum != 0 {
				next := c.s(0).Mul(c.beta).Add(g.Mul(1 - h.Dampening))
				if h.Dampening != 0 {
					next = lucid.Where(c.t.Eq(1), g, next) // the first gradient counts whole
				}
				buf := c.s(0).Assign(next)
				if h.Nesterov {
					g = g.Add(buf.Mul(c.beta))
				} else {
					g = buf
				}
			}
			c.p.Sub_(g.Mul(c.lr))
		}}
}

// decayed returns the gradient, of the other sign to go up, plus a share of the parameter.
func decayed(c *change, maximize bool, decay float64) *lucid.Tensor {
	g := c.grad
	if maximize {
		g = g.Neg()
	}
	if decay != 0 {
		g = g.Add(c.p.Mul(decay))
	}
	return g
}

// lerp moves a mean towards x by a share w.
func lerp(mean, x *lucid.Tensor, w any) *lucid.Tensor {
	return mean.Add_(x.Sub(mean).Mul(w))
}

// meanSquare moves a mean of squares on.
func meanSquare(mean, x *lucid.Tensor, beta float64) *lucid.Tensor {
	return mean.Assign(mean.Mul(beta).Add(x.Mul(x).Mul(1 - beta)))
}
