package main

import "math"

// float64 functions. Polynomials are Taylor's, long enough that what is left out is below a tenth of the last bit: on
// ranges this short a fitted one would save a term at most.
const (
	log2e64 = 0x1.71547652b82fep+0
	// ln2 in two parts for one fused product each, and with a short first part whose product with an exponent is exact.
	ln2Hi, ln2Lo         = 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56
	ln2Short, ln2ShortLo = 0x1.62e42feep-1, 0x1.a39ef35793c76p-33
	// Three parts of pi/2.
	pio2a64, pio2b64, pio2c64 = 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110
	trigLimit64               = 0x1p20
	sqrtHalf                  = 0x3fe6a09e667f3bcd // bits of √½
	one64                     = 0x3ff0000000000000
)

func unary64(name, scalar, doc string, f func(b *B, x *val) *val) *kernel {
	return &kernel{name: name, scalar: scalar, doc: name + " " + doc, lane: 8, slices: slices2("float64"),
		body: func(b *B) { b.Z(f(b, b.Load("x", f64, ""))) }}
}

// factorials returns 1/from!, 1/(from+step)!, … with alternating signs if asked, n of them.
func factorials(from, step, n int, alternate bool) []float64 {
	out := make([]float64, n)
	for i := range out {
		f := 1.0
		for k := 2; k <= from+i*step; k++ {
			f *= float64(k)
		}
		if out[i] = 1 / f; alternate && i%2 == 1 {
			out[i] = -out[i]
		}
	}
	return out
}

// expReduce64 writes x as n ln2 + r; t is n + magic64.
func (b *B) expReduce64(x *val) (r, n, t *val) {
	t = b.Fma(x, b.D(log2e64), b.D(magic64))
	n = b.Sub(t, b.D(magic64))
	r = b.Fnma(n, b.D(ln2Hi), x)
	return b.Fnma(n, b.D(ln2Lo), r), n, t
}

// expRest64 is e^r - 1 for |r| <= ln2/2.
func (b *B) expRest64(r *val) *val {
	return b.Fma(b.Mul(r, r), b.Horner64(r, factorials(2, 1, 12, false)), r)
}

// pow2 is 2^n of t = n + magic64, for normal results.
func (b *B) pow2(t *val) *val {
	return b.Float(b.Add(b.Shl(b.Bits(t), 52), b.L(one64)))
}

// exp64 is e^x; two factors, of which only the second can round, reach the subnormals.
func exp64(b *B, x *val) *val {
	x = b.Max(b.D(-746), b.Min(b.D(710), x))
	r, n, _ := b.expReduce64(x)
	v := b.Add(b.expRest64(r), b.D(1))
	h := b.Fma(n, b.D(0.5), b.D(magic64))
	l := b.Add(b.Sub(n, b.Sub(h, b.D(magic64))), b.D(magic64))
	return b.Mul(b.Mul(v, b.pow2(h)), b.pow2(l))
}

// expm1of64 is e^x - 1 for 0 <= x <= 40.
func (b *B) expm1of64(x *val) *val {
	r, _, t := b.expReduce64(x)
	s := b.pow2(t)
	return b.Fma(s, b.expRest64(r), b.Sub(s, b.D(1)))
}

func (b *B) abs64(x *val) *val { return b.Float(b.And(b.Bits(x), b.L(math.MaxInt64))) }

// withSign gives y, which is positive, the sign of x.
func (b *B) withSign(y, x *val) *val {
	return b.Float(b.Or(b.Bits(y), b.And(b.Bits(x), b.L(math.MinInt64))))
}

// tanh64 is m/(m+2) with m = e^2x - 1. What the sum and the quotient lost is put back; there 1/(m+2) is (1-y)/2.
func tanh64(b *B, x *val) *val {
	a := b.Min(b.D(19.5), b.abs64(x))
	m := b.expm1of64(b.Add(a, a))
	d := b.Add(m, b.D(2))
	y := b.Div(m, d)
	rest := b.Sel(b.Lt(m, b.D(2)), b.Sub(m, b.Sub(d, b.D(2))), b.Sub(b.D(2), b.Sub(d, m)))
	lost := b.Fnma(y, rest, b.Fnma(y, d, m))
	y = b.Min(b.D(1), b.Fma(lost, b.Fnma(y, b.D(0.5), b.D(0.5)), y))
	return b.withSign(y, x)
}

func sigmoid64(b *B, x *val) *val {
	a := b.Float(b.Or(b.Bits(x), b.L(math.MinInt64))) // -|x|
	e := exp64(b, a)
	return b.Div(b.Sel(b.Lt(x, b.D(0)), e, b.D(1)), b.Add(e, b.D(1)))
}

// log64 splits x = 2^k (1+f) with √½ <= 1+f < √2; with s = f/(2+f), log(1+f) = 2 artanh s.
func log64(b *B, x *val) *val {
	small := b.Lt(x, b.D(0x1p-1022))
	y := b.Bits(b.Sel(small, b.Mul(x, b.D(0x1p54)), x))
	k := b.Srl(b.Add(y, b.L(one64-sqrtHalf)), 52) // with 1023 added
	f := b.Sub(b.Float(b.Add(b.Sub(y, b.Shl(k, 52)), b.L(one64))), b.D(1))
	e := b.Sub(b.Float(b.Or(k, b.L(0x4330000000000000))), b.D(0x1p52+1023))
	e = b.Sub(e, b.Sel(small, b.D(54), b.D(0)))
	s := b.Div(f, b.Add(f, b.D(2)))
	z := b.Mul(s, s)
	series := make([]float64, 11)
	for i := range series {
		series[i] = 2 / float64(2*i+3)
	}
	r := b.Mul(z, b.Horner64(z, series))
	half := b.Mul(b.Mul(f, f), b.D(0.5))
	low := b.Fma(s, b.Add(half, r), b.Mul(e, b.D(ln2ShortLo)))
	v := b.Fma(e, b.D(ln2Short), b.Sub(f, b.Sub(half, low)))
	inf := b.Float(b.L(0x7ff0000000000000))
	v = b.Sel(b.Lt(x, inf), v, x)
	v = b.Sel(b.Lt(x, b.D(0)), b.Float(b.L(0x7ff8000000000000)), v)
	return b.Sel(b.Eq(x, b.D(0)), b.D(math.Inf(-1)), v)
}

func sincos64(add int64) func(b *B, x *val) *val {
	return func(b *B, x *val) *val {
		b.Stop(b.Gt(b.abs64(x), b.D(trigLimit64)))
		t := b.Fma(x, b.D(2/math.Pi), b.D(magic64))
		n := b.Sub(t, b.D(magic64))
		r := b.Fnma(n, b.D(pio2a64), x)
		r = b.Fnma(n, b.D(pio2b64), r)
		r = b.Fnma(n, b.D(pio2c64), r)
		q := b.Bits(t)
		if add != 0 {
			q = b.Add(q, b.L(add))
		}
		s := b.Mul(r, r)
		odd := factorials(3, 2, 8, true)
		for i := range odd {
			odd[i] = -odd[i]
		}
		sin := b.Fma(b.Mul(r, s), b.Horner64(s, odd), r)
		cos := b.Fma(b.Mul(s, s), b.Horner64(s, factorials(4, 2, 8, true)), b.Fma(s, b.D(-0.5), b.D(1)))
		y := b.Sel(b.Eq(b.And(q, b.L(1)), b.L(0)), sin, cos)
		y = b.Float(b.Xor(b.Bits(y), b.Shl(b.And(q, b.L(2)), 62)))
		if add == 0 {
			y = b.Sel(b.Eq(x, b.D(0)), x, y) // -0 stays
		}
		return y
	}
}

func double() []*kernel {
	sin := unary64("SinF64", "sin64", "sets z[i] = sin(x[i]).", sincos64(0))
	cos := unary64("CosF64", "cos64", "sets z[i] = cos(x[i]).", sincos64(1))
	sin.stops, cos.stops = true, true
	sin.slow, cos.slow = "math.Sin", "math.Cos"
	return []*kernel{
		unary64("ExpF64", "exp64", "sets z[i] = e^x[i].", exp64),
		unary64("LogF64", "log64", "sets z[i] = log(x[i]).", log64),
		unary64("TanhF64", "tanh64", "sets z[i] = tanh(x[i]).", tanh64),
		unary64("SigmoidF64", "sigmoid64", "sets z[i] = 1 / (1 + e^-x[i]).", sigmoid64),
		sin, cos,
	}
}
