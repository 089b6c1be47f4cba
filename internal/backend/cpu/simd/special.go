package simd

import "github.com/lucid-go/lucid/internal/backend/special"

// The functions below serve arguments outside the range of the special functions' kernels: zeros, negative numbers, infinities, NaN
// and tails.

func lgammaFar(x float32) float32 { return float32(special.Lgamma(float64(x))) }

func digammaFar(x float32) float32 { return float32(special.Digamma(float64(x))) }

func zetaFar(s, q float32) float32 { return float32(special.Zeta(float64(s), float64(q))) }

func gammaincFar(a, x float32) float32 { return float32(special.Gammainc(float64(a), float64(x))) }
