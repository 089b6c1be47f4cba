package optim

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// MuonOptions are the numbers of Muon; LR is required.
type MuonOptions struct {
	LR             float64     // learning rate, required
	WeightDecay    *float64    // nil: 0.1
	Momentum       *float64    // nil: 0.95
	NoNesterov     bool        // PyTorch's nesterov=False
	NSCoefficients *[3]float64 // nil: 3.4445, -4.775, 2.0315
	NSSteps        int         // steps of the iteration that makes an update orthogonal; 0: 5
	Eps            *float64    // nil: 1e-7
	// AdjustLR scales the rate by the matrix's sizes: "original" (default), "match_rms_adamw" or "spectral_unclamped".
	AdjustLR string
}

type muon struct {
	WeightDecay, Momentum, A, B, C, Eps float64
	NSSteps, AdjustLR                   int
	Nesterov                            bool
}

// Muon makes the momentum of a matrix orthogonal and goes along it (Jordan et al.). It is for matrices; give other
// parameters to another optimizer.
type Muon struct{ engine[muon] }

// NewMuon returns it for the parameters, all of two dimensions.
func NewMuon(params []*lucid.Tensor, o MuonOptions) *Muon {
	m := &Muon{}
	m.init(muonRule(), params, o.LR, o.numbers())
	return m
}

// AddParamGroup adds parameters with numbers of their own.
func (m *Muon) AddParamGroup(params []*lucid.Tensor, o MuonOptions) { m.add(params, o.LR, o.numbers()) }

func (o MuonOptions) numbers() muon {
	needNumbers("muon", o, o.LR, 0.001)
	c := door.Or(o.NSCoefficients, [3]float64{3.4445, -4.7750, 2.0315})
	h := muon{door.Or(o.WeightDecay, 0.1), door.Or(o.Momentum, 0.95), c[0], c[1], c[2], door.Or(o.Eps, 1e-7),
		door.Count(o.NSSteps, 5), 0, !o.NoNesterov}
	if h.NSSteps < 0 || h.NSSteps >= 100 {
		refuse(lucid.ErrValue, "muon", "NSSteps is %d; want 1 to 99, or 0 for 5", h.NSSteps)
	}
	switch o.AdjustLR {
	case "", "original":
	case "match_rms_adamw":
		h.AdjustLR = 1
	case "spectral_unclamped":
		h.AdjustLR = 2
	default:
		refuse(lucid.ErrValue, "muon", "AdjustLR is %q; want original, match_rms_adamw or spectral_unclamped", o.AdjustLR)
	}
	return h
}

func muonRule() rule[muon] {
	return rule[muon]{name: "muon",
		momentum: func(h muon) float64 { return h.Momentum },
		state: func(_ muon, p *lucid.Tensor, _ float64) []named {
			if p.Dim() != 2 {
				refuse(lucid.ErrShapeMismatch, "muon", "a parameter has shape %v; want matrices only", p.Shape())
			}
			return []named{{"momentum_buffer", zeros(p)}}
		},
		shared: func(h muon, c *change) []*lucid.Tensor {
			return []*lucid.Tensor{c.beta.Rsub(1), c.lr.Mul(h.WeightDecay).Rsub(1)}
		},
		update: func(h muon, c *change) {
			g := c.grad
			buf := lerp(c.s(0), g, c.k[0])
			if h.Nesterov {
				g = g.Add(buf.Sub(g).Mul(c.beta))
			} else {
				g = buf
			}
			rows, cols := float64(c.p.Size(0)), float64(c.p.Size(1))
			ratio := math.Sqrt(max(1, rows/cols))
			switch h.AdjustLR {
			case 1:
				ratio = 0.2 * math.Sqrt(max(rows, cols))
			case 2:
				ratio = math.Sqrt(rows / cols)
			}
			c.p.Mul_(c.k[1])
			c.p.Sub_(orthogonal(g, h).To(c.p.DType()).Mul(c.lr.Mul(ratio)))
		}}
}

// orthogonal brings the singular values of a matrix near 1 by Newton and Schulz's iteration, in bfloat16.
func orthogonal(g *lucid.Tensor, h muon) *lucid.Tensor {
	x := g.To(lucid.BFloat16)
	tall := g.Size(0) > g.Size(1)
	if tall {
		x = x.Permute(1, 0)
	}
	x = x.Div(x.Norm().ClampMin(h.Eps))
	for range h.NSSteps {
		a := x.MatMul(x.Permute(1, 0))
		b := lucid.Addmm(a, a, a, lucid.AddmmOptions{Beta: h.B, Alpha: h.C})
		x = lucid.Addmm(x, b, x, lucid.AddmmOptions{Beta: h.A})
	}
	if tall {
		x = x.Permute(1, 0)
	}
	return x
}

// AdafactorOptions are the numbers of Adafactor; LR is required.
type AdafactorOptions struct {
	LR          float64  // learning rate, required
	Beta2Decay  *float64 // nil: -0.8
	Eps1        *float64 // nil: the precision of the parameter's dtype
	Eps2        *float64 // nil: 1e-3
	D           *float64 // bound of the root mean square of an update; nil: 1
	WeightDecay float64  // share of the parameter that is added to its gradient
	Maximize    bool     // go up the gradient
}

type adafactor struct {
	Beta2Decay, Eps1, Eps2, D, WeightDecay float64
	Maximize                               bool
}

// Adafactor keeps, for a matrix, the mean squares of the gradient's rows and columns only (Shazeer and Stern).
type Adafactor struct{ engine[adafactor] }

// NewAdafactor returns it for the parameters.
func NewAdafactor(params []*lucid.Tensor, o AdafactorOptions) *Adafactor {
	a := &Adafactor{}
	a.init(adafactorRule(), params, o.LR, o.numbers())
	return a
}

// AddParamGroup adds parameters with numbers of their own.
func (a *Adafactor) AddParamGroup(params []*lucid.Tensor, o AdafactorOptions) {
	a.add(params, o.LR, o.numbers())
}

func (o AdafactorOptions) numbers() adafactor {
	needNumbers("adafactor", o, o.LR, 0.01)
	h := adafactor{door.Or(o.Beta2Decay, -0.8), door.Or(o.Eps1, -1), door.Or(o.Eps2, 1e-3), door.Or(o.D, 1), o.WeightDecay, o.Maximize}
	if h.Beta2Decay > 0 || h.D < 1 {
		refuse(lucid.ErrValue, "adafactor", "Beta2Decay is %v and D %v; want at most 0 and at least 1", h.Beta2Decay, h.D)
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
		state: func(_ adafactor, p *lucid.Tensor, _ float64) []named {
			if p.Dim() < 2 {
				return []named{{"variance", zeros(p)}}
			}
			row, col := p.Shape(), p.Shape()
			row[len(row)-1], col[len(col)-2] = 1, 1
			return []named{{"row_var", p.Detach().NewZeros(row...)}, {"col_var", p.Detach().NewZeros(col...)}}
		},
		shared: func(h adafactor, c *change) []*lucid.Tensor {
			return []*lucid.Tensor{lucid.Pow(c.t, h.Beta2Decay), lucid.Minimum(c.lr, c.t.Rsqrt()), c.lr.Mul(h.WeightDecay).Rsub(1)}
		},
		update: func(h adafactor, c *change) {
			g := decayed(c, h.Maximize, 0)
			eps := h.Eps1
			if eps < 0 {
				eps = precision(c.p.DType())
			}
			alpha := rms(c.p).ClampMin(h.Eps2).Mul(c.k[1])
			if h.WeightDecay != 0 {
				c.p.Mul_(c.k[2])
			}
			var v *lucid.Tensor
			if g.Dim() > 1 {
				mean := func(dim int) *lucid.Tensor {
					return lucid.Mean(g.Mul(g), lucid.ReduceOptions{Dim: []int{dim}, KeepDim: true})
				}
				row, col := lerp(c.s(0), mean(-1), c.k[0]), lerp(c.s(1), mean(-2), c.k[0])
				all := lucid.Mean(row, lucid.ReduceOptions{Dim: []int{-2}, KeepDim: true}).ClampMin(eps)
				v = row.Mul(col).Div(all)
			} else {
				v = lerp(c.s(0), g.Mul(g), c.k[0])
			}
			u := v.ClampMin(eps * eps).Rsqrt().Mul(g)
			c.p.Sub_(u.Mul(alpha.Div(rms(u).Div(h.D).ClampMin(1))))
		}}
}

// rms returns the root mean square of all elements, in float64.
func rms(x *lucid.Tensor) *lucid.Tensor {
	return x.Norm().To(lucid.Float64).Div(math.Sqrt(float64(x.NumElement())))
}
