package ref

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/special"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	one := func(f func(float64) float64) backend.Kernel { return elementwise(ffn(f, nil)) }
	two := func(f func(x, y float64) float64) backend.Kernel { return elementwise(arith(nil, f, nil)) }
	three := func(f func(x, y, w float64) float64) backend.Kernel {
		return elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return float(f(x[0].F, x[1].F, x[2].F)) })
	}
	register(backend.Table{
		"floor": one(math.Floor), "ceil": one(math.Ceil), "trunc": one(math.Trunc), "round": one(math.RoundToEven),
		"lgamma": one(special.Lgamma), "digamma": one(special.Digamma), "special_zeta": two(special.Zeta),
		"i0": one(special.I0), "special_i0e": one(special.I0e), "special_i1": one(special.I1), "special_i1e": one(special.I1e),
		"special_bessel_j0": one(special.J0), "special_bessel_j1": one(special.J1),
		"special_bessel_y0": one(special.Y0), "special_bessel_y1": one(special.Y1),
		"special_modified_bessel_k0": one(special.K0), "special_modified_bessel_k1": one(special.K1),
		"special_scaled_modified_bessel_k0": one(special.K0e), "special_scaled_modified_bessel_k1": one(special.K1e),
		"special_polynomial": elementwise(func(a attr.Attr, x []dtype.Scalar) dtype.Scalar {
			return float(special.Polynomial(a.(attr.Polynomial), x[0].F, x[1].F))
		}),
		"special_spherical_bessel_j0": one(special.SphericalJ0),
		"special_erfcx":               one(special.Erfcx), "special_ndtr": one(special.Ndtr), "special_log_ndtr": one(special.LogNdtr),
		"special_ndtri": one(special.Ndtri), "special_entr": one(special.Entr), "logit": one(special.Logit),
		"polygamma": elementwise(func(a attr.Attr, x []dtype.Scalar) dtype.Scalar {
			return float(special.Polygamma(a.(attr.Order).N, x[0].F))
		}),
		"special_gammainc": two(special.Gammainc), "special_gammaincc": two(special.Gammaincc), "gamma_density": two(special.GammaDensity),
		"special_beta": two(special.Beta), "special_betaln": two(special.Betaln),
		"special_betainc": three(special.Betainc), "beta_density": three(special.BetaDensity),
		"special_airy_ai": one(special.AiryAi), "airy_ai_prime": one(special.AiryAiPrime), "special_erfcinv": one(special.Erfcinv),
		"erfcx_derivative": elementwise(func(a attr.Attr, x []dtype.Scalar) dtype.Scalar {
			return float(special.ErfcxDerivative(a.(attr.Order).N, x[0].F))
		}),
		"standard_gamma_grad": elementwise(func(a attr.Attr, x []dtype.Scalar) dtype.Scalar {
			return float(special.GammaGrad(a.(attr.Order).N, x[0].F, x[1].F))
		}),
		"beta_grad": elementwise(func(a attr.Attr, x []dtype.Scalar) dtype.Scalar {
			return float(special.BetaGrad(a.(attr.Order).N, x[0].F, x[1].F, x[2].F))
		}),
		"atan2": two(special.Atan2), "hypot": two(math.Hypot), "copysign": two(math.Copysign),
		"logaddexp":       elementwise(arith(nil, special.LogAddExp, special.LogAddExpComplex)),
		"logaddexp2":      two(special.LogAddExp2),
		"xlogy":           two(special.XLogY),
		"special_xlog1py": two(special.XLog1pY),
		"nextafter":       nextafter,
		"frexp_mantissa":  one(special.Mantissa),
		"frexp_exponent": elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
			return integer(int64(special.Exponent(x[0].F)))
		}),
		"signbit": elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
			if x[0].Kind == dtype.KindFloat {
				return boolean(math.Signbit(x[0].F))
			}
			return boolean(x[0].Kind == dtype.KindInt && x[0].I < 0)
		}),
	})
}

// nextafter steps by the unit of the dtype, not of float64.
func nextafter(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	x, y := load(in[0]), load(in[1])
	for i := range x {
		x[i] = float(special.NextAfter(out[0].DType, x[i].F, y[i].F))
	}
	store(out[0], x)
	return nil
}
