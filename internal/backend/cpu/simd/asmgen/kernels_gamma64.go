package main

import "math"

// The gamma family in float64. A kernel's own body does positive arguments, its rare one all.
func gamma64() []*kernel {
	d := precisions[1]
	trigamma := elementaryKernel(d, "Trigamma", "the derivative of digamma at x[i]", 1, func(b *B, x, _ *val) *val {
		return d.trigamma64(b, x)
	})
	trigamma.stops, trigamma.slow = true, "trigammaFar64"
	return []*kernel{
		d.allReals("Lgamma", "log |Γ(x[i])|", 0x1p-1022, d.lgammaPositive, d.lgammaAll),
		d.allReals("Digamma", "the derivative of log Γ at x[i]", 0x1p-1022, d.digammaPositive, d.digammaAll),
		trigamma,
	}
}

// pair is the sum of two numbers, the second being what rounding took from the first.
type pair struct{ hi, lo *val }

// twoSum is x + y.
func (b *B) twoSum(x, y *val) pair {
	s := b.Add(x, y)
	t := b.Sub(s, x)
	return pair{s, b.Add(b.Sub(x, b.Sub(s, t)), b.Sub(y, t))}
}

// quickSum is x + y where x is the larger one or 0.
func (b *B) quickSum(x, y *val) pair {
	s := b.Add(x, y)
	return pair{s, b.Sub(y, b.Sub(s, x))}
}

// twoMul is x·y.
func (b *B) twoMul(x, y *val) pair {
	p := b.Mul(x, y)
	return pair{p, b.Fms(x, y, p)}
}

// times is p·y, its rounding error below that of the low part.
func (b *B) times(p pair, y *val) pair {
	h := b.Mul(p.hi, y)
	return pair{h, b.Fma(p.lo, y, b.Fms(p.hi, y, h))}
}

// plus is p + q, the low parts being added as they are.
func (b *B) plus(p, q pair) pair {
	s := b.twoSum(p.hi, q.hi)
	return pair{s.hi, b.Add(s.lo, b.Add(p.lo, q.lo))}
}

// logPair is the logarithm of a positive number, good to some 2^-57 more than its size.
func (d precision) logPair(b *B, x *val) pair {
	f, e := logSplit(b, x)
	half, low := d.logTail(b, f)
	top := b.Sub(f, half)
	rest := b.Add(b.Sub(b.Sub(f, top), half), low)
	s := b.quickSum(b.Mul(e, b.D(ln2Short)), top)
	return pair{s.hi, b.Add(s.lo, b.Fma(e, b.D(ln2ShortLo), rest))}
}

// logInside is logOf of positive numbers.
func (d precision) logInside(b *B, x *val) *val {
	f, e := logSplit(b, x)
	half, low := d.logTail(b, f)
	low = b.Fma(e, b.D(ln2ShortLo), low)
	return b.Fma(e, b.D(ln2Short), b.Sub(f, b.Sub(half, low)))
}

// lgammaPositive is the polynomial around 2 below 5/2, with the logarithm of up to two factors, and Stirling's formula beyond, in
// which the product of the logarithm and its difference from x are carried in two parts.
func (d precision) lgammaPositive(b *B, x *val) *val {
	v := d.lgammaPair(b, x)
	return b.Add(v.hi, v.lo)
}

// lgammaPair has what the last sum loses, for differences of it.
func (d precision) lgammaPair(b *B, x *val) pair {
	tiny, low, far := b.Lt(x, b.D(0.5)), b.Lt(x, b.D(1.5)), b.Ge(x, b.D(lgammaSplit))
	below := b.Sel(low, b.Sel(tiny, b.Fma(x, x, x), x), b.D(1))
	log := d.logPair(b, b.Sel(far, x, below))
	w := b.Sub(x, b.Sel(low, b.Sel(tiny, b.D(0), b.D(1)), b.D(2)))
	p := b.times(pair{b.D(lgammaSlope), b.D(lgammaSlopeLow)}, w)
	rest := b.Sub(b.Fma(b.Mul(w, w), b.split64(w, coefLgammaTwo), p.lo), log.lo)
	v := d.stirlingPair(b, x, log)
	return pair{b.Sel(far, v.hi, b.Sub(p.hi, log.hi)), b.Sel(far, v.lo, rest)}
}

func (d precision) stirlingPair(b *B, x *val, log pair) pair {
	r := b.Div(b.D(1), x)
	const half = 0x1.d67f1c864beb5p-1 // log √(2π)
	rest := b.Fma(r, b.split64(b.Mul(r, r), coefStirlingRest), b.D(half))
	p := b.times(log, b.Sub(x, b.D(0.5)))
	s := b.twoSum(p.hi, b.Sub(b.D(0), x))
	return pair{s.hi, b.Add(b.Add(s.lo, p.lo), rest)}
}

// lgammaAll is log(π/|x·sin πx|) - lgamma(-x) below 0.
func (d precision) lgammaAll(b *B, x *val, usual func(b *B, x *val) *val) *val {
	if d.full {
		return d.lgammaAll64(b)
	}
	a := b.abs64(x)
	v := usual(b, b.Min(b.D(1e300), b.Max(b.D(0x1p-1022), a)))
	off := b.Sub(a, b.Round(a, toNearest))
	sine := b.abs64(b.Mul(off, b.split64(b.Mul(off, off), coefSinPi)))
	over := b.Sub(d.logInside(b, b.Div(b.D(math.Pi), b.Max(b.D(0x1p-1000), b.Mul(a, sine)))), v)
	return d.lgammaEdges(b, x, v, over)
}

// lgammaAll64 has both terms in two parts: near a pole they are large where their difference is not. Its operand is read again where
// it is needed: AVX2 has 16 registers.
func (d precision) lgammaAll64(b *B) *val {
	size := func() *val { return b.abs64(b.Load("x", f64, "")) }
	a := size()
	off := b.Sub(a, b.Round(a, toNearest))
	sine := b.abs64(b.Mul(off, b.split64(b.Mul(off, off), coefSinPi)))
	under := b.twoMul(a, sine)
	under.hi = b.Max(b.D(0x1p-1000), under.hi)
	q := b.Div(b.D(math.Pi), under.hi)
	const piLow = 0x1.1a62633145c07p-53
	lost := b.Fnma(q, under.lo, b.Add(b.Fnma(q, under.hi, b.D(math.Pi)), b.D(piLow)))
	log := d.logPair(b, q)
	log.lo = b.Fma(lost, b.D(1/math.Pi), log.lo)
	p := d.lgammaPair(b, b.Min(b.D(1e300), b.Max(b.D(0x1p-1022), size())))
	s := b.twoSum(log.hi, b.negated(p.hi))
	over := b.Add(s.hi, b.Add(s.lo, b.Sub(log.lo, p.lo)))
	return d.lgammaEdges(b, b.Load("x", f64, ""), b.Add(p.hi, p.lo), over)
}

// lgammaEdges chooses between log Γ(|x|) and what it is below 0, and adds what both formulas leave out.
func (d precision) lgammaEdges(b *B, x, v, over *val) *val {
	a, inf := b.abs64(x), b.D(math.Inf(1))
	small, huge := b.Lt(a, b.D(1e-20)), b.Gt(a, b.D(1e300))
	v = b.Sel(b.Gt(x, b.D(0)), v, b.Sel(b.Eq(b.Round(a, toNearest), a), inf, over))
	log := d.logInside(b, a)
	v = b.Sel(small, b.Sel(b.Eq(a, b.D(0)), inf, b.Sub(b.D(0), log)), v)
	v = b.Sel(huge, b.Sel(b.And(b.Gt(x, b.D(0)), b.Lt(x, inf)), b.Mul(x, b.Sub(log, b.D(1))), inf), v)
	return b.Sel(b.Unord(x, x), x, v)
}

// digammaPositive is the polynomial around its zero below 2, and its asymptotic series, fitted from 2 on, beyond.
func (d precision) digammaPositive(b *B, x *val) *val {
	low, near := b.Lt(x, b.D(1)), b.Lt(x, b.D(2))
	z := b.Sel(low, b.Add(x, b.D(1)), x)
	const root, rootLow = 0x1.762d86356be3fp+0, 0x1.b86a722197829p-54
	inside := b.Mul(b.Sub(b.Sub(z, b.D(root)), b.D(rootLow)), b.split64(b.Sub(z, b.D(1.5)), coefDigammaOne))
	r := b.Div(b.D(1), x)
	inside = b.Sel(low, b.Sub(inside, r), inside)
	return b.Sel(near, inside, d.digammaFar(b, x, r))
}

// digammaFar is digamma from 2 on, r being 1/x.
func (d precision) digammaFar(b *B, x, r *val) *val {
	q := b.Mul(r, r)
	log := d.logPair(b, x)
	rest := b.Fnma(r, b.D(0.5), log.lo)
	return b.Add(log.hi, b.Fnma(q, b.split64(q, coefDigammaFar), rest))
}

// digammaAll is digamma(1-x) - π/tan πx below 0, where digamma of numbers below 2 is that of the next less the reciprocal.
func (d precision) digammaAll(b *B, x *val, usual func(b *B, x *val) *val) *val {
	v := usual(b, b.Min(b.D(1e300), b.Max(b.D(0x1p-1022), x)))
	off := b.Sub(x, b.Round(x, toNearest))
	s := b.Mul(off, off)
	tan := b.Div(b.Mul(b.Fma(s, b.split64(s, coefCosPi), b.D(1)), b.D(math.Pi)), b.Mul(off, b.split64(s, coefSinPi)))
	y := b.Max(b.D(1), b.Sub(b.D(1), x))
	less := b.Lt(y, b.D(2))
	one := b.Sel(less, b.Div(b.D(1), y), b.D(0))
	y = b.Sel(less, b.Add(y, b.D(1)), y)
	below := b.Sub(b.Sub(d.digammaFar(b, y, b.Div(b.D(1), y)), one), tan)
	v = b.Sel(b.Lt(x, b.D(0)), b.Sel(b.Eq(off, b.D(0)), b.D(math.NaN()), below), v)
	pole := b.Float(b.Xor(b.Bits(b.withSign(b.D(math.Inf(1)), x)), b.L(math.MinInt64)))
	v = b.Sel(b.Lt(b.abs64(x), b.D(0x1p-1022)), b.Sel(b.Eq(x, b.D(0)), pole, b.Div(b.D(-1), x)), v)
	v = b.Sel(b.Gt(x, b.D(1e300)), d.logOfAll(b, x), v)
	v = b.Sel(b.Eq(x, b.D(math.Inf(-1))), b.D(math.NaN()), v)
	return b.Sel(b.Unord(x, x), x, v)
}

func (d precision) logOfAll(b *B, x *val) *val { return b.logOf(d, x, b.D(0)) }

// trigamma64 is its asymptotic series, fitted from 2 on, with two terms 1/(x+k)² before that.
func (d precision) trigamma64(b *B, x *val) *val {
	b.Stop(b.Or(b.NotGe(x, b.D(1e-150)), b.NotGe(b.D(1e100), x)))
	low := b.Lt(x, b.D(2))
	next := b.Add(x, b.D(1))
	one, two := b.Div(b.D(1), x), b.Div(b.D(1), next)
	sum := b.Sel(low, b.Fma(one, one, b.Mul(two, two)), b.D(0))
	r := b.Sel(low, b.Div(b.D(1), b.Add(next, b.D(1))), one)
	q := b.Mul(r, r)
	far := b.Fma(r, b.Fma(q, b.split64(q, coefTrigammaFar), b.Mul(r, b.D(0.5))), r)
	return b.Add(far, sum)
}
