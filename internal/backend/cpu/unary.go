package cpu

import (
	"math"
	"math/cmplx"
)

func init() {
	over := func(f func(complex128) complex128, s complex128) func(complex128) complex128 {
		return func(z complex128) complex128 { return f(z) / s }
	}
	for name, t := range map[string]byDType{
		"sqrt":       real64(math.Sqrt).complexes(cmplx.Sqrt),
		"rsqrt":      real64(func(x float64) float64 { return 1 / math.Sqrt(x) }).complexes(func(z complex128) complex128 { return 1 / cmplx.Sqrt(z) }),
		"reciprocal": real64(func(x float64) float64 { return 1 / x }).complexes(func(z complex128) complex128 { return 1 / z }),
		"exp":        real64(math.Exp).complexes(cmplx.Exp),
		"exp2":       real64(math.Exp2).complexes(func(z complex128) complex128 { return cmplx.Exp(z * math.Ln2) }),
		"expm1":      real64(math.Expm1).complexes(func(z complex128) complex128 { return cmplx.Exp(z) - 1 }),
		"log":        real64(math.Log).complexes(cmplx.Log),
		"log2":       real64(math.Log2).complexes(over(cmplx.Log, math.Ln2)),
		"log10":      real64(math.Log10).complexes(over(cmplx.Log, math.Ln10)),
		"log1p":      real64(math.Log1p).complexes(func(z complex128) complex128 { return cmplx.Log(1 + z) }),
		"sin":        real64(math.Sin).complexes(cmplx.Sin), "cos": real64(math.Cos).complexes(cmplx.Cos), "tan": real64(math.Tan).complexes(cmplx.Tan),
		"asin": real64(math.Asin).complexes(cmplx.Asin), "acos": real64(math.Acos).complexes(cmplx.Acos), "atan": real64(math.Atan).complexes(cmplx.Atan),
		"sinh": real64(math.Sinh).complexes(cmplx.Sinh), "cosh": real64(math.Cosh).complexes(cmplx.Cosh), "tanh": real64(math.Tanh).complexes(cmplx.Tanh),
		"asinh": real64(math.Asinh).complexes(cmplx.Asinh), "acosh": real64(math.Acosh).complexes(cmplx.Acosh), "atanh": real64(math.Atanh).complexes(cmplx.Atanh),
		"erf": real64(math.Erf), "erfc": real64(math.Erfc), "erfinv": real64(math.Erfinv),
		"sigmoid": real64(sigmoid).complexes(func(z complex128) complex128 { return 1 / (1 + cmplx.Exp(-z)) }),
	} {
		addBlocks(name, t)
	}
}
