package optim

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// AdamOptions are the numbers of Adam; LR is required.
type AdamOptions struct {
	LR          float64     // learning rate, required
	Betas       *[2]float64 // nil: 0.9, 0.999
	Eps         *float64    // nil: 1e-8
	WeightDecay float64     // share of the parameter that is added to its gradient
	AMSGrad     bool        // divide by the largest mean square so far
	Maximize    bool        // go up the gradient

	DecoupledWeightDecay bool // apply it to the parameters, as AdamW does
	NoBiasCorrection     bool // use the means as they are, though they start at zero: MLX's default
}

// AdamWOptions are the numbers of AdamW; LR is required.
type AdamWOptions struct {
	LR          float64     // learning rate, required
	Betas       *[2]float64 // nil: 0.9, 0.999
	Eps         *float64    // nil: 1e-8
	WeightDecay *float64    // nil: 0.01
	AMSGrad     bool        // divide by the largest mean square so far
	Maximize    bool        // go up the gradient

	NoBiasCorrection bool // use the means as they are, though they start at zero: MLX's default
}

type adam struct {
	Beta1, Beta2, Eps, WeightDecay float64
	Amsgrad, Maximize              bool
	DecoupledWeightDecay           bool
	NoBiasCorrection               bool `state:"later"`
}

// Adam scales every step by running means of the gradient and its square (Kingma and Ba). Weight decay is added to
// the gradient.
type Adam struct{ engine[adam] }

// NewAdam returns it for the parameters.
func NewAdam(params []*lucid.Tensor, o AdamOptions) *Adam {
	a := &Adam{}
	a.init(adamRule("adam"), params, o.LR, o.numbers())
	return a
}

// AddParamGroup adds parameters with numbers of their own.
func (a *Adam) AddParamGroup(params []*lucid.Tensor, o AdamOptions) { a.add(params, o.LR, o.numbers()) }

// AdamW is Adam with weight decay applied to the parameters themselves (Loshchilov and Hutter).
type AdamW struct{ engine[adam] }

// NewAdamW returns it for the parameters.
func NewAdamW(params []*lucid.Tensor, o AdamWOptions) *AdamW {
	a := &AdamW{}
	a.init(adamRule("adamw"), params, o.LR, o.numbers())
	return a
}

// AddParamGroup adds parameters with numbers of their own.
func (a *AdamW) AddParamGroup(params []*lucid.Tensor, o AdamWOptions) {
	a.add(params, o.LR, o.numbers())
}

func (o AdamOptions) numbers() adam {
	needNumbers("adam", o, o.LR, 0.001)
	b := betas("adam", o.Betas, 0.9, 0.999)
	return adam{b[0], b[1], door.Or(o.Eps, 1e-8), o.WeightDecay, o.AMSGrad, o.Maximize, o.DecoupledWeightDecay, o.NoBiasCorrection}
}

func (o AdamWOptions) numbers() adam {
	needNumbers("adamw", o, o.LR, 0.001)
	b := betas("adamw", o.Betas, 0.9, 0.999)
	return adam{b[0], b[1], door.Or(o.Eps, 1e-8), door.Or(o.WeightDecay, 0.01), o.AMSGrad, o.Maximize, true, o.NoBiasCorrection}
}

func betas(op string, given *[2]float64, first, second float64) [2]float64 {
	b := door.Or(given, [2]float64{first, second})
	for _, v := range b {
		if !(v >= 0 && v < 1) {
			refuse(lucid.ErrValue, op, "betas are %v; want numbers from 0 to less than 1", b)
		}
	}
	return b
}

func adamRule(name string) rule[adam] {
	return rule[adam]{name: name,
		momentum: func(h adam) float64 { return h.Beta1 },
		state: func(h adam, p *lucid.Tensor, _ float64) []named {
			s := []named{{"exp_avg", zeros(p)}, {"exp_avg_sq", zeros(p)}}
			if h.Amsgrad {
				s = append(s, named{"max_exp_avg_sq", zeros(p)})
			}
			return s
		},
		shared: func(h adam, c *change) []*lucid.Tensor {
			// Both parts of the quotient are multiplied by the root of the second bias, so that no vector is divided by it.
			stepSize, eps := c.lr, scalarLike(c.lr, h.Eps)
			if !h.NoBiasCorrection {
				root := bias(h.Beta2, c.t).Sqrt()
				stepSize, eps = c.lr.Mul(root).Div(bias(c.beta, c.t)), root.Mul(h.Eps)
			}
			k := []*lucid.Tensor{stepSize, eps, c.beta.Rsub(1)}
			if h.DecoupledWeightDecay && h.WeightDecay != 0 {
				k = append(k, c.lr.Mul(h.WeightDecay).Rsub(1))
			}
			return k
		},
		update: func(h adam, c *change) {
			decay := h.WeightDecay
			if h.DecoupledWeightDecay && decay != 0 {
				c.p.Mul_(c.k[3])
				decay = 0
			}
			g := decayed(c, h.Maximize, decay)
			m := lerp(c.s(0), g, c.k[2])
			v := meanSquare(c.s(1), g, h.Beta2)
			if h.Amsgrad {
				v = c.s(2).Maximum_(v)
			}
			c.p.Sub_(m.Mul(c.k[0]).Div(v.Sqrt().Add(c.k[1])))
		}}
}

// bias returns 1 - beta^t, by which a mean that started at zero is too small; beta is a number or a 0-d tensor.
func bias(beta any, t *lucid.Tensor) *lucid.Tensor { return lucid.Pow(beta, t).Rsub(1) }
