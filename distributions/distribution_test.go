package distributions_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/distributions"
	"github.com/lucid-go/lucid/random"
)

// TestValidation: bad parameters and values are refused with a message that has the value and the domain.
func TestValidation(t *testing.T) {
	eye := lucid.Eye(2)
	for want, f := range map[string]func(){
		"scale is -1; want a number of more than 0": func() { distributions.NewNormal(0.0, -1.0) },
		"loc is NaN; want a real number":            func() { distributions.NewNormal(math.NaN(), 1.0) },
		"scale is -3 at [1]; want":                  func() { distributions.NewNormal(0.0, lucid.New([]float32{1, -3}, 2)) },
		"probs is 1.5":                              func() { distributions.NewBernoulli(distributions.BernoulliOptions{Probs: 1.5}) },
		"give one of them":                          func() { distributions.NewBernoulli(distributions.BernoulliOptions{}) },
		"Probs given: true, Logits given: true": func() {
			distributions.NewBinomial(distributions.BinomialOptions{Probs: 0.5, Logits: 0.0})
		},
		"total_count is 2.5": func() {
			distributions.NewBinomial(distributions.BinomialOptions{TotalCount: 2.5, Probs: 0.5})
		},
		"low is 3 and high is 1; want low below high": func() { distributions.NewUniform(3, 1) },
		"0 matrices; give one of": func() {
			distributions.NewMultivariateNormal(lucid.Zeros(2),
				distributions.MultivariateNormalOptions{})
		},
		"covariance_matrix is":                              func() { newMVN(lucid.Zeros(2), eye.Neg()) },
		"loc has 3 components and the matrices have size 2": func() { newMVN(lucid.Zeros(3), eye) },
		"df is 0.5; want a number of more than 1": func() {
			distributions.NewWishart(0.5, distributions.MultivariateNormalOptions{ScaleTril: eye})
		},
		"which does not broadcast with": func() { distributions.NewNormal(lucid.Zeros(2), lucid.Ones(3)) },
		"scale is a string":             func() { distributions.NewNormal(0.0, "wide") },
		"scale is missing":              func() { distributions.NewNormal(0.0, nil) },
		"got 2 option structs": func() {
			distributions.NewNormal(0.0, 1.0, distributions.Options{},
				distributions.Options{})
		},
		"the value is -1; want":                                       func() { distributions.NewGamma(1.0, 1.0).LogProb(-1.0) },
		"the value is 2.5; want an integer":                           func() { distributions.NewPoisson(1.0).LogProb(2.5) },
		"the value is 1.5; want a number of at least 0 and at most 1": func() { distributions.NewNormal(0.0, 1.0).ICDF(1.5) },
		"does not end in the event shape":                             func() { newMVN(lucid.Zeros(2), eye).LogProb(lucid.Zeros(3)) },
		"Dirichlet has no CDF; estimate": func() {
			distributions.NewDirichlet(lucid.Ones(3)).
				CDF(lucid.Ones(3))
		},
		"Poisson has no RSample": func() { distributions.NewPoisson(3.0).RSample(2) },
		"is not bijective":       func() { distributions.AbsTransform{}.LogAbsDetJacobian(eye, eye) },
		"no closed form of StudentT": func() {
			distributions.KL(distributions.NewStudentT(3.0),
				distributions.NewNormal(0.0, 1.0))
		},
		"2 dimensions of batch shape [3]": func() { distributions.NewIndependent(distributions.NewNormal(lucid.Zeros(3), 1.0), 2) },
		"dim is 1; want at least 2":       func() { distributions.NewLKJCholesky(1, 1.0) },
		"for 2 weights": func() {
			distributions.NewMixtureSameFamily(distributions.NewCategorical(distributions.CategoricalOptions{Logits: lucid.Zeros(2)}),
				distributions.NewNormal(lucid.Zeros(3), 1.0))
		},
		"no transform to an integer": func() { distributions.BijectTo(distributions.NonNegativeInteger) },
	} {
		err := lucid.Try(f)
		var e *lucid.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the error %v", want, err)
		}
	}
	// Without checks: what is computed then is NaN or as it comes.
	d := distributions.NewNormal(0.0, -1.0, distributions.Options{NoValidate: true})
	if lp := d.LogProb(math.NaN()).Item(); !math.IsNaN(lp) {
		t.Errorf("log_prob of NaN is %v", lp)
	}
	// Traced values are not read: the constructor inside does not know that the scale is negative.
	f := lucid.Compile(func(scale *lucid.Tensor) *lucid.Tensor { return distributions.NewNormal(0.0, scale).StdDev() })
	if v := f(lucid.Scalar(-2.0)).Item(); v != -2 {
		t.Errorf("a traced scale of -2 gives %v", v)
	}
}

func newMVN(loc, covariance *lucid.Tensor) distributions.Distribution {
	return distributions.NewMultivariateNormal(loc, distributions.MultivariateNormalOptions{CovarianceMatrix: covariance})
}

// TestBetaMode: inside, at an end, and nowhere.
func TestBetaMode(t *testing.T) {
	a := []float64{3, 0.5, 2, 1, 0.5, 1, 3, 1}
	b := []float64{2, 2, 0.5, 2, 0.5, 1, 1, 0.5}
	want := []float64{2.0 / 3, 0, 1, 0, math.NaN(), math.NaN(), 1, 1}
	for i, m := range numbers(distributions.NewBeta(f64s(a...), f64s(b...)).Mode()) {
		if math.Abs(m-want[i]) > 1e-12 || math.IsNaN(m) != math.IsNaN(want[i]) {
			t.Errorf("the mode for %v and %v is %v, want %v", a[i], b[i], m, want[i])
		}
	}
}

// TestEnumerate lists supports: probabilities over them sum to 1.
func TestEnumerate(t *testing.T) {
	for _, d := range []distributions.Distribution{
		distributions.NewBernoulli(distributions.BernoulliOptions{Probs: f64s(0.2, 0.5)}),
		distributions.NewBinomial(distributions.BinomialOptions{TotalCount: 7, Probs: f64s(0.2, 0.5)}),
		distributions.NewCategorical(distributions.CategoricalOptions{Logits: lucid.New([]float64{1, 2, 3, 0, 0, 1}, 2, 3)}),
		distributions.NewOneHotCategorical(distributions.CategoricalOptions{Logits: lucid.New([]float64{1, 2, 3, 0, 0, 1}, 2, 3)}),
	} {
		for _, expand := range []bool{true, false} {
			x := d.EnumerateSupport(expand)
			for _, s := range numbers(distributions.Prob(d, x).Sum(0)) {
				if math.Abs(s-1) > 1e-12 {
					t.Errorf("%v: probabilities sum to %v", d, s)
				}
			}
			if n := x.Size(1); expand && n != 2 || !expand && n != 1 {
				t.Errorf("%v: the support has shape %v", d, x.Shape())
			}
		}
	}
	if err := lucid.Try(func() { distributions.NewPoisson(1.0).EnumerateSupport(true) }); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Errorf("the support of a Poisson distribution: %v", err)
	}
}

// triangle is a distribution of this test: 2x on [0, 1].
type triangle struct{ distributions.Base }

func newTriangle() *triangle {
	d := &triangle{}
	d.Base = distributions.NewBase(distributions.Spec{Name: "Triangle", Self: d, Support: distributions.UnitInterval,
		Draw: func(key *lucid.Tensor, shape []int) *lucid.Tensor { return random.Uniform(key, shape).Sqrt() }})
	return d
}

func (d *triangle) LogProb(value any) *lucid.Tensor { return lucid.Mul(value, 2.0).Log() }

// TestOwn: distributions, divergences and constraints of a user's.
func TestOwn(t *testing.T) {
	p, q := newTriangle(), distributions.NewBeta(2.0, 1.0)
	if m := p.SampleKey(random.Key(1), 20000).Mean().Item(); math.Abs(m-2.0/3) > 0.01 {
		t.Errorf("the mean is %v, want 2/3", m)
	}
	if err := lucid.Try(func() { p.Mean() }); !errors.Is(err, lucid.ErrNotImplemented) || !strings.Contains(err.Error(),
		"Triangle has no Mean") {
		t.Errorf("a mean that is not there: %v", err)
	}
	type other struct{ triangle } // for which none is registered, also when the test runs again
	if err := lucid.Try(func() { distributions.KL(&other{*p}, q) }); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Errorf("a divergence that is not there: %v", err)
	}
	if kl := distributions.MonteCarloKL(p, q, distributions.MonteCarloOptions{Samples: 500, Key: random.Key(2)}).
		Item(); math.Abs(kl) > 1e-5 {
		t.Errorf("the estimate is %v, want 0: the densities are equal", kl)
	}
	distributions.RegisterKL(func(p *triangle, q *distributions.Beta) *lucid.Tensor {
		return distributions.KL(distributions.NewBeta(2.0, 1.0), q)
	})
	if kl := distributions.KL(p, q).Item(); math.Abs(kl) > 1e-6 {
		t.Errorf("the divergence registered here is %v, want 0", kl)
	}
	distributions.RegisterBijectTo(func(even) distributions.Transform { return distributions.ExpTransform{} })
	if _, ok := distributions.BijectTo(even{distributions.Positive}).(distributions.ExpTransform); !ok {
		t.Error("the transform registered here was not found")
	}
	distributions.RegisterTransformTo(func(even) distributions.Transform { return distributions.SoftmaxTransform{} })
	_, parameter := distributions.TransformTo(even{distributions.Positive}).(distributions.SoftmaxTransform)
	if _, bijective := distributions.BijectTo(even{distributions.Positive}).(distributions.ExpTransform); !parameter || !bijective {
		t.Error("the map for parameters was not found, or is taken for the bijection")
	}
	fair := distributions.NewCategorical(distributions.CategoricalOptions{Probs: f64s(1, 1, 1, 1)})
	if v := distributions.Perplexity(fair).Item(); math.Abs(v-4) > 1e-9 {
		t.Errorf("the perplexity of four equal classes is %v", v)
	}
}

type even struct{ distributions.Constraint }

// TestBijectTo: results are inside, and the inverse brings them back.
func TestBijectTo(t *testing.T) {
	low, high := f64s(-2, 0, 1), f64s(1, 5, 3)
	for _, c := range []distributions.Constraint{distributions.Real, distributions.Positive, distributions.NonNegative,
		distributions.UnitInterval,
		distributions.OpenUnitInterval, distributions.GreaterThan(low), distributions.LessThan(3.0), distributions.Interval(low, high),
		distributions.Interval(-1.0, 4.0), distributions.HalfOpenInterval(0.0, 2.0), distributions.Simplex, distributions.RealVector,
		distributions.IndependentConstraint(distributions.Positive, 1), distributions.LowerCholesky, distributions.PositiveDefinite,
		distributions.CorrCholesky, distributions.CatConstraint([]distributions.Constraint{distributions.Positive,
			distributions.Real}, -1, []int{1, 2}),
		distributions.StackConstraint([]distributions.Constraint{distributions.Positive, distributions.Real,
			distributions.UnitInterval}, -1)} {
		for name, t2 := range map[string]distributions.Transform{"biject": distributions.BijectTo(c),
			"transform": distributions.TransformTo(c)} {
			x := random.Normal(random.Key(3), []int{2, 3}, random.NormalOptions{DType: lucid.Float64})
			if c == distributions.LowerCholesky || c == distributions.PositiveDefinite {
				x = random.Normal(random.Key(3), []int{2, 3, 3}, random.NormalOptions{DType: lucid.Float64}).Tril()
			}
			y := t2.Forward(x)
			if !lucid.ItemAs[bool](c.Check(y).All()) {
				t.Errorf("%s to %v gives %v", name, c, y)
			}
			if back := t2.Forward(t2.Inverse(y)); !lucid.AllClose(back, y) {
				t.Errorf("%s to %v: forth and back gives %v, want %v", name, c, back, y)
			}
			if t2.Bijective() && !lucid.AllClose(t2.Inverse(y), x, lucid.CloseOptions{ATol: new(1e-6)}) {
				t.Errorf("%s to %v: back gives %v, want %v", name, c, t2.Inverse(y), x)
			}
		}
	}
}

// TestCache: a cached transform gives back the very argument, and notices that a handle shows something else.
func TestCache(t *testing.T) {
	c := distributions.Cached(distributions.ExpTransform{})
	x := f64s(-50, 0, 3)
	y := c.Forward(x)
	if c.Inverse(y) != x || c.Forward(x) != y {
		t.Error("the pair was not remembered")
	}
	x.Add_(1.0)
	if c.Forward(x) == y || c.Inverse(y) == x {
		t.Error("an argument that was changed in place is taken for the old one")
	}
	z := c.Forward(x)
	z.Mul_(2.0)
	if !lucid.AllClose(c.Inverse(z), x.Add(math.Ln2)) {
		t.Error("a result that was changed in place is taken for the old one")
	}
	if lp := distributions.NewTransformed(distributions.NewNormal(f64(0), 1.0), c).LogProb(f64(2)).Item(); math.IsNaN(lp) {
		t.Error("a cached transform has no density")
	}
}

// TestDistantValues: densities of rare events do not overflow.
func TestDistantValues(t *testing.T) {
	logits := distributions.NewBernoulli(distributions.BernoulliOptions{Logits: 200.0})
	if lp := logits.LogProb(0.0).Item(); lp != -200 {
		t.Errorf("log-probability %v, want -200", lp)
	}
	tiny := distributions.NewDirichlet(lucid.New([]float32{1e-4, 1e-4, 1e-4}, 3)).SampleKey(random.Key(3), 100)
	if !lucid.ItemAs[bool](distributions.Simplex.Check(tiny).All()) {
		t.Error("samples of tiny concentrations leave the simplex")
	}
	big := distributions.NewGamma(float32(1e10), 1.0).SampleKey(random.Key(3), 100)
	if m := big.Mean().Item(); math.Abs(m/1e10-1) > 1e-3 {
		t.Errorf("the mean of large gamma numbers is %v, want 1e10", m)
	}
}

// TestKLOfHeavyTails compares half-Cauchy distributions with the Cauchy ones they fold, and asks that an infinite divergence has no
// gradient.
func TestKLOfHeavyTails(t *testing.T) {
	kl := distributions.KL(distributions.NewHalfCauchy(2.0), distributions.NewHalfCauchy(5.0)).Item()
	if want := distributions.KL(distributions.NewCauchy(0.0, 2.0), distributions.NewCauchy(0.0, 5.0)).Item(); math.Abs(kl-want) > 1e-6 {
		t.Errorf("half-Cauchy: %v, want %v", kl, want)
	}
	for name, q := range map[string]distributions.Distribution{"Exponential": distributions.NewExponential(1.0),
		"Gamma": distributions.NewGamma(2.0, 1.0), "Normal": distributions.NewNormal(0.0, 1.0)} {
		f := func(a *lucid.Tensor) *lucid.Tensor { return distributions.KL(distributions.NewPareto(0.5, a), q) }
		a := lucid.Scalar(0.75)
		if v, g := f(a).Item(), lucid.Grad(f)(a).Item(); !math.IsInf(v, 1) || g != 0 {
			t.Errorf("Pareto against %s: %v with gradient %v, want +Inf with 0", name, v, g)
		}
	}
}

// TestRefusedInBatch: one value for several distributions is refused with its index among them.
func TestRefusedInBatch(t *testing.T) {
	err := lucid.Try(func() { distributions.NewUniform(f64s(0, 1), f64s(2, 5)).LogProb(4.0) })
	if err == nil || !strings.Contains(err.Error(), "the value is 4 at [0]; want") {
		t.Errorf("a value for two distributions: %v", err)
	}
}

// TestEdgeGradients: where a result is NaN or infinite, it has no part in gradients of parameters that others share.
func TestEdgeGradients(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(x *lucid.Tensor) *lucid.Tensor
		want func(x *lucid.Tensor) *lucid.Tensor // the finite part
	}{
		"mode of Kumaraswamy": {
			func(x *lucid.Tensor) *lucid.Tensor { return distributions.NewKumaraswamy(x, f64s(0.5, 3)).Mode() },
			func(x *lucid.Tensor) *lucid.Tensor { return distributions.NewKumaraswamy(x, 3.0).Mode() }},
		"Pareto against Exponential": {func(x *lucid.Tensor) *lucid.Tensor {
			return distributions.KL(distributions.NewPareto(1.0, f64s(0.5, 3)), distributions.NewExponential(x))
		}, func(x *lucid.Tensor) *lucid.Tensor {
			return distributions.KL(distributions.NewPareto(1.0, f64(3)), distributions.NewExponential(x))
		}},
		"Pareto against Gamma": {func(x *lucid.Tensor) *lucid.Tensor {
			return distributions.KL(distributions.NewPareto(1.0, f64s(0.5, 3)), distributions.NewGamma(2.0, x))
		}, func(x *lucid.Tensor) *lucid.Tensor {
			return distributions.KL(distributions.NewPareto(1.0, f64(3)), distributions.NewGamma(2.0, x))
		}},
		"Pareto against Normal": {func(x *lucid.Tensor) *lucid.Tensor {
			return distributions.KL(distributions.NewPareto(1.0, f64s(0.5, 3)), distributions.NewNormal(0.0, x))
		}, func(x *lucid.Tensor) *lucid.Tensor {
			return distributions.KL(distributions.NewPareto(1.0, f64(3)), distributions.NewNormal(0.0, x))
		}},
	} {
		x := f64(2)
		sum := func(f func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			return lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return f(x).Sum() })(x)
		}
		if got, want := sum(c.f), sum(c.want); !lucid.AllClose(got, want) {
			t.Errorf("%s: gradient %v, want %v", name, got, want)
		}
	}
	if e := distributions.NewPoisson(f64s(0, 1e-300, 1)).Entropy(); !lucid.AllClose(e, f64s(0, 0, 1.3048422422)) {
		t.Errorf("entropy of Poisson: %v", e)
	}
	if lp := distributions.NewGeneralizedPareto(0.0, 1.0, -1.0).LogProb(1.0).Item(); lp != 0 {
		t.Errorf("a uniform density at its end: %v", lp)
	}
	f := lucid.Grad(func(r *lucid.Tensor) *lucid.Tensor { return distributions.NewPoisson(r).Entropy().Sum() })
	if g := f(f64s(0, 2)); math.IsNaN(g.At(0).Item()) || math.Abs(g.At(1).Item()-0.2849) > 1e-4 {
		t.Errorf("gradient of the entropy of Poisson: %v", g)
	}
}

// TestVonMisesSeam: the CDF counts from -π, where samples begin, whatever the location.
func TestVonMisesSeam(t *testing.T) {
	for _, loc := range []float64{-10, -2.5, 0, 1, 3} {
		d := distributions.NewVonMises(f64(loc), 2.0)
		x := lucid.With{DType: lucid.Float64}.Linspace(-math.Pi, math.Pi, 2001)
		p := numbers(distributions.Prob(d, x))
		cdf, sum := numbers(d.CDF(x)), 0.0
		for i := range p {
			if i > 0 {
				sum += (p[i-1] + p[i]) / 2 * math.Pi / 1000
			}
			if math.Abs(cdf[i]-sum) > 1e-6 {
				t.Fatalf("loc %v: CDF(%v) is %v, want %v", loc, -math.Pi+float64(i)*math.Pi/1000, cdf[i], sum)
			}
		}
		if ends := numbers(d.CDF(f64s(-9, 9))); ends[0] != 0 || ends[1] != 1 {
			t.Errorf("loc %v: outside of the samples: %v", loc, ends)
		}
	}
}
