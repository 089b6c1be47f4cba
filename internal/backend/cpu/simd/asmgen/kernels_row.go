package main

// Softmax and the norms go over a row a few times while it is in the caches: sums first, then a map that writes the
// result, with non-temporal stores if it is large. Meanwhile the next row is prefetched.

// rowSums have twins and exported functions written by hand: see row.go there.
func rowSums() []*kernel {
	sum := []acc{{name: "sum", op: "add", typ: "float32", lanes: true}}
	x := param{"x", "float32"}
	next := param{"next", "float32"}
	a, r := param{"a", "float32"}, param{"r", "float32"}
	return []*kernel{
		{name: "ExpSubSumF32", handWritten: true, lane: 4, slices: []param{{"z", "float32"}, x, next}, scalars: []param{a}, accs: sum,
			body: func(b *B) {
				b.Ahead("next")
				z := b.expMasked(b.Sub(b.X("x"), b.Scalar("a", f32)))
				b.Z(z)
				b.Acc("sum", "add", z)
			}},
		{name: "SumSqSubF32", handWritten: true, lane: 4, slices: []param{x, next}, scalars: []param{a}, accs: sum,
			body: func(b *B) {
				b.Ahead("next")
				d := b.Sub(b.X("x"), b.Scalar("a", f32))
				b.Acc("sum", "add", b.Mul(d, d))
			}},
		{name: "DotNormF32", handWritten: true, lane: 4, slices: []param{x, {"h", "float32"}, {"w", "float32"}},
			scalars: []param{a, r}, accs: sum,
			body: func(b *B) {
				h := b.Mul(b.X("h"), b.X("w"))
				b.Acc("sum", "add", b.Mul(b.norm(), h))
			}},
		{name: "DotNormPlainF32", handWritten: true, lane: 4, slices: []param{x, {"h", "float32"}}, scalars: []param{a, r}, accs: sum,
			body: func(b *B) { b.Acc("sum", "add", b.Mul(b.norm(), b.X("h"))) }},
	}
}

// norm is (x - a) r.
func (b *B) norm() *val {
	return b.Mul(b.Sub(b.X("x"), b.Scalar("a", f32)), b.Scalar("r", f32))
}

func rowMaps() []*kernel {
	var ks []*kernel
	both := func(name, doc string, slices []string, scalars []string, body func(b *B)) {
		k := &kernel{name: name + "F32", doc: name + "F32 sets z[i] = " + doc + ".", lane: 4, body: body}
		for _, s := range slices {
			k.slices = append(k.slices, param{s, "float32"})
		}
		for _, s := range scalars {
			k.scalars = append(k.scalars, param{s, "float32"})
		}
		st := *k
		st.name, st.cached = name+"StreamF32", k.name
		st.doc = name + "StreamF32 is " + k.name + " with non-temporal stores; next is prefetched. Call Fence before others read z."
		st.slices = append(append([]param{}, k.slices...), param{"next", "float32"})
		st.body = func(b *B) { b.Ahead("next"); body(b) }
		ks = append(ks, k, &st)
	}
	both("Scale", "a x[i]", []string{"z", "x"}, []string{"a"}, func(b *B) { b.Z(b.Mul(b.X("x"), b.Scalar("a", f32))) })
	ks = ks[1:] // ScaleF32 itself is in arith()
	both("Norm", "(x[i] - a) r", []string{"z", "x"}, []string{"a", "r"}, func(b *B) { b.Z(b.norm()) })
	both("NormWeight", "(x[i] - a) r w[i]", []string{"z", "x", "w"}, []string{"a", "r"}, func(b *B) { b.Z(b.Mul(b.norm(), b.X("w"))) })
	both("NormAffine", "(x[i] - a) r w[i] + y[i]", []string{"z", "x", "w", "y"}, []string{"a", "r"},
		func(b *B) { b.Z(b.Add(b.Mul(b.norm(), b.X("w")), b.X("y"))) })
	both("SubTimes", "(x[i] - a) y[i]", []string{"z", "x", "y"}, []string{"a"}, func(b *B) {
		b.Z(b.Mul(b.Sub(b.X("x"), b.Scalar("a", f32)), b.X("y")))
	})
	both("ExpSubTimes", "e^(x[i] - a) r", []string{"z", "x"}, []string{"a", "r"}, func(b *B) {
		b.Z(b.Mul(b.expMasked(b.Sub(b.X("x"), b.Scalar("a", f32))), b.Scalar("r", f32)))
	})
	// The cotangents of a norm's inputs: h is the cotangent of the result, m and d the means of h w and of h w times the normalised x.
	back := func(b *B, h *val) {
		h = b.Sub(h, b.Scalar("m", f32))
		b.Z(b.Mul(b.Sub(h, b.Mul(b.norm(), b.Scalar("d", f32))), b.Scalar("r", f32)))
	}
	both("NormBack", "(h[i] - m - (x[i] - a) r d) r", []string{"z", "h", "x"}, []string{"a", "r", "m", "d"},
		func(b *B) { back(b, b.X("h")) })
	both("NormWeightBack", "(h[i] w[i] - m - (x[i] - a) r d) r", []string{"z", "h", "x", "w"}, []string{"a", "r", "m", "d"},
		func(b *B) { back(b, b.Mul(b.X("h"), b.X("w"))) })
	return ks
}
