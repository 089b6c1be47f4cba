package main

import "math"

func activations() []*kernel {
	return append(piecewise(), []*kernel{
		unary("TanhF32", "tanh1", "sets z[i] = tanh(x[i]).", tanh),
		unary("SigmoidF32", "sigmoid1", "sets z[i] = 1 / (1 + e^-x[i]).", func(b *B, x *val) *val {
			z := b.expNegative(b.minusAbs(x, 104)).value(b)
			d := b.Add(z, b.C(1))
			q := b.Div(b.Sel(b.Lt(x, b.C(0)), z, b.C(1)), d)
			return b.Fnma(q, b.Sub(z, b.Sub(d, b.C(1))), q) // corrects the rounding error of the sum, as if d were 1
		}),
		unary("SiluF32", "silu1", "sets z[i] = x[i] / (1 + e^-x[i]), and -0 at -Inf.", func(b *B, x *val) *val {
			m := b.minusAbs(x, 110)
			e, ml := b.expPair(m, nil)
			v, rest := b.timesPair(m, e.m, ml)
			return b.join(x, b.ldexpDown(b.divOnePlus(v, rest, e.value(b)), e.p))
		}),
		unary("HardsigmoidF32", "hardsigmoid1", "sets z[i] to (x[i]+3)/6 cut to [0, 1].", func(b *B, x *val) *val {
			return b.Div(b.cut6(b.Add(x, b.C(3))), b.C(6))
		}),
		unary("HardswishF32", "hardswish1", "sets z[i] = x[i] (x[i]+3)/6, the quotient cut to [0, 1].", func(b *B, x *val) *val {
			return b.Div(b.Mul(x, b.cut6(b.Add(x, b.C(3)))), b.C(6))
		}),
		unary("ErfF32", "erf1", "sets z[i] = erf(x[i]).", erf),
		geluKernel(),
		unary("GeluTanhF32", "geluTanh1", "sets z[i] = x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))) at x = x[i], and -0 at -Inf.", geluTanh),
		unary("MishF32", "mish1", "sets z[i] = x[i] tanh(log(1 + e^x[i])).", func(b *B, x *val) *val {
			e := b.exp(b.Min(b.C(20), x)) // from there on the factor is 1
			n := b.Mul(e, b.Add(e, b.C(2)))
			return b.Mul(x, b.Div(n, b.Add(n, b.C(2))))
		}),
	}...)
}

// cut6 is x cut to [0, 6], NaN if it is.
func (b *B) cut6(x *val) *val { return b.Min(b.C(6), b.Max(b.C(0), x)) }

// scaled is m 2^p; the factors stay apart so that small products do not become subnormal.
type scaled struct {
	m *val
	p *power
}

func (s scaled) value(b *B) *val { return b.ldexpDown(s.m, s.p) }

// expNegative is e^x for -120 <= x <= 0 or NaN.
func (b *B) expNegative(x *val) scaled {
	r, p := b.expReduce(x)
	return scaled{b.expPoly(r), &p}
}

// Rounding errors are carried negated, v - rest being the better value, because
// then a product that is -0 has the rest +0, and the result is -0.

// divOnePlus is (v-rest)/(1+z) for 0 <= z <= 1. The remainder of the quotient, with
// the rounding error of 1+z, is divided once more; there 1/(1+z) may be taken as 1-z/2.
func (b *B) divOnePlus(v, rest, z *val) *val {
	d := b.Add(z, b.C(1))
	dl := b.Sub(z, b.Sub(d, b.C(1)))
	q := b.Div(v, d)
	r := b.Fma(q, dl, b.Fms(q, d, v))
	r = b.Add(r, rest)
	return b.Sub(q, b.Fnma(r, b.Mul(z, b.C(0.5)), r))
}

// timesPair is a (m+ml) as a rounded product and its rest.
func (b *B) timesPair(a, m, ml *val) (v, rest *val) {
	v = b.Mul(a, m)
	return v, b.Fnma(a, ml, b.Fnma(a, m, v))
}

// minusAbs is -|x|, not below -limit.
func (b *B) minusAbs(x *val, limit float32) *val {
	return b.Max(b.C(-limit), b.Float(b.Or(b.Bits(x), b.I(-1<<31))))
}

// join is max(x, 0) + w, the common end of x S(x) for a sigmoid S with
// S(x) = 1 - S(-x), where w = -|x| S(-|x|). The zero is -0, so that the sum has
// the sign of x also where it is zero.
func (b *B) join(x, w *val) *val {
	return b.Add(b.Max(b.Float(b.I(-1<<31)), x), w)
}

// table is the function of a >= 0 that the table has polynomials of, one for each quarter octave of t, and the point c
// that a polynomial is about.
func (b *B) table(a, t *val, tab [][]float32) (q, d, c0, c *val) {
	pick := b.Lookup16(b.Srl(b.Bits(t), 21))
	c = pick(tab[0])
	d = b.Sub(a, c)
	q = pick(tab[len(tab)-1])
	for i := len(tab) - 2; i >= 2; i-- {
		q = b.Fma(q, d, pick(tab[i]))
	}
	return q, d, pick(tab[1]), c
}

// tanh has reached 1 at 9.1.
func tanh(b *B, x *val) *val {
	a := b.Min(b.C(9.1), b.Abs(x))
	q, d, c0, _ := b.table(a, b.Add(a, b.C(1)), tabTanh)
	return b.Float(b.Or(b.Bits(b.Fma(q, d, c0)), b.Sign(x)))
}

// erf has reached 1 before 4, where the table ends: eight quarter octaves of 1 + 3a/4, which AVX2 picks by one permutation. Near zero
// it is a + q a, because the table's slope there is not a float32.
func erf(b *B, x *val) *val {
	a := b.Min(b.C(3.999), b.Abs(x))
	q, d, c0, c := b.table(a, b.Fma(a, b.C(0.75), b.C(1)), tabErf)
	y := b.Fma(q, d, b.Sel(b.Eq(c, b.C(0)), a, c0))
	return b.Float(b.Or(b.Bits(y), b.Sign(x)))
}

// expPair is e^(hi-rest) as (m + ml) 2^p: ml is the rounding error of the last sum.
func (b *B) expPair(hi, rest *val) (s scaled, ml *val) {
	r, p := b.expReduce(hi)
	if rest != nil {
		r = b.Sub(r, rest)
	}
	t := b.expRest(r)
	m := b.Add(t, b.C(1))
	return scaled{m, &p}, b.Sub(t, b.Sub(m, b.C(1)))
}

// geluKernel has a fast path for vectors with no element below -geluNear; the others compute both formulas and select.
func geluKernel() *kernel {
	both := func(b *B, x *val) *val { return b.Sel(b.Ge(x, b.C(-geluNear)), geluOf(b, x), geluFar(b, x)) }
	k := unary("GeluF32", "gelu1", "sets z[i] = x[i] Φ(x[i]), Φ being the normal distribution function.", func(b *B, x *val) *val {
		b.Stop(b.NotGe(x, b.C(-geluNear)))
		return geluOf(b, x)
	})
	k.slow = "geluFar1"
	k.rare = func(b *B) {
		x := b.X("x")
		if b.tgt == goTwin {
			b.Z(geluFar(b, x))
			return
		}
		b.Z(both(b, x))
	}
	return k
}

// geluNear is how far below zero Φ comes from a table of polynomials; at as much above zero, x Φ(x) is x.
const geluNear = 5.5

// geluOf is gelu from -geluNear on: max(x, 0) + m Φ(m), m = -|x|.
func geluOf(b *B, x *val) *val {
	m := b.minusAbs(x, geluNear)
	pick := b.Lookup16(b.Bits(b.Fma(m, b.Fma(m, b.C(0.375), b.C(-0.75)), b.C(magic)))) // steps grow shorter below zero
	d := b.Sub(m, pick(tabPhi[0]))
	q := pick(tabPhi[len(tabPhi)-1])
	for i := len(tabPhi) - 2; i >= 1; i-- {
		q = b.Fma(q, d, pick(tabPhi[i]))
	}
	return b.Fma(m, q, b.Max(b.Float(b.I(-1<<31)), x))
}

// geluFar is gelu everywhere: max(x, 0) - w, w = a Φ(-a), a = |x|, to full relative accuracy far into the tail. That is
// e^(-a²/2) times a slow function, which comes from a table of polynomials; a² is carried in two parts, because e^
// multiplies its error. At -Inf the product of min(x, 0) and zero makes it NaN, as the definition is.
func geluFar(b *B, x *val) *val {
	a := b.Min(b.C(14.5), b.Abs(x))
	s := b.Mul(a, a)
	sl := b.Fms(a, a, s)
	t := b.Fma(s, b.C(-log2e/2), b.C(sixteenths))
	n := b.Sub(t, b.C(sixteenths))
	r := b.Fma(n, b.C(2*ln2), s)
	r = b.Add(b.Fma(n, b.C(2*ln2L), r), sl) // a² + 2 n ln2
	p := b.Fma(b.Fma(b.C(-1.0/48), r, b.C(0.125)), r, b.C(-0.5))
	root := b.Lookup16(b.Bits(t))
	hi := root(tabExp[0])
	lo := b.Fma(p, b.Mul(hi, r), root(tabExp[1])) // the power is hi + lo
	q, d, c0, c := b.table(a, b.Add(a, b.C(1)), tabGelu)
	g := b.Fma(q, d, b.Sel(b.Eq(c, b.C(0)), b.Mul(a, b.C(0.5)), c0)) // near zero a/2 is the most of it
	w := b.Fma(g, hi, b.Mul(g, lo))
	if b.tgt == avx512 {
		w = b.op2("scalef", w, n) // it rounds n down
	} else {
		k := b.Sra(b.Sub(b.Bits(t), b.I(int32(math.Float32bits(sixteenths)))), 4)
		w = b.Mul(b.Mul(w, b.Float(b.Add(b.Shl(k, 23), b.I((127+40)<<23)))), b.C(0x1p-40))
	}
	top := b.Fma(b.Min(b.C(0), x), b.C(0), b.Max(b.Float(b.I(-1<<31)), x))
	return b.Sub(top, w)
}

// 2√(2/π) in two parts, the first with 20 fraction bits so that its difference
// from a larger number of the same grid is exact; and 0.044715 times it.
const (
	gt1  = 0x1.98845p+0
	gt1l = 0x1.9ea1b2p-23
	gt3  = 0x1.2444f2p-4
	gt3l = 0x1.49b16ap-29
)

// geluTanh is x S(2u) with the logistic function S and 2u = x (c1 + c3 x²), which is
// carried in two parts because e^-2u multiplies its error.
func geluTanh(b *B, x *val) *val {
	m := b.minusAbs(x, 11)
	s := b.Mul(m, m)
	sl := b.Fms(m, m, s)
	t := b.Fma(s, b.C(gt3), b.C(gt1))
	tl := b.Fma(s, b.C(gt3), b.Sub(b.C(gt1), t))
	tl = b.Fma(sl, b.C(gt3), tl)
	tl = b.Add(b.Fma(s, b.C(gt3l), tl), b.C(gt1l))
	e, el := b.expPair(b.timesPair(m, t, tl))
	v, rest := b.timesPair(m, e.m, el)
	return b.join(x, b.ldexpDown(b.divOnePlus(v, rest, e.value(b)), e.p))
}
