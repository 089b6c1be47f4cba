package distributions_test

import (
	"testing"

	"github.com/lucid-go/lucid"
	D "github.com/lucid-go/lucid/distributions"
	"github.com/lucid-go/lucid/linalg"
	"github.com/lucid-go/lucid/random"
)

// TestCovariances: matrices of normal distributions agree with one another and with their definitions, in batches too.
func TestCovariances(t *testing.T) {
	normal := func(seed uint64, shape ...int) *lucid.Tensor {
		return random.Normal(random.Key(seed), shape, random.NormalOptions{DType: lucid.Float64})
	}
	root := lucid.Tril(normal(1, 2, 3, 3)).Add(lucid.With{DType: lucid.Float64}.Eye(3).Mul(3))
	want := root.MatMul(root.MT())
	factor, diagonal := normal(2, 2, 3, 2), normal(3, 2, 3).Square().Add(0.5)
	zero := f64s(0, 0, 0)
	low := D.NewLowRankMultivariateNormal(lucid.ZerosLike(diagonal), factor, diagonal)
	type matrices interface {
		CovarianceMatrix() *lucid.Tensor
		PrecisionMatrix() *lucid.Tensor
	}
	for name, c := range map[string]struct {
		d    matrices
		want *lucid.Tensor
	}{
		"by covariance": {D.NewMultivariateNormal(zero, D.MultivariateNormalOptions{CovarianceMatrix: want}), want},
		"by precision":  {D.NewMultivariateNormal(zero, D.MultivariateNormalOptions{PrecisionMatrix: linalg.Inv(want)}), want},
		"by its root":   {D.NewMultivariateNormal(zero, D.MultivariateNormalOptions{ScaleTril: root}), want},
		"Wishart":       {D.NewWishart(4.0, D.MultivariateNormalOptions{CovarianceMatrix: want}), want},
		"low rank":      {low, factor.MatMul(factor.MT()).Add(lucid.DiagEmbed(diagonal))},
	} {
		if !lucid.AllClose(c.d.CovarianceMatrix(), c.want) || !lucid.AllClose(c.d.PrecisionMatrix(), linalg.Inv(c.want)) {
			t.Errorf("%s: covariance %v, precision %v; want %v", name, c.d.CovarianceMatrix(), c.d.PrecisionMatrix(), c.want)
		}
	}
	if l := low.ScaleTril(); !lucid.AllClose(l.MatMul(l.MT()), low.CovarianceMatrix()) || !lucid.Equal(l, lucid.Tril(l)) {
		t.Errorf("the root of a covariance of low rank is %v", l)
	}
}

// TestModes: no density near a mode is larger than the one there; deviations are roots of variances.
func TestModes(t *testing.T) {
	two := f64s(0.7, 2.5)
	for name, d := range map[string]D.Distribution{
		"Beta": D.NewBeta(two.Add(1), 3.0), "Cauchy": D.NewCauchy(two, 2.0), "Exponential": D.NewExponential(two),
		"FisherSnedecor": D.NewFisherSnedecor(two.Add(2), 5.0), "Gamma": D.NewGamma(two, 2.0), "Gumbel": D.NewGumbel(two, 1.5),
		"HalfCauchy": D.NewHalfCauchy(two), "HalfNormal": D.NewHalfNormal(two), "InverseGamma": D.NewInverseGamma(two, 2.0),
		"Independent": D.NewIndependent(D.NewNormal(two, 1.0), 1), "Kumaraswamy": D.NewKumaraswamy(two.Add(1), 2.0),
		"Laplace": D.NewLaplace(two, 0.5), "LogNormal": D.NewLogNormal(two, 0.5), "Normal": D.NewNormal(two, 0.5),
		"Pareto": D.NewPareto(two, 3.0), "StudentT": D.NewStudentT(two.Add(2)), "VonMises": D.NewVonMises(two, 3.0),
		"Weibull":             D.NewWeibull(2.0, two.Add(1)),
		"ContinuousBernoulli": D.NewContinuousBernoulli(D.ContinuousBernoulliOptions{Probs: f64s(0.2, 0.9)}),
	} {
		mode := d.Mode()
		inside := func(x *lucid.Tensor) *lucid.Tensor { return lucid.Where(d.Support().Check(x), x, mode) }
		top := d.LogProb(mode)
		for _, step := range []float64{-1e-3, 1e-3, -0.2, 0.2} {
			if near := d.LogProb(inside(mode.Add(step))); !lucid.ItemAs[bool](near.Le(top).All()) {
				t.Errorf("%s: at the mode %v the log density is %v, %v away %v", name, mode, top, step, near)
			}
		}
		if v := d.Variance(); !lucid.AllClose(d.StdDev(), v.Sqrt(), lucid.CloseOptions{EqualNaN: true}) {
			t.Errorf("%s: deviation %v, variance %v", name, d.StdDev(), v)
		}
	}
}
