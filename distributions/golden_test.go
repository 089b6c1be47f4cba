package distributions_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/distributions"
)

// The values of scripts/golden_distributions: torch.distributions and scipy.stats in float64.

type golden struct {
	Families []struct {
		Name         string
		Params       map[string]values
		Value        values
		Batch, Event []int
		LogProb      values `json:"log_prob"`
		Grads        map[string]values
		Mean         *values
		Variance     *values
		Mode         *values
		Entropy      *values
		CDF          *values
		ICDF         *values
		SciPy        []string
	}
	KL []struct {
		P, Q   string
		PP, QP map[string]values
		KL     values
	}
	Transforms []struct {
		Name          string
		X, Y, Inverse values
		Jacobian      *values
	}
	Constraints []struct {
		Name  string
		X, OK values
	}
}

// values is a tensor of a file: shape and numbers, or one integer.
type values struct {
	shape []int
	data  []float64
}

func (v *values) UnmarshalJSON(b []byte) error {
	var n float64
	if json.Unmarshal(b, &n) == nil {
		v.data = []float64{n}
		return nil
	}
	var raw struct {
		shape []int
		data  []any
	}
	if err := json.Unmarshal(b, &[]any{&raw.shape, &raw.data}); err != nil {
		return err
	}
	v.shape = raw.shape
	for _, x := range raw.data {
		switch x := x.(type) {
		case float64:
			v.data = append(v.data, x)
		case string:
			f := map[string]float64{"inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN()}[x]
			v.data = append(v.data, f)
		}
	}
	return nil
}

func (v values) tensor() *lucid.Tensor { return lucid.New(slices.Clone(v.data), v.shape...) }

func load(t *testing.T) (g golden) {
	t.Helper()
	f, err := os.Open("testdata/torch.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err == nil {
		err = json.NewDecoder(z).Decode(&g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// compare checks a tensor against values of a file.
func compare(t *testing.T, what string, got *lucid.Tensor, want values, tolerance float64) {
	t.Helper()
	if s := got.Shape(); !slices.Equal(s, want.shape) {
		t.Errorf("%s: shape %v, want %v", what, s, want.shape)
		return
	}
	for i, x := range lucid.ToSlice[float64](got.To(lucid.Float64).Contiguous()) {
		w := want.data[i]
		if x == w || math.IsNaN(x) && math.IsNaN(w) {
			continue
		}
		if !(math.Abs(x-w) <= tolerance*(1+math.Abs(w))) {
			t.Errorf("%s: element %d is %v, want %v", what, i, x, w)
			return
		}
	}
}

type params map[string]*lucid.Tensor

// categorical are the options of classes.
func (p params) categorical() distributions.CategoricalOptions {
	return distributions.CategoricalOptions{Probs: p["probs"], Logits: p["logits"]}
}

func (p params) matrices() distributions.MultivariateNormalOptions {
	return distributions.MultivariateNormalOptions{CovarianceMatrix: p["covariance_matrix"], PrecisionMatrix: p["precision_matrix"],
		ScaleTril: p["scale_tril"]}
}

// either are two parameters of which one may be missing.
func (p params) either() (probs, logits any) {
	if x := p["probs"]; x != nil {
		probs = x
	}
	if x := p["logits"]; x != nil {
		logits = x
	}
	return probs, logits
}

func (p params) bernoulli() (o distributions.BernoulliOptions) {
	o.Probs, o.Logits = p.either()
	return o
}

func (p params) binomial() (o distributions.BinomialOptions) {
	o.TotalCount = p["total_count"]
	o.Probs, o.Logits = p.either()
	return o
}

type dist = distributions.Distribution

// constructors make the distributions of files.
var constructors = map[string]func(p params) dist{
	"Normal":      func(p params) dist { return distributions.NewNormal(p["loc"], p["scale"]) },
	"HalfNormal":  func(p params) dist { return distributions.NewHalfNormal(p["scale"]) },
	"Uniform":     func(p params) dist { return distributions.NewUniform(p["low"], p["high"]) },
	"Exponential": func(p params) dist { return distributions.NewExponential(p["rate"]) },
	"Laplace":     func(p params) dist { return distributions.NewLaplace(p["loc"], p["scale"]) },
	"Cauchy":      func(p params) dist { return distributions.NewCauchy(p["loc"], p["scale"]) },
	"HalfCauchy":  func(p params) dist { return distributions.NewHalfCauchy(p["scale"]) },
	"Gumbel":      func(p params) dist { return distributions.NewGumbel(p["loc"], p["scale"]) },
	"StudentT": func(p params) dist {
		return distributions.NewStudentT(p["df"], distributions.StudentTOptions{Loc: p["loc"], Scale: p["scale"]})
	},
	"Gamma":          func(p params) dist { return distributions.NewGamma(p["concentration"], p["rate"]) },
	"Chi2":           func(p params) dist { return distributions.NewChi2(p["df"]) },
	"InverseGamma":   func(p params) dist { return distributions.NewInverseGamma(p["concentration"], p["rate"]) },
	"FisherSnedecor": func(p params) dist { return distributions.NewFisherSnedecor(p["df1"], p["df2"]) },
	"Beta":           func(p params) dist { return distributions.NewBeta(p["concentration1"], p["concentration0"]) },
	"Dirichlet":      func(p params) dist { return distributions.NewDirichlet(p["concentration"]) },
	"Kumaraswamy":    func(p params) dist { return distributions.NewKumaraswamy(p["concentration1"], p["concentration0"]) },
	"Pareto":         func(p params) dist { return distributions.NewPareto(p["scale"], p["alpha"]) },
	"Weibull":        func(p params) dist { return distributions.NewWeibull(p["scale"], p["concentration"]) },
	"LogNormal":      func(p params) dist { return distributions.NewLogNormal(p["loc"], p["scale"]) },
	"LogisticNormal": func(p params) dist { return distributions.NewLogisticNormal(p["loc"], p["scale"]) },
	"GeneralizedPareto": func(p params) dist {
		return distributions.NewGeneralizedPareto(p["loc"], p["scale"], p["concentration"])
	},
	"VonMises":  func(p params) dist { return distributions.NewVonMises(p["loc"], p["concentration"]) },
	"Bernoulli": func(p params) dist { return distributions.NewBernoulli(p.bernoulli()) },
	"Geometric": func(p params) dist { return distributions.NewGeometric(distributions.GeometricOptions(p.bernoulli())) },
	"Binomial":  func(p params) dist { return distributions.NewBinomial(p.binomial()) },
	"NegativeBinomial": func(p params) dist {
		return distributions.NewNegativeBinomial(distributions.NegativeBinomialOptions(p.binomial()))
	},
	"Poisson":           func(p params) dist { return distributions.NewPoisson(p["rate"]) },
	"Categorical":       func(p params) dist { return distributions.NewCategorical(p.categorical()) },
	"OneHotCategorical": func(p params) dist { return distributions.NewOneHotCategorical(p.categorical()) },
	"Multinomial": func(p params) dist {
		n := int(p["total_count"].Item())
		return distributions.NewMultinomial(distributions.MultinomialOptions{TotalCount: n, Probs: p["probs"], Logits: p["logits"]})
	},
	"ContinuousBernoulli": func(p params) dist {
		return distributions.NewContinuousBernoulli(distributions.ContinuousBernoulliOptions(p.bernoulli()))
	},
	"RelaxedBernoulli": func(p params) dist {
		return distributions.NewRelaxedBernoulli(p["temperature"], distributions.RelaxedBernoulliOptions(p.bernoulli()))
	},
	"RelaxedOneHotCategorical": func(p params) dist {
		return distributions.NewRelaxedOneHotCategorical(p["temperature"], p.categorical())
	},
	"MultivariateNormal": func(p params) dist { return distributions.NewMultivariateNormal(p["loc"], p.matrices()) },
	"LowRankMultivariateNormal": func(p params) dist {
		return distributions.NewLowRankMultivariateNormal(p["loc"], p["cov_factor"], p["cov_diag"])
	},
	"Wishart":     func(p params) dist { return distributions.NewWishart(p["df"], p.matrices()) },
	"LKJCholesky": func(p params) dist { return distributions.NewLKJCholesky(int(p["dim"].Item()), p["concentration"]) },
}

func tensors(v map[string]values, grad bool) params {
	p := params{}
	for k, x := range v {
		p[k] = x.tensor()
		if grad && k != "total_count" && k != "dim" {
			p[k].RequiresGrad_(true)
		}
	}
	return p
}

// TestFamilies compares densities, their gradients, moments, entropies and distribution functions.
func TestFamilies(t *testing.T) {
	seen := map[string]bool{}
	for i, c := range load(t).Families {
		t.Run(fmt.Sprint(i, c.Name), func(t *testing.T) {
			seen[c.Name] = true
			p := tensors(c.Params, true)
			d := constructors[c.Name](p)
			if !slices.Equal(d.BatchShape(), c.Batch) || !slices.Equal(d.EventShape(), c.Event) {
				t.Fatalf("%v, want batch shape %v and event shape %v", d, c.Batch, c.Event)
			}
			lp := d.LogProb(c.Value.tensor())
			compare(t, "log_prob", lp, c.LogProb, tolerances(c.Name, "log_prob"))
			weights := lucid.With{DType: lucid.Float64}.Linspace(0.5, 1.5, lp.NumElement()).Reshape(lp.Shape()...)
			lp.Mul(weights).Sum().Backward()
			for k, want := range c.Grads {
				if g := p[k].Grad(); g == nil {
					t.Errorf("no gradient by %s", k)
				} else if k == "scale_tril" { // what is above the diagonal has no meaning
					if !lucid.AllClose(g.Tril(), want.tensor().Tril()) {
						t.Errorf("gradient by %s is %v, want %v", k, g, want.tensor())
					}
				} else {
					compare(t, "gradient by "+k, g, want, 1e-9)
				}
			}
			for what, f := range map[string]struct {
				want *values
				f    func() *lucid.Tensor
			}{"mean": {c.Mean, d.Mean}, "variance": {c.Variance, d.Variance}, "mode": {c.Mode, d.Mode}, "entropy": {c.Entropy, d.Entropy},
				"cdf":  {c.CDF, func() *lucid.Tensor { return d.CDF(c.Value.tensor()) }},
				"icdf": {c.ICDF, func() *lucid.Tensor { return d.ICDF(quantiles(c.Batch)) }}} {
				if f.want != nil && !waived[c.Name+" "+what] {
					if err := lucid.Try(func() { compare(t, what, f.f(), *f.want, tolerances(c.Name, what)) }); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for name := range constructors {
		if !seen[name] {
			t.Errorf("no golden values of %s", name)
		}
	}
}

// waived are differences on purpose.
var waived = map[string]bool{
	"Beta mode":        true, // PyTorch's is arbitrary where the density has two ends; a test of its own covers it
	"Kumaraswamy mode": true, // PyTorch's is NaN for concentrations above 1, where the mode is well defined
	"Weibull mode":     true, // PyTorch's is NaN for concentrations below 1, where the density is largest at 0
}

// tolerances of results that peers compute less exactly.
func tolerances(name, what string) float64 {
	switch name + " " + what {
	case "VonMises variance", "VonMises log_prob": // PyTorch approximates Bessel functions
		return 1e-6
	case "Poisson entropy", "Multinomial entropy":
		return 1e-7
	case "ContinuousBernoulli icdf", "ContinuousBernoulli cdf":
		return 1e-9
	}
	return 1e-10
}

func quantiles(batch []int) *lucid.Tensor {
	s := append([]int{3}, slices.Repeat([]int{1}, len(batch))...)
	return lucid.New([]float64{0.1, 0.5, 0.97}, s...)
}

// TestDivergences compares the table of divergences with PyTorch's.
func TestDivergences(t *testing.T) {
	for _, c := range load(t).KL {
		t.Run(c.P+"-"+c.Q, func(t *testing.T) {
			p, q := constructors[c.P](tensors(c.PP, false)), constructors[c.Q](tensors(c.QP, false))
			compare(t, "kl", distributions.KL(p, q), c.KL, 1e-9)
		})
	}
}

// TestTransforms compares results, inverses and log |det|.
func TestTransforms(t *testing.T) {
	exp, tanh, sigmoid := distributions.ExpTransform{}, distributions.TanhTransform{}, distributions.SigmoidTransform{}
	all := map[string]distributions.Transform{
		"Abs": distributions.AbsTransform{}, "Affine": distributions.AffineTransform{Loc: 1.5, Scale: -2.0},
		"Affine1": distributions.AffineTransform{Loc: 1.5, Scale: lucid.New([]float64{1, 2, -0.5}, 3), EventDim: 1},
		"Exp":     exp, "Power": distributions.PowerTransform{Exponent: 1.7}, "Sigmoid": sigmoid, "Tanh": tanh,
		"Softplus": distributions.SoftplusTransform{}, "Softmax": distributions.SoftmaxTransform{},
		"StickBreaking": distributions.StickBreakingTransform{}, "CorrCholesky": distributions.CorrCholeskyTransform{},
		"LowerCholesky": distributions.LowerCholeskyTransform{}, "PositiveDefinite": distributions.PositiveDefiniteTransform{},
		"Reshape":     distributions.NewReshapeTransform([]int{3}, []int{3, 1}),
		"Independent": distributions.IndependentTransform{Base: exp, Dims: 1},
		"Compose": distributions.NewComposeTransform(distributions.AffineTransform{Loc: 1.0, Scale: 2.0},
			distributions.StickBreakingTransform{}),
		"CDF":   distributions.CumulativeDistributionTransform{Distribution: distributions.NewNormal(lucid.Scalar(0.5).Double(), 2.0)},
		"Cat":   distributions.NewCatTransform([]distributions.Transform{exp, tanh}, -1, []int{1, 2}),
		"Stack": distributions.NewStackTransform([]distributions.Transform{exp, tanh, sigmoid}, -1),
	}
	for _, c := range load(t).Transforms {
		t.Run(c.Name, func(t *testing.T) {
			f := all[c.Name]
			x := c.X.tensor()
			y := f.Forward(x)
			compare(t, "forward", y, c.Y, 1e-12)
			if !slices.Equal(f.ForwardShape(c.X.shape), c.Y.shape) || !slices.Equal(f.InverseShape(c.Y.shape), c.X.shape) {
				t.Errorf("shapes %v and %v, want %v and %v", f.ForwardShape(c.X.shape), f.InverseShape(c.Y.shape), c.Y.shape, c.X.shape)
			}
			compare(t, "inverse", f.Inverse(y), c.Inverse, 1e-9)
			compare(t, "inverse", distributions.InverseTransform(f).Forward(y), c.Inverse, 1e-9)
			if c.Jacobian != nil {
				compare(t, "jacobian", f.LogAbsDetJacobian(x, y), *c.Jacobian, 1e-9)
			}
			if f.Bijective() {
				back := distributions.InverseTransform(f).LogAbsDetJacobian(y, x).Neg()
				if !lucid.AllClose(back, f.LogAbsDetJacobian(x, y)) {
					t.Error("the inverse's jacobian is not minus that of the transform")
				}
			}
		})
	}
}

// TestConstraints compares which values constraints let in.
func TestConstraints(t *testing.T) {
	positive := distributions.Positive
	all := map[string]distributions.Constraint{
		"real": distributions.Real, "boolean": distributions.Boolean, "positive": positive, "nonnegative": distributions.NonNegative,
		"unit_interval": distributions.UnitInterval, "nonnegative_integer": distributions.NonNegativeInteger,
		"positive_integer": distributions.PositiveInteger, "greater_than": distributions.GreaterThan(0.5),
		"greater_than_eq": distributions.GreaterThanEq(0.5), "less_than": distributions.LessThan(0.5),
		"interval":           distributions.Interval(-1.0, 1.0),
		"half_open_interval": distributions.HalfOpenInterval(-1.0, 1.0), "integer_interval": distributions.IntegerInterval(0, 1),
		"simplex": distributions.Simplex, "one_hot": distributions.OneHot, "real_vector": distributions.RealVector,
		"multinomial": distributions.MultinomialConstraint(2), "lower_triangular": distributions.LowerTriangular,
		"lower_cholesky": distributions.LowerCholesky, "corr_cholesky": distributions.CorrCholesky, "square": distributions.Square,
		"symmetric": distributions.Symmetric, "positive_semidefinite": distributions.PositiveSemidefinite,
		"positive_definite": distributions.PositiveDefinite, "independent": distributions.IndependentConstraint(positive, 1),
		"cat":   distributions.CatConstraint([]distributions.Constraint{positive, distributions.Real}, -1, []int{1, 1}),
		"stack": distributions.StackConstraint([]distributions.Constraint{positive, distributions.LessThan(1.0)}, -1),
	}
	for _, c := range load(t).Constraints {
		t.Run(c.Name, func(t *testing.T) { compare(t, "check", all[c.Name].Check(c.X.tensor()), c.OK, 0) })
	}
}
