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
	// NoBFloat16 makes the update orthogonal in the parameter's dtype, as MLX does, instead of bfloat16.
	NoBFloat16 bool
	// CoupledWeightDecay adds the decay to the gradient, as MLX does, instead of to the parameter.
	CoupledWeightDecay bool
	// AnyRank takes parameters that are no matrices, as MLX does: those of more dimensions as matrices with the rows of the first,
	// those of fewer by their momentum as it is.
	AnyRank bool
}

type muon struct {
	WeightDecay, Momentum, A, B, C, Eps float64
	NSSteps, AdjustLR                   int
	Nesterov                            bool
	NoBFloat16, Coupled, AnyRank        bool `state:"later"`
}

// Muon makes the momentum of a matrix orthogonal and goes along it (Jordan et al.). It is for matrices; give other
// parameters to another optimizer. MLX's form has three options set: NoBFloat16, CoupledWeightDecay and AnyRank.
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
		door.Count(o.NSSteps, 5), 0, !o.NoNesterov, o.NoBFloat16, o.CoupledWeightDecay, o.AnyRank}
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
		state: func(h muon, p *lucid.Tensor, _ float64) []named {
			if p.Dim() != 2 && !h.AnyRank {
				refuse(lucid.ErrShapeMismatch, "muon", "a parameter has shape %v; want matrices only, or AnyRank", p.Shape())
			}
			return []named{{"momentum_buffer", zeros(p)}}
		},
		shared: func(h muon, c *change) []*lucid.Tensor {
			return []*lucid.Tensor{c.beta.Rsub(1), c.lr.Mul(h.WeightDecay).Rsub(1)}
		},
		update: func(h muon, c *change) {
			g := c.grad
			if h.Coupled && h.WeightDecay != 0 {
				g = g.Add(c.p.Mul(h.WeightDecay))
			}
			buf := lerp(c.s(0), g, c.k[0])
			if h.Nesterov {
				g = g.Add(buf.Sub(g).Mul(c.beta))
			} else {
				g = buf
			}
			if !h.Coupled {
				c.p.Mul_(c.k[1])
			}
			if c.p.Dim() < 2 {
				c.p.Sub_(g.Mul(c.lr))
				return
			}
			u := orthogonal(g.Reshape(g.Size(0), -1), h).To(c.p.DType()).Reshape(c.p.Shape()...)
			c.p.Sub_(u.Mul(c.lr.Mul(h.factor(c.p))))
		}}
}

// factor is what the rate is multiplied by for a parameter's sizes: those of its last two dimensions.
func (h muon) factor(p *lucid.Tensor) float64 {
	rows, cols := float64(p.Size(-2)), float64(p.Size(-1))
	switch h.AdjustLR {
	case 1:
		return 0.2 * math.Sqrt(max(rows, cols))
	case 2:
		return math.Sqrt(rows / cols)
	}
	return math.Sqrt(max(1, rows/cols))
}

// orthogonal brings the singular values of a matrix near 1 by Newton and Schulz's iteration, usually in bfloat16.
func orthogonal(g *lucid.Tensor, h muon) *lucid.Tensor {
	x := g
	if !h.NoBFloat16 {
		x = g.To(lucid.BFloat16)
	}
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
