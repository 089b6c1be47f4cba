package distributions_test

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/distributions"
	"github.com/lucid-go/lucid/random"
)

// oneParameter are families as functions of one of their parameters, with its value.
var oneParameter = map[string]struct {
	at float64
	of func(x *lucid.Tensor) distributions.Distribution
}{
	"Normal scale":  {1.3, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewNormal(1.0, x) }},
	"Uniform high":  {1.3, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewUniform(-1.0, x) }},
	"Exponential":   {1.3, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewExponential(x) }},
	"Laplace scale": {1.3, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewLaplace(0.5, x) }},
	"Gumbel scale":  {1.3, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewGumbel(0.5, x) }},
	"Cauchy scale":  {1.3, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewCauchy(0.5, x) }},
	"HalfNormal":    {1.3, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewHalfNormal(x) }},
	"HalfCauchy":    {1.3, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewHalfCauchy(x) }},
	"Pareto alpha":  {2.3, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewPareto(0.5, x) }},
	"Weibull":       {1.7, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewWeibull(0.5, x) }},
	"Kumaraswamy a": {1.7, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewKumaraswamy(x, 2.0) }},
	"Kumaraswamy b": {1.7, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewKumaraswamy(2.0, x) }},
	"LogNormal":     {0.7, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewLogNormal(0.5, x) }},
	"GenPareto": {0.3, func(x *lucid.Tensor) distributions.Distribution {
		return distributions.NewGeneralizedPareto(0.5, 1.0, x)
	}},
	"Gamma":          {1.7, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewGamma(x, 2.0) }},
	"Gamma below 1":  {0.4, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewGamma(x, 2.0) }},
	"Gamma large":    {400, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewGamma(x, 2.0) }},
	"Gamma rate":     {1.7, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewGamma(3.0, x) }},
	"Chi2":           {3.4, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewChi2(x) }},
	"InverseGamma":   {2.4, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewInverseGamma(x, 2.0) }},
	"Beta a":         {1.7, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewBeta(x, 2.5) }},
	"Beta b":         {0.7, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewBeta(2.5, x) }},
	"VonMises":       {2.5, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewVonMises(0.0, x) }},
	"VonMises 40":    {40, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewVonMises(0.0, x) }},
	"VonMises small": {0.05, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewVonMises(0.0, x) }},
	"Continuous": {0.7, func(x *lucid.Tensor) distributions.Distribution {
		return distributions.NewContinuousBernoulli(distributions.ContinuousBernoulliOptions{Probs: x})
	}},
}

// TestSampleGradients: where a sample is one number of one word, it moves so that its cumulative probability stays: its derivative is
// minus that of the CDF by the parameter, over the density. The CDF is differenced.
func TestSampleGradients(t *testing.T) {
	const n = 200
	for name, c := range oneParameter {
		t.Run(name, func(t *testing.T) {
			at := lucid.With{DType: lucid.Float64}.Full([]int{n}, c.at).RequiresGrad_(true)
			d := c.of(at)
			x := d.RSampleKey(random.Key(4))
			x.Sum().Backward()
			h := 1e-5 * c.at
			sample := x.Detach()
			slope := c.of(at.Detach().Add(h)).CDF(sample).Sub(c.of(at.Detach().Sub(h)).CDF(sample)).Div(2 * h)
			want := numbers(slope.Neg().Div(distributions.Prob(d, sample).Detach()))
			for i, g := range numbers(at.Grad()) {
				// Differences of a CDF near 0 or 1 have no digits.
				if math.Abs(g-want[i]) > 1e-4*(math.Abs(want[i])+math.Abs(numbers(sample)[i])+1e-3) {
					t.Fatalf("sample %v: derivative %v, want %v", numbers(sample)[i], g, want[i])
				}
			}
		})
	}
}

// TestMomentGradients: the gradients of means and mean squares over samples are those of the moments, also where a sample is made of
// several numbers.
func TestMomentGradients(t *testing.T) {
	const n = 40000
	for name, c := range map[string]struct {
		at []float64
		of func(x *lucid.Tensor) distributions.Distribution
	}{
		"StudentT": {[]float64{6}, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewStudentT(x.At(0)) }},
		"FisherSnedecor": {[]float64{14},
			func(x *lucid.Tensor) distributions.Distribution { return distributions.NewFisherSnedecor(4.0, x.At(0)) }},
		"Dirichlet": {[]float64{0.8, 2, 3}, func(x *lucid.Tensor) distributions.Distribution { return distributions.NewDirichlet(x) }},
		"Wishart": {[]float64{5}, func(x *lucid.Tensor) distributions.Distribution {
			eye := lucid.With{DType: lucid.Float64}.Eye(2)
			return distributions.NewWishart(x.At(0), distributions.MultivariateNormalOptions{ScaleTril: eye})
		}},
		"MultivariateNormal": {[]float64{1, 2}, func(x *lucid.Tensor) distributions.Distribution {
			return distributions.NewMultivariateNormal(x, distributions.MultivariateNormalOptions{ScaleTril: lucid.DiagEmbed(x.Add(1.0))})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			grad := func(f func(x *lucid.Tensor) *lucid.Tensor) []float64 {
				x := lucid.New(c.at, len(c.at)).RequiresGrad_(true)
				f(x).Backward()
				return numbers(x.Grad())
			}
			weight := func(x *lucid.Tensor) *lucid.Tensor { // different weights, so that sums do not cancel
				s := x.NumElement()
				return x.Mul(lucid.With{DType: lucid.Float64}.Linspace(1.0, 2.0, s).Reshape(x.Shape()...)).Sum()
			}
			got := grad(func(x *lucid.Tensor) *lucid.Tensor {
				s := c.of(x).RSampleKey(random.Key(6), n)
				return weight(s.Mean(0)).Add(weight(s.Square().Mean(0)))
			})
			want := grad(func(x *lucid.Tensor) *lucid.Tensor {
				d := c.of(x)
				return weight(d.Mean()).Add(weight(d.Variance().Add(d.Mean().Square())))
			})
			for i := range want {
				if math.Abs(got[i]-want[i]) > 0.06*math.Abs(want[i])+0.003 {
					t.Errorf("the gradient of moments by parameter %d is %v, want %v", i, got[i], want[i])
				}
			}
		})
	}
}

// TestForwardMode: samples have tangents, equal to what backward mode gives.
func TestForwardMode(t *testing.T) {
	for _, name := range []string{"Gamma", "Beta a", "VonMises"} {
		c := oneParameter[name]
		f := func(x *lucid.Tensor) *lucid.Tensor { return c.of(x).RSampleKey(random.Key(1)).Square() }
		x := lucid.With{DType: lucid.Float64}.Full([]int{5}, c.at)
		_, tangent := lucid.JVP(f, x, lucid.OnesLike(x))
		_, grad := lucid.VJP(f, x, lucid.OnesLike(x))
		if !lucid.AllClose(tangent, grad) {
			t.Errorf("%s: forward mode %v, backward mode %v", name, tangent, grad)
		}
		rows := lucid.Jacobian(f)(x)
		if !lucid.AllClose(rows.Sum(0), grad) {
			t.Errorf("%s: the sum of the jacobian's rows is %v, want %v", name, rows.Sum(0), grad)
		}
	}
	p := f64s(0.7, 1.5, 4)
	f := func(x *lucid.Tensor) *lucid.Tensor { return distributions.NewDirichlet(x).RSampleKey(random.Key(1)) }
	if a, b := lucid.Jacobian(f)(p), lucid.JacobianForward(f)(p); !lucid.AllClose(a, b) {
		t.Errorf("Dirichlet: %v and %v", a, b)
	}
}

// TestTransformsAndCompile: samples by keys are the same inside Compile and VMap; parameters that are traced are not read.
func TestTransformsAndCompile(t *testing.T) {
	for name, c := range oneParameter {
		if name == "Gamma large" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f := func(key, x *lucid.Tensor) *lucid.Tensor {
				d := c.of(x)
				s := d.SampleKey(key, 4)
				return s.Add(d.LogProb(s))
			}
			x := lucid.With{DType: lucid.Float64}.Scalar(c.at)
			want := f(random.Key(3), x)
			if got := lucid.Compile(f)(random.Key(3), x); !lucid.AllClose(got, want) {
				t.Errorf("compiled: %v, want %v", got, want)
			}
			keys := random.Split(random.Key(9), 3)
			many := lucid.VMap(func(key *lucid.Tensor) *lucid.Tensor { return f(key, x) })(keys)
			for i := range 3 {
				if one := f(keys.At(i), x); !lucid.AllClose(many.At(i), one) {
					t.Errorf("mapped, key %d: %v, want %v", i, many.At(i), one)
				}
			}
		})
	}
}

// TestOrder: blocks of work do not show in samples: a part of a large sample is that of the whole.
func TestOrder(t *testing.T) {
	for i, d := range []distributions.Distribution{distributions.NewGamma(2.0, 1.0), distributions.NewPoisson(4.0),
		distributions.NewVonMises(0.0, 2.0),
		distributions.NewBinomial(distributions.BinomialOptions{TotalCount: 40, Probs: 0.4})} {
		whole, part := d.SampleKey(random.Key(2), 3000), d.SampleKey(random.Key(2), 700)
		if !lucid.Equal(whole.Narrow(0, 0, 700), part) {
			t.Errorf("distribution %d: the first samples of 3000 are not those of 700", i)
		}
	}
	rows := lucid.New([]float32{0.5, 1, 2}, 3)
	d := distributions.NewDirichlet(rows)
	if whole, part := d.SampleKey(random.Key(2), 1000), d.SampleKey(random.Key(2), 10); !lucid.Equal(whole.Narrow(0, 0, 10), part) {
		t.Error("the first rows of 1000 are not those of 10")
	}
}
