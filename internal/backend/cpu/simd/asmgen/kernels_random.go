package main

import "math"

// random are the kernels of random numbers: the Threefry hash, the first attempt at a gamma number, and the inverse error function for
// the normal distribution.
func random() []*kernel {
	key := []param{{"k0", "int32"}, {"k1", "int32"}, {"k2", "int32"}}
	ks := []*kernel{{name: "Threefry", lane: 4, slices: []param{{"z", "int32"}, {"y", "int32"}}, scalars: key,
		doc: "Threefry hashes counters z[i] and y[i] in place, as package threefry does; k2 is the third word of the key.",
		body: func(b *B) {
			h := newHash("z", "y", b.Add(b.Load("z", i32, ""), b.Scalar("k0", i32)), b.Add(b.Load("y", i32, ""), b.Scalar("k1", i32)))
			threefry(b, h)
		}},
		{name: "ThreefryRuns", lane: 4, slices: []param{{"z", "int32"}, {"y", "int32"}, {"v", "int32"}, {"w", "int32"}, {"at", "int32"}},
			scalars: append([]param{{"p", "int32"}, {"q", "int32"}, {"r", "int32"}, {"s", "int32"}, {"m", "int32"}}, key...),
			doc: "ThreefryRuns hashes the counters at[i]+p-k0 and (at[i]&m)+q-k1 into z[i] and y[i], at[i]+r-k0 and (at[i]&m)+s-k1\n" +
				"into v[i] and w[i]. Consecutive counters need not be written first, and one hash is computed while the other waits.",
			body: func(b *B) {
				at := b.Load("at", i32, "")
				low := b.And(at, b.Scalar("m", i32))
				add := func(x *val, name string) *val { return b.Add(x, b.Scalar(name, i32)) }
				threefry(b, newHash("z", "y", add(at, "p"), add(low, "q")), newHash("v", "w", add(at, "r"), add(low, "s")))
			}},
		{name: "CountFirst", lane: 8, slices: []param{{"z", "float64"}, {"t", "float64"}, {"x0", "uint32"}, {"y0", "uint32"},
			{"x1", "uint32"}, {"y1", "uint32"}},
			scalars: []param{{"a", "float64"}, {"b", "float64"}, {"c", "float64"}, {"d", "float64"}, {"alpha", "float64"},
				{"quick", "float64"}},
			doc: "CountFirst makes an attempt at a number of events by transformed rejection: z[i] is the number, t[i] what is compared\n" +
				"with its probability, 0 where it is accepted for sure and infinite where there is another test.",
			body: countFirst},
		{name: "GammaFirst", lane: 8, slices: []param{{"z", "float64"}, {"alpha", "float64"}, {"x0", "uint32"}, {"y0", "uint32"},
			{"x1", "uint32"}, {"y1", "uint32"}, {"near", "float64"}, {"far", "float64"}},
			doc: "GammaFirst makes the first attempt of package threefry's gamma numbers: z[i] is the number of concentration alpha[i],\n" +
				"or of alpha[i]+1 where that is below 1, and NaN where the attempt needs more than two words or a logarithm. near[i]\n" +
				"and far[i] are the ends of the layers that the last 8 bits of the first word name.",
			body: gammaFirst}}
	far := elementaryKernel(precisions[1], "Erfinv", "the inverse of the error function at x[i]", 1,
		func(b *B, x, _ *val) *val { return precisions[1].erfinvOf(b, x) })
	far.stops, far.slow = true, "erfinvFarF64"
	return append(append(ks, far), quantiles()...)
}

// hash is the state of one hash: where its words go, and the words.
type hash struct {
	first, second string
	x, y          *val
}

func newHash(first, second string, x, y *val) *hash { return &hash{first, second, x, y} }

// threefry stores hashes of counters to which the first words of the key were added, computed side by side.
func threefry(b *B, hashes ...*hash) {
	rotate := func(v *val, n int) *val { return b.Or(b.Shl(v, n), b.Srl(v, 32-n)) }
	k := []*val{b.Scalar("k0", i32), b.Scalar("k1", i32), b.Scalar("k2", i32)}
	for g := 1; g <= 5; g++ {
		counts := []int{13, 15, 26, 6}
		if g%2 == 0 {
			counts = []int{17, 29, 16, 24}
		}
		for _, n := range counts {
			for _, h := range hashes {
				h.x = b.Add(h.x, h.y)
				h.y = b.Xor(rotate(h.y, n), h.x)
			}
		}
		for _, h := range hashes {
			h.x, h.y = b.Add(h.x, k[g%3]), b.Add(b.Add(h.y, k[(g+1)%3]), b.I(int32(g)))
		}
	}
	for _, h := range hashes {
		b.Store(h.first, h.x, "")
		b.Store(h.second, h.y, "")
	}
}

// fraction is the number of the upper 53 bits of a word.
func (b *B) fraction(x, y string) *val {
	number := func(v *val) *val { return b.Sub(b.Float(b.Or(v, b.L(0x4330000000000000))), b.D(0x1p52)) }
	return b.Fma(number(b.Load(x, i64, "u32")), b.D(0x1p21), number(b.Srl(b.Load(y, i64, "u32"), 11)))
}

// gammaFirst has products that package threefry rounds before it adds: they are not fused.
func gammaFirst(b *B) {
	alpha := b.Load("alpha", f64, "")
	d := b.Sub(b.Sel(b.Lt(alpha, b.D(1)), b.Add(alpha, b.D(1)), alpha), b.D(1.0/3))
	c := b.Div(b.D(1), b.Sqrt(b.Mul(d, b.D(9))))
	x := b.Mul(b.Fma(b.fraction("x0", "y0"), b.D(0x1p-52), b.D(-1)), b.Load("near", f64, ""))
	v := b.Add(b.Mul(c, x), b.D(1))
	inside := b.And(b.Lt(b.abs64(x), b.Load("far", f64, "")), b.And(b.Gt(v, b.D(0)), b.Gt(alpha, b.D(0))))
	s := b.Mul(x, x)
	u := b.Fnma(b.fraction("x1", "y1"), b.D(0x1p-53), b.D(1))
	accepted := b.Lt(u, b.Sub(b.D(1), b.Mul(b.Mul(s, s), b.D(0.0331))))
	b.Z(b.Sel(b.And(inside, accepted), b.Mul(d, b.Mul(v, b.Mul(v, v))), b.D(math.NaN())))
}

// countFirst rounds as package threefry does: products are not fused with sums.
func countFirst(b *B) {
	num := func(name string) *val { return b.Scalar(name, f64) }
	u := b.Fma(b.fraction("x0", "y0"), b.D(0x1p-53), b.D(-0.5))
	v := b.Mul(b.fraction("x1", "y1"), b.D(0x1p-53))
	us := b.Sub(b.D(0.5), b.abs64(u))
	k := b.Mul(b.Add(b.Div(b.Add(num("a"), num("a")), us), num("b")), u)
	b.Z(b.Round(b.Add(b.Add(k, num("c")), num("d")), down))
	t := b.Div(b.Mul(v, num("alpha")), b.Add(b.Div(num("a"), b.Mul(us, us)), num("b")))
	t = b.Sel(b.Lt(us, b.D(0.013)), b.D(math.Inf(1)), t)
	b.Store("t", b.Sel(b.And(b.Ge(us, b.D(0.07)), b.Le(v, num("quick"))), b.D(0), t), "")
}

// Rational functions of Wichura (1988, AS 241) for the normal distribution's quantiles: near the middle, and in the tails as
// far as the root of twice the logarithm is at most 5 + 1.6.
var (
	nearUp = []float64{1.1975323115670912564578e0, 4.7072688112383978012285e1, 6.9706266534389598238465e2, 4.8548868893843886794648e3,
		1.6235862515167575384252e4, 2.3782041382114385731252e4, 1.1819493347062294404278e4, 8.8709406962545514830200e2}
	nearDown = []float64{1.0000000000000000000e0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
		2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3}
	tailUp = []float64{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
		1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4}
	tailDown = []float64{1.4142135623730950488016887e0, 2.9036514445419946173133295e0, 2.3707661626024532365971225e0,
		9.7547832001787427186894837e-1, 2.0945065210512749128288442e-1, 2.1494160384252876777097297e-2, 7.7441459065157709165577218e-4,
		1.4859850019840355905497876e-9}
)

// erfinvOf evaluates both rational functions, selects, and divides once.
func (d precision) erfinvOf(b *B, x *val) *val {
	a := b.abs64(x)
	b.Stop(b.NotGe(b.D(1-3e-11), a)) // the far tail, |x| >= 1, and NaN
	mid := b.Le(a, b.D(0.85))
	near := b.Fnma(b.Mul(x, b.D(0.25)), x, b.D(0.180625))
	tail := b.Sub(b.Sqrt(b.Sub(b.D(math.Ln2), b.logOf(d, b.Sub(b.D(1), a), b.D(0)))), b.D(1.6))
	up := b.Sel(mid, b.Mul(a, b.Horner64(near, nearUp)), b.Horner64(tail, tailUp))
	down := b.Sel(mid, b.Horner64(near, nearDown), b.Horner64(tail, tailDown))
	return b.withSign(b.Div(up, down), x)
}
