package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/random"
	"github.com/lucid-go/lucid/special"
)

var inf = math.Inf(1)

// Poisson is the distribution of numbers of events of a rate.
type Poisson struct {
	Base
	Rate *lucid.Tensor
}

// NewPoisson makes a Poisson distribution.
func NewPoisson(rate any, opts ...Options) *Poisson {
	f := of("Poisson", opts)
	p, batch := f.tensors(par("rate", rate, NonNegative))
	d := &Poisson{Rate: p[0]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: NonNegativeInteger, Draw: d.draw}, func(batch []int) Distribution {
		return NewPoisson(expanded(d.Rate, batch, 0), unchecked)
	})
	return d
}

func (d *Poisson) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return random.Poisson(keyFor(key, d.Rate), d.Rate, shape)
}

// Mean is Rate.
func (d *Poisson) Mean() *lucid.Tensor { return d.Rate }

// Mode is Rate, rounded down.
func (d *Poisson) Mode() *lucid.Tensor { return d.Rate.Floor() }

// Variance is Rate.
func (d *Poisson) Variance() *lucid.Tensor { return d.Rate }

// LogProb is the log probability.
func (d *Poisson) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Rate)
	return x.Xlogy(d.Rate).Sub(d.Rate).Sub(x.Add(1.0).Lgamma())
}

// CDF is the complement of the incomplete gamma function.
func (d *Poisson) CDF(value any) *lucid.Tensor {
	x := d.value("CDF", value, d.Rate, Real).Floor()
	p := special.Gammaincc(x.ClampMin(0.0).Add(1.0), d.Rate)
	return lucid.Where(lucid.Ge(x, 0.0), p, 0.0)
}

// Entropy is summed over its terms for rates up to 64, and is Stirling's series beyond, which is exact to 10⁻⁹ there.
func (d *Poisson) Entropy() *lucid.Tensor {
	const most, terms = 64.0, 192
	rate := d.Rate
	small := rate.Clamp(lucid.FInfo(rate.DType()).SmallestNormal, most).Unsqueeze(-1) // 0·log 0 is 0
	k := lucid.With{DType: rate.DType(), Device: rate.Device()}.Arange(terms)
	lp := k.Xlogy(small).Sub(small).Sub(k.Add(1.0).Lgamma())
	sum := lp.Exp().Mul(lp).Sum(-1).Neg()
	big := rate.ClampMin(most)
	r := big.Reciprocal()
	series := r.Mul(-9.0 / 80).Mul(r).Add(-19.0 / 360).Mul(r).Add(-1.0 / 24).Mul(r).Add(-1.0 / 12).Mul(r)
	return lucid.Where(lucid.Le(rate, most), sum, big.Log().Mul(0.5).Add(halfLogTwoPi+0.5).Add(series))
}
