package optim

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// SparseAdamOptions are the numbers of SparseAdam; LR is required.
type SparseAdamOptions struct {
	LR       float64     // learning rate, required
	Betas    *[2]float64 // nil: 0.9, 0.999
	Eps      *float64    // nil: 1e-8
	Maximize bool        // go up the gradient
}

// SparseAdam is Adam that leaves alone, with their state, the rows of a parameter whose gradient is all zero: those of
// an embedding that were not looked up.
type SparseAdam struct{ engine[adam] }

// NewSparseAdam returns it for the parameters.
func NewSparseAdam(params []*lucid.Tensor, o SparseAdamOptions) *SparseAdam {
	a := &SparseAdam{}
	a.init(sparseAdamRule(), params, o.LR, o.numbers())
	return a
}

// AddParamGroup adds parameters with numbers of their own.
func (a *SparseAdam) AddParamGroup(params []*lucid.Tensor, o SparseAdamOptions) {
	a.add(params, o.LR, o.numbers())
}

func (o SparseAdamOptions) numbers() adam {
	needNumbers("sparse_adam", o, o.LR, 0.001)
	b := betas("sparse_adam", o.Betas, 0.9, 0.999)
	return adam{b[0], b[1], door.Or(o.Eps, 1e-8), 0, false, o.Maximize, false, false}
}

func sparseAdamRule() rule[adam] {
	r := adamRule("sparse_adam")
	r.shared = func(h adam, c *change) []*lucid.Tensor {
		return []*lucid.Tensor{bias(h.Beta2, c.t).Sqrt().Mul(c.lr).Div(bias(c.beta, c.t)), c.beta.Rsub(1)}
	}
	r.update = func(h adam, c *change) {
		g := decayed(c, h.Maximize, 0)
		touched := rows(g)
		m := c.s(0).Assign(lucid.Where(touched, c.s(0).Add(g.Sub(c.s(0)).Mul(c.k[1])), c.s(0)))
		v := c.s(1).Assign(lucid.Where(touched, c.s(1).Add(g.Mul(g).Sub(c.s(1)).Mul(1-h.Beta2)), c.s(1)))
		c.p.Sub_(lucid.Where(touched, m.Div(v.Sqrt().Add(h.Eps)).Mul(c.k[0]), 0))
	}
	return r
}

// rows reports which slices along the first dimension of g are not all zero, so that it broadcasts with g.
func rows(g *lucid.Tensor) *lucid.Tensor {
	var dims []int
	for i := 1; i < g.Dim(); i++ {
		dims = append(dims, i)
	}
	if len(dims) == 0 {
		return g.Ne(0)
	}
	return lucid.Any(g.Ne(0), lucid.ReduceOptions{Dim: dims, KeepDim: true})
}
