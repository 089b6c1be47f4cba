package main

import "math"

// The incomplete gamma functions in float64, x being the concentration and y the argument: every kernel is a formula for its own part
// of the plane, of which the CPU backend collects the elements.
func incomplete64() []*kernel {
	d := precisions[1]
	pairs := func(name, doc string, f func(b *B, a, x *val) *val) *kernel {
		return elementaryKernel(d, name, doc, 2, f)
	}
	return []*kernel{
		pairs("GammaSeries", "the lower function by its power series, for y[i] up to the mean or 0.7 of it", d.gammaSeries),
		pairs("GammaFraction", "the upper function by its continued fraction, for y[i] >= 4 above the mean",
			func(b *B, _, _ *val) *val { return d.gammaFraction(b, 30) }),
		pairs("GammaLongFraction", "the upper function by its continued fraction, for y[i] >= 1.1 above the mean",
			func(b *B, _, _ *val) *val { return d.gammaFraction(b, 104) }),
		pairs("GammaSmall", "the upper function for y[i] up to 1.1 and concentrations up to 2.2", d.gammaSmall),
		pairs("GammaTemme", "the smaller function near the mean of concentrations above 30, by Temme's expansion", d.gammaNear),
	}
}

// gammaOperands read the operands again where they are needed: AVX2 has 16 registers.
func gammaOperands(b *B) (a, x *val) { return b.Load("x", f64, ""), b.Load("y", f64, "") }

// gammaExponent is a·log(x/a) + a - x, and log(x/a), of what operands gives.
func (d precision) gammaExponent(b *B, operands func() (a, x *val)) (e pair, log *val) {
	a, x := operands()
	q := b.Div(x, a)
	lost := b.Div(b.Fnma(q, a, x), x)
	two := b.log2Pair(q)
	l := b.times(two, b.D(ln2Hi))
	l.lo = b.Fma(two.hi, b.D(ln2Lo), l.lo)
	l = b.quickSum(l.hi, b.Add(l.lo, lost))
	a, x = operands()
	s := b.twoSum(a, b.negated(x))
	p := b.times(l, a)
	e = b.twoSum(p.hi, s.hi)
	return b.quickSum(e.hi, b.Add(e.lo, b.Add(p.lo, s.lo))), l.hi
}

// expTimes is v·e^(hi+lo) for exponents up to 0, with one rounding for the product and the sum in the power.
func (d precision) expTimes(b *B, e pair, v *val) *val {
	r, n, _ := b.expReduce64(b.Max(b.D(-746), b.Min(b.D(700), e.hi)))
	return b.ldexp64(b.Fma(d.expRest(b, b.Add(r, e.lo)), v, v), n)
}

// gammaLead is x^a·e^-x/Γ(a+1), by Stirling's formula of a, or of a+3 below 5/2.
func (d precision) gammaLead(b *B) *val {
	up := func() pair {
		a := b.Load("x", f64, "")
		return b.twoSum(a, b.Sel(b.Lt(a, b.D(lgammaSplit)), b.D(3), b.D(0)))
	}
	e, log := d.gammaExponent(b, func() (a, x *val) {
		a = b.Load("x", f64, "")
		return b.Add(a, b.Sel(b.Lt(a, b.D(lgammaSplit)), b.D(3), b.D(0))), b.Load("y", f64, "")
	})
	a := up()
	r := b.Div(b.D(1), a.hi)
	e.lo = b.Fma(a.lo, log, b.Fnma(r, b.split64(b.Mul(r, r), coefStirlingRest), e.lo))
	v := b.Sqrt(b.Mul(r, b.D(1/(2*math.Pi))))
	f := d.gammaUp(b)
	far := b.Ge(b.Load("x", f64, ""), b.D(lgammaSplit))
	return d.expTimes(b, e, b.Sel(far, v, b.Fma(v, f.lo, b.Mul(v, f.hi))))
}

// gammaUp is (a+1)(a+2)(a+3)/x³ for a below 5/2.
func (d precision) gammaUp(b *B) pair {
	x := b.Load("y", f64, "")
	under := b.times(b.twoMul(x, x), x)
	a := b.Load("x", f64, "")
	one, two := b.quickSum(b.D(1), a), b.quickSum(b.D(2), a)
	above := b.twoMul(one.hi, two.hi)
	above.lo = b.Fma(one.hi, two.lo, b.Fma(one.lo, two.hi, above.lo))
	three := b.quickSum(b.D(3), b.Load("x", f64, ""))
	above = pair{b.Mul(above.hi, three.hi), b.Fma(above.hi, three.lo, b.Fma(above.lo, three.hi, b.Fms(above.hi, three.hi,
		b.Mul(above.hi, three.hi))))}
	f := b.Div(above.hi, under.hi)
	return pair{f, b.Div(b.Fnma(f, under.lo, b.Add(b.Fnma(f, under.hi, above.hi), above.lo)), under.hi)}
}

// gammaSeries is Σ x^n/((a+1)…(a+n)) from the back, where each step reduces the error of those behind it; four steps share a quotient.
func (d precision) gammaSeries(b *B, _, _ *val) *val {
	lead := d.gammaLead(b)
	a, x := gammaOperands(b)
	sum := b.D(1)
	for n := 76; n >= 0; n -= 4 {
		p4 := b.Add(a, b.D(float64(n+4)))
		p34 := b.Mul(b.Add(a, b.D(float64(n+3))), p4)
		p234 := b.Mul(b.Add(a, b.D(float64(n+2))), p34)
		t := b.Fma(x, b.Fma(x, b.Fma(x, sum, p4), p34), p234)
		sum = b.Fma(b.Div(t, b.Mul(b.Add(a, b.D(float64(n+1))), p234)), x, b.D(1))
	}
	return b.Mul(sum, lead)
}

// gammaFraction is the even part of Legendre's fraction from the back, two steps to a quotient.
func (d precision) gammaFraction(b *B, depth int) *val {
	lead := d.gammaLead(b)
	a, x := gammaOperands(b)
	off := b.Sub(x, a)
	f := b.D(0)
	for k := depth; k > 0; k -= 2 { // (k-1)(a-k+1)/(x+2k-1-a + k(a-k)/(x+2k+1-a+f))
		under := b.Add(b.Add(off, b.D(float64(2*k+1))), f)
		above := b.Mul(b.Sub(a, b.D(float64(k))), b.D(float64(k)))
		first := b.Mul(b.Sub(a, b.D(float64(k-1))), b.D(float64(k-1)))
		f = b.Div(b.Mul(first, under), b.Fma(b.Add(off, b.D(float64(2*k-1))), under, above))
	}
	return b.Mul(b.Div(a, b.Add(b.Add(off, b.D(1)), f)), lead)
}

// gammaSmall is 1 - x^a/Γ(1+a) less the rest of an alternating series: the first is small where a is.
func (d precision) gammaSmall(b *B, _, _ *val) *val {
	a := b.Load("x", f64, "")
	low, high := b.Lt(a, b.D(0.5)), b.Ge(a, b.D(1.5))
	u, c := onePlus(b, a)
	log := d.logPair(b, b.Sel(low, u, b.Sel(high, a, b.D(1))))
	log.lo = b.Add(log.lo, b.Sel(low, c, b.D(0)))
	a = b.Load("x", f64, "")
	low, high = b.Lt(a, b.D(0.5)), b.Ge(a, b.D(1.5))
	log = pair{b.Sel(low, b.negated(log.hi), log.hi), b.Sel(low, b.negated(log.lo), log.lo)}
	w := b.Sub(a, b.Sel(low, b.D(0), b.Sel(high, b.D(2), b.D(1))))
	p := b.times(pair{b.D(lgammaSlope), b.D(lgammaSlopeLow)}, w)
	p.lo = b.Fma(b.Mul(w, w), b.split64(w, coefLgammaTwo), p.lo)
	gamma := b.plus(p, log)
	gamma = b.twoSum(gamma.hi, gamma.lo) // the second part has most of the polynomial
	ln := d.logInside(b, b.Load("y", f64, ""))
	power := b.twoMul(b.Load("x", f64, ""), ln)
	l := b.twoSum(power.hi, b.negated(gamma.hi))
	l.lo = b.Add(l.lo, b.Sub(power.lo, gamma.lo))
	// e^l - 1, of a small l as l and the rest.
	less := d.expm1(b, l.hi)
	near := b.Lt(b.abs64(l.hi), b.D(0.34))
	bend := b.Mul(b.Mul(l.hi, l.hi), b.Horner64(l.hi, factorials(2, 1, 12, false)))
	lessTop, lessRest := b.Sel(near, l.hi, less), b.Fma(b.Add(less, b.D(1)), l.lo, b.Sel(near, bend, b.D(0)))
	a, x := gammaOperands(b)
	// Σ (-x)^(n-1)/(n!·(a+n)) from the back; what its first term and products lose is added.
	sum := b.Div(b.D(1), b.Add(a, b.D(18)))
	for n := 17; n > 1; n-- {
		sum = b.Fnma(b.Mul(x, b.D(1/float64(n+1))), sum, b.Div(b.D(1), b.Add(a, b.D(float64(n)))))
	}
	next := b.twoSum(a, b.D(1))
	first := b.Div(b.D(1), next.hi)
	lost := b.Div(b.Fnma(first, next.lo, b.Fnma(first, next.hi, b.D(1))), next.hi)
	rest := b.quickSum(first, b.negated(b.Mul(b.Mul(x, b.D(0.5)), sum)))
	rest.lo = b.Add(rest.lo, lost)
	product := b.twoMul(a, x)
	y := b.times(rest, product.hi)
	y.lo = b.Fma(product.lo, rest.hi, y.lo)
	v := b.twoSum(y.hi, b.negated(lessTop))
	return b.Add(v.hi, b.Add(v.lo, b.Fma(less, y.hi, b.Sub(y.lo, lessRest))))
}

// gammaNear is e^E (erfcx(√-E)/2 ± the sum of the expansion), E being the exponent.
func (d precision) gammaNear(b *B, _, _ *val) *val {
	e, _ := d.gammaExponent(b, func() (a, x *val) { return gammaOperands(b) })
	z := b.Sqrt(b.Max(b.D(0), b.negated(e.hi)))
	over := b.Div(b.D(1), b.Load("x", f64, ""))
	a, x := gammaOperands(b)
	h := b.withSign(b.Mul(z, b.Sqrt(b.Add(over, over))), b.Sub(x, a))
	var sum *val
	for k := len(temme64) - 1; k >= 0; k-- {
		row := b.Horner64(h, temme64[k])
		if sum == nil {
			sum = row
		} else {
			sum = b.Fma(sum, over, row)
		}
	}
	sum = b.Mul(sum, b.Sqrt(b.Mul(over, b.D(1/(2*math.Pi)))))
	a, x = gammaOperands(b)
	sum = b.Sel(b.Gt(x, a), sum, b.negated(sum))
	return d.expTimes(b, e, b.Fma(d.scaledErfc(b, z), b.D(0.5), sum))
}
