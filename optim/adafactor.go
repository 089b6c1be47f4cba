package optim

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// AdafactorOptions are the numbers of Adafactor; LR is required.
type AdafactorOptions struct {
	LR          float64  // learning rate, required
	Beta2Decay  *float64 // nil: -0.8
	Eps1        *float64 // nil: the precision of the parameter's dtype
	Eps2        *float64 // nil: 1e-3
	D           *float64 // bound of the root mean square of an update; nil: 1
	WeightDecay float64  // share of the parameter that is taken off it in a step, times the rate
	Maximize    bool     // go up the gradient

	// Original is the form of the paper and of MLX: Eps1 (nil: 1e-30) is added to the squares of the gradient, instead of being
	// their least; the rate is LR, not the smaller of LR and 1/√step; weight decay goes by the rate times the parameter's size.
	Original bool
	// RelativeStep makes the rate the smaller of 0.01 and 1/√step, times LR, which may be left out here.
	RelativeStep bool
	// WarmupInit makes the relative step begin with 1e-6 times the step instead of 0.01.
	WarmupInit bool
	// NoScaleParameter leaves the rate as it is; else it is multiplied by the root mean square of the parameter, at least Eps2.
	NoScaleParameter bool
	// Beta1 makes steps by a running mean of updates; 0: by the update itself.
	Beta1 float64
}

type adafactor struct {
	Beta2Decay, Eps1, Eps2, D, WeightDecay float64
	Maximize                               bool
	Original, RelativeStep, WarmupInit     bool    `state:"later"`
	NoScaleParameter                       bool    `state:"later"`
	Beta1                                  float64 `state:"later"`
}

// Adafactor keeps, for a matrix, the mean squares of the gradient's rows and columns only (Shazeer and Stern). The defaults are
// PyTorch's; MLX's are Original and RelativeStep.
type Adafactor struct{ engine[adafactor] }

// NewAdafactor returns it for the parameters.
func NewAdafactor(params []*lucid.Tensor, o AdafactorOptions) *Adafactor {
	a := &Adafactor{}
	a.init(adafactorRule(), params, o.rate(), o.numbers())
	return a
}

// AddParamGroup adds parameters with numbers of their own.
func (a *Adafactor) AddParamGroup(params []*lucid.Tensor, o AdafactorOptions) {
	a.add(params, o.rate(), o.numbers())
}

// rate returns LR, which may be left out where the step is relative.
func (o AdafactorOptions) rate() float64 {
	if o.RelativeStep && o.LR == 0 {
		return 1
	}
	return o.LR
}

func (o AdafactorOptions) numbers() adafactor {
	const op = "adafactor"
	needNumbers(op, o, o.rate(), 0.01)
	eps, least := -1.0, 1.0
	if o.Original {
		eps, least = 1e-30, 0
	}
	h := adafactor{door.Or(o.Beta2Decay, -0.8), door.Or(o.Eps1, eps), door.Or(o.Eps2, 1e-3), door.Or(o.D, 1), o.WeightDecay, o.Maximize,
		o.Original, o.RelativeStep, o.WarmupInit, o.NoScaleParameter, o.Beta1}
	if h.Beta2Decay > 0 || !(h.D >= least) || h.D == 0 {
		refuse(lucid.ErrValue, op, "Beta2Decay is %v and D %v; want at most 0, and at least 1 (above 0 with Original)", h.Beta2Decay, h.D)
	}
	if !(h.Beta1 >= 0 && h.Beta1 < 1) {
		refuse(lucid.ErrValue, op, "Beta1 is %v; want a number from 0 to less than 1", h.Beta1)
	}
	if h.WarmupInit && !h.RelativeStep {
		refuse(lucid.ErrValue, op, "WarmupInit is how a relative step begins; set RelativeStep too")
	}
	return h
}

// precision returns the distance from 1 to the next number of a dtype.
func precision(d lucid.DType) float64 {
	switch d {
	case lucid.Float64:
		return 0x1p-52
	case lucid.Float16:
		return 0x1p-10
	case lucid.BFloat16:
		return 0x1p-7
	}
	return 0x1p-23
}

func adafactorRule() rule[adafactor] {
	return rule[adafactor]{name: "adafactor",
		state: func(h adafactor, p *lucid.Tensor, _ float64) (s []named) {
			if p.Dim() < 2 {
				s = []named{{"variance", zeros(p)}}
			} else {
				row, col := p.Shape(), p.Shape()
				row[len(row)-1], col[len(col)-2] = 1, 1
				s = []named{{"row_var", p.Detach().NewZeros(row...)}, {"col_var", p.Detach().NewZeros(col...)}}
			}
			if h.Beta1 != 0 {
				s = append(s, named{"exp_avg", zeros(p)})
			}
			return s
		},
		shared: func(h adafactor, c *change) []*lucid.Tensor {
			return []*lucid.Tensor{lucid.Pow(c.t, h.Beta2Decay), h.stepSize(c), c.lr.Mul(h.WeightDecay).Rsub(1)}
		},
		update: func(h adafactor, c *change) {
			g := decayed(c, h.Maximize, 0)
			alpha := c.k[1]
			if !h.NoScaleParameter {
				alpha = rms(c.p).ClampMin(h.Eps2).Mul(alpha)
			}
			if h.WeightDecay != 0 {
				left := c.k[2]
				if h.Original {
					left = alpha.Mul(h.WeightDecay).Rsub(1)
				}
				c.p.Mul_(left)
			}
			var u *lucid.Tensor
			if h.Original {
				u = h.originalUpdate(c, g)
			} else {
				u = h.clampedUpdate(c, g)
			}
			u = u.Mul(alpha.Div(rms(u).Div(h.D).ClampMin(1)))
			if h.Beta1 != 0 {
				u = lerp(c.s(len(c.state)-1), u, 1-h.Beta1)
			}
			c.p.Sub_(u)
		}}
}

// stepSize is the rate of a step before it is scaled by the size of a parameter.
func (h adafactor) stepSize(c *change) *lucid.Tensor {
	switch {
	case h.WarmupInit:
		return lucid.Minimum(c.t.Mul(1e-6), c.t.Rsqrt()).Mul(c.lr)
	case h.RelativeStep:
		return lucid.Minimum(c.t.Rsqrt(), 1e-2).Mul(c.lr)
	case h.Original:
		return c.lr
	}
	return lucid.Minimum(c.lr, c.t.Rsqrt())
}

// clampedUpdate is the gradient over the root of its mean square, whose least is Eps1 squared.
func (h adafactor) clampedUpdate(c *change, g *lucid.Tensor) *lucid.Tensor {
	eps := h.Eps1
	if eps < 0 {
		eps = precision(c.p.DType())
	}
	if g.Dim() < 2 {
		return lerp(c.s(0), g.Mul(g), c.k[0]).ClampMin(eps * eps).Rsqrt().Mul(g)
	}
	square := g.Mul(g)
	row, col := lerp(c.s(0), meanOver(square, -1), c.k[0]), lerp(c.s(1), meanOver(square, -2), c.k[0])
	v := row.Mul(col).Div(meanOver(row, -2).ClampMin(eps))
	return v.ClampMin(eps * eps).Rsqrt().Mul(g)
}

// originalUpdate is the same with Eps1 added to the squares. The roots are taken of rows and columns on their own, whose product may
// be too small for a float32.
func (h adafactor) originalUpdate(c *change, g *lucid.Tensor) *lucid.Tensor {
	square := g.Mul(g).Add(h.Eps1)
	if g.Dim() < 2 {
		return lerp(c.s(0), square, c.k[0]).Rsqrt().Mul(g)
	}
	row, col := lerp(c.s(0), meanOver(square, -1), c.k[0]), lerp(c.s(1), meanOver(square, -2), c.k[0])
	return row.Div(meanOver(row, -2)).Rsqrt().Mul(col.Rsqrt()).Mul(g)
}

// meanOver is the mean over a dimension, which stays with size 1.
func meanOver(x *lucid.Tensor, dim int) *lucid.Tensor {
	return lucid.Mean(x, lucid.ReduceOptions{Dim: []int{dim}, KeepDim: true})
}

// rms returns the root mean square of all elements, in float64.
func rms(x *lucid.Tensor) *lucid.Tensor {
	return x.Norm().To(lucid.Float64).Div(math.Sqrt(float64(x.NumElement())))
}
