package main

import "math"

// polynomials are the steps of package special's recurrence of orthogonal polynomials, in which every number has a second one with what
// roundings took from it, and sin(πx)/πx.
func polynomials() []*kernel {
	f64s := func(names ...string) (ps []param) {
		for _, n := range names {
			ps = append(ps, param{n, "float64"})
		}
		return ps
	}
	line := func(b *B) pair { // a·x + b
		p := b.twoMul(b.Scalar("a", f64), b.Load("x", f64, ""))
		s := b.twoSum(p.hi, b.Scalar("b", f64))
		return b.quickSum(s.hi, b.Add(s.lo, p.lo))
	}
	load := func(b *B, name string) *val { return b.Load(name, f64, "") }
	ks := []*kernel{
		{name: "PolynomialLineF64", doc: "PolynomialLineF64 sets z[i] + v[i] = a·x[i] + b.", lane: 8, slices: f64s("z", "v", "x"),
			scalars: f64s("a", "b"), body: func(b *B) {
				p := line(b)
				b.Store("z", p.hi, "")
				b.Store("v", p.lo, "")
			}},
		{name: "ChebyshevStepF64", doc: "ChebyshevStepF64 sets z[i] + q[i] = (w[i] + v[i])·(now[i] + lost[i]) - (z[i] + q[i]).", lane: 8,
			slices: f64s("z", "q", "now", "lost", "w", "v"), body: func(b *B) {
				w, now := load(b, "w"), load(b, "now")
				t := b.twoMul(w, now)
				s := b.twoSum(t.hi, b.negated(load(b, "z")))
				rest := b.Fma(load(b, "v"), now, b.Add(t.lo, s.lo))
				rest = b.Sub(b.Fma(w, load(b, "lost"), rest), load(b, "q"))
				b.Store("z", s.hi, "")
				b.Store("q", rest, "")
			}},
		{name: "PolynomialStepF64", lane: 8, slices: f64s("z", "q", "now", "lost", "x"), scalars: f64s("a", "b", "c", "d", "r"),
			doc: "PolynomialStepF64 sets z[i] + q[i] = ((a·x[i] + b)·(now[i] + lost[i]) - c·(z[i] + q[i]))/d, r being 1/d.",
			body: func(b *B) {
				w, now, c := line(b), load(b, "now"), b.Scalar("c", f64)
				t, u := b.twoMul(w.hi, now), b.twoMul(c, load(b, "z"))
				s := b.twoSum(t.hi, b.negated(u.hi))
				rest := b.Fma(w.lo, now, b.Add(b.Sub(t.lo, u.lo), s.lo))
				rest = b.Fnma(c, load(b, "q"), b.Fma(w.hi, load(b, "lost"), rest))
				r := b.Scalar("r", f64)
				next := b.Mul(s.hi, r)
				b.Store("z", next, "")
				b.Store("q", b.Mul(b.Add(rest, b.Fnma(next, b.Scalar("d", f64), s.hi)), r), "")
			}},
	}
	for _, d := range precisions {
		ks = append(ks, elementaryKernel(d, "Sinc", "sin(π x[i])/(π x[i])", 1, func(b *B, x, _ *val) *val { return d.sinc(b, x) }))
	}
	return ks
}

// sinc takes the sine of the distance from the nearest whole number, which is exact: near the zeros no digit is lost.
func (d precision) sinc(b *B, x *val) *val {
	n := b.Round(x, toNearest)
	off := b.Sub(x, n)
	half := b.Mul(n, b.D(0.5))
	odd := b.Eq(b.Round(half, toNearest), half)
	q := b.Mul(off, off)
	coef := coefSinPi
	if !d.full {
		coef = coef[:8]
	}
	v := b.Div(b.Mul(off, b.split64(q, coef)), b.Mul(x, b.D(math.Pi)))
	v = b.Sel(odd, v, b.negated(v))
	return b.Sel(b.Eq(x, b.D(0)), b.D(1), v)
}
