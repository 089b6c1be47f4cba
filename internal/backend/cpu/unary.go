package cpu

import (
	"math"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/special"
)

func init() {
	sqrt := bothFloats(simd.SqrtF32, simd.SqrtF64).complexes(special.SqrtC)
	for name, t := range map[string]byDType{
		"sqrt":       sqrt,
		"rsqrt":      bothFloats(simd.RsqrtF32, simd.RsqrtF64).complexes(special.RsqrtC),
		"reciprocal": bothFloats(simd.RecipF32, simd.RecipF64).complexes(func(z complex128) complex128 { return special.DivC(1, z) }),
		"exp":        bothFloats(simd.ExpF32, simd.ExpF64).complexes(special.ExpC),
		"exp2":       bothFloats(simd.Exp2F32, simd.Exp2F64).complexes(special.Exp2C),
		"expm1":      bothFloats(simd.Expm1F32, simd.Expm1F64).complexes(special.Expm1C),
		"log":        bothFloats(simd.LogF32, simd.LogF64).complexes(special.LogC),
		"log2":       bothFloats(simd.Log2F32, simd.Log2F64).complexes(special.Log2C),
		"log10":      bothFloats(simd.Log10F32, simd.Log10F64).complexes(special.Log10C),
		"log1p":      bothFloats(simd.Log1pF32, simd.Log1pF64).complexes(special.Log1pC),
		"sin":        bothFloats(simd.SinF32, simd.SinF64).complexes(special.SinC),
		"cos":        bothFloats(simd.CosF32, simd.CosF64).complexes(special.CosC),
		"tan":        bothFloats(simd.TanF32, simd.TanF64).complexes(special.TanC),
		"asin":       bothFloats(simd.AsinF32, simd.AsinF64).complexes(special.AsinC),
		"acos":       bothFloats(simd.AcosF32, simd.AcosF64).complexes(special.AcosC),
		"atan":       bothFloats(simd.AtanF32, simd.AtanF64).complexes(special.AtanC),
		"sinh":       bothFloats(simd.SinhF32, simd.SinhF64).complexes(special.SinhC),
		"cosh":       bothFloats(simd.CoshF32, simd.CoshF64).complexes(special.CoshC),
		"tanh":       bothFloats(simd.TanhF32, simd.TanhF64).complexes(special.TanhC),
		"asinh":      bothFloats(simd.AsinhF32, simd.AsinhF64).complexes(special.AsinhC),
		"acosh":      bothFloats(simd.AcoshF32, simd.AcoshF64).complexes(special.AcoshC),
		"atanh":      bothFloats(simd.AtanhF32, simd.AtanhF64).complexes(special.AtanhC),
		"erf":        bothFloats(simd.ErfF32, simd.ErfF64), "erfc": bothFloats(simd.ErfcF32, simd.ErfcF64),
		"erfinv": bothFloats(simd.ErfinvF32, simd.ErfinvF64), "cbrt": real64(math.Cbrt),
		"sigmoid": bothFloats(simd.SigmoidF32, simd.SigmoidF64).complexes(special.SigmoidC),
	} {
		addBlocks(name, t)
	}
}
