package distributions

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/special"
)

// Pareto is the distribution of density Alpha·Scale^Alpha/x^(Alpha+1) from Scale on.
type Pareto struct {
	Base
	Scale, Alpha *lucid.Tensor
}

// NewPareto makes a Pareto distribution.
func NewPareto(scale, alpha any, opts ...Options) *Pareto {
	f := of("Pareto", opts)
	p, batch := f.tensors(par("scale", scale, Positive), par("alpha", alpha, Positive))
	d := &Pareto{Scale: p[0], Alpha: p[1]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: GreaterThanEq(d.Scale), HasRSample: true, Draw: d.draw},
		func(batch []int) Distribution {
			return NewPareto(expanded(d.Scale, batch, 0), expanded(d.Alpha, batch, 0), unchecked)
		})
	return d
}

func (d *Pareto) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return exponentials(key, d.Alpha, shape).Div(d.Alpha).Exp().Mul(d.Scale)
}

// Mean is infinite for Alpha up to 1.
func (d *Pareto) Mean() *lucid.Tensor {
	m := d.Alpha.Mul(d.Scale).Div(d.Alpha.Sub(1.0))
	return lucid.Where(lucid.Gt(d.Alpha, 1.0), m, inf)
}

// Mode is Scale.
func (d *Pareto) Mode() *lucid.Tensor { return d.Scale }

// Variance is infinite for Alpha up to 2.
func (d *Pareto) Variance() *lucid.Tensor {
	a := d.Alpha
	v := d.Scale.Square().Mul(a).Div(a.Sub(1.0).Square().Mul(a.Sub(2.0)))
	return lucid.Where(lucid.Gt(a, 2.0), v, inf)
}

// LogProb is the log density.
func (d *Pareto) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Alpha)
	return d.Alpha.Log().Add(d.Alpha.Mul(d.Scale.Log())).Sub(d.Alpha.Add(1.0).Mul(x.Log()))
}

// CDF is 1 - (Scale/x)^Alpha.
func (d *Pareto) CDF(value any) *lucid.Tensor {
	x := d.supported("CDF", value, d.Alpha)
	return d.Scale.Log().Sub(x.Log()).Mul(d.Alpha).Expm1().Neg()
}

// ICDF is its inverse.
func (d *Pareto) ICDF(q any) *lucid.Tensor {
	return d.quantile(q, d.Alpha).Neg().Log1p().Div(d.Alpha).Neg().Exp().Mul(d.Scale)
}

// Entropy is log(Scale/Alpha) + 1 + 1/Alpha.
func (d *Pareto) Entropy() *lucid.Tensor {
	return d.Scale.Div(d.Alpha).Log().Add(d.Alpha.Reciprocal()).Add(1.0)
}

// GeneralizedPareto is the distribution of excesses over a threshold.
type GeneralizedPareto struct {
	Base
	Loc, Scale, Concentration *lucid.Tensor
}

// paretoSupport is from Loc on, and up to Loc - Scale/Concentration where the concentration is negative.
type paretoSupport struct{ d *GeneralizedPareto }

func (c paretoSupport) String() string {
	return "a number in the support of the generalised Pareto distribution"
}
func (c paretoSupport) EventDim() int    { return 0 }
func (c paretoSupport) IsDiscrete() bool { return false }
func (c paretoSupport) Check(x *lucid.Tensor) *lucid.Tensor {
	inside := lucid.LogicalOr(lucid.Ge(c.d.Concentration, 0.0), lucid.Le(x, c.top()))
	return lucid.LogicalAnd(lucid.Ge(x, c.d.Loc), inside)
}

// top is the upper end where the concentration is negative.
func (c paretoSupport) top() *lucid.Tensor { return c.d.Loc.Sub(c.d.Scale.Div(c.d.Concentration)) }

// NewGeneralizedPareto makes a generalised Pareto distribution.
func NewGeneralizedPareto(loc, scale, concentration any, opts ...Options) *GeneralizedPareto {
	f := of("GeneralizedPareto", opts)
	p, batch := f.tensors(par("loc", loc, Real), par("scale", scale, Positive), par("concentration", concentration, Real))
	d := &GeneralizedPareto{Loc: p[0], Scale: p[1], Concentration: p[2]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: paretoSupport{d}, HasRSample: true, Draw: d.draw},
		func(batch []int) Distribution {
			return NewGeneralizedPareto(expanded(d.Loc, batch, 0), expanded(d.Scale, batch, 0), expanded(d.Concentration, batch, 0),
				unchecked)
		})
	return d
}

// safe is the concentration where it is not 0, and whether it is 0.
func (d *GeneralizedPareto) safe() (k, zero *lucid.Tensor) {
	zero = lucid.Eq(d.Concentration, 0.0)
	return lucid.Where(zero, 1.0, d.Concentration), zero
}

func (d *GeneralizedPareto) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return d.excess(uniforms(key, d.Loc, shape))
}

// excess is the quantile of u.
func (d *GeneralizedPareto) excess(u *lucid.Tensor) *lucid.Tensor {
	k, zero := d.safe()
	e := u.Neg().Log1p().Neg()
	return lucid.Where(zero, e, e.Mul(k).Expm1().Div(k)).Mul(d.Scale).Add(d.Loc)
}

// Mean is NaN for concentrations from 1 on.
func (d *GeneralizedPareto) Mean() *lucid.Tensor {
	k := d.Concentration
	return lucid.Where(lucid.Lt(k, 1.0), d.Scale.Div(k.Neg().Add(1.0)).Add(d.Loc), nan(k))
}

// Mode is Loc.
func (d *GeneralizedPareto) Mode() *lucid.Tensor { return d.Loc }

// Variance is NaN for concentrations from ½ on.
func (d *GeneralizedPareto) Variance() *lucid.Tensor {
	k := d.Concentration
	v := d.Scale.Square().Div(k.Neg().Add(1.0).Square().Mul(k.Mul(-2.0).Add(1.0)))
	return lucid.Where(lucid.Lt(k, 0.5), v, nan(k))
}

// LogProb is the log density.
func (d *GeneralizedPareto) LogProb(value any) *lucid.Tensor {
	z := d.supported("LogProb", value, d.Loc).Sub(d.Loc).Div(d.Scale)
	k, zero := d.safe()
	lp := special.Xlog1py(k.Reciprocal().Add(1.0), k.Mul(z)) // a concentration of -1 is uniform, ends included
	return lucid.Where(zero, z, lp).Neg().Sub(d.Scale.Log())
}

// CDF is 1 - (1 + kz)^(-1/k).
func (d *GeneralizedPareto) CDF(value any) *lucid.Tensor {
	z := d.supported("CDF", value, d.Loc).Sub(d.Loc).Div(d.Scale)
	k, zero := d.safe()
	return lucid.Where(zero, z, k.Mul(z).Log1p().Div(k)).Neg().Expm1().Neg()
}

// ICDF is its inverse.
func (d *GeneralizedPareto) ICDF(q any) *lucid.Tensor { return d.excess(d.quantile(q, d.Loc)) }

// Entropy is log Scale + Concentration + 1.
func (d *GeneralizedPareto) Entropy() *lucid.Tensor {
	return d.Scale.Log().Add(d.Concentration).Add(1.0)
}
