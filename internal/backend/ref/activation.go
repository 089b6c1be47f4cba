package ref

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	one := func(f func(float64) float64) backend.Kernel { return elementwise(ffn(f, nil)) }
	register(backend.Table{
		"relu": elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
			if zero := (dtype.Scalar{Kind: x[0].Kind}); less(x[0], zero) { // NaN and the sign of a zero stay
				return zero
			}
			return x[0]
		}),
		"with_grad":   elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar { return x[0] }),
		"hardsigmoid": one(func(x float64) float64 { return min(max(x+3, 0), 6) / 6 }),
		"hardswish":   one(func(x float64) float64 { return x * min(max(x+3, 0), 6) / 6 }),
		"silu":        one(func(x float64) float64 { return x / (1 + math.Exp(-x)) }),
		"gelu":        one(func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }),
		"gelu_tanh": one(func(x float64) float64 {
			return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}),
		"logsigmoid": one(func(x float64) float64 { return min(x, 0) - math.Log1p(math.Exp(-math.Abs(x))) }),
		"softplus": elementwise(func(a attr.Attr, x []dtype.Scalar) dtype.Scalar {
			s, v := a.(attr.Softplus), x[0].F
			if v*s.Beta > s.Threshold {
				return x[0]
			}
			return float(math.Log1p(math.Exp(v*s.Beta)) / s.Beta)
		}),
	})
}
