package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/special"
)

// StudentT is Student's t distribution.
type StudentT struct {
	Base
	DF, Loc, Scale *lucid.Tensor
}

// StudentTOptions give location and scale of Student's t distribution.
type StudentTOptions struct {
	Loc        any  // nil: 0
	Scale      any  // nil: 1
	NoValidate bool // do not check parameters and values
}

// NewStudentT makes Student's t distribution of a number of degrees of freedom.
func NewStudentT(df any, opts ...StudentTOptions) *StudentT {
	f := of("StudentT", nil)
	o := door.Option(f.op(), opts)
	f.noValidate = o.NoValidate
	if o.Loc == nil {
		o.Loc = 0.0
	}
	if o.Scale == nil {
		o.Scale = 1.0
	}
	p, batch := f.tensors(par("df", df, Positive), par("loc", o.Loc, Real), par("scale", o.Scale, Positive))
	d := &StudentT{DF: p[0], Loc: p[1], Scale: p[2]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: Real, HasRSample: true, Draw: d.draw}, func(batch []int) Distribution {
		return NewStudentT(expanded(d.DF, batch, 0), StudentTOptions{expanded(d.Loc, batch, 0), expanded(d.Scale, batch, 0), true})
	})
	return d
}

func (d *StudentT) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	keys := keysFor(key, d.DF, 2)
	half := d.DF.Mul(0.5)
	g := gammas(keys[1], half, shape)
	return normals(keys[0], d.DF, shape).Mul(half.Div(g).Sqrt()).Mul(d.Scale).Add(d.Loc)
}

// Mean is Loc, NaN up to one degree of freedom.
func (d *StudentT) Mean() *lucid.Tensor { return lucid.Where(lucid.Gt(d.DF, 1.0), d.Loc, nan(d.Loc)) }

// Mode is Loc.
func (d *StudentT) Mode() *lucid.Tensor { return d.Loc }

// Variance is Scale²·DF/(DF-2), infinite from 1 to 2 degrees of freedom, NaN below.
func (d *StudentT) Variance() *lucid.Tensor {
	v := d.Scale.Square().Mul(d.DF).Div(d.DF.Sub(2.0))
	v = lucid.Where(lucid.Gt(d.DF, 2.0), v, inf)
	return lucid.Where(lucid.Gt(d.DF, 1.0), v, nan(d.DF))
}

// LogProb is the log density.
func (d *StudentT) LogProb(value any) *lucid.Tensor {
	y := d.supported("LogProb", value, d.DF).Sub(d.Loc).Div(d.Scale)
	n := d.DF
	norm := d.Scale.Log().Add(n.Log().Mul(0.5)).Add(0.5 * math.Log(math.Pi)).Add(n.Mul(0.5).Lgamma()).Sub(n.Add(1.0).Mul(0.5).Lgamma())
	return n.Add(1.0).Mul(-0.5).Mul(y.Square().Div(n).Log1p()).Sub(norm)
}

// CDF is by the incomplete beta function.
func (d *StudentT) CDF(value any) *lucid.Tensor {
	z := d.supported("CDF", value, d.DF).Sub(d.Loc).Div(d.Scale)
	tail := special.Betainc(d.DF.Mul(0.5), 0.5, d.DF.Div(d.DF.Add(z.Square()))).Mul(0.5)
	return lucid.Where(lucid.Gt(z, 0.0), tail.Neg().Add(1.0), tail)
}

// Entropy is the differential entropy.
func (d *StudentT) Entropy() *lucid.Tensor {
	n := d.DF
	logB := n.Mul(0.5).Lgamma().Add(0.5 * math.Log(math.Pi)).Sub(n.Add(1.0).Mul(0.5).Lgamma())
	slope := n.Add(1.0).Mul(0.5).Digamma().Sub(n.Mul(0.5).Digamma())
	return d.Scale.Log().Add(n.Add(1.0).Mul(0.5).Mul(slope)).Add(n.Log().Mul(0.5)).Add(logB)
}

// FisherSnedecor is the F distribution: of the ratio of two χ² numbers, each over its degrees of freedom.
type FisherSnedecor struct {
	Base
	DF1, DF2 *lucid.Tensor
}

// NewFisherSnedecor makes an F distribution.
func NewFisherSnedecor(df1, df2 any, opts ...Options) *FisherSnedecor {
	f := of("FisherSnedecor", opts)
	p, batch := f.tensors(par("df1", df1, Positive), par("df2", df2, Positive))
	d := &FisherSnedecor{DF1: p[0], DF2: p[1]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: Positive, HasRSample: true, Draw: d.draw}, func(batch []int) Distribution {
		return NewFisherSnedecor(expanded(d.DF1, batch, 0), expanded(d.DF2, batch, 0), unchecked)
	})
	return d
}

func (d *FisherSnedecor) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	keys := keysFor(key, d.DF1, 2)
	a, b := d.DF1.Mul(0.5), d.DF2.Mul(0.5)
	return gammas(keys[0], a, shape).Div(a).Div(gammas(keys[1], b, shape).Div(b))
}

// Mean is DF2/(DF2-2), NaN up to 2.
func (d *FisherSnedecor) Mean() *lucid.Tensor {
	return lucid.Where(lucid.Gt(d.DF2, 2.0), d.DF2.Div(d.DF2.Sub(2.0)), nan(d.DF2))
}

// Mode is (DF1-2)/DF1·DF2/(DF2+2), NaN where DF1 is at most 2.
func (d *FisherSnedecor) Mode() *lucid.Tensor {
	m := d.DF1.Sub(2.0).Div(d.DF1).Mul(d.DF2).Div(d.DF2.Add(2.0))
	return lucid.Where(lucid.Gt(d.DF1, 2.0), m, nan(d.DF1))
}

// Variance is NaN for DF2 up to 4.
func (d *FisherSnedecor) Variance() *lucid.Tensor {
	a, b := d.DF1, d.DF2
	v := b.Square().Mul(a.Add(b).Sub(2.0)).Mul(2.0).Div(a.Mul(b.Sub(2.0).Square()).Mul(b.Sub(4.0)))
	return lucid.Where(lucid.Gt(b, 4.0), v, nan(b))
}

// LogProb is the log density.
func (d *FisherSnedecor) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.DF1)
	a, b := d.DF1.Mul(0.5), d.DF2.Mul(0.5)
	ratio := d.DF1.Div(d.DF2)
	t1 := logBeta(a, b).Neg()
	t2 := a.Mul(ratio.Log()).Add(a.Sub(1.0).Mul(x.Log()))
	return t1.Add(t2).Sub(a.Add(b).Mul(ratio.Mul(x).Log1p()))
}

// CDF is by the incomplete beta function.
func (d *FisherSnedecor) CDF(value any) *lucid.Tensor {
	x := d.supported("CDF", value, d.DF1).Mul(d.DF1)
	return special.Betainc(d.DF1.Mul(0.5), d.DF2.Mul(0.5), x.Div(x.Add(d.DF2)))
}

// Entropy is the differential entropy.
func (d *FisherSnedecor) Entropy() *lucid.Tensor {
	a, b := d.DF1.Mul(0.5), d.DF2.Mul(0.5)
	t := a.Add(b)
	return logBeta(a, b).Sub(a.Sub(1.0).Mul(a.Digamma())).Sub(b.Add(1.0).Mul(b.Digamma())).Add(t.Mul(t.Digamma())).
		Add(d.DF2.Div(d.DF1).Log())
}
