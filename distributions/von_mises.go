package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/random"
	"github.com/lucid-go/lucid/special"
)

// VonMises is the distribution of angles around Loc, in radians.
type VonMises struct {
	Base
	Loc, Concentration *lucid.Tensor
}

// NewVonMises makes a von Mises distribution of a mean direction and a concentration.
func NewVonMises(loc, concentration any, opts ...Options) *VonMises {
	f := of("VonMises", opts)
	p, batch := f.tensors(par("loc", loc, Real), par("concentration", concentration, Positive))
	d := &VonMises{Loc: p[0], Concentration: p[1]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: Real, HasRSample: true, Draw: d.draw}, func(batch []int) Distribution {
		return NewVonMises(expanded(d.Loc, batch, 0), expanded(d.Concentration, batch, 0), unchecked)
	})
	return d
}

func (d *VonMises) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return wrapAngle(random.VonMises(keyFor(key, d.Loc), d.Concentration, nonNil(shape)).Add(d.Loc))
}

// wrapAngle brings angles to [-π, π).
func wrapAngle(x *lucid.Tensor) *lucid.Tensor {
	return x.Add(math.Pi).Remainder(2 * math.Pi).Sub(math.Pi)
}

// ratio is I₁(κ)/I₀(κ).
func (d *VonMises) ratio() *lucid.Tensor {
	return special.I1e(d.Concentration).Div(special.I0e(d.Concentration))
}

// Mean is Loc, the mean direction.
func (d *VonMises) Mean() *lucid.Tensor { return d.Loc }

// Mode is Loc.
func (d *VonMises) Mode() *lucid.Tensor { return d.Loc }

// Variance is the circular variance 1 - I₁(κ)/I₀(κ).
func (d *VonMises) Variance() *lucid.Tensor { return d.ratio().Neg().Add(1.0) }

// LogProb is the log density.
func (d *VonMises) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Loc).Sub(d.Loc)
	return x.Cos().Sub(1.0).Mul(d.Concentration).Sub(special.I0e(d.Concentration).Log()).Sub(math.Log(2 * math.Pi))
}

// CDF is the probability of angles from -π, where samples begin, to value.
func (d *VonMises) CDF(value any) *lucid.Tensor {
	x := d.value("CDF", value, d.Loc, Real).Clamp(-math.Pi, math.Pi)
	return d.upTo(x.Sub(d.Loc)).Sub(d.upTo(d.Loc.Add(math.Pi).Neg())).Clamp(0.0, 1.0)
}

// upTo is the probability of angles from Loc - π to Loc + x: 1 more for each full circle.
func (d *VonMises) upTo(x *lucid.Tensor) *lucid.Tensor {
	circles := x.Add(math.Pi).Div(2 * math.Pi).Floor().Detach()
	k, z := (*graph.Array)(d.Concentration).Acquire(), (*graph.Array)(x.Sub(circles.Mul(2*math.Pi))).Acquire()
	defer k.Unref()
	defer z.Unref()
	return (*lucid.Tensor)(door.Wrap(ops.VonMisesCDF(k, z))).Add(circles)
}

// Entropy is log 2πI₀(κ) - κI₁(κ)/I₀(κ).
func (d *VonMises) Entropy() *lucid.Tensor {
	k := d.Concentration
	return special.I0e(k).Log().Add(k).Sub(k.Mul(d.ratio())).Add(math.Log(2 * math.Pi))
}

// logNorm is log 2πI₀(κ).
func (d *VonMises) logNorm() *lucid.Tensor {
	return special.I0e(d.Concentration).Log().Add(d.Concentration).Add(math.Log(2 * math.Pi))
}
