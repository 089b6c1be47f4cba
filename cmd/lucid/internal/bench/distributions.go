package bench

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/distributions"
)

// sampling are a million samples of distributions with one set of parameters, and densities with parameters of their own for each
// value. Samples of two frameworks differ; their means and standard deviations are compared.
func sampling() {
	const n = 1 << 20
	row := func(name, about string, goal float64, d func() distributions.Distribution, shape ...int) {
		add(Workload{Name: "sample_" + name, About: about, Goal: goal, Tol: 0.02, make: func() job {
			of := d()
			j := once(func() *lucid.Tensor { return of.Sample(shape...) })
			j.result = func() []*lucid.Tensor {
				x := of.Sample(shape...).Float()
				return []*lucid.Tensor{lucid.Stack([]*lucid.Tensor{x.Mean(), x.Std()}, 0)}
			}
			return j
		}})
	}
	row("normal", "1M normal numbers", 2, func() distributions.Distribution { return distributions.NewNormal(0.5, 2.0) }, n)
	row("gamma", "1M gamma numbers of concentration 2", 5, func() distributions.Distribution { return distributions.NewGamma(2.0, 1.0) }, n)
	row("beta", "1M beta numbers", 5, func() distributions.Distribution { return distributions.NewBeta(2.0, 3.0) }, n)
	row("student", "1M numbers of Student's t distribution", 5,
		func() distributions.Distribution { return distributions.NewStudentT(5.0) }, n)
	row("poisson", "1M Poisson numbers of rate 4", 5, func() distributions.Distribution { return distributions.NewPoisson(4.0) }, n)
	row("binomial", "1M binomial numbers of 100 trials", 5, func() distributions.Distribution {
		return distributions.NewBinomial(distributions.BinomialOptions{TotalCount: 100, Probs: 0.3})
	}, n)
	row("dirichlet", "65536 Dirichlet vectors of 16", 5, func() distributions.Distribution {
		return distributions.NewDirichlet(random(1, 0.5, 65536, 16).Add(1.0).Eval())
	})
	row("categorical", "one class of 64 for 16384 distributions", 5, func() distributions.Distribution {
		return distributions.NewCategorical(distributions.CategoricalOptions{Logits: random(1, 2, 16384, 64)})
	})
	row("multivariate_normal", "16384 normal vectors of 64", 2, func() distributions.Distribution {
		tril := lucid.Tril(random(1, 0.1, 64, 64)).Add(lucid.Eye(64)).Eval()
		return distributions.NewMultivariateNormal(lucid.Zeros(64), distributions.MultivariateNormalOptions{ScaleTril: tril})
	}, 16384)
	density := func(name, about string, f func(u *lucid.Tensor) func() *lucid.Tensor) {
		add(Workload{Name: "log_prob_" + name, About: about, Goal: 5, Tol: 1e-3, make: func() job {
			return once(f(random(1, 0.45, n).Add(0.5).Eval())) // from 0.05 to 0.95
		}})
	}
	density("gamma", "log density of 1M gamma distributions", func(u *lucid.Tensor) func() *lucid.Tensor {
		x := u.Mul(4.0).Eval()
		d := distributions.NewGamma(x, u)
		return func() *lucid.Tensor { return d.LogProb(x) }
	})
	density("beta", "log density of 1M beta distributions", func(u *lucid.Tensor) func() *lucid.Tensor {
		d := distributions.NewBeta(u.Mul(4.0).Eval(), u.Add(1.0).Eval())
		return func() *lucid.Tensor { return d.LogProb(u) }
	})
	density("binomial", "log probability of 1M binomial distributions", func(u *lucid.Tensor) func() *lucid.Tensor {
		d := distributions.NewBinomial(distributions.BinomialOptions{TotalCount: 100, Probs: u})
		count := u.Mul(100.0).Floor().Eval()
		return func() *lucid.Tensor { return d.LogProb(count) }
	})
}
