package special

import "math"

// The regularised incomplete gamma functions. The smaller of the two is computed, the other is its complement: by the power
// series below the mean, by Legendre's continued fraction above, and near the mean of large concentrations by Temme's
// expansion. All are a power times e⁻ˣ times a factor of moderate size.

// stirlingFrom is where Γ is taken from Stirling's series.
const stirlingFrom = 20

// stirlingRest is log(Γ(a)/(√(2π/a)·(a/e)ᵃ)) for a from stirlingFrom on.
func stirlingRest(a float64) float64 {
	z := 1 / a
	q := z * z
	return z * (1.0/12 - q*(1.0/360-q*(1.0/1260-q*(1.0/1680-q*(1.0/1188-q*(691.0/360360-q/156))))))
}

// GammaDensity is xᵃ⁻¹·e⁻ˣ/Γ(a), the density of the gamma distribution; NaN for negative arguments.
func GammaDensity(a, x float64) float64 {
	switch {
	case a != a || x != x || a <= 0 || x < 0 || math.IsInf(a, 1):
		return math.NaN()
	case math.IsInf(x, 1):
		return 0
	case x == 0 && a < 1:
		return math.Inf(1)
	case x == 0 && a == 1:
		return 1
	case x == 0:
		return 0
	}
	if v := gammaLead(a, x, dd{}) / x; v > 1e-280 {
		return v
	}
	return gammaLead(a, x, logDD(x).neg())
}

// gammaParts gives Γ(v) as an exponent and a factor, for positive v below stirlingFrom. Where Γ is large, a rounding of its
// argument or of a product is many of its own.
func gammaParts(v dd) (e dd, factor float64) {
	w, p := v.hi, dd{1, 0}
	for w >= 2.5 {
		w-- // without rounding
		p = p.times(w)
	}
	switch { // Γ(w) = Γ(1+w)/w
	case w >= 1.5:
		e = lgamma2pDD(w - 2)
	case w > 0.5:
		e, p = lgamma2pDD(w-1), p.by(w)
	default:
		e, p = lgamma2pDD(w), p.by(w).over(twoSum(1, w))
	}
	e.lo += p.lo / p.hi
	if v.lo != 0 {
		e.lo += v.lo * Digamma(v.hi)
	}
	return e, p.hi
}

// gammaLead is xᵃ·e⁻ˣ/Γ(a), times eᵘ.
func gammaLead(a, x float64, u dd) float64 {
	if a < stirlingFrom {
		e, factor := gammaParts(dd{a, 0})
		return logDD(x).times(a).add(dd{-x, 0}).add(e.neg()).add(u).exp() / factor
	}
	return gammaExponent(a, x).add(dd{-stirlingRest(a), 0}).add(u).exp() * math.Sqrt(a/(2*math.Pi))
}

// gammaExponent is a·log(x/a) + a - x, which is 0 at the mean and negative elsewhere.
func gammaExponent(a, x float64) dd {
	d := twoSum(x, -a)
	return logRatio(d, twoSum(x, a), func() dd { return logDD(x).add(logDD(a).neg()) }).times(a).add(d.neg())
}

// gammaEdges answers for arguments at the border of the domain: the lower function, and whether it is decided.
func gammaEdges(a, x float64) (p float64, ok bool) {
	switch {
	case a != a || x != x || a < 0 || x < 0:
		return math.NaN(), true
	case math.IsInf(a, 1) && math.IsInf(x, 1), a == 0 && x == 0:
		return math.NaN(), true
	case a == 0, math.IsInf(x, 1):
		return 1, true
	case x == 0, math.IsInf(a, 1):
		return 0, true
	}
	return 0, false
}

// Gammainc is the regularised lower incomplete gamma function; NaN for negative arguments and where both are 0 or infinite.
func Gammainc(a, x float64) float64 {
	if p, ok := gammaEdges(a, x); ok {
		return p
	}
	v, upper := incompleteGamma(a, x, false)
	if upper {
		return 1 - v
	}
	return v
}

// Gammaincc is the regularised upper incomplete gamma function, 1 - Gammainc.
func Gammaincc(a, x float64) float64 {
	if p, ok := gammaEdges(a, x); ok {
		return 1 - p
	}
	v, upper := incompleteGamma(a, x, true)
	if !upper {
		return 1 - v
	}
	return v
}

// incompleteGamma gives the lower or the upper function, whichever is precise; want says which of them is asked for where
// both would be.
func incompleteGamma(a, x float64, want bool) (v float64, upper bool) {
	switch {
	case a > 30 && math.Abs(x-a) < 0.3*a, a > 1e5 && math.Abs(x-a) < 4.5*math.Sqrt(a):
		return gammaTemme(a, x)
	case x < 1.1 && want && a < 1:
		return gammaSmall(a, x), true
	case x < 1.1 && (!want || x*2 <= a) || x <= a || x <= a+1 && !want:
		// From the back, each step reduces the error of the terms behind it.
		n := 8
		for t := 1.0; t > 1e-18; n++ {
			t *= x / (a + float64(n-7))
		}
		s := 1.0
		for ; n > 0; n-- {
			s = 1 + s*x/(a+float64(n))
		}
		if a < 1 {
			return logDD(x).times(a).add(dd{-x, 0}).add(lgamma1pDD(a).neg()).exp() * s, false
		}
		return gammaLead(a, x, dd{}) / a * s, false
	}
	if a < 1 { // Stieltjes' form, from the back too
		f := x
		for k := math.Ceil(100/x) + 4; k > 0; k-- {
			f = x + (k-a)*f/(f+k)
		}
		return gammaLead(a, x, dd{}) / f, true
	}
	// The fraction as the sum of the differences of its convergents.
	// Their denominators are u = k + 1 + h.
	h := x - a
	u := 1 + h
	t, sum := 1/u, 1/u
	for k := 1.0; math.Abs(t) > 1e-17*sum && k < 1e6; k++ {
		was := u
		if k < a {
			u = x + 2*k + 1 - a + k*(a-k)/was
			h = u - (k + 1)
		} else { // the same without cancellation
			h = x + (k-a)*h/(k+h)
			u = k + 1 + h
		}
		t *= k * (k - a) / (u * was)
		sum += t
	}
	return gammaLead(a, x, dd{}) * sum, true
}

// gammaSmall is the upper function for a < 1 and small x: 1 - xᵃ/Γ(1+a)·(1 + a·sum) of an alternating series. It is as small as a
// is, and the terms of the first order in a nearly cancel, so they have some digits more.
func gammaSmall(a, x float64) float64 {
	l := logDD(x).times(a).add(lgamma1pDD(a).neg())
	const exact = 5
	t := dd{1, 0}
	var sum dd
	for n := 1.0; n <= exact; n++ {
		t = t.times(-x).by(n)
		sum = sum.add(t.over(twoSum(a, n)))
	}
	rest := 0.0
	for n, t := exact+1.0, t.hi; n < 40 && math.Abs(t) > 1e-18; n++ {
		t *= -x / n
		rest += t / (a + n)
	}
	return complement(l, sum.add(dd{rest, 0}).times(a))
}

// complement is 1 - eˡ·(1+u).
func complement(l, u dd) float64 {
	e := math.Expm1(l.hi)
	if math.Abs(l.hi) > 0.5 {
		return -(e + u.hi + e*u.hi + (1+e)*l.lo)
	}
	// eˡ - 1 - l
	r := 0.0
	for k := 16.0; k >= 2; k-- {
		r = (1 + r) * l.hi / k
	}
	r *= l.hi
	first := l.add(u)
	return -(first.hi + (first.lo + r + e*u.hi))
}

// gammaTemme is the expansion for large a, of the function that is the smaller one.
func gammaTemme(a, x float64) (v float64, upper bool) {
	e := gammaExponent(a, x)
	if e.hi > 0 {
		e = dd{}
	}
	upper = x > a
	z := math.Sqrt(-e.hi)
	h := z * math.Sqrt(2/a)
	if !upper {
		h = -h
	}
	sum := 0.0
	for k := len(temme) - 1; k >= 0; k-- {
		c := 0.0
		for n := len(temme[k]) - 1; n >= 0; n-- {
			c = c*h + temme[k][n]
		}
		sum = sum/a + c
	}
	sum /= math.Sqrt(2 * math.Pi * a)
	if !upper {
		sum = -sum
	}
	return e.exp() * (0.5*Erfcx(z) + sum), upper
}
