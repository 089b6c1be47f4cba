package main

// Functions of two arguments in float64 whose logarithms are carried in two parts, because what they cancel, or the exponential of
// them, would show their rounding.
func gammaPairs64() []*kernel {
	d := precisions[1]
	zeta := elementaryKernel(d, "Zeta", "the Hurwitz zeta function of the exponent x[i] at y[i]", 2, d.zeta64)
	betaln := elementaryKernel(d, "Betaln", "log |B(x[i], y[i])|", 2, func(b *B, x, y *val) *val {
		v, log := d.betaPair(b, x, y)
		return b.Add(v.hi, b.Add(v.lo, log))
	})
	short := precisions[0]
	betaln32 := elementaryKernel(short, "Betaln", "log |B(x[i], y[i])|", 2, short.betaShort)
	beta32 := elementaryKernel(short, "Beta", "B(x[i], y[i])", 2, func(b *B, x, y *val) *val {
		return short.expOf(b, short.betaShort(b, x, y))
	})
	for k, name := range map[*kernel]string{zeta: "zetaFar64", betaln: "betalnFar64", betaln32: "betalnFar", beta32: "betaFar"} {
		k.stops, k.slow = true, name
	}
	return []*kernel{zeta, betaln, betaln32, beta32}
}

// zeta64 sums ten terms; the rest is the formula of Euler and Maclaurin with eight. What rounding took from a base goes into its
// logarithm.
func (d precision) zeta64(b *B, s, q *val) *val {
	b.Stop(b.Or(b.NotGe(s, b.D(1.000001)), b.NotGe(b.D(1000), s)))
	b.Stop(b.Or(b.NotGe(q, b.D(1e-3)), b.NotGe(b.D(1e6), q)))
	minus := b.negated(s)
	var a, sum *val
	for k := range 11 {
		var log pair
		if k == 0 {
			a, log = q, b.log2Pair(q)
		} else {
			base := b.twoSum(q, b.D(float64(k)))
			a, log = base.hi, b.log2Pair(base.hi)
			log.lo = b.Fma(b.Div(base.lo, base.hi), b.D(log2e64), log.lo)
		}
		t := b.times(log, minus)
		if k == 0 {
			b.Stop(b.NotGe(b.D(1000), b.abs64(t.hi)))
		}
		power := b.exp2Pair(pair{b.Max(b.D(-1100), t.hi), t.lo})
		switch {
		case k == 0:
			sum = power
		case k < 10:
			sum = b.Add(sum, power)
		default: // a times the power, because the exponent 1-s would be rounded
			r := b.Div(b.D(1), a)
			r2 := b.Mul(r, r)
			series := []float64{1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000,
				1.0 / 74724249600, -3617.0 / 10670622842880000}
			var t *val
			for k := len(series) - 1; k >= 0; k-- {
				if t == nil {
					t = b.D(series[k])
				} else {
					t = b.Fma(b.Mul(r2, b.Mul(b.Add(s, b.D(float64(2*k+1))), b.Add(s, b.D(float64(2*k+2))))), t, b.D(series[k]))
				}
			}
			t = b.Fma(b.Mul(b.Mul(s, r), r), t, b.Fma(r, b.D(0.5), b.Div(b.D(1), b.Sub(s, b.D(1)))))
			sum = b.Fma(b.Mul(power, a), t, sum)
		}
	}
	return sum
}

// betaPair gives log B(x, y) as a pair and a number: Stirling's formula of each argument and of their sum, of which those below 5/2
// are moved up by 3; the number is the logarithm of the factors between.
func (d precision) betaPair(b *B, x, y *val) (v pair, log *val) {
	b.Stop(b.Or(b.NotGe(x, b.D(1e-10)), b.NotGe(b.D(1e8), x)))
	b.Stop(b.Or(b.NotGe(y, b.D(1e-10)), b.NotGe(b.D(1e8), y)))
	// Operands are read again where they are needed: AVX2 has 16 registers.
	first := func() pair { return pair{b.Load("x", f64, ""), nil} }
	second := func() pair { return pair{b.Load("y", f64, ""), nil} }
	v = d.gammaPair(b, first)
	v = b.plus(v, d.gammaPair(b, second))
	both := func() pair { return b.twoSum(first().hi, second().hi) }
	r := d.gammaPair(b, both)
	v = b.plus(v, pair{b.negated(r.hi), b.negated(r.lo)})
	const half = 0x1.d67f1c864beb5p-1 // log √(2π)
	v.lo = b.Add(v.lo, b.D(half))
	factor := func(x *val) *val {
		f := b.Mul(b.Mul(x, b.Add(x, b.D(1))), b.Add(x, b.D(2)))
		return b.Sel(b.Lt(x, b.D(lgammaSplit)), f, b.D(1))
	}
	under := b.Mul(factor(first().hi), factor(second().hi))
	return v, d.logInside(b, b.Div(factor(b.Add(first().hi, second().hi)), under))
}

// gammaPair is log Γ of x + 3, less log √(2π), where x is below 5/2, elsewhere of x; its lower part may be nil.
func (d precision) gammaPair(b *B, x func() pair) pair {
	in := x()
	up := b.twoSum(in.hi, b.Sel(b.Lt(in.hi, b.D(lgammaSplit)), b.D(3), b.D(0)))
	if in.lo != nil {
		up.lo = b.Add(up.lo, in.lo)
	}
	log := b.log2Pair(up.hi)
	l := b.times(log, b.D(ln2Hi))
	l.lo = b.Fma(log.hi, b.D(ln2Lo), l.lo)
	rest := b.Mul(up.lo, l.hi)
	p := b.times(l, b.Sub(up.hi, b.D(0.5)))
	s := b.twoSum(p.hi, b.negated(up.hi))
	rest = b.Add(rest, b.Add(s.lo, p.lo))
	r := b.Div(b.D(1), up.hi)
	return pair{s.hi, b.Fma(r, b.split64(b.Mul(r, r), coefStirlingRest), rest)}
}

// betaShort is log B for results of float32, of concentrations up to 10⁴: Stirling's formula as in betaPair, in float64.
func (d precision) betaShort(b *B, x, y *val) *val {
	for _, v := range []*val{x, y} {
		b.Stop(b.Or(b.NotGe(v, b.D(1e-10)), b.NotGe(b.D(1e4), v)))
	}
	low, three := b.D(lgammaSplit), b.D(3)
	var sum, product *val
	for k := range 3 {
		v := b.Load("xxy"[k:k+1], f64, "f64f32")
		if k == 0 {
			v = b.Add(v, b.Load("y", f64, "f64f32"))
		}
		under := b.Lt(v, low)
		f := b.Sel(under, b.Mul(b.Mul(v, b.Add(v, b.D(1))), b.Add(v, b.D(2))), b.D(1))
		v = b.Sel(under, b.Add(v, three), v)
		r := b.Div(b.D(1), v)
		log := precisions[1].logInside(b, v)
		s := b.Fma(b.Sub(v, b.D(0.5)), log, b.Fma(r, b.split64(b.Mul(r, r), coefStirlingRest), b.negated(v)))
		switch k {
		case 0:
			sum, product = b.negated(s), f
		case 1:
			sum, product = b.Add(sum, s), b.Div(product, f)
		case 2:
			sum, product = b.Add(sum, s), b.Div(product, f)
		}
	}
	const half = 0x1.d67f1c864beb5p-1 // log √(2π)
	return b.Add(b.Add(sum, b.D(half)), d.logNormal(b, product))
}
