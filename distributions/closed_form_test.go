package distributions_test

import (
	"errors"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/distributions"
	"github.com/lucid-go/lucid/random"
)

// TestDiscreteQuantiles: the quantile is the least value whose cumulative probability is at least the one asked for; that of a
// cumulative probability is the value itself, but for one more or fewer by rounding.
func TestDiscreteQuantiles(t *testing.T) {
	q := lucid.With{DType: lucid.Float64}.Linspace(0.001, 0.999, 211).Unsqueeze(-1)
	for _, d := range []distributions.Distribution{
		distributions.NewBernoulli(distributions.BernoulliOptions{Probs: f64s(0.2, 0.5, 1)}),
		distributions.NewGeometric(distributions.GeometricOptions{Probs: f64s(0.01, 0.5, 1)}),
		distributions.NewGeometric(distributions.GeometricOptions{Logits: f64s(-7, 0, 3)}),
		distributions.NewCategorical(distributions.CategoricalOptions{Probs: lucid.New([]float64{1, 2, 3, 0, 0, 1, 4, 1, 0}, 3, 3)}),
	} {
		x := d.ICDF(q).To(lucid.Float64)
		at, below, want := numbers(d.CDF(x)), numbers(d.CDF(x.Sub(1.0))), numbers(q.Expand(211, 3))
		for i, p := range want {
			if !(at[i] >= p-1e-12 && below[i] < p+1e-12) {
				t.Fatalf("%v: the quantile %v of %v has the cumulative probability %v, the value before it %v",
					d, numbers(x)[i], p, at[i], below[i])
			}
		}
	}
	half := distributions.NewGeometric(distributions.GeometricOptions{Probs: f64s(0.5)})
	for i, p := range []float64{0, 0.5, 0.75, 0.875, 0.5000001, 1} {
		want := []float64{0, 0, 1, 2, 1, math.Inf(1)}[i]
		if got := half.ICDF(p).Item(); got != want {
			t.Errorf("the quantile of %v is %v, want %v", p, got, want)
		}
	}
}

// TestLogisticForms: log-odds of relaxed Bernoulli numbers are logistic, and their distribution function is the integral of the density.
func TestLogisticForms(t *testing.T) {
	d := distributions.NewLogitRelaxedBernoulli(f64s(0.7, 2), distributions.RelaxedBernoulliOptions{Logits: f64s(-1, 0.5)})
	q := lucid.New([]float64{1e-3, 0.3, 0.5, 0.9}, 4, 1)
	x := d.ICDF(q)
	for i, p := range numbers(d.CDF(x)) {
		if want := numbers(q.Expand(4, 2))[i]; math.Abs(p-want) > 1e-12 {
			t.Errorf("the cumulative probability of the quantile of %v is %v", want, p)
		}
	}
	slope := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return d.CDF(x).Sum() })(x)
	if !lucid.AllClose(slope, distributions.Prob(d, x)) {
		t.Errorf("the density is %v, the slope of the distribution function %v", distributions.Prob(d, x), slope)
	}
	relaxed := distributions.NewRelaxedBernoulli(f64s(0.7, 2), distributions.RelaxedBernoulliOptions{Logits: f64s(-1, 0.5)})
	if !lucid.AllClose(relaxed.ICDF(q), x.Sigmoid()) || !lucid.AllClose(relaxed.CDF(x.Sigmoid()), q.Expand(4, 2)) {
		t.Error("quantiles of relaxed numbers are not those of their log-odds")
	}
	s := d.SampleKey(random.Key(3), 50_000)
	for name, pair := range map[string][2]*lucid.Tensor{"mean": {s.Mean(0), d.Mean()}, "mode": {s.Mean(0), d.Mode()},
		"variance": {s.Var(0), d.Variance()}, "entropy": {d.LogProb(s).Mean(0).Neg(), d.Entropy()}} {
		if !lucid.AllClose(pair[0], pair[1], lucid.CloseOptions{RTol: new(0.03), ATol: new(0.03)}) {
			t.Errorf("%s %v, of samples %v", name, pair[1], pair[0])
		}
	}
}

// TestLKJEntropy compares it with the mean over samples; for matrices of size 2 the correlation is 2b-1 of a beta number b.
func TestLKJEntropy(t *testing.T) {
	for _, n := range []int{2, 3, 5} {
		d := distributions.NewLKJCholesky(n, f64s(0.7, 1, 4))
		got := d.Entropy()
		want := d.LogProb(d.SampleKey(random.Key(5), 20_000)).Mean(0).Neg()
		if !lucid.AllClose(got, want, lucid.CloseOptions{RTol: new(0.0), ATol: new(0.05)}) {
			t.Errorf("size %d: %v, by samples %v", n, got, want)
		}
	}
	two := distributions.NewLKJCholesky(2, f64s(1)).Entropy().Item()
	// The correlation is uniform on [-1, 1] and is the factor's only free number.
	if math.Abs(two-math.Ln2) > 1e-12 {
		t.Errorf("the entropy of a uniform correlation is %v, want log 2", two)
	}
}

// TestCDFAtZero checks the lower end of positive numbers, where the density has no value and the probability is 0.
func TestCDFAtZero(t *testing.T) {
	for _, d := range []distributions.Distribution{distributions.NewLogNormal(0.0, 1.0), distributions.NewWeibull(1.0, 2.0),
		distributions.NewInverseGamma(1.0, 2.0)} {
		if p := d.CDF(0.0).Item(); p != 0 {
			t.Errorf("%v: the cdf of 0 is %v", d, p)
		}
		if err := lucid.Try(func() { d.CDF(-1.0) }); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%v: the cdf of -1 gives %v", d, err)
		}
		if err := lucid.Try(func() { d.LogProb(0.0) }); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%v: the density at 0 gives %v", d, err)
		}
	}
}

// TestInfiniteWeights checks that weights of classes that cannot be normalised are refused.
func TestInfiniteWeights(t *testing.T) {
	inf := math.Inf(1)
	for _, o := range []distributions.CategoricalOptions{{Probs: lucid.New([]float64{1, inf}, 2)},
		{Logits: lucid.New([]float64{1, inf}, 2)}, {Logits: lucid.New([]float64{-inf, -inf}, 2)}} {
		for name, f := range map[string]func(){"categorical": func() { distributions.NewCategorical(o) },
			"one hot": func() { distributions.NewOneHotCategorical(o) },
			"relaxed": func() { distributions.NewRelaxedOneHotCategorical(1.0, o) }} {
			if err := lucid.Try(f); !errors.Is(err, lucid.ErrValue) {
				t.Errorf("%s of %v: %v", name, o, err)
			}
		}
	}
	distributions.NewCategorical(distributions.CategoricalOptions{Logits: lucid.New([]float64{-inf, 0}, 2)})
}
