package main

import "math"

// Bessel functions and the Airy function in float64: polynomials near 0, around the first zeros divided by the distance from them,
// and the series of modulus and phase beyond. Package special serves arguments whose angle needs more digits.
func bessel64() []*kernel {
	d := precisions[1]
	plain := func(name, doc string, f func(b *B, x *val) *val) *kernel {
		return elementaryKernel(d, name, doc, 1, func(b *B, x, _ *val) *val { return f(b, x) })
	}
	stopping := func(name, doc string, f func(b *B, x *val) *val) *kernel {
		k := plain(name, doc, func(b *B, x *val) *val {
			b.Stop(b.Gt(b.abs64(x), b.D(trigLimit64)))
			return f(b, x)
		})
		k.stops, k.slow = true, lowerFirst(name)+"Far64"
		return k
	}
	airy := plain("AiryAi", "the Airy function at x[i]", func(b *B, x *val) *val {
		b.Stop(b.Lt(x, b.D(-1e4)))
		return d.airyOf(b, x)
	})
	airy.stops, airy.slow = true, "airyAiFar64"
	spherical := plain("SphericalJ0", "sin(x[i])/x[i]", func(b *B, x *val) *val {
		return b.Sel(b.Eq(x, b.D(0)), b.D(1), b.Div(sincos64(0)(b, x), x)) // it stops
	})
	spherical.stops, spherical.slow = true, "sphericalJ0Far64"
	ks := []*kernel{
		stopping("BesselJ0", "the Bessel function of the first kind of order 0 at x[i]", d.besselJ0),
		stopping("BesselJ1", "the Bessel function of the first kind of order 1 at x[i]", d.besselJ1),
		stopping("BesselY0", "the Bessel function of the second kind of order 0 at x[i]", d.besselY0),
		stopping("BesselY1", "the Bessel function of the second kind of order 1 at x[i]", d.besselY1),
		spherical, airy,
	}
	for v, name := range []string{"I0", "I1"} {
		ks = append(ks, plain("Bessel"+name, name+"(x[i])", d.besselI64(v, false)),
			plain("Bessel"+name+"e", "e^-|x[i]| "+name+"(x[i])", d.besselI64(v, true)))
	}
	for v, name := range []string{"K0", "K1"} {
		ks = append(ks, plain("Bessel"+name, name+"(x[i])", d.besselK64(v, false)),
			plain("Bessel"+name+"e", "e^x[i] "+name+"(x[i])", d.besselK64(v, true)))
	}
	return ks
}

// sincosOf gives sine and cosine of x + low, |x| being below trigLimit64 and low nil for 0.
func (b *B) sincosOf(x, low *val) (sin, cos *val) {
	t := b.Fma(x, b.D(2/math.Pi), b.D(magic64))
	n := b.Sub(t, b.D(magic64))
	r := b.Fnma(n, b.D(pio2a64), x)
	r = b.Fnma(n, b.D(pio2b64), r)
	r = b.Fnma(n, b.D(pio2c64), r)
	if low != nil {
		r = b.Add(r, low)
	}
	s := b.Mul(r, r)
	odd := factorials(3, 2, 8, true)
	for i := range odd {
		odd[i] = -odd[i]
	}
	sin = b.Fma(b.Mul(r, s), b.Horner64(s, odd), r)
	cos = b.Fma(b.Mul(s, s), b.Horner64(s, factorials(4, 2, 8, true)), b.Fma(s, b.D(-0.5), b.D(1)))
	even := b.Eq(b.And(b.Bits(t), b.L(1)), b.L(0))
	sin, cos = b.Sel(even, sin, cos), b.Sel(even, cos, sin)
	sin = b.Float(b.Xor(b.Bits(sin), b.Shl(b.And(b.Bits(t), b.L(2)), 62)))
	return sin, b.Float(b.Xor(b.Bits(cos), b.Shl(b.And(b.Add(b.Bits(t), b.L(1)), b.L(2)), 62)))
}

// wave is √(1/πx) (P·u + Q·w) of order v, where u and w are of sin x ± cos x.
func (b *B) wave(v int, x *val, with func(sum, diff *val) (u, w *val)) *val {
	sin, cos := b.sincosOf(x, nil)
	u, w := with(b.Add(sin, cos), b.Sub(sin, cos))
	r := b.Div(b.D(1), x)
	z := b.Mul(r, r)
	p, q := coefP0, coefQ0
	if v == 1 {
		p, q = coefP1, coefQ1
	}
	y := b.Fma(b.Mul(r, b.split64(z, q)), w, b.Mul(b.split64(z, p), u))
	return b.Mul(y, b.Sqrt(b.Mul(r, b.D(1/math.Pi))))
}

// from is x - z.
func (b *B) from(x *val, z, low float64) *val { return b.Sub(b.Sub(x, b.D(z)), b.D(low)) }

func (b *B) negated(x *val) *val { return b.Float(b.Xor(b.Bits(x), b.L(math.MinInt64))) }

func (d precision) besselJ0(b *B, x *val) *val {
	a := b.abs64(x)
	y := b.wave(0, b.Max(b.D(8), a), func(sum, diff *val) (u, w *val) { return sum, b.negated(diff) })
	y = b.Sel(b.Lt(a, b.D(8)), b.Mul(b.from(a, zeroJ0b, zeroJ0bLow), b.split64(b.Sub(a, b.D(6)), coefJ0b)), y)
	near := b.Mul(b.Mul(b.from(a, zeroJ0a, zeroJ0aLow), b.Add(a, b.D(zeroJ0a))), b.split64(b.Fma(a, a, b.D(-8)), coefJ0a))
	return b.Sel(b.Lt(a, b.D(4)), near, y)
}

func (d precision) besselJ1(b *B, x *val) *val {
	a := b.abs64(x)
	y := b.wave(1, b.Max(b.D(8), a), func(sum, diff *val) (u, w *val) { return diff, sum })
	y = b.Sel(b.Lt(a, b.D(8)), b.Mul(b.from(a, zeroJ1b, zeroJ1bLow), b.split64(b.Sub(a, b.D(6.5)), coefJ1b)), y)
	near := b.Mul(b.Mul(b.from(a, zeroJ1a, zeroJ1aLow), b.Add(a, b.D(zeroJ1a))), b.split64(b.Fma(a, a, b.D(-12)), coefJ1a))
	y = b.Sel(b.Lt(a, b.D(5)), b.Mul(near, a), y)
	return b.Float(b.Xor(b.Bits(y), b.And(b.Bits(x), b.L(math.MinInt64))))
}

func (d precision) besselY0(b *B, x *val) *val {
	y := b.wave(0, b.Max(b.D(8), x), func(sum, diff *val) (u, w *val) { return diff, sum })
	y = b.Sel(b.Lt(x, b.D(8)), b.Mul(b.from(x, zeroY0b, zeroY0bLow), b.split64(b.Sub(x, b.D(6.5)), coefY0c)), y)
	y = b.Sel(b.Lt(x, b.D(5)), b.Mul(b.from(x, zeroY0a, zeroY0aLow), b.split64(b.Sub(x, b.D(3.5)), coefY0b)), y)
	s := b.Mul(x, x)
	near := b.Fma(b.logOf(d, x, b.D(0)), b.split64(s, coefY0J), b.split64(s, coefY0a))
	return b.Sel(b.Lt(x, b.D(2)), near, y)
}

func (d precision) besselY1(b *B, x *val) *val {
	y := b.wave(1, b.Max(b.D(8), x), func(sum, diff *val) (u, w *val) { return b.negated(sum), diff })
	y = b.Sel(b.Lt(x, b.D(8)), b.Mul(b.from(x, zeroY1b, zeroY1bLow), b.split64(b.Sub(x, b.D(6)), coefY1c)), y)
	y = b.Sel(b.Lt(x, b.D(4)), b.Mul(b.from(x, zeroY1a, zeroY1aLow), b.split64(b.Sub(x, b.D(2.75)), coefY1b)), y)
	s := b.Mul(x, x)
	near := b.Fma(b.logOf(d, x, b.D(0)), b.split64(s, coefY1J), b.split64(s, coefY1a))
	near = b.Sub(b.Mul(near, x), b.Div(b.D(2/math.Pi), x))
	near = b.Sel(b.Eq(x, b.D(0)), b.D(math.Inf(-1)), near)
	return b.Sel(b.Lt(x, b.D(1.5)), near, y)
}

// besselI64 is the modified Bessel function of order v, or e^-|x| times it, of which both polynomials are.
func (d precision) besselI64(v int, scaled bool) func(b *B, x *val) *val {
	nearCoef, farCoef := coefI0eNear, coefI0eFar
	if v == 1 {
		nearCoef, farCoef = coefI1eNear, coefI1eFar
	}
	return func(b *B, x *val) *val {
		a := b.abs64(x)
		y := b.Horner64(b.Sub(b.Min(b.D(8), a), b.D(4)), nearCoef) // in two sums digits would be lost
		if v == 1 {
			y = b.Mul(y, a)
		}
		r := b.Div(b.D(1), b.Max(b.D(8), a))
		y = b.Sel(b.Lt(a, b.D(8)), y, b.Mul(b.split64(b.Sub(r, b.D(0.0625)), farCoef), b.Sqrt(r)))
		if !scaled {
			e, n, _ := b.expReduce64(b.Min(b.D(720), a))
			y = b.ldexp64(b.Fma(y, d.expRest(b, e), y), n)
			y = b.Sel(b.Eq(a, b.D(math.Inf(1))), a, y)
		}
		if v == 1 {
			y = b.withSign(b.abs64(y), x)
		}
		return y
	}
}

// besselK64 is the modified Bessel function of the second kind of order v, or e^x times it.
func (d precision) besselK64(v int, scaled bool) func(b *B, x *val) *val {
	return func(b *B, x *val) *val {
		in := b.Min(b.D(1), x)
		s := b.Mul(in, in)
		log := b.logOf(d, in, b.D(0))
		var near *val
		farCoef := coefK0Far
		if v == 0 {
			near = b.Fnma(log, b.split64(s, coefKI0), b.split64(s, coefK0Near))
		} else {
			farCoef = coefK1Far
			near = b.Fma(in, b.Fma(log, b.split64(s, coefKI1), b.split64(s, coefK1Near)), b.Div(b.D(1), in))
			near = b.Sel(b.Eq(in, b.D(0)), b.D(math.Inf(1)), near)
		}
		if scaled {
			near = b.Mul(near, exp64(b, in))
		}
		out := b.Max(b.D(1), x)
		t := b.Min(b.D(1e300), out)
		far := b.split64(b.Div(b.Sub(t, b.D(3)), b.Add(t, b.D(1))), farCoef)
		far = b.Mul(far, b.Sqrt(b.Div(b.D(1), out)))
		if !scaled {
			far = b.Mul(far, d.exp0(b, b.negated(out)))
		}
		return b.Sel(b.Le(x, b.D(1)), near, far)
	}
}

// airyOf is exponential above 1, where the exponent is carried in two parts, and a wave below -5.
func (d precision) airyOf(b *B, x *val) *val {
	a := b.Max(b.D(1), b.Min(b.D(1e4), b.abs64(x)))
	root := b.Sqrt(a)
	lost := b.Div(b.Fnma(root, root, a), b.Add(root, root))
	p := b.twoMul(a, root)
	zeta := b.times(pair{p.hi, b.Fma(a, lost, p.lo)}, b.D(2.0/3))
	zeta.lo = b.Fma(p.hi, b.D(0x1.5555555555555p-55), zeta.lo)
	u := b.Div(b.D(1), zeta.hi)
	s := b.Mul(u, u)
	sin, cos := b.sincosOf(zeta.hi, zeta.lo)
	y := b.Mul(b.Add(sin, cos), b.split64(s, coefAiP))
	y = b.Fma(b.Sub(sin, cos), b.Mul(u, b.split64(s, coefAiQ)), y)
	y = b.Mul(y, b.D(1/math.Sqrt(2*math.Pi)))
	r, n, _ := b.expReduce64(b.Max(b.D(-746), b.negated(zeta.hi)))
	e := d.expRest(b, b.Sub(r, zeta.lo))
	w := b.split64(b.Sub(u, b.D(0.75)), coefAiDecay)
	up := b.Gt(x, b.D(0))
	y = b.Sel(up, b.Fma(w, e, w), y)
	y = b.Mul(y, b.Sqrt(b.Div(b.D(1), root)))
	y = b.ldexp64(y, b.Sel(up, n, b.D(0)))
	third := b.Mul(b.from(x, zeroAiB, zeroAiBLow), b.split64(b.Add(x, b.D(4.125)), coefAiB))
	y = b.Sel(b.Gt(x, b.D(-5)), b.Sel(b.Ge(x, b.D(1)), y, third), y)
	second := b.Mul(b.from(x, zeroAiA, zeroAiALow), b.split64(b.Add(x, b.D(2.25)), coefAiA))
	middle := b.Sel(b.Gt(x, b.D(-1.25)), b.split64(x, coefAiMiddle), second)
	y = b.Sel(b.And(b.Gt(x, b.D(-3.25)), b.Lt(x, b.D(1))), middle, y)
	return b.Sel(b.Unord(x, x), x, y)
}
