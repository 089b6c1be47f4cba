package special

import "math"

// Erfcx is exp(x²)·erfc(x).
func Erfcx(x float64) float64 {
	switch {
	case x < -27:
		return math.Inf(1)
	case x < 26:
		// x² in two parts: the low one would be the largest error.
		hi := x * x
		return math.Exp(hi) * math.Erfc(x) * (1 + math.FMA(x, x, -hi))
	}
	q := 1 / (2 * x * x)
	return (1 - q*(1-3*q*(1-5*q*(1-7*q*(1-9*q))))) / (x * math.Sqrt(math.Pi))
}

// Ndtr is the normal distribution's cumulative probability.
func Ndtr(x float64) float64 { return 0.5 * math.Erfc(-x*math.Sqrt2/2) }

// LogNdtr is its logarithm, precise far out.
func LogNdtr(x float64) float64 {
	t := x * (math.Sqrt2 / 2)
	switch {
	case math.IsInf(x, -1):
		return x
	case x < -1:
		return math.Log(Erfcx(-t)/2) - t*t
	}
	return math.Log1p(-math.Erfc(t) / 2)
}

// Ndtri is the inverse of Ndtr: infinite at 0 and 1, NaN outside.
func Ndtri(p float64) float64 {
	switch {
	case p == 0:
		return math.Inf(-1)
	case p == 1:
		return math.Inf(1)
	case !(p > 0 && p < 1):
		return math.NaN()
	case p > 0.5:
		return -Ndtri(1 - p)
	}
	// Newton's steps on log Φ, which is concave: from a start on the left they climb without overshooting.
	l := Log(p)
	x := -math.Sqrt(-2*l) - 0.1
	for range 60 {
		d := (LogNdtr(x) - l) * Erfcx(-x*(math.Sqrt2/2)) / math.Sqrt(2/math.Pi)
		x -= d
		if math.Abs(d) <= 1e-16*math.Abs(x) {
			break
		}
	}
	return x
}

// Entr is -x·log x: 0 at 0, -Inf below.
func Entr(x float64) float64 {
	switch {
	case x == 0:
		return 0
	case x < 0:
		return math.Inf(-1)
	}
	return -x * Log(x)
}
