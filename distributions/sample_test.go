package distributions_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/distributions"
	"github.com/lucid-go/lucid/random"
)

func f64(v float64) *lucid.Tensor { return lucid.With{DType: lucid.Float64}.Scalar(v) }

func f64s(v ...float64) *lucid.Tensor { return lucid.New(v, len(v)) }

func numbers(t *lucid.Tensor) []float64 {
	return lucid.ToSlice[float64](t.To(lucid.Float64).Contiguous())
}

// samples checks what every distribution of the golden file promises of its samples.
func TestSamples(t *testing.T) {
	for i, c := range load(t).Families {
		t.Run(fmt.Sprint(i, c.Name), func(t *testing.T) {
			d := constructors[c.Name](tensors(c.Params, false))
			key := random.Key(uint64(i))
			x := d.SampleKey(key, 5, 2)
			want := slices.Concat([]int{5, 2}, c.Batch, c.Event)
			if !slices.Equal(x.Shape(), want) || x.RequiresGrad() {
				t.Fatalf("samples of shape %v, want %v; gradient %v", x.Shape(), want, x.RequiresGrad())
			}
			if !lucid.ItemAs[bool](d.Support().Check(x).All()) {
				t.Errorf("samples outside the support, %v: %v", d.Support(), x)
			}
			if !lucid.Equal(x, d.SampleKey(key, 5, 2)) || lucid.Equal(x, d.SampleKey(random.Key(99), 5, 2)) && c.Name != "Geometric" {
				t.Error("equal keys give unequal samples, or unequal keys equal ones")
			}
			if lp := d.LogProb(x); !slices.Equal(lp.Shape(), want[:len(want)-len(c.Event)]) || !lucid.ItemAs[bool](lp.IsFinite().All()) {
				t.Errorf("log_prob of samples: %v", lp)
			}
			if one := d.Sample(); !slices.Equal(one.Shape(), want[2:]) {
				t.Errorf("one sample of shape %v, want %v", one.Shape(), want[2:])
			}
			err := lucid.Try(func() {
				if r := d.RSampleKey(key, 5, 2); !lucid.Equal(r, x) {
					t.Error("RSample and Sample by one key differ")
				}
			})
			if (err == nil) != d.HasRSample() || err != nil && !errors.Is(err, lucid.ErrNotImplemented) {
				t.Errorf("RSample gives %v, HasRSample %v", err, d.HasRSample())
			}
			expanded(t, d, c.Batch, c.Event)
		})
	}
}

// expanded checks Expand.
func expanded(t *testing.T, d distributions.Distribution, batch, event []int) {
	to := append([]int{3}, batch...)
	e := d.Expand(to...)
	if !slices.Equal(e.BatchShape(), to) || !slices.Equal(e.EventShape(), event) {
		t.Fatalf("expanded: %v, want batch shape %v and event shape %v", e, to, event)
	}
	x := e.SampleKey(random.Key(3), 2)
	if want := slices.Concat([]int{2}, to, event); !slices.Equal(x.Shape(), want) {
		t.Errorf("samples of the expanded distribution have shape %v, want %v", x.Shape(), want)
	}
	if !lucid.AllClose(e.LogProb(x), d.LogProb(x)) {
		t.Error("the expanded distribution has another density")
	}
	if fmt.Sprintf("%T", e) != fmt.Sprintf("%T", d) {
		t.Errorf("expanded, a %T is a %T", d, e)
	}
	if err := lucid.Try(func() { d.Expand(append([]int{7}, slices.Repeat([]int{5}, len(batch))...)...) }); len(batch) > 0 && err == nil {
		t.Error("an expansion that does not broadcast is no error")
	}
}

// continuous distributions of numbers, each with its parameters.
var continuous = map[string]distributions.Distribution{
	"Normal": distributions.NewNormal(f64(1), 2.0), "HalfNormal": distributions.NewHalfNormal(f64(1.5)),
	"Uniform": distributions.NewUniform(f64(-1), 2.5), "Exponential": distributions.NewExponential(f64(0.7)),
	"Laplace": distributions.NewLaplace(f64(1), 0.5), "Gumbel": distributions.NewGumbel(f64(-1), 2.0),
	"Cauchy": distributions.NewCauchy(f64(1), 0.5), "HalfCauchy": distributions.NewHalfCauchy(f64(2)),
	"StudentT": distributions.NewStudentT(f64(3)), "Gamma": distributions.NewGamma(f64(2.5), 1.5),
	"Gamma small": distributions.NewGamma(f64(0.4), 1.0),
	"Chi2":        distributions.NewChi2(f64(4)), "InverseGamma": distributions.NewInverseGamma(f64(3), 2.0),
	"FisherSnedecor": distributions.NewFisherSnedecor(f64(5), 7.0), "Beta": distributions.NewBeta(f64(2), 3.5),
	"Beta small": distributions.NewBeta(f64(0.6), 0.8), "Kumaraswamy": distributions.NewKumaraswamy(f64(2), 3.0),
	"Pareto": distributions.NewPareto(f64(1.5), 3.0), "Weibull": distributions.NewWeibull(f64(2), 1.5),
	"LogNormal":         distributions.NewLogNormal(f64(0.2), 0.5),
	"GeneralizedPareto": distributions.NewGeneralizedPareto(f64(0.5), 1.0, 0.2), "VonMises": distributions.NewVonMises(f64(0.3), 2.0),
	"VonMises narrow":     distributions.NewVonMises(f64(0), 50.0),
	"ContinuousBernoulli": distributions.NewContinuousBernoulli(distributions.ContinuousBernoulliOptions{Probs: f64(0.8)}),
	"RelaxedBernoulli":    distributions.NewRelaxedBernoulli(f64(0.8), distributions.RelaxedBernoulliOptions{Probs: 0.3}),
	"Mixture": distributions.NewMixtureSameFamily(distributions.NewCategorical(distributions.CategoricalOptions{Probs: f64s(1, 3)}),
		distributions.NewNormal(f64s(-2, 1), 0.7)),
	"Transformed": distributions.NewTransformed(distributions.NewNormal(f64(0), 1.0), distributions.AffineTransform{Loc: 2.0, Scale: -3.0},
		distributions.SoftplusTransform{}),
}

// TestKolmogorovSmirnov compares samples with the integral of the density: the largest difference of the distribution functions
// exceeds 1.95/√n in one of a thousand runs.
func TestKolmogorovSmirnov(t *testing.T) {
	const n = 4000
	for name, d := range continuous {
		t.Run(name, func(t *testing.T) {
			x := numbers(d.SampleKey(random.Key(21), n))
			slices.Sort(x)
			if err := lucid.Try(func() {
				for i, f := range numbers(d.CDF(lucid.New(x, n))) {
					if diff := math.Abs(f - float64(i)/n); diff > 1.95/math.Sqrt(n) {
						t.Fatalf("CDF(%v) is %v, and a share of %v of the samples is below", x[i], f, float64(i)/n)
					}
				}
			}); err != nil && !errors.Is(err, lucid.ErrNotImplemented) {
				t.Error(err)
			}
			if strings.HasSuffix(name, " small") {
				return // the density has a pole
			}
			low, high := x[n/200], x[n-1-n/200] // the tails are a hundredth of the samples
			inner := x[n/200 : n-n/200]
			const steps = 4000
			grid := make([]float64, steps+1)
			for i := range grid {
				grid[i] = low + (high-low)*float64(i)/steps
			}
			p := numbers(distributions.Prob(d, lucid.New(grid, steps+1)))
			area := make([]float64, steps+1)
			for i := range steps {
				area[i+1] = area[i] + (p[i]+p[i+1])/2*(high-low)/steps
			}
			most := 0.0
			for i, v := range inner {
				at := min(int((v-low)/(high-low)*steps), steps-1)
				f := area[at] + (area[at+1]-area[at])*((v-grid[at])/(grid[at+1]-grid[at]))
				most = max(most, math.Abs(f/area[steps]-float64(i)/float64(len(inner))))
			}
			if limit := 1.95 / math.Sqrt(n); most > limit {
				t.Errorf("the largest difference is %.4f, more than %.4f", most, limit)
			}
			if math.Abs(area[steps]-0.99) > 0.01 {
				t.Errorf("the density between the %v and %v has area %v, want about 0.99", low, high, area[steps])
			}
		})
	}
}

// TestChiSquare compares counts of discrete samples with probabilities.
func TestChiSquare(t *testing.T) {
	const n = 20000
	for name, d := range map[string]distributions.Distribution{
		"Bernoulli":             distributions.NewBernoulli(distributions.BernoulliOptions{Probs: f64(0.3)}),
		"Geometric":             distributions.NewGeometric(distributions.GeometricOptions{Probs: f64(0.3)}),
		"Binomial":              distributions.NewBinomial(distributions.BinomialOptions{TotalCount: 12, Probs: f64(0.3)}),
		"Binomial by rejection": distributions.NewBinomial(distributions.BinomialOptions{TotalCount: 60, Probs: f64(0.6)}),
		"NegativeBinomial":      distributions.NewNegativeBinomial(distributions.NegativeBinomialOptions{TotalCount: 3.0, Probs: f64(0.4)}),
		"Poisson":               distributions.NewPoisson(f64(4)),
		"Poisson by rejection":  distributions.NewPoisson(f64(25)),
		"Categorical":           distributions.NewCategorical(distributions.CategoricalOptions{Probs: f64s(1, 2, 3, 0, 2)}),
	} {
		t.Run(name, func(t *testing.T) {
			counts := map[int]float64{}
			for _, v := range numbers(d.SampleKey(random.Key(5), n)) {
				counts[int(v)]++
			}
			square, cells, rest, restWant := 0.0, 0, float64(n), float64(n)
			for k := range 80 {
				var p float64
				if err := lucid.Try(func() { p = distributions.Prob(d, k).Item() }); err != nil {
					break // beyond the support
				}
				if p == 0 && counts[k] > 0 || p < 1e-12 && counts[k] > 2 {
					t.Errorf("%v samples of %d, of probability %v", counts[k], k, p)
				}
				if want := p * n; want >= 5 {
					square += (counts[k] - want) * (counts[k] - want) / want
					cells++
					rest -= counts[k]
					restWant -= want
				}
			}
			if restWant > 5 {
				square += (rest - restWant) * (rest - restWant) / restWant
				cells++
			}
			// χ² of cells-1 degrees of freedom exceeds this in one of a thousand runs (Wilson and Hilferty).
			k := float64(cells - 1)
			limit := k * math.Pow(1-2/(9*k)+3.09*math.Sqrt(2/(9*k)), 3)
			if square > limit {
				t.Errorf("χ² is %.1f over %d cells, more than %.1f", square, cells, limit)
			}
		})
	}
}

// TestSampleMoments compares moments of distributions of vectors and matrices.
func TestSampleMoments(t *testing.T) {
	matrix := lucid.New([]float64{2, 0.5, 0.5, 1}, 2, 2)
	for name, d := range map[string]distributions.Distribution{
		"MultivariateNormal": distributions.NewMultivariateNormal(f64s(1, -1),
			distributions.MultivariateNormalOptions{CovarianceMatrix: matrix}),
		"MultivariateNormal batch": distributions.NewMultivariateNormal(lucid.New([]float64{1, -1, 0, 3}, 2, 2),
			distributions.MultivariateNormalOptions{PrecisionMatrix: matrix}),
		"LowRank":     distributions.NewLowRankMultivariateNormal(f64s(1, -1), lucid.New([]float64{1, -0.5}, 2, 1), f64s(0.5, 1)),
		"Dirichlet":   distributions.NewDirichlet(f64s(0.5, 2, 4)),
		"Wishart":     distributions.NewWishart(f64(5), distributions.MultivariateNormalOptions{CovarianceMatrix: matrix}),
		"Multinomial": distributions.NewMultinomial(distributions.MultinomialOptions{TotalCount: 9, Probs: f64s(1, 2, 0, 3)}),
		"OneHot":      distributions.NewOneHotCategorical(distributions.CategoricalOptions{Logits: f64s(0, 1, -1)}),
		"Independent": distributions.NewIndependent(distributions.NewGamma(f64s(1, 2), 2.0), 1),
		"Mixture": distributions.NewMixtureSameFamily(distributions.NewCategorical(distributions.CategoricalOptions{Probs: f64s(1, 3)}),
			distributions.NewIndependent(distributions.NewNormal(lucid.New([]float64{-2, 1, 0, 3}, 2, 2), 0.7), 1)),
	} {
		t.Run(name, func(t *testing.T) {
			const n = 20000
			x := d.SampleKey(random.Key(17), n)
			sigma := numbers(d.Variance())
			for i, m := range numbers(x.Mean(0).Sub(d.Mean())) {
				if math.Abs(m) > 5*math.Sqrt(sigma[i]/n)+1e-12 {
					t.Errorf("the mean of element %d is off by %v", i, m)
				}
			}
			for i, v := range numbers(x.Var(0)) {
				if math.Abs(v-sigma[i]) > 0.08*sigma[i]+1e-12 {
					t.Errorf("the variance of element %d is %v, want %v", i, v, sigma[i])
				}
			}
		})
	}
}

// TestLKJ: each correlation of a matrix of size n is 2b-1 of a beta number b with both concentrations η + n/2 - 1.
func TestLKJ(t *testing.T) {
	const n, size, eta = 20000, 4, 1.5
	d := distributions.NewLKJCholesky(size, f64(eta))
	l := d.SampleKey(random.Key(8), n)
	r := l.MatMul(l.MT())
	want := 1 / (2*(eta+size/2.0-1) + 1)
	for i := range size {
		for j := range i {
			x := r.At(lucid.Colon, i, j)
			if m, v := x.Mean().Item(), x.Var().Item(); math.Abs(m) > 0.02 || math.Abs(v-want) > 0.05*want {
				t.Errorf("correlation %d, %d: mean %v, variance %v, want 0 and %v", i, j, m, v, want)
			}
		}
	}
	// The density integrates to 1: with size 2, over the one correlation.
	two := distributions.NewLKJCholesky(2, f64(eta))
	sum, steps := 0.0, 4000
	for i := range steps {
		c := -1 + (float64(i)+0.5)*2/float64(steps)
		s := math.Sqrt(1 - c*c)
		sum += distributions.Prob(two, lucid.New([]float64{1, 0, c, s}, 2, 2)).Item() * 2 / float64(steps)
	}
	if math.Abs(sum-1) > 1e-3 {
		t.Errorf("the density integrates to %v, want 1", sum)
	}
}
