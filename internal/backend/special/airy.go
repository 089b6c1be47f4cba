package special

import "math"

// Ai(0) and -Ai'(0).
var (
	airyZero  = dd{0x1.6b8c7962715b8p-2, 0x1.7a96d7bb04e65p-56}
	airySlope = dd{0x1.0907f42b70f8bp-2, -0x1.d1459035afde2p-56}
)

// airySeries is the Maclaurin series of Ai or of its derivative, in twice the precision: for negative numbers its terms are much
// larger than their sum.
func airySeries(derivative bool, x float64) float64 {
	q := twoMul(x, x).times(x)
	// f = Σ 1·4·…(3k-2) x^3k/(3k)!, g = Σ 2·5·…(3k-1) x^(3k+1)/(3k+1)!
	f, g := dd{1, 0}, dd{x, 0}
	if derivative {
		f, g = twoMul(x, x).times(0.5), dd{1, 0}
	}
	sumF, sumG := f, g
	for k := 1.0; k < 120; k++ {
		m := 3 * k
		if derivative {
			f = f.mul(q).over(twoMul(m, m+2))
			g = g.mul(q).over(twoMul(m, m-2))
		} else {
			f = f.mul(q).over(twoMul(m, m-1))
			g = g.mul(q).over(twoMul(m, m+1))
		}
		sumF, sumG = sumF.add(f), sumG.add(g)
		if math.Abs(f.hi)+math.Abs(g.hi) < 1e-34*(math.Abs(sumF.hi)+math.Abs(sumG.hi)) {
			break
		}
	}
	r := airyZero.mul(sumF).add(airySlope.mul(sumG).neg())
	return r.hi
}

// airyPhase is 2/3·x√x of a positive number.
func airyPhase(x float64) dd {
	r := math.Sqrt(x)
	root := quickSum(r, math.FMA(-r, r, x)/(2*r))
	return root.times(x).mul(dd{0x1.5555555555555p-1, 0x1.5555555555555p-55})
}

// airyWave is Ai, or its derivative, far below zero: a wave whose phase and size are asymptotic series.
func airyWave(derivative bool, x float64) float64 {
	x = -x
	zeta := airyPhase(x)
	even, odd, t := 1.0, 0.0, 1.0
	for k := 1.0; k < 60; k++ {
		u := t * (6*k - 5) * (6*k - 1) / (72 * k * zeta.hi) // of u(k) = u(k-1)·(6k-5)(6k-1)/(72k)
		if u >= t || u < 1e-18 {
			break
		}
		t = u
		v := t
		if derivative {
			v = -t * (6*k + 1) / (6*k - 1)
		}
		switch int(k) % 4 {
		case 0:
			even += v
		case 1:
			odd += v
		case 2:
			even -= v
		default:
			odd -= v
		}
	}
	// ζ - π/4 without the multiples of 2π.
	n := math.Round(zeta.hi / (2 * math.Pi))
	twoPi := dd{0x1.921fb54442d18p+2, 0x1.1a62633145c07p-52}
	p := zeta.add(twoPi.times(-n)).add(dd{-0x1.921fb54442d18p-1, -0x1.1a62633145c07p-55})
	s, c := math.Sincos(p.hi)
	s, c = s+c*p.lo, c-s*p.lo
	if derivative {
		return math.Sqrt(math.Sqrt(x)/math.Pi) * (s*even - c*odd)
	}
	return (c*even + s*odd) / math.Sqrt(math.Pi*math.Sqrt(x))
}

// airyDecay is Ai, or its derivative, of positive numbers: modified Bessel functions of orders 1/3 and 2/3 of ζ = 2/3·x√x.
func airyDecay(derivative bool, x float64) float64 {
	zeta := airyPhase(x)
	if !(zeta.hi <= 760) { // also where its two parts have overflowed to NaN
		return math.Copysign(0, map[bool]float64{false: 1, true: -1}[derivative])
	}
	const overRoot = 1 / (math.Pi * 1.7320508075688772935274463415058723669) // 1/(π√3)
	e := zeta.neg().exp()
	if derivative {
		return -x * overRoot * besselK(2, zeta.hi) * e
	}
	return math.Sqrt(x) * overRoot * besselK(1, zeta.hi) * e
}

// AiryAi is the Airy function Ai; 0 at infinities.
func AiryAi(x float64) float64 { return airy(false, x) }

// AiryAiPrime is the derivative of Ai; NaN at -Inf, where its waves grow.
func AiryAiPrime(x float64) float64 { return airy(true, x) }

func airy(derivative bool, x float64) float64 {
	switch {
	case x != x, math.IsInf(x, -1) && derivative:
		return math.NaN()
	case math.IsInf(x, 0):
		return 0
	case x > 1:
		return airyDecay(derivative, x)
	case x > -9.5:
		return airySeries(derivative, x)
	case x < -1e10: // the phase has no digit left
		if derivative {
			return math.NaN()
		}
		return 0
	}
	return airyWave(derivative, x)
}
