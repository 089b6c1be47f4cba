package bench

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/special"
)

// specials are special functions of a million elements.
func specials() {
	const n = 1 << 20
	of := func(name string, d lucid.DType, goal, lo, hi float32, f func(x, y *lucid.Tensor) *lucid.Tensor) {
		add(Workload{Name: name, About: name + " of 1M elements", Bytes: float64(2 * d.Size() * n), Goal: float64(goal), Tol: 1e-5,
			make: func() job {
				at := func(seed uint32) *lucid.Tensor { return random(seed, (hi-lo)/2, n).Add((hi + lo) / 2).To(d).Eval() }
				x, y := at(1), at(2)
				return once(func() *lucid.Tensor { return f(x, y) })
			}})
	}
	each := func(name string, goal, lo, hi float32, f func(x, y *lucid.Tensor) *lucid.Tensor) {
		of(name+"_1m", lucid.Float32, goal, lo, hi, f)
		of(name+"_f64_1m", lucid.Float64, 1, lo, hi, f)
	}
	one := func(f func(x *lucid.Tensor) *lucid.Tensor) func(x, y *lucid.Tensor) *lucid.Tensor {
		return func(x, _ *lucid.Tensor) *lucid.Tensor { return f(x) }
	}
	each("lgamma", 1.5, 0.5, 10, one(lucid.Lgamma))
	each("digamma", 4, 0.5, 10, one(special.Digamma))
	each("erf", 1.5, -4, 4, one(lucid.Erf))
	each("erfinv", 1.5, -0.99, 0.99, one(lucid.Erfinv))
	each("i0", 4, -10, 10, one(special.I0))
	each("i1", 4, -10, 10, one(special.I1))
	each("ndtri", 4, 0.01, 0.99, one(special.Ndtri))
	each("log_ndtr", 4, -10, 10, one(special.LogNdtr))
	each("gammainc", 4, 0.5, 10, func(x, y *lucid.Tensor) *lucid.Tensor { return special.Gammainc(x, y) })
	each("zeta", 4, 1.5, 10, func(x, y *lucid.Tensor) *lucid.Tensor { return special.Zeta(x, y) })
	each("polygamma2", 4, 0.5, 10, one(func(x *lucid.Tensor) *lucid.Tensor { return special.Polygamma(x, 2) }))
	each("trigamma", 1, 0.5, 10, one(func(x *lucid.Tensor) *lucid.Tensor { return special.Polygamma(x, 1) }))
	each("lgamma_negative", 1, -10, 10, one(lucid.Lgamma))
	each("digamma_negative", 1, -10, 10, one(special.Digamma))
	each("erfcx", 1, -4, 10, one(special.Erfcx))
	each("ndtr", 1, -5, 5, one(special.Ndtr))
	each("i0e", 1, -10, 10, one(special.I0e))
	each("i1e", 1, -10, 10, one(special.I1e))
	each("j0", 1, 0.1, 30, one(special.BesselJ0))
	each("j1", 1, 0.1, 30, one(special.BesselJ1))
	each("y0", 1, 0.1, 30, one(special.BesselY0))
	each("y1", 1, 0.1, 30, one(special.BesselY1))
	each("k0", 1, 0.1, 10, one(special.ModifiedBesselK0))
	each("k1", 1, 0.1, 10, one(special.ModifiedBesselK1))
	each("k0e", 1, 0.1, 10, one(special.ScaledModifiedBesselK0))
	each("k1e", 1, 0.1, 10, one(special.ScaledModifiedBesselK1))
	each("airy_ai", 1, -10, 10, one(special.AiryAi))
	each("spherical_j0", 1, 0.1, 30, one(special.SphericalBesselJ0))
	each("entr", 1, 0.1, 10, one(special.Entr))
	each("xlogy", 1, 0.1, 10, func(x, y *lucid.Tensor) *lucid.Tensor { return special.Xlogy(x, y) })
	each("gammaincc", 1, 0.5, 10, func(x, y *lucid.Tensor) *lucid.Tensor { return special.Gammaincc(x, y) })
	each("gammainc_large", 1, 20, 200, func(x, y *lucid.Tensor) *lucid.Tensor { return special.Gammainc(x, y) })
	each("betaln", 1, 0.5, 10, func(x, y *lucid.Tensor) *lucid.Tensor { return special.Betaln(x, y) })
	each("mvlgamma3", 1, 1.5, 10, one(func(x *lucid.Tensor) *lucid.Tensor { return special.Mvlgamma(x, 3) }))
	each("chebyshev_t5", 1, -1, 1, func(x, _ *lucid.Tensor) *lucid.Tensor { return special.ChebyshevPolynomialT(x, 5) })
	each("legendre5", 1, -1, 1, func(x, _ *lucid.Tensor) *lucid.Tensor { return special.LegendrePolynomialP(x, 5) })
	each("logaddexp", 1, -5, 5, func(x, y *lucid.Tensor) *lucid.Tensor { return lucid.Logaddexp(x, y) })
	each("logaddexp2", 1, -5, 5, func(x, y *lucid.Tensor) *lucid.Tensor { return lucid.Logaddexp2(x, y) })
}
