package special

import "math"

// Log is the natural logarithm. It exists because math.Log of subnormal numbers is wrong on amd64.
func Log(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// Pow is x to the power of y. It exists because math.Pow rests on math.Log, see there.
func Pow(x, y float64) float64 {
	if x != 0 && math.Abs(x) < 0x1p-1022 {
		return math.Pow(x*0x1p54, y) * math.Exp2(-54*y)
	}
	return math.Pow(x, y)
}

// Log10 is the logarithm to base 10.
func Log10(x float64) float64 { return math.Log2(x) * (math.Ln2 / math.Ln10) }

// Lgamma is log |Γ(x)|, +Inf at the poles and at both infinities.
func Lgamma(x float64) float64 {
	switch {
	case math.IsInf(x, 0):
		return math.Inf(1)
	case x != 0 && math.Abs(x) < 1e-290:
		return -Log(math.Abs(x))
	}
	v, _ := math.Lgamma(x)
	return v
}

// bernoulli holds B(2k)/(2k)! for k from 1 on.
var bernoulli = [...]float64{
	1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000, 1.0 / 74724249600,
	-3617.0 / 10670622842880000, 43867.0 / 5109094217170944000, -174611.0 / 802857662698291200000,
	77683.0 / 14101100039391805440000, -236364091.0 / 1693824136731743669452800000,
}

// Digamma is the derivative of log Γ. At 0 it is ∓Inf by the sign of zero, at negative integers NaN.
func Digamma(x float64) float64 {
	if x == 0 {
		return math.Copysign(math.Inf(1), -x)
	}
	r := 0.0
	if x < 0 {
		if x == math.Floor(x) {
			return math.NaN()
		}
		// ψ(1-x) - ψ(x) = π/tan(πx); the fraction alone keeps the tangent precise.
		_, f := math.Modf(x)
		r = -math.Pi / math.Tan(math.Pi*f)
		x = 1 - x
	}
	for x < 12 {
		r -= 1 / x
		x++
	}
	if x == math.Inf(1) {
		return x
	}
	// log x - 1/2x - Σ B(2k)/(2k x^2k)
	r += math.Log(x) - 0.5/x
	p, fact := 1/(x*x), 1.0
	for k, b := range bernoulli {
		if k > 0 {
			fact *= float64(2*k) * float64(2*k+1) // (2k+1)! of k from 0
		}
		term := b * fact * p
		r -= term
		if math.Abs(term) < 1e-17*math.Abs(r) {
			break
		}
		p /= x * x
	}
	return r
}

// Zeta is the Hurwitz zeta function Σ (k+q)^-s, by Euler and Maclaurin. It is Inf at s = 1 and where a term is, NaN
// for s below 1, and NaN for negative q unless s is an integer.
func Zeta(s, q float64) float64 {
	switch {
	case s == 1:
		return math.Inf(1)
	case s < 1:
		return math.NaN()
	case q <= 0 && q == math.Floor(q):
		return math.Inf(1)
	case q <= 0 && s != math.Floor(s):
		return math.NaN()
	case q != q:
		return math.NaN()
	case math.IsInf(q, 1) && s < math.Inf(1):
		return 0
	case q < 0 && math.IsInf(s, 1): // some term has a base below 1
		return s
	case q < 0: // the terms below 0 are the difference of two tails, however many they are
		f := q - math.Floor(q)
		below := Zeta(s, 1-f) - Zeta(s, 1-f-math.Floor(q))
		if math.Mod(s, 2) != 0 {
			below = -below
		}
		return Zeta(s, f) + below
	}
	const n = 12
	sum, a := 0.0, q
	for i := 0; a <= n || i < n; i++ { // counted: from 2⁵³ on, a+1 is a
		t := math.Pow(a, -s)
		sum += t
		if math.Abs(t) < 1e-17*math.Abs(sum) && a > 0 {
			return sum
		}
		a++
	}
	// The tail from a on: ∫ + half a term + Σ B(2k)/(2k)! · s(s+1)…(s+2k-2) · a^(-s-2k+1)
	t := math.Pow(a, -s)
	sum += t*a/(s-1) + t/2
	rise, p := s, t/a
	for k, b := range bernoulli {
		term := b * rise * p
		sum += term
		if math.Abs(term) < 1e-17*math.Abs(sum) {
			break
		}
		rise *= (s + float64(2*k+1)) * (s + float64(2*k+2))
		p /= a * a
	}
	return sum
}

// Polygamma is the n-th derivative of Digamma.
func Polygamma(n int, x float64) float64 {
	switch {
	case n == 0:
		return Digamma(x)
	case n == 1:
		return trigamma(x)
	}
	s := float64(n) + 1
	v := math.Gamma(s) * Zeta(s, x)
	if n&1 == 0 {
		return -v
	}
	return v
}

// trigamma is Σ 1/(k+x)², reflected for negative numbers.
func trigamma(x float64) float64 {
	if math.IsInf(x, -1) {
		return math.NaN()
	}
	if x < 0.5 && x != math.Floor(x) {
		s := math.Sin(math.Pi * x)
		return math.Pi*math.Pi/(s*s) - Zeta(2, 1-x)
	}
	return Zeta(2, x)
}
