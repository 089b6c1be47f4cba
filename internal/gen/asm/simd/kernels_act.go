package main

import "slices"

func activations() []*kernel {
	return []*kernel{
		unary("TanhF32", "tanh1", "sets z[i] = tanh(x[i]).", tanh),
		unary("SigmoidF32", "sigmoid1", "sets z[i] = 1 / (1 + e^-x[i]).", func(b *B, x *val) *val {
			z := b.expNegative(b.minusAbs(x, 104)).value(b)
			d := b.Add(z, b.C(1))
			q := b.Div(b.Sel(b.Lt(x, b.C(0)), z, b.C(1)), d)
			return b.Fnma(q, b.Sub(z, b.Sub(d, b.C(1))), q) // what the sum lost, as if d were 1
		}),
		unary("SiluF32", "silu1", "sets z[i] = x[i] / (1 + e^-x[i]), and -0 at -Inf.", func(b *B, x *val) *val {
			m := b.minusAbs(x, 110)
			e, ml := b.expPair(m, nil)
			v, rest := b.timesPair(m, e.m, ml)
			return b.join(x, b.ldexpDown(b.divOnePlus(v, rest, e.value(b)), e.p))
		}),
		unary("ErfF32", "erf1", "sets z[i] = erf(x[i]).", erf),
		unary("GeluF32", "gelu1", "sets z[i] = x[i] Φ(x[i]), Φ being the normal distribution function, and -0 at -Inf.", gelu),
		unary("GeluTanhF32", "geluTanh1", "sets z[i] = x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))) at x = x[i], and -0 at -Inf.", geluTanh),
	}
}

// scaled is m 2^p, kept apart so that small products do not go through subnormals.
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

// Rests are kept with the sign turned, v - rest being the better value, because
// then a product that is -0 has the rest +0 and -0 comes out in the end.

// divOnePlus is (v-rest)/(1+z) for 0 <= z <= 1. The remainder of the quotient, with
// what the sum 1+z lost, is divided once more; there 1/(1+z) may be taken as 1-z/2.
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

// tanh is a polynomial near zero and 1 - 2/(e^2x + 1) elsewhere.
func tanh(b *B, x *val) *val {
	a := b.Abs(x)
	s := b.Mul(a, a)
	near := b.Fma(b.Mul(s, b.Horner(s, coefTanh)), a, a)
	c := b.Min(b.C(10), a)
	r, p := b.expReduce(b.Add(c, c))
	e := b.ldexpNormal(b.expPoly(r), p)
	far := b.Sub(b.C(1), b.Div(b.C(2), b.Add(e, b.C(1))))
	y := b.Sel(b.Lt(a, b.C(0.625)), near, far)
	return b.Float(b.Or(b.Bits(y), b.Sign(x)))
}

// erf is a polynomial below 1 and 1 - e^-h(x) above, where it has reached 1 at 4.
func erf(b *B, x *val) *val {
	a := b.Abs(x)
	s := b.Mul(a, a)
	near := b.Fma(b.Horner(s, coefErf), a, a)
	neg := make([]float32, len(coefErfc))
	for i, c := range coefErfc {
		neg[i] = -c
	}
	r, p := b.expReduce(b.Horner(b.Min(b.C(4), a), neg))
	far := b.Sub(b.C(1), b.ldexpNormal(b.expPoly(r), p))
	y := b.Sel(b.Lt(a, b.C(1)), near, far)
	return b.Float(b.Or(b.Bits(y), b.Sign(x)))
}

// expPair is e^(hi-rest) as (m + ml) 2^p: what the last sum lost is kept.
func (b *B) expPair(hi, rest *val) (s scaled, ml *val) {
	r, p := b.expReduce(hi)
	if rest != nil {
		r = b.Sub(r, rest)
	}
	t := b.expRest(r)
	m := b.Add(t, b.C(1))
	return scaled{m, &p}, b.Sub(t, b.Sub(m, b.C(1)))
}

// gelu needs w = m Φ(m), m = -|x|, to full relative accuracy far into the tail. It
// is m e^(-m²/2) G(-m), where G comes from a table of polynomials and every factor
// carries its rounding error along.
func gelu(b *B, x *val) *val {
	m := b.minusAbs(x, 14.5)
	s := b.Mul(m, m)
	sl := b.Fms(m, m, s)
	e, el := b.expPair(b.Mul(s, b.C(-0.5)), b.Mul(sl, b.C(0.5)))
	pick := b.Lookup16(b.Srl(b.Bits(b.Sub(b.C(1), m)), 21))
	d := b.Add(m, pick(tabGelu[0]))
	q := pick(geluRow(len(tabGelu) - 1))
	for i := len(tabGelu) - 2; i >= 2; i-- {
		q = b.Fma(q, d, pick(geluRow(i)))
	}
	c := pick(geluRow(1))
	g := b.Fma(q, d, c)
	gl := b.Fma(q, d, b.Sub(c, g))
	h, rest := b.timesPair(m, g, gl)
	w := b.Fms(h, e.m, b.Fnma(h, el, b.Mul(rest, e.m)))
	return b.join(x, b.ldexpDown(w, e.p))
}

// geluRow is a row of coefficients for the argument m + c instead of -m - c.
func geluRow(i int) []float32 {
	row := slices.Clone(tabGelu[i])
	for k := range row {
		if i%2 == 0 {
			row[k] = -row[k]
		}
	}
	return row
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
