package main

import "math"

// power64 holds the power function, which is evaluated in float64: the logarithm
// must be good to more bits than a float32 has, and the range of the result then
// takes care of itself in the last conversion.
func power64() []*kernel {
	return []*kernel{{name: "PowF32", scalar: "pow1", lane: 8,
		doc:    "PowF32 sets z[i] = x[i]^y[i], with the special cases of math.Pow.",
		slices: slices3("float32"),
		body: func(b *B) {
			x, y := b.Load("x", f64, "f64f32"), b.Load("y", f64, "f64f32")
			b.Store("z", pow(b, x, y), "f32")
		}}}
}

// magic64 rounds to an integer, kept in the low bits.
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

	// A negative base: the sign follows an odd exponent, and other than integers give NaN.
	// From 2^24 on all floats are even, so larger exponents may be cut off.
	ay := b.Min(b.D(1<<30), b.Float(b.And(b.Bits(y), b.L(math.MaxInt64))))
	n := b.Add(ay, b.D(magic64))
	whole := b.Eq(b.Sub(n, b.D(magic64)), ay)
	sign := b.Sel(whole, b.And(b.Shl(b.Bits(n), 63), b.Bits(x)), b.L(0))
	z = b.Float(b.Or(b.Bits(z), sign))
	nan := b.D(math.NaN())
	bad := b.Sel(b.Lt(ax, inf), b.Sel(whole, z, nan), z)
	z = b.Sel(b.Lt(x, b.D(0)), bad, z)

	z = b.Sel(b.Unord(x, y), nan, z)
	z = b.Sel(b.Eq(x, b.D(1)), b.D(1), z)
	return b.Sel(b.Eq(y, b.D(0)), b.D(1), z)
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
