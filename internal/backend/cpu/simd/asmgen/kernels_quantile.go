package main

import "math"

// The quantile of the normal distribution and the inverse error function of float32: both are x = 2p-1 times a slow function of
// w = -log(1-x²), a polynomial in w up to quantileNear, others in √w beyond. Vectors with no element beyond have a path of their own.
const quantileNear = 5

// quantile is one of the two functions: 1-x² of its argument, x, and the polynomials: up to quantileNear, up to 16, and beyond where
// that can be. There products can be subnormal.
type quantile struct {
	product             func(b *B, v *val) *val
	of                  func(b *B, v *val) *val
	near, far, farthest []float32
}

func quantiles() []*kernel {
	erfinv := quantile{func(b *B, x *val) *val { return b.Fnma(x, x, b.C(1)) }, func(_ *B, x *val) *val { return x },
		coefErfinvNear, coefErfinvFar, nil}
	ndtri := quantile{func(b *B, p *val) *val { return b.Mul(b.Fnma(p, p, p), b.C(4)) },
		func(b *B, p *val) *val { return b.Fma(p, b.C(2), b.C(-1)) }, coefNdtriNear, coefNdtriFar, coefNdtriFarthest}
	return []*kernel{
		erfinv.kernel("ErfinvF32", "erfinv", "sets z[i] = the inverse of the error function at x[i]."),
		ndtri.kernel("NdtriF32", "ndtri", "sets z[i] = the quantile of the normal distribution at x[i]."),
	}
}

func (q quantile) kernel(name, scalar, doc string) *kernel {
	limit := float32(math.Exp(-quantileNear))
	k := unary(name, scalar+"1", doc, func(b *B, v *val) *val {
		u := q.product(b, v)
		b.Stop(b.NotGe(u, b.C(limit)))
		return q.inside(b, u).times(b, q.of(b, v))
	})
	k.slow = scalar + "Far1"
	k.rare = func(b *B) {
		v := b.X("x")
		u, x := q.product(b, v), q.of(b, v)
		y := q.outside(b, u)
		if b.tgt != goTwin {
			near, in := b.Ge(u, b.C(limit)), q.inside(b, b.Max(b.C(limit), u))
			y = factor{b.Sel(near, in.most, y.most), b.Sel(near, in.rest, y.rest)}
		}
		z := b.Sel(b.Eq(u, b.C(0)), b.Float(b.Or(b.Sign(x), inf(b))), y.times(b, x))
		b.Z(b.Sel(b.NotGe(u, b.C(0)), b.Float(b.I(0x7fc00000)), z))
	}
	return k
}

// factor is the slow function: the first coefficient, and the rest of the polynomial with what that lost in rounding.
type factor struct{ most, rest *val }

func (f factor) times(b *B, x *val) *val { return b.Fma(x, f.most, b.Mul(x, f.rest)) }

// factor is the polynomial of d with the coefficients c, the first of which is in two parts.
func (b *B) factor(d *val, c []float32) factor {
	return factor{b.C(c[0]), b.Fma(b.Horner(d, c[2:]), d, b.C(c[1]))}
}

// plusLog is c + e ln2 + log(1+f) with u = 2^e (1+f) and 3/4 <= 1+f < 3/2, negated; u is normal, and add is added to e.
func (b *B) plusLog(u *val, c float32, add *val) *val {
	k := b.Sra(b.Sub(b.Bits(u), b.I(threeQuarters)), 23)
	f := b.Sub(b.Float(b.Sub(b.Bits(u), b.Shl(k, 23))), b.C(1))
	e := b.ToF(k)
	if add != nil {
		e = b.Add(e, add)
	}
	return b.Sub(b.Fnma(e, b.C(ln2), b.C(c)), b.Add(f, b.logPoly(f)))
}

func (q quantile) inside(b *B, u *val) factor {
	return b.factor(b.plusLog(u, -1, nil), q.near)
}

func (q quantile) outside(b *B, u *val) factor {
	var add *val
	if q.farthest != nil {
		small := b.Lt(u, b.C(0x1p-64))
		u = b.Sel(small, b.Mul(u, b.C(0x1p96)), u)
		add = b.Sel(small, b.C(-96), b.C(0))
	}
	r := b.Sqrt(b.plusLog(b.Max(b.C(0x1p-126), u), 0, add))
	y := b.factor(b.Sub(r, b.C(3)), q.far)
	if q.farthest == nil {
		return y
	}
	z, in := b.factor(b.Sub(r, b.C(7)), q.farthest), b.Le(r, b.C(4))
	return factor{b.Sel(in, y.most, z.most), b.Sel(in, y.rest, z.rest)}
}
