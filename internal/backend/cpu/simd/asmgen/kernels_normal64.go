package main

import (
	"math"
	"slices"
)

// The normal distribution and its kin in float64.
func normal64() []*kernel {
	d := precisions[1]
	erfcx := elementaryKernel(d, "Erfcx", "e^(x[i]²) erfc(x[i])", 1, func(b *B, x, _ *val) *val {
		b.Stop(b.Or(b.NotGe(x, b.D(-26)), b.NotGe(b.D(1e300), x)))
		return d.erfcxAll(b, x)
	})
	ndtri := elementaryKernel(d, "Ndtri", "the quantile of the normal distribution at x[i]", 1, func(b *B, p, _ *val) *val {
		least := b.Min(p, b.Sub(b.D(1), p))
		b.Stop(b.NotGe(least, b.D(2e-11)))
		return d.quantileOf(b, b.Fma(p, b.D(2), b.D(-1)), least, math.Sqrt2)
	})
	erfcinv := elementaryKernel(d, "Erfcinv", "the inverse of erfc at x[i]", 1, func(b *B, y, _ *val) *val {
		least := b.Mul(b.Min(y, b.Sub(b.D(2), y)), b.D(0.5))
		b.Stop(b.NotGe(least, b.D(2e-11)))
		return d.quantileOf(b, b.Sub(b.D(1), y), least, 1)
	})
	for k, name := range map[*kernel]string{erfcx: "erfcxFar64", ndtri: "ndtriFar64", erfcinv: "erfcinvFar64"} {
		k.stops, k.slow = true, name
	}
	return []*kernel{
		erfcx, ndtri, erfcinv,
		elementaryKernel(d, "Ndtr", "the normal distribution function at x[i]", 1, func(b *B, x, _ *val) *val {
			_, p := d.halfErfcx(b, x)
			return b.Sel(b.Lt(x, b.D(0)), p, b.Sub(b.D(1), p))
		}),
		elementaryKernel(d, "LogNdtr", "the logarithm of the normal distribution function at x[i]", 1, func(b *B, x, _ *val) *val {
			e, p := d.halfErfcx(b, x)
			below := b.Lt(x, b.D(0))
			u, c := onePlus(b, b.negated(p))
			v := b.logOf(d, b.Sel(below, e, u), b.Sel(below, b.D(0), c))
			v = b.Sel(below, b.Sub(v, b.Mul(b.Mul(x, x), b.D(0.5))), v)
			return b.Float(b.Or(b.Bits(v), b.L(math.MinInt64))) // -0 far above
		}),
		elementaryKernel(d, "LogAddExp2", "log2(2^x[i] + 2^y[i])", 2, func(b *B, x, y *val) *val {
			t := b.abs64(b.Sel(b.Eq(x, y), b.D(0), b.Sub(x, y))) // also of equal infinities
			t = b.negated(b.Min(b.D(1080), t))
			n := b.Round(t, toNearest)
			u, c := onePlus(b, b.ldexp64(b.Add(d.expRest(b, b.Mul(b.Sub(t, n), b.D(math.Ln2))), b.D(1)), n))
			return b.Add(b.Max(x, y), b.Mul(b.logOf(d, u, c), b.D(1/math.Ln2)))
		}),
	}
}

// scaledErfc is e^(x²) erfc(x) for 0 <= x <= 1e300.
func (d precision) scaledErfc(b *B, x *val) *val {
	g := b.Horner64(b.Div(b.Sub(x, b.D(3)), b.Add(x, b.D(3))), coefErfcxAll) // in two sums digits would be lost
	return b.Div(g, b.Fma(x, b.D(2), b.D(1)))
}

// erfcxAll is 2·e^(x²) - erfcx(-x) below 0; the square is carried in two parts, because e^ multiplies its error.
func (d precision) erfcxAll(b *B, x *val) *val {
	y := d.scaledErfc(b, b.abs64(x))
	in := b.Max(b.D(-27), b.Min(b.D(0), x))
	s := b.Mul(in, in)
	r, n, _ := b.expReduce64(s)
	e := b.ldexp64(b.Add(d.expRest(b, b.Add(r, b.Fms(in, in, s))), b.D(1)), b.Add(n, b.D(1)))
	return b.Sel(b.Lt(x, b.D(0)), b.Sub(e, y), y)
}

// halfErfcx gives erfcx(t)/2 for t = |x|/√2, and e^(-x²/2) times it.
func (d precision) halfErfcx(b *B, x *val) (e, p *val) {
	a := b.Min(b.D(1e100), b.abs64(x))
	e = b.Mul(d.scaledErfc(b, b.Mul(a, b.D(math.Sqrt2/2))), b.D(0.5))
	in := b.Min(b.D(40), a)
	q := b.Mul(in, in)
	r, n, _ := b.expReduce64(b.Mul(q, b.D(-0.5)))
	r = b.Fnma(b.Fms(in, in, q), b.D(0.5), r)
	p = b.ldexp64(b.Fma(e, d.expRest(b, r), e), n)
	return e, b.Sel(b.Unord(x, x), x, p)
}

// quantileOf is the inverse error function at x, with least = (1-|x|)/2, times a factor.
func (d precision) quantileOf(b *B, x, least *val, factor float64) *val {
	times := func(c []float64) []float64 {
		c = slices.Clone(c)
		for i := range c {
			c[i] *= factor
		}
		return c
	}
	a := b.abs64(x)
	mid := b.Le(a, b.D(0.85))
	near := b.Fnma(b.Mul(x, b.D(0.25)), x, b.D(0.180625))
	tail := b.Sub(b.Sqrt(b.negated(d.logInside(b, least))), b.D(1.6))
	up := b.Sel(mid, b.Mul(a, b.Horner64(near, times(nearUp))), b.Horner64(tail, times(tailUp)))
	down := b.Sel(mid, b.Horner64(near, nearDown), b.Horner64(tail, tailDown))
	return b.withSign(b.Div(up, down), x)
}
