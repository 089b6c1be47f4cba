package simd

import "github.com/lucid-go/lucid/internal/backend/special"

// GammaincSplit is the concentration from which on GammaincLowF32 is slow.
const GammaincSplit = 12

// GammaincNear says whether an element does not stop GammaincF32.
func GammaincNear(a, x float32) bool {
	c, v := float64(a), float64(x)
	if !(c >= 1e-30 && v >= 1e-30 && c <= 1e12) {
		return false
	}
	if c < GammaincSplit {
		return v <= 18
	}
	return v >= c*0.35 && v <= c*2.2
}

// LgammaSplit is the least argument of LgammaHighF32.
const LgammaSplit = 2.5

// The functions below serve arguments outside the range of the special functions' kernels: zeros, negative numbers, infinities, NaN
// and tails.

func trigammaFar(x float32) float32 { return float32(special.Polygamma(1, float64(x))) }

func zetaFar(s, q float32) float32 { return float32(special.Zeta(float64(s), float64(q))) }

func gammaincFar(a, x float32) float32 { return float32(special.Gammainc(float64(a), float64(x))) }

func gammaincLowFar(a, x float32) float32 { return gammainc1(a, x) }

func trigammaFar64(x float64) float64 { return special.Polygamma(1, x) }

func besselJ0Far64(x float64) float64 { return special.J0(x) }

func besselJ1Far64(x float64) float64 { return special.J1(x) }

func besselY0Far64(x float64) float64 { return special.Y0(x) }

func besselY1Far64(x float64) float64 { return special.Y1(x) }

func sphericalJ0Far64(x float64) float64 { return special.SphericalJ0(x) }

func airyAiFar64(x float64) float64 { return special.AiryAi(x) }

func erfcxFar64(x float64) float64 { return special.Erfcx(x) }

func ndtriFar64(p float64) float64 { return special.Ndtri(p) }

func erfcinvFar64(y float64) float64 { return special.Erfcinv(y) }

func betalnFar(a, b float32) float32 { return float32(special.Betaln(float64(a), float64(b))) }

func betaFar(a, b float32) float32 { return float32(special.Beta(float64(a), float64(b))) }

func zetaFar64(s, q float64) float64 { return special.Zeta(s, q) }

func betalnFar64(a, b float64) float64 { return special.Betaln(a, b) }
