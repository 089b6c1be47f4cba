package main

import "math"

// smallElems are the integers of 8 and 16 bits. Kernels that do not depend on the sign are written for the unsigned types.
var smallElems = []elem{{"U8", "uint8", u8}, {"I8", "int8", i8}, {"U16", "uint16", u16}, {"I16", "int16", i16}}

// smallInts are kernels on lanes of 8 and 16 bits: integers, booleans, the sign bit of half types.
func smallInts() []*kernel {
	var ks []*kernel
	for _, e := range smallElems {
		load := func(b *B, n string) *val { return b.Load(n, e.t, "") }
		add := func(name, doc string, in []param, out string, body func(b *B)) {
			ks = append(ks, &kernel{name: name + e.suffix, lane: e.t.size(), slices: append([]param{{"z", out}}, in...),
				doc: name + e.suffix + " sets z[i] = " + doc + ".", body: body})
		}
		one, two := []param{{"x", e.goType}}, []param{{"x", e.goType}, {"y", e.goType}}
		un := func(name, doc string, op func(b *B, x *val) *val) {
			add(name, doc, one, e.goType, func(b *B) { b.Z(op(b, load(b, "x"))) })
		}
		bin := func(name, doc string, op func(b *B, x, y *val) *val) {
			add(name, doc, two, e.goType, func(b *B) { x := load(b, "x"); b.Z(op(b, x, load(b, "y"))) })
		}
		signed := e.t == i8 || e.t == i16
		bin("Max", "max(x[i], y[i])", (*B).Max)
		bin("Min", "min(x[i], y[i])", (*B).Min)
		add("Lt", "1 where x[i] < y[i], else 0", two, "uint8", func(b *B) {
			x, y := load(b, "x"), load(b, "y")
			if signed {
				b.StoreBool("z", b.Gt(y, x))
			} else {
				b.StoreNot("z", b.Eq(b.Max(x, y), x))
			}
		})
		add("Le", "1 where x[i] <= y[i], else 0", two, "uint8", func(b *B) {
			x, y := load(b, "x"), load(b, "y")
			b.StoreBool("z", b.Eq(b.Max(x, y), y))
		})
		if signed {
			un("Abs", "|x[i]|", func(b *B, x *val) *val { return b.Max(x, b.Sub(b.N(e.t, 0), x)) })
			un("Sign", "1 where x[i] > 0, -1 where x[i] < 0, else 0",
				func(b *B, x *val) *val { return b.Max(b.Min(x, b.N(e.t, 1)), b.N(e.t, -1)) })
			continue
		}
		bin("Add", "x[i] + y[i]", (*B).Add)
		bin("Sub", "x[i] - y[i]", (*B).Sub)
		un("Neg", "-x[i]", func(b *B, x *val) *val { return b.Sub(b.N(e.t, 0), x) })
		un("Sign", "1 where x[i] > 0, else 0", func(b *B, x *val) *val { return b.Min(x, b.N(e.t, 1)) })
		if e.t == u16 {
			bin("Mul", "x[i] * y[i]", (*B).Mul)
			un("NegHalf", "x[i], a half float, with the other sign", func(b *B, x *val) *val { return b.Xor(x, b.N(u16, 0x8000)) })
			un("AbsHalf", "x[i], a half float, without its sign", func(b *B, x *val) *val { return b.And(x, b.N(u16, 0x7fff)) })
		} else {
			ks = append(ks, &kernel{name: "MulU8", lane: 2, slices: slices3("uint8"), doc: "MulU8 sets z[i] = x[i] * y[i].",
				body: func(b *B) {
					x := b.Load("x", u16, "u8")
					p := b.Mul(x, b.Load("y", u16, "u8"))
					if b.tgt == avx2 {
						p = b.And(p, b.N(u16, 255))
					}
					b.Store("z", p, "u8")
				}})
		}
		zero := func(b *B) *val { return b.N(e.t, 0) }
		add("Eq", "1 where x[i] == y[i], else 0", two, "uint8", func(b *B) { x := load(b, "x"); b.StoreBool("z", b.Eq(x, load(b, "y"))) })
		add("Ne", "1 where x[i] != y[i], else 0", two, "uint8", func(b *B) { x := load(b, "x"); b.StoreNot("z", b.Eq(x, load(b, "y"))) })
		add("Zero", "1 where x[i] is 0, else 0", one, "uint8", func(b *B) { b.StoreBool("z", b.Eq(load(b, "x"), zero(b))) })
		add("Nonzero", "0 where x[i] is 0, else 1", one, "uint8", func(b *B) { b.StoreNot("z", b.Eq(load(b, "x"), zero(b))) })
		add("Both", "1 where neither x[i] nor y[i] is 0, else 0", two, "uint8", func(b *B) {
			x, y := load(b, "x"), load(b, "y")
			b.StoreNot("z", b.Or(b.Eq(x, zero(b)), b.Eq(y, zero(b))))
		})
		add("Either", "0 where both x[i] and y[i] are 0, else 1", two, "uint8", func(b *B) {
			x := load(b, "x")
			b.StoreNot("z", b.Eq(b.Or(x, load(b, "y")), zero(b)))
		})
		add("One", "1 where one of x[i] and y[i] is 0 and the other is not, else 0", two, "uint8", func(b *B) {
			x, y := load(b, "x"), load(b, "y")
			b.StoreBool("z", b.Xor(b.Eq(x, zero(b)), b.Eq(y, zero(b))))
		})
		ks = append(ks, &kernel{name: "Where" + e.suffix, lane: e.t.size(),
			slices: []param{{"z", e.goType}, {"m", "uint8"}, {"x", e.goType}, {"y", e.goType}},
			doc:    "Where" + e.suffix + " sets z[i] = m[i] != 0 ? x[i] : y[i].",
			body: func(b *B) {
				m := b.Load("m", e.t, map[typ]string{u8: "", u16: "u8"}[e.t])
				x, y := load(b, "x"), load(b, "y")
				b.Z(b.Sel(b.Eq(m, zero(b)), y, x))
			}})
	}
	return ks
}

// intConversions are conversions between integers of different sizes, and between integers and floats.
func intConversions() []*kernel {
	var ks []*kernel
	add := func(name, doc string, lane int, out, in string, body func(b *B)) {
		ks = append(ks, &kernel{name: name, doc: name + " " + doc + ".", lane: lane, slices: []param{{"z", out}, {"x", in}}, body: body})
	}
	lanes := map[int]typ{2: i16, 4: i32, 8: i64}
	names := map[int]string{2: "int16", 4: "int32", 8: "int64"}
	for _, e := range []struct {
		suffix, goType, mem string
		size                int
	}{{"U8", "uint8", "u8", 1}, {"I8", "int8", "i8", 1}, {"U16", "uint16", "u16", 2}, {"I16", "int16", "i16", 2},
		{"U32", "uint32", "u32", 4}, {"I32", "int32", "i32", 4}} {
		for to := 2 * e.size; to <= 8; to *= 2 {
			add(e.suffix+"To"+letters[to], "widens to integers of "+names[to][3:]+" bits", to, names[to], e.goType,
				func(b *B) { b.Z(b.Load("x", lanes[to], e.mem)) })
		}
		if e.size < 4 && e.suffix != "U8" {
			add(e.suffix+"ToF32", "converts; exact", 4, "float32", e.goType, func(b *B) { b.Z(b.ToF(b.Load("x", i32, e.mem))) })
		}
		if e.suffix == "U8" || e.suffix == "I32" {
			// added to the bits of 1.5·2^52, whose unit in the last digit is 1
			add(e.suffix+"ToF64", "converts; exact", 8, "float64", e.goType, func(b *B) {
				x := b.Float(b.Add(b.Load("x", i64, e.mem), b.L(int64(math.Float64bits(magic64)))))
				b.Z(b.Sub(x, b.D(magic64)))
			})
		}
	}
	for _, c := range []struct{ from, to int }{{8, 4}, {8, 2}, {8, 1}, {4, 2}, {4, 1}, {2, 1}} {
		out, mem := map[int]string{4: "int32", 2: "uint16", 1: "uint8"}[c.to], map[int]string{4: "i32", 2: "u16", 1: "u8"}[c.to]
		add(letters[c.from]+"To"+letters[c.to], "truncates integers of "+names[c.from][3:]+" bits to their low bits", c.from, out,
			names[c.from], func(b *B) {
				x := b.Load("x", lanes[c.from], "")
				if b.tgt == avx2 && c.to < 4 {
					x = b.And(x, b.constant(lanes[c.from], 1<<(8*c.to)-1))
				}
				b.Store("z", x, mem)
			})
	}
	return append(ks, &kernel{name: "F64ToOdd", scalar: "f64toOdd", slow: "f64toOddFar", stops: true, lane: 8,
		slices: []param{{"z", "float32"}, {"x", "float64"}},
		doc: "F64ToOdd rounds to odd: towards zero, with the last bit set where that is inexact. Rounding the result to fewer " +
			"bits\nis then the same as rounding x itself.",
		body: func(b *B) {
			x := b.Load("x", f64, "")
			tiny := b.Lt(b.abs64(x), b.D(0x1p-126))
			b.Stop(b.And(tiny, b.Ne(x, b.D(0))))
			high, low := b.And(b.Bits(x), b.L(^(1<<29-1))), b.And(b.Bits(x), b.L(1<<29-1))
			b.Store("z", b.Float(b.Sel(b.Gt(low, b.L(0)), b.Or(high, b.L(1<<29)), high)), "f32")
		}})
}
