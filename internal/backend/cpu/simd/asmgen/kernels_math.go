package main

import "math"

// Constants that are split so that the parts add up to more than 24 bits.
const (
	magic  = 0x1.8p23 // adding it rounds to an integer, which is in the low bits
	log2e  = 0x1.715476p+0
	log2eL = 0x1.4ae0cp-26
	ln2    = 0x1.62e43p-1
	ln2L   = -0x1.05c61p-29
	// The same with both parts positive: infinity times either then has the same sign.
	ln2Down, ln2DownL = 0x1.62e42ep-1, 0x1.efa39ep-25
	threeQuarters     = 0x3f400000 // bits
)

func unary(name, scalar, doc string, f func(b *B, x *val) *val) *kernel {
	return &kernel{name: name, scalar: scalar, doc: name + " " + doc, lane: 4, slices: slices2("float32"),
		body: func(b *B) { b.Z(f(b, b.X("x"))) }}
}

// power is 2^n as the rounded sum t = n + magic, and as a float; s is 2^(n+40) once it was needed.
type power struct{ t, n, s *val }

// expReduce writes x as n ln2 + r with |r| <= ln2/2.
func (b *B) expReduce(x *val) (r *val, p power) {
	p.t = b.Fma(x, b.C(log2e), b.C(magic))
	p.n = b.Sub(p.t, b.C(magic))
	r = b.Fnma(p.n, b.C(ln2), x)
	return b.Fnma(p.n, b.C(ln2L), r), p
}

// expPoly is e^r.
func (b *B) expPoly(r *val) *val {
	q := b.Fma(b.Horner(r, coefExp), r, b.C(1))
	return b.Fma(q, r, b.C(1))
}

// expRest is e^r - 1 to the accuracy that e^r needs. The terms are joined in pairs,
// which makes the chain of dependent operations a third shorter than Horner's.
func (b *B) expRest(r *val) *val {
	c := coefExp
	s := b.Mul(r, r)
	lo := b.Fma(b.C(c[1]), r, b.C(c[0]))
	hi := b.Fma(b.C(c[3]), r, b.C(c[2]))
	hi = b.Fma(b.C(c[4]), s, hi)
	return b.Fma(b.Fma(hi, s, lo), s, r)
}

// ldexp is v 2^n, rounded once also where it is subnormal, for |n| < 250. Without
// VSCALEF it takes two factors, of which only the second can round.
func (b *B) ldexp(v *val, p power) *val {
	if b.tgt == avx512 {
		return b.op2("scalef", v, p.n)
	}
	i := b.Sub(b.Bits(p.t), b.I(int32(math.Float32bits(magic))))
	h := b.Sra(i, 1)
	l := b.Sub(i, h)
	one := b.I(0x3f800000)
	v = b.Mul(v, b.Float(b.Add(b.Shl(h, 23), one)))
	return b.Mul(v, b.Float(b.Add(b.Shl(l, 23), one)))
}

// ldexpNormal is the same for -126 <= n <= 127.
func (b *B) ldexpNormal(v *val, p power) *val {
	if b.tgt == avx512 {
		return b.op2("scalef", v, p.n)
	}
	return b.Mul(v, b.Float(b.Add(b.Shl(b.Bits(p.t), 23), b.I(0x3f800000))))
}

// ldexpDown is the same as ldexp for -166 <= n <= 0, and cheaper where it is used twice.
func (b *B) ldexpDown(v *val, p *power) *val {
	if b.tgt == avx512 {
		return b.op2("scalef", v, p.n)
	}
	if p.s == nil {
		p.s = b.Float(b.Add(b.Shl(b.Bits(p.t), 23), b.I((127+40)<<23)))
	}
	return b.Mul(b.Mul(v, p.s), b.C(0x1p-40))
}

// sixteenths is the constant whose sum with x rounds to a multiple of 1/16.
const sixteenths = 0x1.8p19

// expMasked is exp where many x may be -Inf, as scores that a mask leaves out are: their power is not computed, since one below
// the smallest number takes the processor a hundred times as long as another.
func (b *B) expMasked(x *val) *val {
	far := b.Lt(x, b.C(-104))
	return b.Sel(far, b.C(0), b.exp(b.Sel(far, b.C(0), x)))
}

// exp is e^x = 2^n 2^(i/16) e^r, where the second factor is looked up, so that e^r needs few terms. The bounds are where
// the result has become infinity or zero; the order of arguments lets NaN through.
func (b *B) exp(x *val) *val {
	x = b.Max(b.C(-104), b.Min(b.C(89), x))
	t := b.Fma(x, b.C(log2e), b.C(sixteenths))
	n := b.Sub(t, b.C(sixteenths))
	r := b.Fnma(n, b.C(ln2), x)
	r = b.Fnma(n, b.C(ln2L), r)
	row := make([]float32, 16)
	for i := range row {
		row[i] = float32(math.Exp2(float64(i) / 16))
	}
	s := b.Lookup16(b.Bits(t))(row)
	q := b.Fma(b.Fma(b.C(1.0/6), r, b.C(0.5)), r, b.C(1))
	v := b.Fma(q, b.Mul(s, r), s)
	if b.tgt == avx512 {
		return b.op2("scalef", v, n) // it rounds n down
	}
	k := b.Sra(b.Sub(b.Bits(t), b.I(int32(math.Float32bits(sixteenths)))), 4)
	h := b.Sra(k, 1)
	one := b.I(0x3f800000)
	v = b.Mul(v, b.Float(b.Add(b.Shl(h, 23), one)))
	return b.Mul(v, b.Float(b.Add(b.Shl(b.Sub(k, h), 23), one)))
}

func expFamily() []*kernel {
	return []*kernel{
		unary("ExpF32", "exp1", "sets z[i] = e^x[i].", (*B).exp),
		unary("Exp2F32", "exp21", "sets z[i] = 2^x[i].", func(b *B, x *val) *val {
			x = b.Max(b.C(-151), b.Min(b.C(129), x))
			t := b.Add(x, b.C(magic))
			n := b.Sub(t, b.C(magic))
			r := b.Sub(x, n)
			return b.ldexp(b.Fma(b.Horner(r, coefExp2), r, b.C(1)), power{t: t, n: n})
		}),
		unary("Expm1F32", "expm11", "sets z[i] = e^x[i] - 1.", expm1),
		{name: "SoftmaxBackF32",
			doc: "SoftmaxBackF32 sets z[i] = e^(a z[i] - b), the weights of a softmax from its scores, and d[i] = c z[i] (d[i] - s), " +
				"the cotangents of scores from those of weights.",
			lane: 4, slices: []param{{"z", "float32"}, {"d", "float32"}},
			scalars: []param{{"a", "float32"}, {"b", "float32"}, {"s", "float32"}, {"c", "float32"}},
			body: func(b *B) {
				p := b.expMasked(b.Fms(b.X("z"), b.Scalar("a", f32), b.Scalar("b", f32)))
				d := b.Mul(b.Sub(b.X("d"), b.Scalar("s", f32)), p)
				b.Store("d", b.Mul(d, b.Scalar("c", f32)), "")
				b.Z(p)
			}},
	}
}

// expm1 is 2^n (e^r - 1) + (2^n - 1), with 2^n halved so that it does not overflow.
func expm1(b *B, x *val) *val {
	c := b.Max(b.C(-30), b.Min(b.C(89), x))
	r, p := b.expReduce(c)
	q := b.Fma(b.Mul(r, r), b.Horner(r, coefExpm1), r)
	s := b.Float(b.Add(b.Shl(b.Bits(p.t), 23), b.I(0x3f000000)))
	y := b.Fma(q, s, b.Sub(s, b.C(0.5)))
	y = b.Add(y, y)
	y = b.Sel(b.Eq(p.n, b.C(0)), q, y) // halving would round subnormals
	return b.Float(b.Or(b.Bits(y), b.Sign(x)))
}

func inf(b *B) *val { return b.I(0x7f800000) }

// logMantissa splits x = 2^e (1+f) with 3/4 <= 1+f < 3/2; e is returned as a float.
// The instructions of AVX-512 also give NaN for x < 0, and an infinite e with f = 0
// for x = 0 and +Inf, so that no special cases are left.
func (b *B) logMantissa(x *val) (f, e *val) {
	if b.tgt == avx512 {
		m := b.op1("getmant", f32, 11, x)
		e = b.Sub(b.op1("getexp", f32, 0, x), b.op1("getexp", f32, 0, m))
		return b.Sub(m, b.C(1)), e
	}
	small := b.Lt(x, b.C(0x1p-126))
	y := b.Sel(small, b.Mul(x, b.C(0x1p23)), x)
	fix := b.Sel(small, b.C(-23), b.C(0))
	k := b.Sra(b.Sub(b.Bits(y), b.I(threeQuarters)), 23)
	m := b.Float(b.Sub(b.Bits(y), b.Shl(k, 23)))
	return b.Sub(m, b.C(1)), b.Add(b.ToF(k), fix)
}

// logPoly is log(1+f) - f.
func (b *B) logPoly(f *val) *val {
	u := b.Fma(f, b.Horner(f, coefLog), b.C(-0.5))
	return b.Mul(b.Mul(f, f), u)
}

// logSpecial puts NaN below zero, -Inf at zero and x itself at +Inf and NaN, where
// zero is the pole of the function.
func (b *B) logSpecial(x, y *val, zero float32) *val {
	y = b.Sel(b.Lt(x, b.Float(inf(b))), y, x)
	y = b.Sel(b.Lt(x, b.C(zero)), b.Float(b.I(0x7fc00000)), y)
	return b.Sel(b.Eq(x, b.C(zero)), b.C(float32(math.Inf(-1))), y)
}

// logEnd puts in the special values that logMantissa did not take care of.
func (b *B) logEnd(x, y *val) *val {
	if b.tgt == avx512 {
		return y
	}
	return b.logSpecial(x, y, 0)
}

func logFamily() []*kernel {
	return []*kernel{
		unary("LogF32", "log1", "sets z[i] = log(x[i]).", func(b *B, x *val) *val {
			f, e := b.logMantissa(x)
			v := b.Fma(e, b.C(ln2DownL), b.logPoly(f))
			return b.logEnd(x, b.Fma(e, b.C(ln2Down), b.Add(f, v)))
		}),
		unary("Log2F32", "log21", "sets z[i] = log2(x[i]).", func(b *B, x *val) *val {
			f, e := b.logMantissa(x)
			v := b.Mul(b.logPoly(f), b.C(log2e))
			v = b.Fma(f, b.C(log2eL), v)
			v = b.Fma(f, b.C(log2e), v)
			return b.logEnd(x, b.Add(v, e))
		}),
		unary("Log1pF32", "log1p1", "sets z[i] = log(1 + x[i]).", log1p),
	}
}

// log1p splits 1+x = 2^k (1+f) where f = 2^-k x + (2^-k - 1) is rounded once, so
// that small x lose nothing.
func log1p(b *B, x *val) *val {
	u := b.Add(x, b.C(1))
	k := b.Sra(b.Sub(b.Bits(u), b.I(threeQuarters)), 23)
	ks := b.Shl(k, 23)
	s4 := b.Float(b.Sub(b.I(0x40800000), ks)) // 4 2^-k is normal where 2^-k is not
	t := b.Fma(s4, b.C(0.25), b.C(-1))
	f := b.Add(b.Float(b.Sub(b.Bits(x), ks)), t)
	e := b.ToF(k)
	v := b.Fma(e, b.C(ln2L), b.logPoly(f))
	y := b.Fma(e, b.C(ln2), b.Add(f, v))
	y = b.Float(b.Or(b.Bits(y), b.Sign(x))) // -0 stays
	return b.logSpecial(x, y, -1)
}

const (
	pio2a = 0x1.921fb6p+0
	pio2b = -0x1.777a5cp-25
	pio2c = -0x1.ee59dap-50
	// trigLimit is the largest argument for which three parts of pi/2 are enough.
	trigLimit = 0x1p15
)

func trig() []*kernel {
	sincos := func(add int32) func(b *B, x *val) *val {
		return func(b *B, x *val) *val {
			b.Stop(b.Gt(b.Abs(x), b.C(trigLimit)))
			t := b.Fma(x, b.C(2/math.Pi), b.C(magic))
			n := b.Sub(t, b.C(magic))
			r := b.Fnma(n, b.C(pio2a), x)
			r = b.Fnma(n, b.C(pio2b), r)
			r = b.Fnma(n, b.C(pio2c), r)
			q := b.Bits(t)
			if add != 0 {
				q = b.Add(q, b.I(add))
			}
			s := b.Mul(r, r)
			sin := b.Fma(b.Mul(r, s), b.Horner(s, coefSin), r)
			cos := b.Fma(b.Mul(s, s), b.Horner(s, coefCos), b.Fma(s, b.C(-0.5), b.C(1)))
			y := b.Sel(b.Eq(b.And(q, b.I(1)), b.I(0)), sin, cos)
			y = b.Float(b.Xor(b.Bits(y), b.Shl(b.And(q, b.I(2)), 30)))
			if add == 0 {
				y = b.Sel(b.Eq(x, b.C(0)), x, y) // -0 stays
			}
			return y
		}
	}
	s := unary("SinF32", "sin1", "sets z[i] = sin(x[i]).", sincos(0))
	c := unary("CosF32", "cos1", "sets z[i] = cos(x[i]).", sincos(1))
	s.stops, c.stops = true, true
	s.slow, c.slow = "sinHuge", "cosHuge"
	return []*kernel{s, c}
}

func reductions() []*kernel {
	x := []param{{"x", "float32"}}
	halfAndFloat := []param{{"x", "uint16"}, {"y", "float32"}}
	lanes := []acc{{name: "sum", op: "add", typ: "float32", lanes: true}}
	ext := func(op string, init uint64) []acc {
		return []acc{{name: "m", op: op, typ: "float32", lanes: true, init: init}, {name: "top", op: "imax", typ: "int32"}}
	}
	extBody := func(op string) func(b *B) {
		return func(b *B) {
			v := b.X("x")
			b.Acc("top", "imax", b.And(b.Bits(v), b.I(math.MaxInt32)))
			b.Acc("m", op, v)
		}
	}
	return []*kernel{
		{name: "SumF32", handWritten: true, lane: 4, slices: x, accs: lanes, body: func(b *B) { b.Acc("sum", "add", b.X("x")) }},
		{name: "SumSqF32", handWritten: true, lane: 4, slices: x, accs: lanes,
			body: func(b *B) { v := b.X("x"); b.Acc("sum", "add", b.Mul(v, v)) }},
		{name: "DotF32", handWritten: true, lane: 4, slices: []param{{"x", "float32"}, {"y", "float32"}}, accs: lanes,
			body: func(b *B) { v := b.X("x"); b.Acc("sum", "add", b.Mul(v, b.X("y"))) }},
		{name: "DotF64", handWritten: true, fullGroups: true, lane: 8, slices: []param{{"x", "float64"}, {"y", "float64"}},
			accs: []acc{{name: "sum", op: "add", typ: "float64", lanes: true}},
			body: func(b *B) { v := b.Load("x", f64, ""); b.Acc("sum", "add", b.Mul(v, b.Load("y", f64, ""))) }},
		{name: "SumF64", handWritten: true, fullGroups: true, lane: 8, slices: []param{{"x", "float64"}},
			accs: []acc{{name: "sum", op: "add", typ: "float64", lanes: true}},
			body: func(b *B) { b.Acc("sum", "add", b.Load("x", f64, "")) }},
		{name: "DotBF16", handWritten: true, fullGroups: true, lane: 4, slices: halfAndFloat, accs: lanes,
			body: func(b *B) {
				v := b.Float(b.Shl(b.Load("x", i32, "u16"), 16))
				b.Acc("sum", "add", b.Mul(v, b.X("y")))
			}},
		{name: "DotF16", handWritten: true, fullGroups: true, lane: 4, slices: halfAndFloat, accs: lanes,
			body: func(b *B) { v := b.Load("x", f32, "f16"); b.Acc("sum", "add", b.Mul(v, b.X("y"))) }},
		{name: "SumBF16", handWritten: true, fullGroups: true, lane: 4, slices: halfAndFloat[:1], accs: lanes,
			body: func(b *B) { b.Acc("sum", "add", b.Float(b.Shl(b.Load("x", i32, "u16"), 16))) }},
		{name: "SumF16", handWritten: true, fullGroups: true, lane: 4, slices: halfAndFloat[:1], accs: lanes,
			body: func(b *B) { b.Acc("sum", "add", b.Load("x", f32, "f16")) }},
		{name: "MaxOfF32", handWritten: true, lane: 4, slices: x, accs: ext("max", 0xff800000), body: extBody("max")},
		{name: "MinOfF32", handWritten: true, lane: 4, slices: x, accs: ext("min", 0x7f800000), body: extBody("min")},
	}
}
