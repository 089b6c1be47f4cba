package main

import "math"

// predicates are comparisons with a fixed value, and comparisons of two slices for the types that compare() does not cover;
// results are bytes 0 and 1.
func predicates() []*kernel {
	var ks []*kernel
	add := func(name, doc string, lane int, in []param, body func(b *B)) {
		ks = append(ks, &kernel{name: name, doc: name + " sets z[i] = " + doc + ".", lane: lane,
			slices: append([]param{{"z", "uint8"}}, in...), body: body})
	}
	for _, e := range elems {
		load := func(b *B, n string) *val { return b.Load(n, e.t, "") }
		one, two := []param{{"x", e.goType}}, []param{{"x", e.goType}, {"y", e.goType}}
		float := e.t == f32 || e.t == f64
		zero := func(b *B) *val {
			switch e.t {
			case f64:
				return b.D(0)
			case i32:
				return b.I(0)
			case i64:
				return b.L(0)
			}
			return b.C(0)
		}
		if e.t != f32 {
			add("Lt"+e.suffix, "1 where x[i] < y[i], else 0", e.t.size(), two, func(b *B) {
				x := load(b, "x")
				b.StoreBool("z", b.Gt(load(b, "y"), x))
			})
			add("Eq"+e.suffix, "1 where x[i] == y[i], else 0", e.t.size(), two, func(b *B) {
				x := load(b, "x")
				b.StoreBool("z", b.Eq(x, load(b, "y")))
			})
			add("Ne"+e.suffix, "1 where x[i] != y[i], else 0", e.t.size(), two, func(b *B) {
				x := load(b, "x")
				b.StoreNot("z", b.Eq(x, load(b, "y")))
			})
			add("Le"+e.suffix, "1 where x[i] <= y[i], else 0", e.t.size(), two, func(b *B) {
				x, y := load(b, "x"), load(b, "y")
				if float {
					b.StoreBool("z", b.Ge(y, x))
				} else {
					b.StoreNot("z", b.Gt(x, y))
				}
			})
		}
		add("Zero"+e.suffix, "1 where x[i] is 0, else 0", e.t.size(), one, func(b *B) { b.StoreBool("z", b.Eq(load(b, "x"), zero(b))) })
		add("Nonzero"+e.suffix, "0 where x[i] is 0, else 1", e.t.size(), one, func(b *B) { b.StoreNot("z", b.Eq(load(b, "x"), zero(b))) })
		add("Both"+e.suffix, "1 where neither x[i] nor y[i] is 0, else 0", e.t.size(), two, func(b *B) {
			x, y := load(b, "x"), load(b, "y")
			b.StoreNot("z", b.Or(b.Eq(x, zero(b)), b.Eq(y, zero(b))))
		})
		add("Either"+e.suffix, "0 where both x[i] and y[i] are 0, else 1", e.t.size(), two, func(b *B) {
			x, y := load(b, "x"), load(b, "y")
			b.StoreNot("z", b.And(b.Eq(x, zero(b)), b.Eq(y, zero(b))))
		})
		if !float {
			continue
		}
		magnitude := func(b *B) *val { return b.Float(b.And(b.Bits(load(b, "x")), b.magnitude(e.t))) }
		inf := func(b *B) *val {
			if e.t == f64 {
				return b.D(math.Inf(1))
			}
			return b.C(float32(math.Inf(1)))
		}
		add("IsNaN"+e.suffix, "1 where x[i] is NaN, else 0", e.t.size(), one,
			func(b *B) { x := load(b, "x"); b.StoreBool("z", b.Unord(x, x)) })
		add("IsInf"+e.suffix, "1 where x[i] is infinite, else 0", e.t.size(), one,
			func(b *B) { b.StoreBool("z", b.Eq(magnitude(b), inf(b))) })
		add("IsFinite"+e.suffix, "1 where x[i] is finite, else 0", e.t.size(), one,
			func(b *B) { b.StoreBool("z", b.Lt(magnitude(b), inf(b))) })
	}
	return append(ks, wheres()...)
}

// wheres are WhereF32 for elements of eight bytes; smallInts has those of one and two.
func wheres() []*kernel {
	where := func(name, typ string, lane int, load func(b *B, n string) *val, mem string) *kernel {
		return &kernel{name: name, lane: lane, slices: []param{{"z", typ}, {"m", "uint8"}, {"x", typ}, {"y", typ}},
			doc: name + " sets z[i] = m[i] != 0 ? x[i] : y[i].",
			body: func(b *B) {
				m := b.Load("m", mask, "bool")
				x, y := load(b, "x"), load(b, "y")
				b.Store("z", b.Sel(m, x, y), mem)
			}}
	}
	return []*kernel{
		where("WhereF64", "float64", 8, func(b *B, n string) *val { return b.Load(n, f64, "") }, ""),
	}
}

// rounding are kernels on bits and signs: rounding to an integer, signs, bit operations of integers, and the extrema that
// ignore NaN.
func rounding() []*kernel {
	var ks []*kernel
	for _, e := range elems {
		load := func(b *B, n string) *val { return b.Load(n, e.t, "") }
		un := func(name, doc string, op func(b *B, x *val) *val) {
			ks = append(ks, &kernel{name: name + e.suffix, lane: e.t.size(), slices: slices2(e.goType),
				doc: name + e.suffix + " sets z[i] = " + doc + ".", body: func(b *B) { b.Z(op(b, load(b, "x"))) }})
		}
		bin := func(name, doc string, op func(b *B, x, y *val) *val) {
			ks = append(ks, &kernel{name: name + e.suffix, lane: e.t.size(), slices: slices3(e.goType),
				doc:  name + e.suffix + " sets z[i] = " + doc + ".",
				body: func(b *B) { x := load(b, "x"); b.Z(op(b, x, load(b, "y"))) }})
		}
		num := func(b *B, v int) *val {
			switch e.t {
			case f64:
				return b.D(float64(v))
			case i32:
				return b.I(int32(v))
			case i64:
				return b.L(int64(v))
			}
			return b.C(float32(v))
		}
		less := func(b *B, x, y *val) *val { return b.Gt(y, x) }
		un("Sign", "1 where x[i] > 0, -1 where x[i] < 0, else 0", func(b *B, x *val) *val {
			return b.Sel(b.Gt(x, num(b, 0)), num(b, 1), b.Sel(less(b, x, num(b, 0)), num(b, -1), num(b, 0)))
		})
		if e.t == i32 || e.t == i64 {
			un("Neg", "-x[i]", func(b *B, x *val) *val { return b.Sub(num(b, 0), x) })
			un("Abs", "|x[i]|", func(b *B, x *val) *val { return b.Sel(less(b, x, num(b, 0)), b.Sub(num(b, 0), x), x) })
			un("Relu", "max(x[i], 0)", func(b *B, x *val) *val { return b.Sel(b.Gt(x, num(b, 0)), x, num(b, 0)) })
			bin("Max", "max(x[i], y[i])", func(b *B, x, y *val) *val { return b.Sel(b.Gt(x, y), x, y) })
			bin("Min", "min(x[i], y[i])", func(b *B, x, y *val) *val { return b.Sel(b.Gt(x, y), y, x) })
			if e.t == i32 {
				bin("And", "x[i] & y[i]", (*B).And)
				bin("Or", "x[i] | y[i]", (*B).Or)
				bin("Xor", "x[i] ^ y[i]", (*B).Xor)
				un("Not", "^x[i]", func(b *B, x *val) *val { return b.Xor(x, num(b, -1)) })
			}
			continue
		}
		un("Floor", "x[i] rounded down to an integer", func(b *B, x *val) *val { return b.Round(x, down) })
		un("Ceil", "x[i] rounded up to an integer", func(b *B, x *val) *val { return b.Round(x, up) })
		un("Trunc", "x[i] rounded towards zero to an integer", func(b *B, x *val) *val { return b.Round(x, toZero) })
		un("Round", "x[i] rounded to the nearest integer, ties to even", func(b *B, x *val) *val { return b.Round(x, toNearest) })
		bin("Copysign", "|x[i]| with the sign of y[i]", func(b *B, x, y *val) *val {
			return b.Float(b.Or(b.And(b.Bits(x), b.magnitude(e.t)), b.And(b.Bits(y), b.sign(e.t))))
		})
		bin("Fmax", "the larger of x[i] and y[i], ignoring NaN; of equals, x[i]", func(b *B, x, y *val) *val {
			return b.Sel(b.Gt(y, x), y, b.Sel(b.Unord(x, x), y, x))
		})
		bin("Fmin", "the smaller of x[i] and y[i], ignoring NaN; of equals, x[i]", func(b *B, x, y *val) *val {
			return b.Sel(b.Gt(x, y), y, b.Sel(b.Unord(x, x), y, x))
		})
		bin("Next", "the float next to x[i] on the way to y[i], y[i] where they are equal", func(b *B, x, y *val) *val {
			bits := map[typ]typ{f32: i32, f64: i64}[e.t]
			one, less, zero := b.constant(bits, 1), b.constant(bits, ^uint64(0)>>(64-8*e.t.size())), b.constant(e.t, 0)
			towards := b.Xor(b.Gt(y, x), b.Gt(x, zero)) // zero: its bits are those of a smaller number
			step := b.Float(b.Add(b.Bits(x), b.Sel(towards, less, one)))
			least := b.Float(b.Or(b.And(b.Bits(y), b.sign(e.t)), one))
			z := b.Sel(b.Eq(x, y), y, b.Sel(b.Eq(x, zero), least, step))
			return b.Sel(b.Unord(x, y), b.Add(x, y), z)
		})
		if e.t == f64 {
			un("Square", "x[i] * x[i]", func(b *B, x *val) *val { return b.Mul(x, x) })
			un("Recip", "1 / x[i]", func(b *B, x *val) *val { return b.Div(b.D(1), x) })
			un("Rsqrt", "1 / √x[i], rounded twice", func(b *B, x *val) *val { return b.Div(b.D(1), b.Sqrt(x)) })
			un("Relu", "x[i] < 0 ? 0 : x[i], so NaN stays", func(b *B, x *val) *val { return b.Max(b.D(0), x) })
		}
	}
	return ks
}

// toInts are conversions of floats to integers, towards zero. A value out of the range of the kernel's integers stops it.
func toInts() []*kernel {
	make := func(name, scalar, slow, out, in string, lane int, body func(b *B)) *kernel {
		return &kernel{name: name, scalar: scalar, slow: slow, stops: true, lane: lane, slices: []param{{"z", out}, {"x", in}},
			doc: name + " converts towards zero; NaN and values out of range become the smallest integer.", body: body}
	}
	near := func(b *B, x *val, most float64) *val { // as an int64
		b.Stop(b.NotGe(b.D(most), b.abs64(x)))
		return b.Sub(b.Bits(b.Add(b.Round(x, toZero), b.D(magic64))), b.L(int64(math.Float64bits(magic64))))
	}
	return []*kernel{
		make("F32ToI32", "f32to32", "f32to32far", "int32", "float32", 4, func(b *B) {
			x := b.X("x")
			b.Stop(b.NotGe(b.C(0x1.fffffep30), b.Abs(x)))
			b.Z(b.ToI(x))
		}),
		make("F32ToU8", "f32to8", "f32to8far", "uint8", "float32", 4, func(b *B) {
			x := b.X("x")
			b.Stop(b.NotGe(b.C(0x1.fffffep30), b.Abs(x)))
			b.Store("z", b.And(b.ToI(x), b.I(255)), "u8")
		}),
		make("F32ToU16", "f32to16u", "f32to16uFar", "uint16", "float32", 4, func(b *B) {
			x := b.X("x")
			b.Stop(b.NotGe(b.C(0x1.fffffep30), b.Abs(x)))
			b.Store("z", b.And(b.ToI(x), b.I(0xffff)), "u16")
		}),
		make("F32ToI64", "f32to64", "f32to64far", "int64", "float32", 8, func(b *B) { b.Z(near(b, b.Load("x", f64, "f64f32"), 0x1p51)) }),
		make("F64ToI64", "f64to64", "f64to64far", "int64", "float64", 8, func(b *B) { b.Z(near(b, b.Load("x", f64, ""), 0x1p51)) }),
		make("F64ToI32", "f64to32", "f64to32far", "int32", "float64", 8, func(b *B) {
			b.Store("z", near(b, b.Load("x", f64, ""), math.MaxInt32), "i32")
		}),
		{name: "I64ToF64", doc: "I64ToF64 rounds to nearest even.", lane: 8, slices: []param{{"z", "float64"}, {"x", "int64"}},
			body: func(b *B) { // the low and high 32 bits become the fractions of 2^52 and 2^84; one rounding, in the sum
				x := b.Load("x", i64, "")
				low := b.Float(b.Or(b.And(x, b.L(1<<32-1)), b.L(0x433<<52)))
				high := b.Float(b.Xor(b.Srl(x, 32), b.L(0x4530000080000000)))
				b.Z(b.Add(b.Sub(high, b.D(0x1p84+0x1p63+0x1p52)), low))
			}},
	}
}
