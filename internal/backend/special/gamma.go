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
	case x < 0 && x != math.Floor(x):
		return lgammaNegative(x)
	case x > 0 && x <= 0.5:
		return lgamma1p(x) - Log(x)
	case x > 0.5 && x < 1.25:
		return lgamma1p(x - 1)
	case x >= 1.625 && x < 2.5:
		return lgamma2p(x - 2)
	}
	v, _ := math.Lgamma(x)
	return v
}

// lgammaNegative is log(π/|sin πx|) - log Γ(1-x), in twice the precision where the two nearly cancel.
func lgammaNegative(x float64) float64 {
	s := math.Abs(math.Sin(math.Pi * (x - math.Round(x)))) // of the distance from the pole, which is exact
	a, b := math.Log(math.Pi/s), 0.0
	if x > -0.5 {
		b = lgamma1p(-x)
	} else {
		b = Lgamma(1 - x)
	}
	if most := max(a, b, 2.5); most == 2.5 || math.Abs(a-b) > 0.5*most {
		return a - b
	}
	return logPiDD.add(logDD(s).neg()).add(lgammaDD(twoSum(1, -x)).neg()).hi
}

var (
	halfLogTwoPi = dd{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55}
	logPiDD      = dd{0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57}
)

// lgammaDD is log Γ(v) for v from 1 on, to some 1e-18.
func lgammaDD(v dd) dd {
	p := dd{1, 0}
	for v.hi < stirlingFrom {
		p, v = p.mul(v), v.add(dd{1, 0})
	}
	log := func(x dd) dd { return logDD(x.hi).add(dd{x.lo / x.hi, 0}) }
	r := log(v).mul(v.add(dd{-0.5, 0})).add(v.neg()).add(halfLogTwoPi).add(dd{stirlingRest(v.hi), 0})
	return r.add(log(p).neg())
}

// lgamma1p is log Γ(1+z) for z above -1, precise near its zeros at 0 and 1.
func lgamma1p(z float64) float64 {
	if math.Abs(z) <= 0.5 {
		return lgamma2p(z) - math.Log1p(z)
	}
	return Lgamma(1 + z)
}

// zetaRests has (-1)ᵏ(ζ(k) - 1)/k for k from 2 on.
var zetaRests = [...]float64{
	0.3224670334241132, -0.0673523010531981, 0.020580808427784546, -0.007385551028673986, 0.0028905103307415234,
	-0.001192753911703261, 0.0005096695247430425, -0.00022315475845357939, 9.945751278180853e-05, -4.492623673813314e-05,
	2.050721277567069e-05, -9.439488275268397e-06, 4.374866789907488e-06, -2.039215753801366e-06, 9.55141213040742e-07,
	-4.492469198764566e-07, 2.1207184805554665e-07, -1.0043224823968099e-07, 4.7698101693639804e-08, -2.2711094608943164e-08,
	1.0838659214896955e-08, -5.183475041970047e-09, 2.4836745438024785e-09, -1.1921401405860912e-09, 5.731367241678862e-10,
	-2.7595228851242334e-10,
}

// lgamma2p is log Γ(2+w) for |w| up to 1/2, by its series.
func lgamma2p(w float64) float64 { return w * (lessEuler.hi + w*lgammaSeries(w)) }

var lessEuler = dd{0x1.b0ee6072093cep-2, 0x1.6cb90701fbfabp-58} // 1 - γ

// lgammaSeries is (log Γ(2+w)/w - (1-γ))/w.
func lgammaSeries(w float64) float64 {
	q, even, odd := w*w, 0.0, 0.0 // two sums, neither of which waits for the other
	for k := len(zetaRests) - 2; k >= 0; k -= 2 {
		even, odd = math.FMA(even, q, zetaRests[k]), math.FMA(odd, q, zetaRests[k+1])
	}
	return math.FMA(odd, w, even)
}

// lgamma2pDD is lgamma2p with some digits more, for where it is an exponent or a term of a difference.
func lgamma2pDD(w float64) dd {
	return lessEuler.times(w).add(twoMul(w, w*lgammaSeries(w)))
}

// lgamma1pDD is lgamma1p for z from 0 to 1, with some digits more up to 1/2.
func lgamma1pDD(z float64) dd {
	if z <= 0.5 {
		return lgamma2pDD(z).add(log1pDD(z).neg())
	}
	return dd{Lgamma(1 + z), 0}
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
		// ψ(1-x) - ψ(x) = π/tan(πx); the distance from the pole alone keeps the tangent precise.
		t := math.Pi * (x - math.Round(x))
		if math.Abs(t) < 1e-4 {
			t += t * t * t / 3 // math.Tan takes t alone for it, up to 1e-7
		} else {
			t = math.Tan(t)
		}
		r = -math.Pi / t
		x = 1 - x
	}
	if x < 1 {
		return r + (digamma12(x+1) - 1/x)
	}
	if x < 12 {
		up := 0.0
		for ; x > 2; x-- {
			up += 1 / (x - 1)
		}
		return r + (digamma12(x) + up)
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

// digammaRoot is the positive zero of ψ; digammaNear has ψ(x)/(x - root) in x - 3/2 for x from 1 to 2, which scripts/special/digamma.py
// prints: near the zero other formulas lose all digits.
const digammaRoot, digammaRootLow = 0x1.762d86356be3fp+0, 0x1.b86a722197829p-54

var digammaNear = [...]float64{
	0.9510558760318328, -0.42362742128146047, 0.24054248424078692, -0.1484049230539187, 0.09498872445291558, -0.061922133271544284,
	0.04076083393821673, -0.026975796849706184, 0.01790724844392596, -0.011908215027359153, 0.007927018411136843, -0.005280020192518892,
	0.0035181618550874957, -0.0023446252179885993, 0.001562789950608375, -0.0010424323828753985, 0.000694908174082211,
	-0.0004591975036646912, 0.0003061242075543146, -0.00022001895005109955, 0.0001466781049062341, -5.7709404612698156e-05,
	3.847275205849602e-05, -8.394009422598467e-05, 5.596002350342592e-05,
}

// digamma12 is ψ(x) for x from 1 to 2.
func digamma12(x float64) float64 {
	s := 0.0
	for k := len(digammaNear) - 1; k >= 0; k-- {
		s = math.FMA(s, x-1.5, digammaNear[k])
	}
	return s * ((x - digammaRoot) - digammaRootLow)
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
	case q > 1 && math.IsInf(s, 1): // PyTorch's answer for the limit 0
		return math.NaN()
	case q > 0 && math.IsInf(s, 1):
		return math.Pow(q, -s)
	case q < 0 && math.IsInf(s, 1): // some term has a base below 1
		return s
	case q < 0:
		return zetaBelow(s, q, func(q float64) float64 { return zetaSum(s, q) })
	}
	return zetaSum(s, q)
}

// zetaBelow is Zeta for negative q and whole s by z, which is a multiple of Zeta for positive q. The terms on both sides of 0 are
// two sums, less the tail of one of them, however many they are. One of the bases next to 0 is an exact distance from a whole number;
// the other is 1 less that, and what it loses by rounding is a multiple of s in the result.
func zetaBelow(s, q float64, z func(q float64) float64) float64 {
	d := q - math.Round(q)
	at := twoSum(1, -math.Abs(d))
	near, other := z(math.Abs(d)), z(at.hi)
	other -= other * s * at.lo / at.hi
	above, below := near, other
	if d < 0 {
		above, below = other, near
	}
	if below -= z(1 - q); math.Mod(s, 2) != 0 {
		below = -below
	}
	return above + below
}

// zetaSum is Zeta for s > 1 and q > 0.
func zetaSum(s, q float64) float64 {
	if s <= 4 && s == math.Trunc(s) && q > 1e-60 && q < 1e60 {
		return zetaWhole(int(s), q)
	}
	return powDD(q, 1-s) * zetaScaled(s, q)
}

// zetaScaled is q^(s-1)·ζ(s, q): the first terms, and the rest by the formula of Euler and Maclaurin. Over a power of q an error
// in the logarithm of a base counts the less the smaller its term is, and neither overflows where the result does not.
func zetaScaled(s, q float64) float64 {
	if q < 1 {
		return 1/q + math.Exp((1-s)*math.Log1p(1/q))*zetaScaled(s, 1+q)
	}
	sum, lost, l, a := 0.0, 0.0, 0.0, q // l = log(a/q)
	for n := 1.0; a < 0.76*s+11; n++ {  // from there on the tail has all digits
		t := twoSum(sum, math.Exp(-s*l))
		if t.hi-sum <= 1e-18*sum {
			return (sum + lost) / q
		}
		sum, lost = t.hi, lost+t.lo
		a, l = q+n, math.Log1p(n/q)
	}
	// The tail from a on: ∫ + half a term + Σ B(2k)/(2k)! · s(s+1)…(s+2k-2) · a^(-s-2k+1)
	tail := 0.5 / a
	rise, p := s, 1/(a*a)
	for k, b := range bernoulli {
		term := b * rise * p
		tail += term
		if math.Abs(term) < 1e-18 {
			break
		}
		rise *= (s + float64(2*k+1)) * (s + float64(2*k+2))
		p /= a * a
	}
	return (sum+lost)/q + math.Exp((1-s)*l)*(tail+1/(s-1))
}

// overPower is 1/a^s for s of 1 to 4, within 0.6 ulp.
func overPower(a float64, s int) float64 {
	p := dd{a, 0}
	switch s {
	case 2:
		p = twoMul(a, a)
	case 3:
		p = twoMul(a, a).times(a)
	case 4:
		p = twoMul(a, a)
		p = p.mul(p)
	}
	r := 1 / p.hi
	return r - r*(math.FMA(r, p.hi, -1)+r*p.lo)
}

// zetaWhole is zetaSum of the exponents 2, 3 and 4, whose powers are products; the smallest terms come first.
func zetaWhole(s int, q float64) float64 {
	terms := 0
	if q < 16 {
		terms = 16 - int(q)
	}
	a := q + float64(terms)
	r := 1 / (a * a)
	tail, rise, p := 0.0, float64(s), r
	for k, b := range bernoulli[:8] {
		tail += b * rise * p
		rise *= float64((s + 2*k + 1) * (s + 2*k + 2))
		p *= r
	}
	sum := overPower(a, s-1) * (tail + 0.5/a + 1/float64(s-1))
	for i := terms - 1; i > 0; i-- {
		a := q + float64(i)
		p := a * a
		switch s {
		case 3:
			p *= a
		case 4:
			p *= p
		}
		sum += 1 / p
	}
	if terms > 0 {
		sum += overPower(q, s)
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
	v := 0.0
	switch s := float64(n) + 1; {
	case x > 0 && x < math.Inf(1):
		v = polygammaSize(n, x)
	case x < 0 && x != math.Floor(x):
		v = zetaBelow(s, x, func(x float64) float64 { return polygammaSize(n, x) })
	default:
		v = Zeta(s, x)
	}
	if n&1 == 0 {
		return -v
	}
	return v
}

// polygammaSize is n!·ζ(n+1, x) for positive x; one of its factors may overflow or underflow where it does not.
func polygammaSize(n int, x float64) float64 {
	s := float64(n) + 1
	if n < 4 {
		if v := math.Gamma(s) * zetaSum(s, x); v > 1e-290 {
			return v
		}
	} else if n <= 22 { // whose factorial is a float64
		if p := powDD(x, -float64(n)); p > 1e-290 && !math.IsInf(p, 1) {
			return math.Gamma(s) * p * zetaScaled(s, x)
		}
	}
	e := lgammaDD(dd{s, 0}).add(logDD(x).times(-float64(n)))
	return e.exp() * zetaScaled(s, x)
}

// trigamma is Σ 1/(k+x)², reflected for negative numbers.
func trigamma(x float64) float64 {
	switch {
	case math.IsInf(x, -1):
		return math.NaN()
	case x < 0 && x != math.Floor(x):
		s := math.Sin(math.Pi * (x - math.Round(x)))
		return math.Pi*math.Pi/(s*s) - Zeta(2, 1-x)
	}
	return Zeta(2, x)
}
