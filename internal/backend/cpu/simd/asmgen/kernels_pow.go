package main

import "math"

// power64 holds the power function, which is evaluated in float64: the logarithm
// must be good to more bits than a float32 has, and the range of the result then
// takes care of itself in the last conversion.
func power64() []*kernel {
	return []*kernel{{name: "PowF64", scalar: "pow64", lane: 8,
		doc:    "PowF64 sets z[i] = x[i]^y[i], with the special cases of math.Pow.",
		slices: slices3("float64"),
		body: func(b *B) {
			x, y := b.Load("x", f64, ""), b.Load("y", f64, "")
			b.Z(powWide(b, x, y))
		}}, {name: "PowF32", scalar: "pow1", lane: 8,
		doc:    "PowF32 sets z[i] = x[i]^y[i], with the special cases of math.Pow.",
		slices: slices3("float32"),
		body: func(b *B) {
			x, y := b.Load("x", f64, "f64f32"), b.Load("y", f64, "f64f32")
			b.Store("z", pow(b, x, y), "f32")
		}}}
}

// magic64 rounds to an integer, which is in the low bits.
const magic64 = 0x1.8p52

func pow(b *B, x, y *val) *val {
	inf := b.D(math.Inf(1))
	ax := b.Float(b.And(b.Bits(x), b.L(math.MaxInt64)))
	t := b.Mul(y, powLog(b, ax, inf))
	t = b.Sel(b.Eq(ax, b.D(1)), b.D(0), t) // also where y is infinite
	t = b.Max(b.D(-200), b.Min(b.D(200), t))
	m := b.Add(t, b.D(magic64))
	r := b.Sub(t, b.Sub(m, b.D(magic64)))
	z := b.Mul(b.Horner64(r, coefPowExp), b.Float(b.Add(b.Shl(b.Bits(m), 52), b.L(1023<<52))))

	// From 2^24 on all floats are even, so larger exponents may be cut off.
	ay := b.Min(b.D(1<<30), b.Float(b.And(b.Bits(y), b.L(math.MaxInt64))))
	n := b.Add(ay, b.D(magic64))
	integer := b.Eq(b.Sub(n, b.D(magic64)), ay)
	return powEnd(b, x, ax, y, z, integer, b.Sel(integer, b.Shl(b.Bits(n), 63), b.L(0)))
}

// powEnd puts in the special values of x^y, z being |x|^y and ax |x|: with a negative base an odd exponent gives a negative
// result, and an exponent that is no integer gives NaN. odd is the sign bit where the exponent is odd.
func powEnd(b *B, x, ax, y, z, integer, odd *val) *val {
	inf, nan := b.D(math.Inf(1)), b.D(math.NaN())
	z = b.Float(b.Or(b.Bits(z), b.And(odd, b.Bits(x))))
	bad := b.Sel(b.Lt(ax, inf), b.Sel(integer, z, nan), z)
	z = b.Sel(b.Lt(x, b.D(0)), bad, z)
	z = b.Sel(b.Unord(x, y), nan, z)
	z = b.Sel(b.Eq(x, b.D(1)), b.D(1), z)
	return b.Sel(b.Eq(y, b.D(0)), b.D(1), z)
}

// powWide is x^y for float64. The product with y makes the error of the logarithm a thousand times larger, so both are
// carried in two parts: the error before the last sum is below half a unit, and exactly representable powers are exact.
func powWide(b *B, x, y *val) *val {
	ax := b.abs64(x)
	h, l := log2Wide(b, ax)
	t := b.Mul(y, h)
	low := b.Fma(y, l, b.Fms(y, h, t))
	near := b.Lt(b.abs64(t), b.D(1100)) // false for NaN: infinite y with h = 0
	low = b.Sel(near, low, b.D(0))
	t = b.Sel(b.Eq(h, b.D(0)), b.D(0), t) // |x| = 1, also where y is infinite
	t = b.Max(b.D(-1100), b.Min(b.D(1100), t))

	z := b.exp2Pair(pair{t, low})

	ay := b.abs64(y)
	half := b.Mul(ay, b.D(0.5))
	integer := b.Eq(b.Round(ay, toZero), ay)
	even := b.Eq(b.Round(half, toZero), half)
	return powEnd(b, x, ax, y, z, integer, b.Sel(integer, b.Sel(even, b.L(0), b.L(math.MinInt64)), b.L(0)))
}

// exp2Pair is 2^(hi+lo) for |hi| <= 1100.
func (b *B) exp2Pair(x pair) *val {
	n := b.Round(x.hi, toNearest)
	part := b.Sub(x.hi, n)
	f := b.Add(part, x.lo)
	r := b.Mul(f, b.D(ln2Hi)) // the fraction times ln2 in two parts
	rest := b.Fma(b.Sub(x.lo, b.Sub(f, part)), b.D(ln2Hi), b.Fms(f, b.D(ln2Hi), r))
	rest = b.Fma(f, b.D(ln2Lo), rest)
	rest = b.Fma(b.Mul(r, r), b.Horner64(r, factorials(2, 1, 12, false)), b.Fma(rest, r, rest))
	top := b.Add(r, b.D(1))
	return b.ldexp64(b.Add(top, b.Add(b.Sub(r, b.Sub(top, b.D(1))), rest)), n)
}

// log2Wide is log2(x) in two parts for x >= 0: 2/ln2 artanh(s) of s = f/(2+f), where the quotient, its square, the term of its third
// power and what they sum up to are carried in two parts each.
func log2Wide(b *B, x *val) (hi, lo *val) {
	p := b.log2Pair(x)
	inf := b.D(math.Inf(1))
	far := b.Sel(b.Eq(x, b.D(0)), b.D(math.Inf(-1)), x)
	some := b.And(b.Lt(x, inf), b.Gt(x, b.D(0)))
	return b.Sel(some, p.hi, far), b.Sel(some, p.lo, b.D(0))
}

// log2Pair is log2Wide of positive numbers.
func (b *B) log2Pair(x *val) pair {
	f, e := logSplit(b, x)
	d := b.Add(f, b.D(2))
	dl := b.Sub(f, b.Sub(d, b.D(2)))
	inv := b.Div(b.D(1), d)
	s := b.Mul(f, inv)
	sl := b.Mul(b.Fnma(s, dl, b.Fnma(s, d, f)), inv)
	z := b.Mul(s, s)
	zl := b.Fma(b.Add(s, s), sl, b.Fms(s, s, z))
	series := make([]float64, 11) // 1/5, 1/7, …
	for i := range series {
		series[i] = 1 / float64(2*i+5)
	}
	const third, thirdLo = 1.0 / 3, 0x1.5555555555555p-56
	c := b.Mul(z, b.Horner64(z, series))
	p := b.Add(c, b.D(third))
	pl := b.Add(b.Sub(c, b.Sub(p, b.D(third))), b.D(thirdLo))
	q := b.Mul(z, p)
	ql := b.Fma(zl, p, b.Fma(z, pl, b.Fms(z, p, q)))
	u := b.Mul(s, q)
	ul := b.Fma(sl, q, b.Fma(s, ql, b.Fms(s, q, u)))
	a := b.Add(s, u)
	al := b.Add(b.Sub(u, b.Sub(a, s)), b.Add(ul, sl))
	const two, twoLo = 2 * 0x1.71547652b82fep+0, 2 * 0x1.777d0ffda0d24p-56 // 2/ln2
	g := b.Mul(a, b.D(two))
	gl := b.Fma(al, b.D(two), b.Fma(a, b.D(twoLo), b.Fms(a, b.D(two), g)))
	h := b.Add(e, g)
	l := b.Add(b.Sub(g, b.Sub(h, e)), gl)
	// The larger part takes what it can of the smaller, so that a power of 1 has 0 there.
	hi := b.Add(h, l)
	return pair{hi, b.Sub(l, b.Sub(hi, h))}
}

// powLog is log2(x) for x >= 0. The exponent is counted from 1024 so that all
// shifts are of positive numbers; AVX2 has no other.
func powLog(b *B, x, inf *val) *val {
	const half = 0x3fe6a09e667f3bcd // bits of sqrt(1/2)
	bias := int64(1) << 62          // 1024 in the exponent field
	i := b.Bits(x)
	k := b.Srl(b.Add(i, b.L(bias-half)), 52)
	m := b.Float(b.Add(b.Sub(i, b.Shl(k, 52)), b.L(bias)))
	e := b.Sub(b.Float(b.Or(k, b.L(0x433<<52))), b.D(1<<52+1024))
	f := b.Sub(m, b.D(1))
	l := b.Fma(b.Horner64(f, coefPowLog), f, e)
	l = b.Sel(b.Eq(x, b.D(0)), b.D(math.Inf(-1)), l)
	return b.Sel(b.Lt(x, inf), l, x)
}

// Horner64 is Horner for float64.
func (b *B) Horner64(x *val, c []float64) *val {
	p := b.D(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		p = b.Fma(p, x, b.D(c[i]))
	}
	return p
}
