package simd

import "github.com/lucid-go/lucid/internal/backend/special"

// GammaincSplit is the concentration from which on GammaincLowF32 is slow.
const GammaincSplit = 12

// LgammaSplit is the least argument of LgammaHighF32.
const LgammaSplit = 2.5

// The functions below serve arguments outside the range of the special functions' kernels: zeros, negative numbers, infinities, NaN
// and tails.

func lgammaFar(x float32) float32 { return float32(special.Lgamma(float64(x))) }

func digammaFar(x float32) float32 { return float32(special.Digamma(float64(x))) }

func trigammaFar(x float32) float32 { return float32(special.Polygamma(1, float64(x))) }

func zetaFar(s, q float32) float32 { return float32(special.Zeta(float64(s), float64(q))) }

func gammaincFar(a, x float32) float32 { return float32(special.Gammainc(float64(a), float64(x))) }

func gammaincLowFar(a, x float32) float32 { return gammainc1(a, x) }
