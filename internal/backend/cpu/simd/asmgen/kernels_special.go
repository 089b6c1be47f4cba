package main

import "math"

// Special functions of float32, evaluated in float64. Arguments outside the range of the formulas stop a kernel; package special
// serves them.
func specials() []*kernel {
	d := precisions[0]
	stopping := func(name, doc string, args int, f func(b *B, x, y *val) *val) *kernel {
		k := elementaryKernel(d, name, doc, args, f)
		k.stops, k.slow = true, lowerFirst(name)+"Far"
		return k
	}
	one := func(f func(b *B, x *val) *val) func(b *B, x, y *val) *val {
		return func(b *B, x, _ *val) *val { return f(b, x) }
	}
	ks := []*kernel{
		d.allReals("Lgamma", "log |Γ(x[i])|", 0x1p-149, d.lgammaOf, d.lgammaAll),
		elementaryKernel(d, "LgammaHigh", "LgammaF32 of x[i], which is 2.5 or more", 1, one(d.lgammaHigh)),
		d.allReals("Digamma", "the derivative of log Γ at x[i]", 0x1p-149, d.digammaOf, d.digammaAll),
		stopping("Trigamma", "the derivative of digamma at x[i]", 1, one(d.trigammaOf)),
		elementaryKernel(d, "Ndtr", "the normal distribution function at x[i]", 1, one(d.ndtrOf)),
		elementaryKernel(d, "Erfcx", "e^(x[i]²) erfc(x[i])", 1, one(d.erfcxOfAll)),
		elementaryKernel(d, "LogNdtr", "the logarithm of the normal distribution function at x[i]", 1, one(d.logNdtrOf)),
		stopping("Zeta", "the Hurwitz zeta function of the exponent x[i] at y[i]", 2, d.zetaOf),
		stopping("GammaincLow", "GammaincF32 of concentrations x[i] below 12, which others stop, at y[i]", 2, d.gammaincLow),
		stopping("Gammainc", "the regularised lower incomplete gamma function of the concentration x[i] at y[i]", 2, d.gammaincOf),
	}
	for v, name := range []string{"I0", "I1"} {
		ks = append(ks, elementaryKernel(d, "Bessel"+name, name+"(x[i])", 1, one(d.besselI(v, false))),
			elementaryKernel(d, "Bessel"+name+"e", "e^-|x[i]| "+name+"(x[i])", 1, one(d.besselI(v, true))))
	}
	return ks
}

// allReals is a kernel of positive arguments, from least on and below 1e300, with another of all for vectors that have others; that one
// is given the function of the first.
func (d precision) allReals(name, doc string, least float64, usual func(b *B, x *val) *val,
	all func(b *B, x *val, usual func(b *B, x *val) *val) *val) *kernel {
	k := elementaryKernel(d, name, doc, 1, func(b *B, x, _ *val) *val {
		b.Stop(b.Or(b.NotGe(x, b.D(least)), b.NotGe(b.D(1e300), x)))
		return usual(b, x)
	})
	far := elementaryKernel(d, name, doc, 1, func(b *B, x, _ *val) *val { return all(b, x, usual) })
	k.slow, k.rare = lowerFirst(name)+"Far"+d.one, far.body
	return k
}

// split64 is the polynomial c[0] + c[1] x + … as two in x², which are computed at the same time: half as long a chain.
func (b *B) split64(x *val, c []float64) *val {
	var half [2][]float64
	for i, v := range c {
		half[i%2] = append(half[i%2], v)
	}
	s := b.Mul(x, x)
	return b.Fma(b.Horner64(s, half[1]), x, b.Horner64(s, half[0]))
}

// expOf is e^x of results that are normal.
func (d precision) expOf(b *B, x *val) *val {
	r, _, t := b.expReduce64(b.Max(b.D(-700), b.Min(b.D(700), x)))
	s := b.pow2(t)
	return b.Fma(s, d.expRest(b, r), s)
}

// logNormal is log(x) of positive normal numbers, to the precision of a float32 and some bits.
func (d precision) logNormal(b *B, x *val) *val {
	y := b.Bits(x)
	k := b.Srl(b.Add(y, b.L(one64-sqrtHalf)), 52) // with 1023 added
	f := b.Sub(b.Float(b.Add(b.Sub(y, b.Shl(k, 52)), b.L(one64))), b.D(1))
	e := b.Sub(b.Float(b.Or(k, b.L(0x4330000000000000))), b.D(0x1p52+1023))
	s := b.Div(f, b.Add(f, b.D(2)))
	series := make([]float64, d.log+1)
	for i := range series {
		series[i] = 2 / float64(2*i+1)
	}
	return b.Fma(s, b.Horner64(b.Mul(s, s), series), b.Mul(e, b.D(math.Ln2)))
}

// lgammaSplit is where the formula of log Γ changes.
const lgammaSplit = 2.5

// lgammaOf uses the polynomial around 2 below the split, with the logarithm of up to two factors, and lgammaHigh from there on.
func (d precision) lgammaOf(b *B, x *val) *val {
	tiny, low, far := b.Lt(x, b.D(0.5)), b.Lt(x, b.D(1.5)), b.Ge(x, b.D(lgammaSplit))
	below := b.Sel(low, b.Sel(tiny, b.Fma(x, x, x), x), b.D(1))
	steps := b.Sel(low, b.Sel(tiny, b.D(0), b.D(1)), b.D(2))
	w := b.Min(b.D(0.5), b.Sub(x, steps))
	inside := b.Mul(w, b.split64(w, coefLgamma))
	log := d.logNormal(b, b.Sel(far, x, below))
	return b.Sel(far, d.stirling(b, x, log), b.Sub(inside, log))
}

// lgammaHigh is lgammaOf of vectors without arguments below the split.
func (d precision) lgammaHigh(b *B, x *val) *val { return d.stirling(b, x, d.logNormal(b, x)) }

// stirling is log Γ from the split on, with the logarithm of x: Stirling's formula, its series by a polynomial that fits from there on.
func (d precision) stirling(b *B, x, log *val) *val {
	r := b.Div(b.D(1), x)
	const half = 0x1.d67f1c864beb5p-1 // log √(2π)
	rest := b.Sub(b.Fma(r, b.split64(b.Mul(r, r), coefStirling), b.D(half)), x)
	v := b.Fma(b.Sub(x, b.D(0.5)), log, rest)
	return b.Sel(b.Eq(x, b.D(math.Inf(1))), x, v)
}

// digammaOf uses the polynomial around its zero below 2, and the asymptotic series from 6 on, 4 being added to what is between.
func (d precision) digammaOf(b *B, x *val) *val {
	low, near, small := b.Lt(x, b.D(1)), b.Lt(x, b.D(2)), b.Lt(x, b.D(6))
	z := b.Sel(low, b.Add(x, b.D(1)), x)
	const root, rootLow = 0x1.762d86356be3fp+0, 0x1.b86a722197829p-54
	inside := b.Mul(b.Sub(b.Sub(z, b.D(root)), b.D(rootLow)), b.split64(b.Sub(z, b.D(1.5)), coefDigamma))
	t := b.Fma(x, x, b.Mul(x, b.D(3)))
	// 1/x, or 1/x + 1/(x+1) + 1/(x+2) + 1/(x+3).
	up := b.Sel(near, b.D(1), b.Mul(b.Fma(x, b.D(2), b.D(3)), b.Fma(t, b.D(2), b.D(2))))
	down := b.Sel(near, x, b.Mul(t, b.Add(t, b.D(2))))
	sum := b.Div(up, down)
	y := b.Sel(small, b.Add(x, b.D(4)), x)
	r := b.Div(b.D(1), y)
	q := b.Mul(r, r)
	series := b.Mul(q, b.Horner64(q, []float64{1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132}))
	far := b.Sub(b.Fnma(r, b.D(0.5), d.logNormal(b, y)), series)
	v := b.Sel(near, inside, b.Sel(b.Eq(x, b.D(math.Inf(1))), x, far))
	return b.Sub(v, b.Sel(b.Or(low, b.And(small, b.Ge(x, b.D(2)))), sum, b.D(0)))
}

// besselI is the modified Bessel function of order v, or e^-|x| times it.
func (d precision) besselI(v int, scaled bool) func(b *B, x *val) *val {
	nearCoef, farCoef := coefI0Near, coefI0Far
	if v == 1 {
		nearCoef, farCoef = coefI1Near, coefI1Far
	}
	return func(b *B, x *val) *val {
		a := b.abs64(x)
		in := b.Min(b.D(8), a)
		near := b.split64(b.Mul(in, in), nearCoef)
		if v == 1 {
			near = b.Mul(near, in)
		}
		out := a
		if !scaled { // at 200 float32 has overflowed, and the root of an infinite argument is not 0
			out = b.Min(b.D(200), a)
		}
		out = b.Max(b.D(8), out)
		r := b.Div(b.D(1), out)
		far := b.Mul(b.split64(r, farCoef), b.Sqrt(r))
		if scaled {
			near = b.Mul(near, d.expOf(b, b.Sub(b.D(0), in)))
		} else {
			far = b.Mul(far, d.expOf(b, out))
		}
		y := b.Sel(b.Le(a, b.D(8)), near, far)
		if v == 1 {
			y = b.withSign(b.abs64(y), x)
		}
		return y
	}
}

// erfcxOf is e^(x²) erfc(x) for x >= 0.
func (d precision) erfcxOf(b *B, x *val) *val {
	x = b.Min(b.D(1e30), x)
	g := b.split64(b.Div(b.Sub(x, b.D(3)), b.Add(x, b.D(3))), coefErfcx)
	return b.Div(g, b.Fma(x, b.D(2), b.D(1)))
}

// erfcxOfAll is erfcx, also of negative numbers: 2·e^(x²) - erfcx(-x).
func (d precision) erfcxOfAll(b *B, x *val) *val {
	a := b.abs64(x)
	in := b.Min(b.D(1e30), a)
	g := b.split64(b.Div(b.Sub(in, b.D(3)), b.Add(in, b.D(3))), coefErfcx)
	y := b.Div(g, b.Fma(a, b.D(2), b.D(1)))
	return b.Sel(b.Lt(x, b.D(0)), b.Fma(d.expOf(b, b.Mul(x, x)), b.D(2), b.Sub(b.D(0), y)), y)
}

// ndtrOf is erfc(t)/2 below 0, 1 - erfc(t)/2 above, with t = |x|/√2.
func (d precision) ndtrOf(b *B, x *val) *val {
	e := b.Mul(d.erfcxOf(b, b.Mul(b.abs64(x), b.D(math.Sqrt2/2))), b.D(0.5))
	e = b.Mul(e, d.exp0(b, b.Mul(b.Mul(x, x), b.D(-0.5))))
	return b.Sel(b.Lt(x, b.D(0)), e, b.Sub(b.D(1), e))
}

// trigammaOf sums six terms 1/(x+k)², two in a quotient; the rest is the asymptotic series.
func (d precision) trigammaOf(b *B, x *val) *val {
	b.Stop(b.Or(b.NotGe(x, b.D(1e-30)), b.NotGe(b.D(1e30), x)))
	a, sum := x, b.D(0)
	for range 3 {
		next := b.Add(a, b.D(1))
		p := b.Mul(a, next)
		sum = b.Add(sum, b.Div(b.Fma(a, a, b.Mul(next, next)), b.Mul(p, p)))
		a = b.Add(next, b.D(1))
	}
	r := b.Div(b.D(1), a)
	q := b.Mul(r, r)
	series := b.Mul(q, b.Horner64(q, []float64{1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66}))
	return b.Add(b.Fma(r, b.Fma(r, b.D(0.5), series), r), sum)
}

// logNdtrOf is log(erfcx(t)/2) - t² below 0, log(1 - erfc(t)/2) above, with t = |x|/√2.
func (d precision) logNdtrOf(b *B, x *val) *val {
	e := b.Mul(d.erfcxOf(b, b.Mul(b.abs64(x), b.D(math.Sqrt2/2))), b.D(0.5))
	s := b.Mul(b.Mul(x, x), b.D(0.5))
	below := b.Lt(x, b.D(0))
	u, c := onePlus(b, b.Sub(b.D(0), b.Mul(e, d.exp0(b, b.Sub(b.D(0), s)))))
	v := b.logOf(d, b.Sel(below, e, u), b.Sel(below, b.D(0), c))
	v = b.Sel(below, b.Sub(v, s), v)
	return b.Float(b.Or(b.Bits(v), b.L(math.MinInt64))) // -0 far above
}

// zetaOf sums six terms; the rest is the formula of Euler and Maclaurin with four terms.
func (d precision) zetaOf(b *B, s, q *val) *val {
	b.Stop(b.Or(b.NotGe(s, b.D(1.0000001)), b.NotGe(b.D(1e4), s)))
	b.Stop(b.Or(b.NotGe(q, b.D(1e-30)), b.NotGe(b.D(1e30), q)))
	down := b.Sub(b.D(0), s)
	a, sum := q, b.D(0)
	for range 6 {
		sum = b.Add(sum, d.expOf(b, b.Mul(down, d.logNormal(b, a))))
		a = b.Add(a, b.D(1))
	}
	r := b.Div(b.D(1), a)
	q2 := b.Mul(r, r)
	pair := func(k float64) *val { return b.Mul(q2, b.Mul(b.Add(s, b.D(k)), b.Add(s, b.D(k+1)))) }
	t := b.Fnma(pair(5), b.D(1.0/1209600), b.D(1.0/30240))
	t = b.Fnma(pair(3), t, b.D(1.0/720))
	t = b.Fnma(pair(1), t, b.D(1.0/12))
	t = b.Fma(b.Mul(q2, s), t, b.Fma(r, b.D(0.5), b.Div(b.D(1), b.Sub(s, b.D(1)))))
	power := d.expOf(b, b.Mul(b.Sub(b.D(1), s), d.logNormal(b, a)))
	return b.Fma(power, t, sum)
}

// The incomplete gamma function is the power series below the concentration gammaincSplit, Temme's expansion above.
const gammaincSplit = 12

// gammaincLow is for vectors of concentrations below the split.
func (d precision) gammaincLow(b *B, a, x *val) *val {
	b.Stop(b.Or(b.NotGe(a, b.D(1e-30)), b.NotGe(x, b.D(1e-30))))
	b.Stop(b.Or(b.Gt(x, b.D(18)), b.NotGe(b.D(gammaincSplit), a)))
	return b.Min(b.D(1), d.gammaincSeries(b, a, x))
}

// gammaincOf computes both and selects.
func (d precision) gammaincOf(b *B, a, x *val) *val {
	big, small := b.Ge(a, b.D(gammaincSplit)), b.Lt(a, b.D(gammaincSplit))
	b.Stop(b.Or(b.NotGe(a, b.D(1e-30)), b.NotGe(x, b.D(1e-30))))
	b.Stop(b.Or(b.And(small, b.Gt(x, b.D(18))), b.NotGe(b.D(1e12), a)))
	b.Stop(b.And(big, b.Or(b.NotGe(x, b.Mul(a, b.D(0.35))), b.Gt(x, b.Mul(a, b.D(2.2))))))
	low := d.gammaincSeries(b, b.Min(b.D(gammaincSplit), a), b.Min(b.D(18), x))
	return b.Min(b.D(1), b.Sel(big, d.gammaincTemme(b, a, x), low))
}

// gammaincSeries is Σ xⁿ/((a+1)…(a+n)) = num/den from the back, two terms at a time; den is Γ(a+terms+1)/Γ(a+1).
func (d precision) gammaincSeries(b *B, a, x *val) *val {
	const terms = 48
	square := b.Mul(x, x)
	num, den := b.D(1), b.D(1)
	for k := terms; k > 0; k -= 2 {
		p, q := b.Add(a, b.D(float64(k))), b.Add(a, b.D(float64(k-1)))
		num = b.Fma(num, square, b.Mul(b.Mul(den, p), b.Add(x, q)))
		if k > 2 {
			den = b.Mul(den, b.Mul(p, q))
		}
	}
	y := b.Add(a, b.D(terms+1))
	r := b.Div(b.D(1), y)
	const half = 0x1.d67f1c864beb5p-1 // log √(2π)
	gamma := b.Fma(b.Sub(y, b.D(0.5)), d.logNormal(b, y), b.Sub(b.Fma(r, b.D(1.0/12), b.D(half)), y))
	return b.Mul(num, d.expOf(b, b.Sub(b.Sub(b.Mul(a, d.logNormal(b, x)), x), gamma)))
}

func (d precision) gammaincTemme(b *B, a, x *val) *val {
	// m - log(1+m) with s = m/(2+m) is s·m - 2(s³/3 + s⁵/5 + …).
	m := b.Div(b.Sub(x, a), a)
	s := b.Div(m, b.Add(m, b.D(2)))
	q := b.Mul(s, s)
	series := make([]float64, 14)
	for i := range series {
		series[i] = 2 / float64(2*i+3)
	}
	phi := b.Max(b.D(0), b.Fnma(b.Mul(s, q), b.split64(q, series), b.Mul(s, m)))
	h := b.withSign(b.Sqrt(b.Add(phi, phi)), m)
	over := b.Div(b.D(1), a)
	sum := b.split64(h, temme[len(temme)-1])
	for k := len(temme) - 2; k >= 0; k-- {
		sum = b.Fma(sum, over, b.split64(h, temme[k]))
	}
	sum = b.Mul(sum, b.Sqrt(b.Mul(over, b.D(1/(2*math.Pi)))))
	above := b.Gt(x, a)
	e := d.exp0(b, b.Sub(b.D(0), b.Mul(a, phi)))
	tail := b.Mul(b.D(0.5), d.erfcxOf(b, b.Sqrt(b.Mul(a, phi))))
	tail = b.Mul(e, b.Sel(above, b.Add(tail, sum), b.Sub(tail, sum)))
	return b.Sel(above, b.Sub(b.D(1), tail), tail)
}
