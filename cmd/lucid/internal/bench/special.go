package bench

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/special"
)

// specials are special functions of a million elements.
func specials() {
	const n = 1 << 20
	each := func(name string, goal, lo, hi float32, f func(x, y *lucid.Tensor) *lucid.Tensor) {
		add(Workload{Name: name, About: name + " of 1M elements", Bytes: 2 * 4 * n, Goal: float64(goal), Tol: 1e-5, make: func() job {
			at := func(seed uint32) *lucid.Tensor { return random(seed, (hi-lo)/2, n).Add((hi + lo) / 2).Eval() }
			x, y := at(1), at(2)
			return once(func() *lucid.Tensor { return f(x, y) })
		}})
	}
	one := func(f func(x *lucid.Tensor) *lucid.Tensor) func(x, y *lucid.Tensor) *lucid.Tensor {
		return func(x, _ *lucid.Tensor) *lucid.Tensor { return f(x) }
	}
	each("lgamma_1m", 1.5, 0.5, 10, one(lucid.Lgamma))
	each("digamma_1m", 4, 0.5, 10, one(special.Digamma))
	each("erf_1m", 1.5, -4, 4, one(lucid.Erf))
	each("erfinv_1m", 1.5, -0.99, 0.99, one(lucid.Erfinv))
	each("i0_1m", 4, -10, 10, one(special.I0))
	each("i1_1m", 4, -10, 10, one(special.I1))
	each("ndtri_1m", 4, 0.01, 0.99, one(special.Ndtri))
	each("log_ndtr_1m", 4, -10, 10, one(special.LogNdtr))
	each("gammainc_1m", 4, 0.5, 10, func(x, y *lucid.Tensor) *lucid.Tensor { return special.Gammainc(x, y) })
	each("zeta_1m", 4, 1.5, 10, func(x, y *lucid.Tensor) *lucid.Tensor { return special.Zeta(x, y) })
	each("polygamma2_1m", 4, 0.5, 10, one(func(x *lucid.Tensor) *lucid.Tensor { return special.Polygamma(x, 2) }))
}
