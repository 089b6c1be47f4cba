package ref

import (
	"math"
	"math/cmplx"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/special"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	one := func(f func(float64) float64, c func(complex128) complex128) backend.Kernel {
		return elementwise(ffn(f, c))
	}
	register(backend.Table{
		"neg": elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
			return dtype.Scalar{Kind: x[0].Kind, I: -x[0].I, F: -x[0].F, G: -x[0].G}
		}),
		"abs": elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
			switch x[0].Kind {
			case dtype.KindFloat:
				return float(math.Abs(x[0].F))
			case dtype.KindComplex:
				return float(cmplx.Abs(x[0].Complex()))
			}
			return integer(max(x[0].I, -x[0].I))
		}),
		"square": elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
			return arith(func(x, y int64) int64 { return x * y }, func(x, y float64) float64 { return x * y },
				func(x, y complex128) complex128 { return x * y })(nil, []dtype.Scalar{x[0], x[0]})
		}),
		"sign": elementwise(func(_ attr.Attr, x []dtype.Scalar) dtype.Scalar {
			zero := dtype.Scalar{Kind: x[0].Kind}
			switch {
			case less(zero, x[0]):
				return dtype.Scalar{Kind: x[0].Kind, I: 1, F: 1}
			case less(x[0], zero):
				return dtype.Scalar{Kind: x[0].Kind, I: -1, F: -1}
			}
			return zero
		}),
		"conj":       one(func(x float64) float64 { return x }, cmplx.Conj),
		"sqrt":       one(math.Sqrt, special.SqrtC),
		"rsqrt":      one(func(x float64) float64 { return 1 / math.Sqrt(x) }, special.RsqrtC),
		"reciprocal": one(func(x float64) float64 { return 1 / x }, func(z complex128) complex128 { return special.DivC(1, z) }),
		"exp":        one(math.Exp, special.ExpC),
		"exp2":       one(math.Exp2, special.Exp2C),
		"expm1":      one(math.Expm1, special.Expm1C),
		"log":        one(special.Log, special.LogC),
		"log2":       one(math.Log2, special.Log2C),
		"log10":      one(special.Log10, special.Log10C),
		"log1p":      one(math.Log1p, special.Log1pC),
		"sin":        one(math.Sin, special.SinC), "cos": one(math.Cos, special.CosC), "tan": one(math.Tan, special.TanC),
		"asin": one(math.Asin, special.AsinC), "acos": one(math.Acos, special.AcosC), "atan": one(math.Atan, special.AtanC),
		"sinh": one(math.Sinh, special.SinhC), "cosh": one(math.Cosh, special.CoshC), "tanh": one(math.Tanh, special.TanhC),
		"asinh": one(math.Asinh, special.AsinhC), "acosh": one(math.Acosh, special.AcoshC), "atanh": one(math.Atanh, special.AtanhC),
		"erf": one(math.Erf, nil), "erfc": one(math.Erfc, nil), "erfinv": one(math.Erfinv, nil), "cbrt": one(math.Cbrt, nil),
		"sigmoid": one(func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, special.SigmoidC),
	})
}
