package special

import "math"

// BetaDensity is xᵃ⁻¹·(1-x)ᵇ⁻¹/B(a, b), the density of the beta distribution; NaN outside its domain.
func BetaDensity(a, b, x float64) float64 {
	if a != a || b != b || !(x >= 0 && x <= 1) || !(a > 0 && b > 0) || math.IsInf(a, 1) || math.IsInf(b, 1) {
		return math.NaN()
	}
	if x == 0 || x == 1 {
		c, other := a, b
		if x == 1 {
			c, other = b, a
		}
		switch {
		case c < 1:
			return math.Inf(1)
		case c == 1:
			return other
		}
		return 0
	}
	if v := betaLead(a, b, x, dd{}) / (x * (1 - x)); v > 1e-280 {
		return v
	}
	return betaLead(a, b, x, logDD(x).add(log1pDD(-x)).neg())
}

// betaLead is xᵃ·(1-x)ᵇ/B(a, b), times eᵘ.
func betaLead(a, b, x float64, u dd) float64 {
	n := twoSum(a, b)
	if a >= stirlingFrom && b >= stirlingFrom {
		rest := stirlingRest(n.hi) - stirlingRest(a) - stirlingRest(b)
		return betaExponent(a, b, x).add(dd{rest, 0}).add(u).exp() * math.Sqrt(a/n.hi*b/(2*math.Pi))
	}
	e, factor := overBeta(a, b, n)
	return logDD(x).times(a).add(log1pDD(-x).times(b)).add(e).add(u).exp() * factor
}

// overBeta gives 1/B(a, b) as an exponent and a factor, n being a + b.
func overBeta(a, b float64, n dd) (e dd, factor float64) {
	factor = 1
	for i, v := range [...]dd{n, {a, 0}, {b, 0}} {
		up := i == 0
		if v.hi < stirlingFrom {
			if l, f := gammaParts(v); up {
				e, factor = e.add(l), factor*f
			} else {
				e, factor = e.add(l.neg()), factor/f
			}
			continue
		}
		l := logDD(v.hi).times(v.hi - 0.5).add(dd{-v.hi, 0}).add(dd{stirlingRest(v.hi) + v.lo*math.Log(v.hi), 0})
		if g := math.Sqrt(2 * math.Pi); up {
			e, factor = e.add(l), factor*g
		} else {
			e, factor = e.add(l.neg()), factor/g
		}
	}
	return e, factor
}

// betaExponent is a·log(x/p) + b·log((1-x)/q) with p = a/(a+b) and q = b/(a+b): 0 at the mean, negative elsewhere.
func betaExponent(a, b, x float64) dd {
	n, y := twoSum(a, b), twoSum(1, -x)
	d := n.times(x).add(dd{-a, 0})
	ln := logDD(n.hi).add(dd{n.lo / n.hi, 0})
	e := logRatio(d, n.times(x).add(dd{a, 0}), func() dd { return logDD(x).add(ln).add(logDD(a).neg()) }).times(a)
	f := logRatio(d.neg(), n.mul(y).add(dd{b, 0}), func() dd { return log1pDD(-x).add(ln).add(logDD(b).neg()) }).times(b)
	return e.add(f)
}

// betaFar is Betainc for concentrations that are both large, off being a - (a+b)x: with E the exponent, n = a+b and nη² = -2E it is
// erfc(-η√(n/2))/2 + exp(E)/√(2πn)·(1/η - √(pq)/(x-p)), but for terms that are smaller by 1/n.
func betaFar(a, b, x, off float64) float64 {
	n := a + b
	e := betaExponent(a, b, x)
	if e.hi > 0 {
		e = dd{}
	}
	z, p := math.Sqrt(-e.hi), a/n
	h := math.Copysign(z*math.Sqrt(2/n), -off)
	root := math.Sqrt(p * (b / n))
	c := (1 - 2*p) / (3 * root)
	if math.Abs(h) > 1e-6 {
		c = 1/h + root*n/off
	}
	c /= math.Sqrt(2 * math.Pi * n)
	if off > 0 {
		return e.exp() * (0.5*Erfcx(z) + c)
	}
	return 1 - e.exp()*(0.5*Erfcx(z)-c)
}

// log1pDD is log(1+x).
func log1pDD(x float64) dd {
	if math.Abs(x) < 0.3 {
		return twiceArtanh(dd{x, 0}.over(twoSum(2, x)))
	}
	y := twoSum(1, x)
	return logDD(y.hi).add(dd{y.lo / y.hi, 0})
}

// Betainc is the regularised incomplete beta function: the cumulative probability of the beta distribution. NaN for negative
// concentrations and x outside [0, 1].
func Betainc(a, b, x float64) float64 {
	switch {
	case a != a || b != b || !(x >= 0 && x <= 1) || a < 0 || b < 0:
		return math.NaN()
	case a == 0 && b == 0, math.IsInf(a, 1) && math.IsInf(b, 1):
		return math.NaN()
	case a == 0 || math.IsInf(b, 1): // all probability is at 0
		if x > 0 || a == 0 {
			return 1
		}
		return 0
	case b == 0 || math.IsInf(a, 1):
		if x < 1 {
			return 0
		}
		return 1
	case x == 0 || x == 1:
		return x
	}
	off := twoSum(a, b).times(-x).add(dd{a, 0}).hi // (a+b)·(mean - x)
	if min(a, b) > 5*farConcentration {
		return betaFar(a, b, x, off)
	}
	near := x < (a+1)/(a+b+2) && off > -1 // the lower end is the nearer one, as far as probability goes
	switch {
	case near && a < 1:
		if v := betaSmall(a, b, x, logDD(x)); v <= 0.5 {
			return 1 - v
		}
	case !near && b < 1:
		return betaSmall(b, a, 1-x, log1pDD(-x))
	}
	if near || a >= 1 && b >= 1 && off > -1 {
		return betaLead(a, b, x, dd{}) / betaOver(a, b, x, off)
	}
	return 1 - betaLead(a, b, x, dd{})/betaOver(b, a, 1-x, -off)
}

// betaSmall is 1 - I(y; p, q) for p < 1 and y up to about the mean, as small as p is:
// 1 - yᵖ/(p·B(p, q))·(1 + p·Σ (1-q)…(n-q)·yⁿ/(n!(p+n))).
// The terms of the first order in p nearly cancel, so they have some digits more.
func betaSmall(p, q, y float64, logY dd) float64 {
	l := logY.times(p).add(lgamma1pDD(p).neg()).add(lgammaStep(q, p))
	t := dd{1, 0}
	var sum dd
	n := 1.0
	for ; n < 200 && math.Abs(t.hi) > 1e-5; n++ {
		t = t.mul(twoSum(n, -q)).times(y).by(n)
		sum = sum.add(t.over(twoSum(p, n)))
	}
	rest := 0.0
	for t := t.hi; n < 400 && math.Abs(t) > 1e-19; n++ {
		t *= y * (n - q) / n
		rest += t / (p + n)
	}
	return complement(l, sum.add(dd{rest, 0}).times(p))
}

// lgammaStep is log Γ(q+p) - log Γ(q) for p up to 1, to all digits where it is as small as p.
func lgammaStep(q, p float64) dd {
	var sum dd
	logStep := func(v dd) dd { // log((v+p)/v)
		return logRatio(dd{p, 0}, v.add(v).add(dd{p, 0}), func() dd { return logDD(v.hi + p).add(logDD(v.hi).neg()) })
	}
	v := dd{q, 0}
	for ; v.hi < stirlingFrom; v = v.add(dd{1, 0}) {
		sum = sum.add(logStep(v).neg())
	}
	w := v.add(dd{p, 0})
	sum = sum.add(logStep(v).mul(v.add(dd{-0.5, 0}))).add(logDD(w.hi).add(dd{w.lo / w.hi, 0}).add(dd{-1, 0}).times(p))
	// The difference of stirlingRest, over that of 1/w and 1/v.
	z0, z1 := 1/v.hi, 1/w.hi
	rest, h, power := 0.0, 1.0, 1.0
	for _, c := range [...]float64{1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156} {
		rest += c * h
		for range 2 {
			power *= z0
			h = h*z1 + power
		}
	}
	return sum.add(dd{-p * z0 * z1 * rest, 0})
}

// betaOver is xᵃ(1-x)ᵇ/(B(a, b)·I(x; a, b)) for x up to about the mean, off being a - (a+b)x: the even part of the continued
// fraction of betaFraction, whose terms are positive up to the mean.
func betaOver(a, b, x, off float64) float64 {
	term := func(n int) (beta, alpha float64) {
		m := float64(n)
		beta = m + (a+m)*(off+1+m*(2-x))/(a+2*m+1)
		if n > 0 {
			r := a + 2*m - 1
			alpha = (a + m - 1) / r * (a + b + m - 1) / r * m * (b - m) * x * x
			beta += m * (b - m) * x / r
		}
		return beta, alpha
	}
	n := fractionLength(term)
	f, alpha := term(n)
	for ; n > 0; n-- {
		beta, next := term(n - 1)
		f, alpha = beta+alpha/f, next
	}
	return f
}

// Beta is Γ(a)·Γ(b)/Γ(a+b).
func Beta(a, b float64) float64 {
	n := a + b
	switch {
	case a > 0 && b > 0 && n < 1e6:
		e, factor := overBeta(a, b, twoSum(a, b))
		return e.neg().exp() / factor
	case a > 0 && b > 0: // in the sum of logarithms of Γ digits would be lost
		return math.Exp(Betaln(a, b))
	}
	sign := 1
	for _, v := range [...]float64{a, b, n} {
		_, s := math.Lgamma(v)
		sign *= s
	}
	return float64(sign) * math.Exp(Lgamma(a)+Lgamma(b)-Lgamma(n))
}

// Betaln is log |B(a, b)|, without the cancellation of large logarithms of Γ.
func Betaln(a, b float64) float64 {
	if a > b {
		a, b = b, a
	}
	n := a + b
	switch {
	case !(a > 0) || math.IsInf(b, 1):
		return Lgamma(a) + Lgamma(b) - Lgamma(n)
	case a >= stirlingFrom:
		// Stirling's formula for all three.
		return 0.5*math.Log(2*math.Pi/a) + a*math.Log(a/n) + (b-0.5)*math.Log1p(-a/n) +
			stirlingRest(a) + stirlingRest(b) - stirlingRest(n)
	case b >= stirlingFrom:
		return Lgamma(a) - (b-0.5)*math.Log1p(a/b) - a*math.Log(n) + a + stirlingRest(b) - stirlingRest(n)
	}
	e, factor := overBeta(a, b, twoSum(a, b))
	return -logDD(factor).add(e).hi
}
