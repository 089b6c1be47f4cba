package special

import "math"

// Erfcx is exp(x²)·erfc(x).
func Erfcx(x float64) float64 {
	switch {
	case x < -27:
		return math.Inf(1)
	case x < 12:
		// x² in two parts: the low one would be the largest error.
		s := twoMul(x, x)
		if e := math.Exp(s.hi); !math.IsInf(e, 1) {
			return math.FMA(e*s.lo, math.Erfc(x), e*math.Erfc(x))
		}
		h := math.Exp(s.hi / 2)
		return h * (1 + s.lo) * math.Erfc(x) * h
	case x > 1e8:
		return 1 / (x * math.Sqrt(math.Pi))
	}
	q, sum := 1/(2*x*x), 0.0
	for k := 27.0; k > 0; k -= 2 {
		sum = -k * q * (1 + sum)
	}
	return (1 + sum) / (x * math.Sqrt(math.Pi))
}

// ErfcxDerivative is the n-th derivative of Erfcx: (-2)ⁿ·n! times the n-fold integral of erfc times exp(x²). For positive numbers
// the integrals are found from high orders down, because upwards the recurrence cancels all digits.
func ErfcxDerivative(n int, x float64) float64 {
	const first = 2 / 1.7724538509055160273 // of order -1: 2/√π
	switch {
	case n == 0 || x != x:
		return Erfcx(x)
	case math.IsInf(x, 1):
		return math.Copysign(0, float64(1-2*(n&1)))
	case x < 0.5:
		now, before := Erfcx(x), -first
		now, before = 2*x*now-first, now
		for k := 1; k < n; k++ {
			now, before = 2*x*now+2*float64(k)*before, now
		}
		return now
	case x > 1e10: // one term of the series is exact, and the recurrence would overflow
		y := Erfcx(x)
		for k := 1; k <= n; k++ {
			y *= -float64(k) / x
		}
		return y
	}
	// In scaled integrals e(k) = 2ᵏ·k!·integral: e(k-1) = (e(k+1) + 2x·e(k))/(2k), and e(0) is Erfcx.
	above, now, wanted := 0.0, 1.0, 0.0
	for k := n + 16 + int(200/(x*x)); k > 0; k-- {
		if k == n {
			wanted = now
		}
		if k == 1 {
			// e(-1) of the recurrence stands for 2/√π: e(1) + 2x·e(0) = 2/√π.
			zero := (above + 2*x*now) / 2
			scale := first / (now + 2*x*zero)
			return wanted * scale * float64(1-2*(n&1))
		}
		above, now = now, (above+2*x*now)/(2*float64(k))
		if now < 0x1p-500 {
			above, now, wanted = above*0x1p500, now*0x1p500, wanted*0x1p500
		}
	}
	return math.NaN()
}

// Ndtr is the normal distribution's cumulative probability.
func Ndtr(x float64) float64 {
	const c, lo = 0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55 // √½
	t := -x * c
	if !(t > 0.5) || t > 30 {
		return 0.5 * math.Erfc(t)
	}
	// What t lost by rounding is multiplied by -erfc'/erfc, some t + √(t²+2).
	lost := math.FMA(-x, c, -t) - x*lo
	v := math.Erfc(t) / 2
	return v - v*lost*(t+math.Sqrt(t*t+2))
}

// LogNdtr is its logarithm, precise far out.
func LogNdtr(x float64) float64 {
	t := x * (math.Sqrt2 / 2)
	switch {
	case math.IsInf(x, -1):
		return x
	case x < -1:
		return math.Log(Erfcx(-t)/2) - x*x/2
	case x < 0:
		return math.Log(Ndtr(x))
	}
	return math.Log1p(-Ndtr(-x))
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
		return -lowerQuantile(1-p, p-0.5)
	}
	return lowerQuantile(p, 0.5-p)
}

// lowerQuantile is Ndtri of p up to 1/2, off being 1/2 - p.
func lowerQuantile(p, off float64) float64 {
	if off < 0.2 { // Newton's steps on the area between the quantile and 0
		x := off * math.Sqrt(2*math.Pi)
		for range 20 {
			d := (off - math.Erf(x*(math.Sqrt2/2))/2) * math.Sqrt(2*math.Pi) * math.Exp(x*x/2)
			if x += d; math.Abs(d) <= 1e-9*x {
				break
			}
		}
		return -x
	}
	// Newton's steps on log Φ, which is concave: from a start on the left they climb without overshooting.
	l := Log(p)
	x := -math.Sqrt(-2*l) - 0.1
	for range 60 {
		d := (LogNdtr(x) - l) * Erfcx(-x*(math.Sqrt2/2)) / math.Sqrt(2/math.Pi)
		if x -= d; math.Abs(d) <= 1e-8*math.Abs(x) {
			break
		}
	}
	return x
}

// Erfcinv is the inverse of erfc: infinite at 0 and 2, NaN outside.
func Erfcinv(y float64) float64 {
	if y > 0.5 && y < 1.5 {
		x := lowerQuantile(math.Min(y, 2-y)/2, math.Abs(1-y)/2) * (-math.Sqrt2 / 2)
		return math.Copysign(x, 1-y)
	}
	if y > 1 {
		return -Erfcinv(2 - y)
	}
	return -Ndtri(y/2) * (math.Sqrt2 / 2)
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
