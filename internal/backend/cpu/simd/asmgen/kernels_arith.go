package main

import "fmt"

import "math"

func slices2(t string) []param { return []param{{"z", t}, {"x", t}} }
func slices3(t string) []param { return []param{{"z", t}, {"x", t}, {"y", t}} }

// elem names the lane types that arithmetic is written for.
type elem struct {
	suffix, goType string
	t              typ
}

var elems = []elem{{"F32", "float32", f32}, {"F64", "float64", f64}, {"I32", "int32", i32}, {"I64", "int64", i64}}

func arith() []*kernel {
	var ks []*kernel
	for _, e := range elems {
		load := func(b *B, n string) *val { return b.Load(n, e.t, "") }
		bin := func(name, expr string, op func(b *B, x, y *val) *val) {
			ks = append(ks, &kernel{name: name + e.suffix, lane: e.t.size(), slices: slices3(e.goType),
				doc:  name + e.suffix + " sets z[i] = " + expr + ".",
				body: func(b *B) { x := load(b, "x"); y := load(b, "y"); b.Z(op(b, x, y)) }})
		}
		un := func(name, expr string, op func(b *B, x *val) *val) {
			ks = append(ks, &kernel{name: name + e.suffix, lane: e.t.size(), slices: slices2(e.goType),
				doc:  name + e.suffix + " sets z[i] = " + expr + ".",
				body: func(b *B) { b.Z(op(b, load(b, "x"))) }})
		}
		vs := func(name, expr string, op func(b *B, x, y *val) *val) {
			ks = append(ks, &kernel{name: name + e.suffix, lane: e.t.size(), slices: slices2(e.goType), scalars: []param{{"a", e.goType}},
				doc:  name + e.suffix + " sets z[i] = " + expr + ".",
				body: func(b *B) { b.Z(op(b, load(b, "x"), b.Scalar("a", e.t))) }})
		}
		bin("Add", "x[i] + y[i]", (*B).Add)
		bin("Sub", "x[i] - y[i]", (*B).Sub)
		bin("Mul", "x[i] * y[i]", mul)
		if e.t == i32 || e.t == i64 {
			continue
		}
		bin("Div", "x[i] / y[i]", (*B).Div)
		bin("Max", "max(x[i], y[i]), NaN if either is NaN; of two zeros, y[i]", (*B).maxNaN)
		bin("Min", "min(x[i], y[i]), NaN if either is NaN; of two zeros, y[i]", (*B).minNaN)
		un("Neg", "-x[i]", func(b *B, x *val) *val { return b.Float(b.Xor(b.Bits(x), b.sign(e.t))) })
		un("Abs", "|x[i]|", func(b *B, x *val) *val { return b.Float(b.And(b.Bits(x), b.magnitude(e.t))) })
		un("Sqrt", "√x[i]", (*B).Sqrt)
		vs("Scale", "a * x[i]", (*B).Mul)
		vs("AddScalar", "x[i] + a", (*B).Add)
		if e.t == f64 {
			continue
		}
		un("Square", "x[i] * x[i]", func(b *B, x *val) *val { return b.Mul(x, x) })
		un("Recip", "1 / x[i]", func(b *B, x *val) *val { return b.Div(b.C(1), x) })
		un("Rsqrt", "1 / √x[i], rounded twice", func(b *B, x *val) *val { return b.Div(b.C(1), b.Sqrt(x)) })
		un("Relu", "x[i] < 0 ? 0 : x[i], so NaN stays", func(b *B, x *val) *val { return b.Max(b.C(0), x) })
		ks = append(ks, &kernel{name: "Axpy" + e.suffix, lane: 4, slices: slices2("float32"), scalars: []param{{"a", "float32"}},
			doc:  "AxpyF32 sets z[i] += a * x[i], with the product rounded first.",
			body: func(b *B) { p := b.Mul(b.X("x"), b.Scalar("a", f32)); b.Z(b.Add(p, b.X("z"))) }})
		ks = append(ks, &kernel{name: "SumRows" + e.suffix, lane: 4, slices: []param{{"z", "float32"}, {"x", "float32"}},
			doc:  "SumRowsF32 sets z[i] += x[i]: one step of a sum down the columns.",
			body: func(b *B) { z := b.X("z"); b.Z(b.Add(z, b.X("x"))) }})
		for _, n := range []int{4, 8} {
			ks = append(ks, sumRows(n, e.suffix))
		}
		ks = append(ks, &kernel{name: "Fill" + e.suffix, lane: 4, slices: []param{{"z", "float32"}}, scalars: []param{{"a", "float32"}},
			doc:  "FillF32 sets z[i] = a.",
			body: func(b *B) { b.Z(b.Scalar("a", f32)) }})
	}
	return ks
}

// maxNaN is max(x, y), NaN if either is NaN; of two zeros, y. NEON's instruction gives all but that.
func (b *B) maxNaN(x, y *val) *val {
	if b.tgt == neon {
		return b.Sel(b.Eq(x, y), y, b.op2("fmax", x, y))
	}
	return b.Sel(b.Unord(x, x), x, b.Max(x, y))
}

// minNaN is the same for the minimum.
func (b *B) minNaN(x, y *val) *val {
	if b.tgt == neon {
		return b.Sel(b.Eq(x, y), y, b.op2("fmin", x, y))
	}
	return b.Sel(b.Unord(x, x), x, b.Min(x, y))
}

func (b *B) sign(t typ) *val {
	if t == f64 {
		return b.L(math.MinInt64)
	}
	return b.I(math.MinInt32)
}

func (b *B) magnitude(t typ) *val {
	if t == f64 {
		return b.L(math.MaxInt64)
	}
	return b.I(math.MaxInt32)
}

// mul multiplies; AVX2 has no product of 64-bit integers, so there it is
// the sum of three products of 32-bit words.
func mul(b *B, x, y *val) *val {
	if x.t != i64 || b.tgt != avx2 {
		return b.Mul(x, y)
	}
	cross := b.Add(b.op2("muludq", b.Srl(x, 32), y), b.op2("muludq", x, b.Srl(y, 32)))
	return b.Add(b.op2("muludq", x, y), b.Shl(cross, 32))
}

func compare() []*kernel {
	var ks []*kernel
	ops := []struct {
		name, sign string
		op         func(b *B, x, y *val) *val
	}{
		{"Lt", "<", (*B).Lt}, {"Le", "<=", (*B).Le}, {"Eq", "==", (*B).Eq},
		{"Ne", "!=", (*B).Ne}, {"Gt", ">", (*B).Gt}, {"Ge", ">=", (*B).Ge},
	}
	for _, o := range ops {
		ks = append(ks, &kernel{name: o.name + "F32", lane: 4, slices: []param{{"z", "uint8"}, {"x", "float32"}, {"y", "float32"}},
			doc: o.name + "F32 sets z[i] = 1 where x[i] " + o.sign + " y[i], else 0.",
			body: func(b *B) {
				x := b.X("x")
				b.StoreBool("z", o.op(b, x, b.X("y")))
			}})
	}
	ks = append(ks, &kernel{name: "WhereF32", lane: 4, slices: []param{{"z", "float32"}, {"m", "uint8"}, {"x", "float32"},
		{"y", "float32"}},
		doc: "WhereF32 sets z[i] = m[i] != 0 ? x[i] : y[i].",
		body: func(b *B) {
			m := b.Load("m", mask, "bool")
			x, y := b.X("x"), b.X("y")
			b.Z(b.Sel(m, x, y))
		}})
	return ks
}

// StoreBool writes a mask as bytes, StoreNot its opposite.
func (b *B) StoreBool(name string, m *val) { b.storeMask(name, m, 0) }
func (b *B) StoreNot(name string, m *val)  { b.storeMask(name, m, 1) }

func (b *B) storeMask(name string, m *val, not int) {
	args := []*val{m}
	if b.tgt != goTwin {
		args = append(args, b.I(0x01010101))
	}
	b.emit(&val{op: "store", t: mask, args: args, name: name, mem: "bool", imm: not})
}

func convert() []*kernel {
	half := func(name, doc string, body func(b *B)) *kernel {
		in, out := "uint16", "float32"
		if name == "F32ToBF16" || name == "F32ToF16" {
			in, out = out, in
		}
		return &kernel{name: name, doc: name + " " + doc, lane: 4, slices: []param{{"z", out}, {"x", in}}, body: body}
	}
	return []*kernel{
		half("BF16ToF32", "widens; exact.", func(b *B) {
			b.Z(b.Float(b.Shl(b.Load("x", i32, "u16"), 16)))
		}),
		half("F32ToBF16", "rounds to nearest even; NaN becomes quiet and keeps its upper bits.", func(b *B) {
			x := b.X("x")
			i := b.Bits(x)
			up := b.And(b.Srl(i, 16), b.I(1))
			r := b.Add(b.Add(i, b.I(0x7fff)), up)
			q := b.Or(i, b.I(0x400000))
			b.Store("z", b.Srl(b.Sel(b.Unord(x, x), q, r), 16), "u16")
		}),
		half("F16ToF32", "widens; exact. NaN becomes quiet.", func(b *B) { b.Z(b.Load("x", f32, "f16")) }),
		half("F32ToF16", "rounds to nearest even; overflow gives infinity, NaN keeps its sign only.", func(b *B) {
			x := b.X("x")
			if b.tgt == goTwin {
				b.Store("z", x, "f16")
				return
			}
			q := b.Float(b.Or(b.Sign(x), b.I(0x7fc00000)))
			b.Store("z", b.Sel(b.Unord(x, x), q, x), "f16")
		}),
		{name: "F32ToF64", doc: "F32ToF64 widens; exact.", lane: 8, slices: []param{{"z", "float64"}, {"x", "float32"}},
			body: func(b *B) { b.Z(b.Load("x", f64, "f64f32")) }},
		{name: "F64ToF32", doc: "F64ToF32 rounds to nearest even.", lane: 8, slices: []param{{"z", "float32"}, {"x", "float64"}},
			body: func(b *B) { b.Store("z", b.Load("x", f64, ""), "f32") }},
		{name: "U32ToF32", doc: "U32ToF32 rounds to nearest even.", lane: 4, slices: []param{{"z", "float32"}, {"x", "uint32"}},
			body: func(b *B) {
				x := b.Load("x", i32, "")
				b.Z(b.Fma(b.ToF(b.Srl(x, 16)), b.C(0x1p16), b.ToF(b.And(x, b.I(0xffff)))))
			}},
		{name: "I32ToF32", doc: "I32ToF32 rounds to nearest even.", lane: 4, slices: []param{{"z", "float32"}, {"x", "int32"}},
			body: func(b *B) { b.Z(b.ToF(b.Load("x", i32, ""))) }},
		{name: "I64ToF32", doc: "I64ToF32 rounds to nearest even.", lane: 8,
			slices: []param{{"z", "float32"}, {"x", "int64"}}, noAVX2: true,
			body: func(b *B) { b.Store("z", b.Load("x", i64, ""), "i64f32") }},
		{name: "U8ToF32", doc: "U8ToF32 sets z[i] = float32(x[i]); booleans are bytes 0 and 1.", lane: 4,
			slices: []param{{"z", "float32"}, {"x", "uint8"}},
			body:   func(b *B) { b.Z(b.ToF(b.Load("x", i32, "u8"))) }},
	}
}

// sumRows is n steps of SumRowsF32 at once: sums are read and written once for all of them.
func sumRows(n int, suffix string) *kernel {
	k := &kernel{name: fmt.Sprintf("SumRows%d%s", n, suffix), lane: 4, slices: []param{{"z", "float32"}}}
	for i := range n {
		k.slices = append(k.slices, param{fmt.Sprintf("x%d", i), "float32"})
	}
	k.doc = fmt.Sprintf("%s sets z[i] = (z[i] + x0[i]) + x1[i] and so on: %d steps of SumRowsF32.", k.name, n)
	k.body = func(b *B) {
		z := b.X("z")
		for _, s := range k.slices[1:] {
			z = b.Add(z, b.X(s.name))
		}
		b.Z(z)
	}
	return k
}
