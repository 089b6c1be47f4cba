package main

import "math"

// Elementary functions and the error function, evaluated in float64 for both float types. For float32 the same formulas use
// shorter polynomials; the result is rounded once, at the price of half as many lanes.

// precision is the type of the result and the length of the polynomials it needs.
type precision struct {
	suffix                string // of kernels, and of the twins for one element
	one                   string
	exp, log, sin         int // terms
	atan, asin, erf, erfc []float64
	erfcMost              float64 // from here on the complementary error function is 0
	full                  bool    // the result is a float64
}

var precisions = []precision{
	{"F32", "1", 8, 5, 6, coefAtan32, coefAsin32, coefErf32, coefErfc32, 10.5, false},
	{"F64", "64", 12, 11, 8, coefAtan64, coefAsin64, coefErf64, coefErfc64, 27.5, true},
}

// elementaryKernel is the kernel of a function of one or two arguments, x and y.
func elementaryKernel(d precision, name, doc string, args int, f func(b *B, x, y *val) *val) *kernel {
	k := &kernel{name: name + d.suffix, scalar: lowerFirst(name) + d.one, doc: name + d.suffix + " sets z[i] = " + doc + ".", lane: 8}
	typ, load, store := "float64", "", ""
	if !d.full {
		typ, load, store = "float32", "f64f32", "f32"
	}
	k.slices = slices2(typ)
	if args == 2 {
		k.slices = slices3(typ)
	}
	k.body = func(b *B) {
		x := b.Load("x", f64, load)
		var y *val
		if args == 2 {
			y = b.Load("y", f64, load)
		}
		b.Store("z", f(b, x, y), store)
	}
	return k
}

func elementary() []*kernel {
	var ks []*kernel
	for _, d := range precisions {
		one := func(name, doc string, f func(b *B, x *val) *val) {
			ks = append(ks, elementaryKernel(d, name, doc, 1, func(b *B, x, _ *val) *val { return f(b, x) }))
		}
		one("Atan", "atan(x[i])", func(b *B, x *val) *val {
			return b.withSign(d.atanOf(b, b.abs64(x), b.D(1)), x)
		})
		one("Asin", "asin(x[i])", d.asinOf)
		one("Acos", "acos(x[i])", d.acosOf)
		one("Sinh", "sinh(x[i])", d.sinhOf)
		one("Cosh", "cosh(x[i])", func(b *B, x *val) *val {
			e := d.halfExp(b, b.abs64(x))
			return b.Add(e, b.Div(b.D(0.25), e))
		})
		one("Asinh", "asinh(x[i])", d.asinhOf)
		one("Acosh", "acosh(x[i])", func(b *B, x *val) *val {
			far := b.Gt(x, b.D(0x1p28))
			t := b.Sub(x, b.D(1))
			u, c := onePlus(b, b.Add(t, b.Sqrt(b.Fma(t, t, b.Add(t, t)))))
			return b.Sel(b.Lt(x, b.D(1)), b.D(math.NaN()), b.logFar(d, x, far, u, c))
		})
		one("Atanh", "atanh(x[i])", func(b *B, x *val) *val {
			a := b.abs64(x)
			u, c := onePlus(b, b.Div(b.Add(a, a), b.Sub(b.D(1), a)))
			return b.withSign(b.Mul(b.D(0.5), b.logOf(d, u, c)), x)
		})
		one("Log10", "log10(x[i])", func(b *B, x *val) *val {
			return b.logBase(d, x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.34413509f7p-2, 0x1.3fde623e2566bp-43)
		})
		one("Logit", "log(x[i] / (1 - x[i]))", func(b *B, x *val) *val {
			// Around 1/2 the quotient is near 1; its distance from 1 is exact but for the division.
			low := b.Sub(b.D(1), x)
			u, c := onePlus(b, b.Div(b.Sub(b.Add(x, x), b.D(1)), low))
			far := b.Lt(x, b.D(0.35))
			return b.logOf(d, b.Sel(far, b.Div(x, low), u), b.Sel(far, b.D(0), c))
		})
		one("Erfc", "1 - erf(x[i])", func(b *B, x *val) *val {
			a := b.abs64(x)
			far := d.erfcFar(b, b.Max(b.D(0.5), b.Min(b.D(d.erfcMost), a)), nil)
			y := b.Sel(b.Lt(x, b.D(0)), b.Sub(b.D(2), far), far)
			return b.Sel(b.Le(a, b.D(0.5)), b.Sub(b.D(1), d.erfNear(b, x)), y)
		})
		tan := elementaryKernel(d, "Tan", "tan(x[i])", 1, func(b *B, x, _ *val) *val { return d.tanOf(b, x) })
		tan.stops, tan.slow = true, "tanHuge"
		if d.full {
			tan.slow = "math.Tan"
			one("Erf", "erf(x[i])", func(b *B, x *val) *val {
				a := b.abs64(x)
				far := b.withSign(b.Sub(b.D(1), d.erfcFar(b, b.Max(b.D(0.5), b.Min(b.D(6), a)), nil)), x)
				return b.Sel(b.Le(a, b.D(0.5)), d.erfNear(b, x), far)
			})
			one("Gelu", "x[i] Φ(x[i]), Φ being the normal distribution function", func(b *B, x *val) *val {
				const c, cl = 0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55 // 1/√2
				t := b.Mul(x, b.D(-c))
				a := b.abs64(t)
				ax := b.Min(b.D(40), b.abs64(x))
				lost := b.Fma(ax, b.D(cl), b.Fms(ax, b.D(c), b.Min(b.D(40*c), a)))
				far := d.erfcFar(b, b.Max(b.D(0.5), b.Min(b.D(d.erfcMost), a)), lost)
				y := b.Sel(b.Lt(t, b.D(0)), b.Sub(b.D(2), far), far)
				y = b.Sel(b.Le(a, b.D(0.5)), b.Sub(b.D(1), d.erfNear(b, t)), y)
				return b.Mul(b.Mul(x, b.D(0.5)), y)
			})
			one("Exp2", "2^x[i]", func(b *B, x *val) *val {
				x = b.Max(b.D(-1080), b.Min(b.D(1030), x))
				n := b.Round(x, toNearest)
				return b.ldexp64(b.Add(d.expRest(b, b.Mul(b.Sub(x, n), b.D(math.Ln2))), b.D(1)), n)
			})
			one("Expm1", "e^x[i] - 1", func(b *B, x *val) *val { return b.withSign(b.abs64(d.expm1(b, x)), x) })
			one("Log1p", "log(1 + x[i])", func(b *B, x *val) *val {
				u, c := onePlus(b, x)
				y := b.Sel(b.Eq(x, b.D(0)), x, b.logOf(d, u, c)) // -0 stays
				return y
			})
			one("Log2", "log2(x[i])", func(b *B, x *val) *val { return b.logBase(d, x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, 1, 0) })
		}
		ks = append(ks, tan)
		ks = append(ks, elementaryKernel(d, "Atan2", "the angle of the point (y[i], x[i]): atan2(x[i], y[i])", 2,
			func(b *B, x, y *val) *val { return d.atan2Of(b, x, y) }))
		ks = append(ks, elementaryKernel(d, "Hypot", "√(x[i]² + y[i]²)", 2, func(b *B, x, y *val) *val { return d.hypotOf(b, x, y) }))
		ks = append(ks, elementaryKernel(d, "LogAddExp", "log(e^x[i] + e^y[i])", 2, func(b *B, x, y *val) *val {
			t := b.Sel(b.Eq(x, y), b.D(0), b.Sub(x, y)) // also of equal infinities
			u, c := onePlus(b, d.exp0(b, b.Float(b.Or(b.Bits(t), b.L(math.MinInt64)))))
			return b.Add(b.Max(x, y), b.logOf(d, u, c))
		}))
	}
	return append(ks, remainders()...)
}

// atanOf is atan(y/x) for y, x >= 0: the quotient is reduced to at most tan(π/8) before the division.
func (d precision) atanOf(b *B, y, x *val) *val {
	big, mid := b.Gt(y, b.Mul(x, b.D(math.Sqrt2+1))), b.Gt(y, b.Mul(x, b.D(math.Sqrt2-1)))
	num := b.Sel(big, b.Sub(b.D(0), x), b.Sel(mid, b.Sub(y, x), y))
	den := b.Sel(big, y, b.Sel(mid, b.Add(y, x), x))
	t := b.Div(num, den)
	s := b.Mul(t, t)
	v := b.Mul(b.Mul(t, s), b.Horner64(s, d.atan))
	const hi, lo = 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54 // π/2
	base := b.Sel(big, b.D(hi), b.Sel(mid, b.D(hi/2), b.D(0)))
	rest := b.Sel(big, b.D(lo), b.Sel(mid, b.D(lo/2), b.D(0)))
	return b.Add(base, b.Add(t, b.Add(v, rest)))
}

func (d precision) atan2Of(b *B, y, x *val) *val {
	inf := b.D(math.Inf(1))
	ay, ax := b.abs64(y), b.abs64(x)
	if d.full { // sums and products must stay in range
		m := b.Max(ay, ax)
		scale := b.Sel(b.Gt(m, b.D(0x1p1000)), b.D(0x1p-100), b.Sel(b.Lt(m, b.D(0x1p-900)), b.D(0x1p200), b.D(1)))
		ay, ax = b.Mul(ay, scale), b.Mul(ax, scale)
	}
	both := b.And(b.Eq(ay, inf), b.Eq(ax, inf))
	ay = b.Sel(both, b.D(1), ay)
	ax = b.Sel(both, b.D(1), ax)
	ax = b.Sel(b.And(b.Eq(ay, b.D(0)), b.Eq(ax, b.D(0))), b.D(1), ax)
	v := d.atanOf(b, ay, ax)
	v = b.Sel(b.Gt(b.L(0), b.Bits(x)), b.Sub(b.D(math.Pi), b.Sub(v, b.D(0x1.1a62633145c07p-53))), v)
	return b.withSign(v, y)
}

func (d precision) hypotOf(b *B, x, y *val) *val {
	ax, ay, inf := b.abs64(x), b.abs64(y), b.D(math.Inf(1))
	infinite := b.Or(b.Eq(ax, inf), b.Eq(ay, inf))
	if !d.full {
		return b.Sel(infinite, inf, b.Sqrt(b.Fma(x, x, b.Mul(y, y))))
	}
	m, n := b.Max(ax, ay), b.Min(ax, ay)
	// Scaled, squares neither overflow nor underflow.
	up := b.Sel(b.Gt(m, b.D(0x1p500)), b.D(0x1p-600), b.Sel(b.Lt(n, b.D(0x1p-450)), b.D(0x1p600), b.D(1)))
	down := b.Sel(b.Gt(m, b.D(0x1p500)), b.D(0x1p600), b.Sel(b.Lt(n, b.D(0x1p-450)), b.D(0x1p-600), b.D(1)))
	far := b.Gt(m, b.Mul(n, b.D(0x1p60)))
	ms, ns := b.Mul(m, up), b.Mul(n, up)
	v := b.Mul(b.Sqrt(b.Fma(ms, ms, b.Mul(ns, ns))), down)
	v = b.Sel(far, b.Add(m, n), v)
	return b.Sel(infinite, inf, b.Sel(b.Unord(x, y), b.D(math.NaN()), v))
}

// asinParts gives s and v with asin(s) = s + v + c: of |x| up to 1/2, of √((1-|x|)/2) beyond. There c is the rounding error of the root.
func (d precision) asinParts(b *B, x *val) (a, s, v *val, far *val) {
	a = b.abs64(x)
	far = b.Gt(a, b.D(0.5))
	z := b.Sel(far, b.Mul(b.Sub(b.D(1), a), b.D(0.5)), b.Mul(a, a))
	root := b.Sqrt(z)
	s = b.Sel(far, root, a)
	v = b.Mul(b.Mul(s, z), b.Horner64(z, d.asin))
	if d.full {
		c := b.Div(b.Fnma(root, root, z), b.Max(b.Add(root, root), b.D(0x1p-300)))
		v = b.Add(v, b.Sel(far, c, b.D(0)))
	}
	return a, s, v, far
}

const pio2, pio2Lo = 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54

func (d precision) asinOf(b *B, x *val) *val {
	_, s, v, far := d.asinParts(b, x)
	high := b.Sub(b.Fnma(s, b.D(2), b.D(pio2)), b.Fma(v, b.D(2), b.D(-pio2Lo)))
	return b.withSign(b.Sel(far, high, b.Add(s, v)), x)
}

func (d precision) acosOf(b *B, x *val) *val {
	_, s, v, far := d.asinParts(b, x)
	left := b.Lt(x, b.D(0))
	twice := b.Add(b.Add(s, s), b.Add(v, v))
	high := b.Sel(left, b.Sub(b.D(2*pio2), b.Sub(twice, b.D(2*pio2Lo))), twice)
	flip := b.And(b.Bits(x), b.L(math.MinInt64))
	sx, vx := b.Float(b.Xor(b.Bits(s), flip)), b.Float(b.Xor(b.Bits(v), flip))
	return b.Sel(far, high, b.Sub(b.D(pio2), b.Sub(sx, b.Sub(b.D(pio2Lo), vx))))
}

// expRest is e^r - 1 for |r| <= ln2/2.
func (d precision) expRest(b *B, r *val) *val {
	return b.Fma(b.Mul(r, r), b.Horner64(r, factorials(2, 1, d.exp, false)), r)
}

// ldexp64 is v 2^n for integer n; two factors, of which only the second can round, reach the subnormals.
func (b *B) ldexp64(v, n *val) *val {
	h := b.Fma(n, b.D(0.5), b.D(magic64))
	l := b.Add(b.Sub(n, b.Sub(h, b.D(magic64))), b.D(magic64))
	return b.Mul(b.Mul(v, b.pow2(h)), b.pow2(l))
}

// exp0 is e^x for x <= 0.
func (d precision) exp0(b *B, x *val) *val {
	r, n, _ := b.expReduce64(b.Max(b.D(-746), x))
	return b.ldexp64(b.Add(d.expRest(b, r), b.D(1)), n)
}

// halfExp is e^x / 2 for x >= 0.
func (d precision) halfExp(b *B, x *val) *val {
	r, n, _ := b.expReduce64(b.Min(b.D(712), x))
	return b.ldexp64(b.Add(d.expRest(b, r), b.D(1)), b.Sub(n, b.D(1)))
}

// expm1 is 2^n (e^r - 1) + (2^n - 1), with 2^n halved so that it does not overflow.
func (d precision) expm1(b *B, x *val) *val {
	r, n, t := b.expReduce64(b.Max(b.D(-60), b.Min(b.D(710), x)))
	q := d.expRest(b, r)
	s := b.Float(b.Add(b.Shl(b.Bits(t), 52), b.L(0x3fe0000000000000)))
	y := b.Fma(q, s, b.Sub(s, b.D(0.5)))
	return b.Sel(b.Eq(n, b.D(0)), q, b.Add(y, y)) // halving would round subnormals
}

func (d precision) sinhOf(b *B, x *val) *val {
	a := b.abs64(x)
	m := d.expm1(b, b.Min(b.D(40), a))
	near := b.Mul(b.Add(m, b.Div(m, b.Add(m, b.D(1)))), b.D(0.5))
	return b.withSign(b.Sel(b.Gt(a, b.D(22)), d.halfExp(b, a), near), x)
}

// onePlus is u = 1+x rounded, and the correction that log(u) needs for the rounding error, for x > -1.
func onePlus(b *B, x *val) (u, c *val) {
	u = b.Add(x, b.D(1))
	lost := b.Sel(b.Gt(x, b.D(1)), b.Sub(b.D(1), b.Sub(u, x)), b.Sub(x, b.Sub(u, b.D(1))))
	return u, b.Sel(b.Lt(x, b.D(0x1p60)), b.Div(lost, u), b.D(0))
}

// logSplit is x = 2^e (1+f) with √½ <= 1+f < √2, for x > 0.
func logSplit(b *B, x *val) (f, e *val) {
	small := b.Lt(x, b.D(0x1p-1022))
	y := b.Bits(b.Sel(small, b.Mul(x, b.D(0x1p54)), x))
	k := b.Srl(b.Add(y, b.L(one64-sqrtHalf)), 52) // with 1023 added
	f = b.Sub(b.Float(b.Add(b.Sub(y, b.Shl(k, 52)), b.L(one64))), b.D(1))
	e = b.Sub(b.Float(b.Or(k, b.L(0x4330000000000000))), b.D(0x1p52+1023))
	return f, b.Sub(e, b.Sel(small, b.D(54), b.D(0)))
}

// logTail gives f²/2 and log(1+f) - (f - f²/2).
func (d precision) logTail(b *B, f *val) (half, low *val) {
	s := b.Div(f, b.Add(f, b.D(2)))
	z := b.Mul(s, s)
	series := make([]float64, d.log)
	for i := range series {
		series[i] = 2 / float64(2*i+3)
	}
	r := b.Mul(z, b.Horner64(z, series))
	half = b.Mul(b.Mul(f, f), b.D(0.5))
	return half, b.Mul(s, b.Add(half, r))
}

// logEnd64 puts in the special values of a logarithm.
func (b *B) logEnd64(x, v *val) *val {
	v = b.Sel(b.Lt(x, b.D(math.Inf(1))), v, x)
	v = b.Sel(b.Lt(x, b.D(0)), b.Float(b.L(0x7ff8000000000000)), v)
	return b.Sel(b.Eq(x, b.D(0)), b.D(math.Inf(-1)), v)
}

// logOf is log(x) + c, c being small.
func (b *B) logOf(d precision, x, c *val) *val {
	f, e := logSplit(b, x)
	half, low := d.logTail(b, f)
	low = b.Add(low, b.Fma(e, b.D(ln2ShortLo), c))
	return b.logEnd64(x, b.Fma(e, b.D(ln2Short), b.Sub(f, b.Sub(half, low))))
}

// logFar is log(x) + ln2 where x is far, else log(u) + c.
func (b *B) logFar(d precision, x, far, u, c *val) *val {
	v := b.logOf(d, b.Sel(far, x, u), b.Sel(far, b.D(0), c))
	return b.Add(v, b.Sel(far, b.D(math.Ln2), b.D(0)))
}

func (d precision) asinhOf(b *B, x *val) *val {
	a := b.abs64(x)
	far := b.Gt(a, b.D(0x1p28))
	s := b.Mul(a, a)
	u, c := onePlus(b, b.Add(a, b.Div(s, b.Add(b.D(1), b.Sqrt(b.Add(s, b.D(1)))))))
	return b.withSign(b.logFar(d, a, far, u, c), x)
}

// logBase is log(x) · (hi+lo), where (two+twoLo) is the logarithm of 2 and two times an exponent is exact.
func (b *B) logBase(d precision, x *val, hi, lo, two, twoLo float64) *val {
	f, e := logSplit(b, x)
	half, low := d.logTail(b, f)
	top := b.Sub(f, half)
	rest := b.Add(b.Sub(b.Sub(f, top), half), low)
	vh := b.Mul(top, b.D(hi))
	vl := b.Fma(rest, b.D(hi), b.Fma(top, b.D(lo), b.Fms(top, b.D(hi), vh)))
	if twoLo != 0 {
		vl = b.Fma(e, b.D(twoLo), vl)
	}
	y := e
	if two != 1 {
		y = b.Mul(e, b.D(two))
	}
	w := b.Add(y, vh)
	return b.logEnd64(x, b.Add(w, b.Add(vl, b.Add(b.Sub(y, w), vh))))
}

// erfNear is erf(x) for |x| <= 1/2.
func (d precision) erfNear(b *B, x *val) *val {
	return b.Fma(x, b.Horner64(b.Mul(x, x), d.erf), x)
}

// erfcFar is erfc(x) for 1/2 <= x <= erfcMost: e^(-x²) times a slow function, a polynomial in (x-3)/(x+3). The square is
// carried in two parts, because e^ multiplies its error; lost is the rounding error of x, or nil.
func (d precision) erfcFar(b *B, x, lost *val) *val {
	t := b.Div(b.Sub(x, b.D(3)), b.Add(x, b.D(3)))
	g := b.Horner64(t, d.erfc)
	s := b.Mul(x, x)
	minus := b.Float(b.Xor(b.Bits(s), b.L(math.MinInt64)))
	r, n, _ := b.expReduce64(minus)
	if d.full {
		r = b.Sub(r, b.Fms(x, x, s))
		if lost != nil {
			r = b.Fnma(b.Add(x, x), lost, r)
		}
	}
	e := d.expRest(b, r)
	return b.ldexp64(b.Div(b.Fma(g, e, g), b.Fma(x, b.D(2), b.D(1))), n)
}

func (d precision) tanOf(b *B, x *val) *val {
	b.Stop(b.Gt(b.abs64(x), b.D(trigLimit64)))
	t := b.Fma(x, b.D(2/math.Pi), b.D(magic64))
	n := b.Sub(t, b.D(magic64))
	r := b.Fnma(n, b.D(pio2a64), x)
	r = b.Fnma(n, b.D(pio2b64), r)
	if d.full {
		r = b.Fnma(n, b.D(pio2c64), r)
	}
	s := b.Mul(r, r)
	odd := factorials(3, 2, d.sin, true)
	for i := range odd {
		odd[i] = -odd[i]
	}
	sin := b.Fma(b.Mul(r, s), b.Horner64(s, odd), r)
	cos := b.Fma(b.Mul(s, s), b.Horner64(s, factorials(4, 2, d.sin, true)), b.Fma(s, b.D(-0.5), b.D(1)))
	even := b.Eq(b.And(b.Bits(t), b.L(1)), b.L(0))
	y := b.Div(b.Sel(even, sin, b.Float(b.Xor(b.Bits(cos), b.L(math.MinInt64)))), b.Sel(even, cos, sin))
	return b.Sel(b.Eq(x, b.D(0)), x, y) // -0 stays
}

// remainders are x - q y with the quotient q rounded to an integer. The difference is exact where q is; q is one too
// large at most, where the division rounded up. Quotients beyond 2^52 and non-finite operands stop the kernels.
func remainders() []*kernel {
	var ks []*kernel
	for _, d := range precisions {
		mod := func(b *B, x, y *val) *val {
			ax, ay := b.abs64(x), b.abs64(y)
			q := b.Round(b.Div(ax, ay), toZero)
			b.Stop(b.NotGe(b.D(0x1p52), q))
			b.Stop(b.Eq(ay, b.D(math.Inf(1))))
			r := b.Fnma(q, ay, ax)
			return b.withSign(b.Sel(b.Lt(r, b.D(0)), b.Add(r, ay), r), x)
		}
		// against tells that m is not 0 and has another sign than y.
		against := func(b *B, m, y *val) *val {
			other := b.Gt(b.L(0), b.Xor(b.Bits(m), b.Bits(y)))
			return b.And(other, b.Ne(m, b.D(0)))
		}
		for _, o := range []struct {
			name, doc string
			f         func(b *B, x, y *val) *val
		}{
			{"Fmod", "the remainder of x[i] / y[i] with the sign of x[i]", mod},
			{"Remainder", "the remainder of x[i] / y[i] with the sign of y[i]", func(b *B, x, y *val) *val {
				m := mod(b, x, y)
				return b.Sel(against(b, m, y), b.Add(m, y), m)
			}},
			{"FloorDivide", "floor(x[i] / y[i]), as Python computes it", func(b *B, x, y *val) *val {
				m := mod(b, x, y)
				div := b.Div(b.Sub(x, m), y)
				div = b.Sel(against(b, m, y), b.Sub(div, b.D(1)), div)
				f := b.Round(div, down)
				f = b.Sel(b.Gt(b.Sub(div, f), b.D(0.5)), b.Add(f, b.D(1)), f)
				zero := b.Float(b.And(b.Xor(b.Bits(x), b.Bits(y)), b.L(math.MinInt64)))
				return b.Sel(b.Eq(div, b.D(0)), zero, f)
			}},
		} {
			k := elementaryKernel(d, o.name, o.doc, 2, o.f)
			k.stops, k.slow = true, lowerFirst(o.name)+"Far"+d.one
			ks = append(ks, k)
		}
	}
	return ks
}
