package distributions

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/random"
	"github.com/lucid-go/lucid/special"
)

// Beta is the beta distribution on (0, 1).
type Beta struct {
	Base
	Concentration1, Concentration0 *lucid.Tensor // α and β: of 1 and of 0
}

// NewBeta makes a beta distribution of the concentrations α and β.
func NewBeta(concentration1, concentration0 any, opts ...Options) *Beta {
	f := of("Beta", opts)
	p, batch := f.tensors(par("concentration1", concentration1, Positive), par("concentration0", concentration0, Positive))
	d := &Beta{Concentration1: p[0], Concentration0: p[1]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: UnitInterval, HasRSample: true, Draw: d.draw, made: true},
		func(batch []int) Distribution {
			return NewBeta(expanded(d.Concentration1, batch, 0), expanded(d.Concentration0, batch, 0), unchecked)
		})
	return d
}

func (d *Beta) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return random.Beta(keyFor(key, d.Concentration1), d.Concentration1, d.Concentration0, nonNil(shape))
}

func (d *Beta) total() *lucid.Tensor { return d.Concentration1.Add(d.Concentration0) }

// Mean is α/(α+β).
func (d *Beta) Mean() *lucid.Tensor { return d.Concentration1.Div(d.total()) }

// Mode is (α-1)/(α+β-2) where both concentrations are above 1, an end where one is, NaN where there are two ends or all are equal.
func (d *Beta) Mode() *lucid.Tensor {
	a, b := d.Concentration1, d.Concentration0
	up, down := lucid.Gt(a, 1.0), lucid.Gt(b, 1.0)
	inner := a.Sub(1.0).Div(d.total().Sub(2.0))
	end := lucid.Where(lucid.Ge(a, 1.0), lucid.Where(lucid.Lt(b, 1.0), 1.0, lucid.Where(up, 1.0, nan(a))),
		lucid.Where(lucid.Ge(b, 1.0), 0.0, nan(a)))
	end = lucid.Where(lucid.LogicalAnd(down, lucid.Eq(a, 1.0)), 0.0, end)
	return lucid.Where(lucid.LogicalAnd(up, down), inner, end)
}

// nan is NaN in the dtype of x.
func nan(x *lucid.Tensor) *lucid.Tensor { return full(x, nil, notANumber) }

// Variance is αβ/((α+β)²(α+β+1)).
func (d *Beta) Variance() *lucid.Tensor {
	t := d.total()
	return d.Concentration1.Mul(d.Concentration0).Div(t.Square().Mul(t.Add(1.0)))
}

// logBeta is log B(a, b).
func logBeta(a, b *lucid.Tensor) *lucid.Tensor {
	return a.Lgamma().Add(b.Lgamma()).Sub(a.Add(b).Lgamma())
}

// LogProb is the log density.
func (d *Beta) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Concentration1)
	a, b := d.Concentration1, d.Concentration0
	return timesLog(a.Sub(1.0), x).Add(timesLog(b.Sub(1.0), x.Neg().Add(1.0))).Sub(logBeta(a, b))
}

// CDF is the regularised incomplete beta function.
func (d *Beta) CDF(value any) *lucid.Tensor {
	return special.Betainc(d.Concentration1, d.Concentration0, d.supported("CDF", value, d.Concentration1))
}

// Entropy is log B(α, β) - (α-1)ψ(α) - (β-1)ψ(β) + (α+β-2)ψ(α+β).
func (d *Beta) Entropy() *lucid.Tensor {
	a, b, t := d.Concentration1, d.Concentration0, d.total()
	return logBeta(a, b).Sub(a.Sub(1.0).Mul(a.Digamma())).Sub(b.Sub(1.0).Mul(b.Digamma())).Add(t.Sub(2.0).Mul(t.Digamma()))
}

// Dirichlet is the distribution on the simplex with concentrations along the last dimension.
type Dirichlet struct {
	Base
	Concentration *lucid.Tensor
}

// NewDirichlet makes a Dirichlet distribution.
func NewDirichlet(concentration *lucid.Tensor, opts ...Options) *Dirichlet {
	f := of("Dirichlet", opts)
	p, batch := f.tensors(parameter{"concentration", concentration, IndependentConstraint(Positive, 1), 1})
	f.someClass(p[0])
	d := &Dirichlet{Concentration: p[0]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, EventShape: []int{p[0].Size(-1)}, Support: Simplex, HasRSample: true,
		Draw: d.draw, made: true},
		func(batch []int) Distribution { return NewDirichlet(expanded(d.Concentration, batch, 1), unchecked) })
	return d
}

func (d *Dirichlet) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return random.Dirichlet(keyFor(key, d.Concentration), d.Concentration, shape)
}

// Mean is the share of each concentration.
func (d *Dirichlet) Mean() *lucid.Tensor { return d.Concentration.Div(d.Concentration.SumKeep(-1)) }

// Mode is the share of each concentration less 1. Where all concentrations are below 1 it is the corner of the largest.
func (d *Dirichlet) Mode() *lucid.Tensor {
	a := d.Concentration
	less := a.Sub(1.0).ClampMin(0.0)
	n := a.Size(-1)
	class := lucid.With{DType: lucid.Int64, Device: a.Device()}.Arange(n)
	corner := lucid.Eq(a.ArgMaxKeep(-1), class).To(a.DType())
	return lucid.Where(lucid.Lt(a, 1.0).AllKeep(-1), corner, less.Div(less.SumKeep(-1)))
}

// Variance is that of each component.
func (d *Dirichlet) Variance() *lucid.Tensor {
	a := d.Concentration
	t := a.SumKeep(-1)
	return a.Mul(t.Sub(a)).Div(t.Square().Mul(t.Add(1.0)))
}

// LogProb is the log density.
func (d *Dirichlet) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Concentration)
	a := d.Concentration
	return timesLog(a.Sub(1.0), x).Sum(-1).Add(a.Sum(-1).Lgamma()).Sub(a.Lgamma().Sum(-1))
}

// Entropy is the differential entropy.
func (d *Dirichlet) Entropy() *lucid.Tensor {
	a := d.Concentration
	n, t := float64(a.Size(-1)), a.Sum(-1)
	return a.Lgamma().Sum(-1).Sub(t.Lgamma()).Sub(t.Neg().Add(n).Mul(t.Digamma())).Sub(a.Sub(1.0).Mul(a.Digamma()).Sum(-1))
}
