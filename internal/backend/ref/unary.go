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
	over := func(f func(complex128) complex128, s complex128) func(complex128) complex128 {
		return func(z complex128) complex128 { return f(z) / s }
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
			return arith(func(x, y int64) int64 { return x * y }, func(x, y float64) float64 { return x * y }, func(x, y complex128) complex128 { return x * y })(nil, []dtype.Scalar{x[0], x[0]})
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
		"sqrt":       one(math.Sqrt, cmplx.Sqrt),
		"rsqrt":      one(func(x float64) float64 { return 1 / math.Sqrt(x) }, func(z complex128) complex128 { return 1 / cmplx.Sqrt(z) }),
		"reciprocal": one(func(x float64) float64 { return 1 / x }, func(z complex128) complex128 { return 1 / z }),
		"exp":        one(math.Exp, cmplx.Exp),
		"exp2":       one(math.Exp2, func(z complex128) complex128 { return cmplx.Exp(z * math.Ln2) }),
		"expm1":      one(math.Expm1, func(z complex128) complex128 { return cmplx.Exp(z) - 1 }),
		"log":        one(special.Log, cmplx.Log),
		"log2":       one(math.Log2, over(cmplx.Log, math.Ln2)),
		"log10":      one(special.Log10, over(cmplx.Log, math.Ln10)),
		"log1p":      one(math.Log1p, func(z complex128) complex128 { return cmplx.Log(1 + z) }),
		"sin":        one(math.Sin, cmplx.Sin), "cos": one(math.Cos, cmplx.Cos), "tan": one(math.Tan, cmplx.Tan),
		"asin": one(math.Asin, cmplx.Asin), "acos": one(math.Acos, cmplx.Acos), "atan": one(math.Atan, cmplx.Atan),
		"sinh": one(math.Sinh, cmplx.Sinh), "cosh": one(math.Cosh, cmplx.Cosh), "tanh": one(math.Tanh, cmplx.Tanh),
		"asinh": one(math.Asinh, cmplx.Asinh), "acosh": one(math.Acosh, cmplx.Acosh), "atanh": one(math.Atanh, cmplx.Atanh),
		"erf": one(math.Erf, nil), "erfc": one(math.Erfc, nil), "erfinv": one(math.Erfinv, nil), "cbrt": one(math.Cbrt, nil),
		"sigmoid": one(func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, func(z complex128) complex128 { return 1 / (1 + cmplx.Exp(-z)) }),
	})
}
