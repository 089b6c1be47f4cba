package cpu

import (
	"math"
	"math/cmplx"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/special"
)

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func init() {
	sqrt := real64(math.Sqrt).simd(simd.SqrtF32).simd64(simd.SqrtF64).complexes(cmplx.Sqrt)
	for name, t := range map[string]byDType{
		"sqrt":       sqrt,
		"rsqrt":      real64(func(x float64) float64 { return 1 / math.Sqrt(x) }).simd(simd.RsqrtF32).simd64(simd.RsqrtF64).complexes(func(z complex128) complex128 { return 1 / cmplx.Sqrt(z) }),
		"reciprocal": real64(func(x float64) float64 { return 1 / x }).simd(simd.RecipF32).simd64(simd.RecipF64).complexes(func(z complex128) complex128 { return 1 / z }),
		"exp":        real64(math.Exp).simd(simd.ExpF32).simd64(simd.ExpF64).complexes(special.ExpC),
		"exp2":       real64(math.Exp2).simd(simd.Exp2F32).complexes(special.Exp2C),
		"expm1":      real64(math.Expm1).simd(simd.Expm1F32).complexes(special.Expm1C),
		"log":        real64(special.Log).simd(simd.LogF32).simd64(simd.LogF64).complexes(special.LogC),
		"log2":       real64(math.Log2).simd(simd.Log2F32).complexes(special.Log2C),
		"log10":      real64(special.Log10).complexes(special.Log10C),
		"log1p":      real64(math.Log1p).simd(simd.Log1pF32).complexes(special.Log1pC),
		"sin":        real64(math.Sin).simd(simd.SinF32).simd64(simd.SinF64).complexes(special.SinC), "cos": real64(math.Cos).simd(simd.CosF32).simd64(simd.CosF64).complexes(special.CosC),
		"tan":  real64(math.Tan).complexes(special.TanC),
		"asin": real64(math.Asin).complexes(special.AsinC), "acos": real64(math.Acos).complexes(special.AcosC), "atan": real64(math.Atan).complexes(special.AtanC),
		"sinh": real64(math.Sinh).complexes(special.SinhC), "cosh": real64(math.Cosh).complexes(special.CoshC),
		"tanh":  real64(math.Tanh).simd(simd.TanhF32).simd64(simd.TanhF64).complexes(special.TanhC),
		"asinh": real64(math.Asinh).complexes(special.AsinhC), "acosh": real64(math.Acosh).complexes(special.AcoshC), "atanh": real64(math.Atanh).complexes(special.AtanhC),
		"erf": real64(math.Erf).simd(simd.ErfF32), "erfc": real64(math.Erfc), "erfinv": real64(math.Erfinv), "cbrt": real64(math.Cbrt),
		"sigmoid": real64(sigmoid).simd(simd.SigmoidF32).simd64(simd.SigmoidF64).complexes(func(z complex128) complex128 { return 1 / (1 + special.ExpC(-z)) }),
	} {
		addBlocks(name, t)
	}
}
