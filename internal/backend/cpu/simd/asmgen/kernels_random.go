package main

import "math"

// random are the kernels of random numbers: the Threefry hash, and the inverse error function for the normal distribution.
func random() []*kernel {
	ks := []*kernel{{name: "Threefry", lane: 4, slices: []param{{"z", "int32"}, {"y", "int32"}},
		scalars: []param{{"k0", "int32"}, {"k1", "int32"}, {"k2", "int32"}},
		doc:     "Threefry hashes counters z[i] and y[i] in place, as package threefry does; k2 is the third word of the key.",
		body:    threefry}}
	for _, d := range precisions {
		k := elementaryKernel(d, "Erfinv", "the inverse of the error function at x[i]", 1,
			func(b *B, x, _ *val) *val { return d.erfinvOf(b, x) })
		if d.full {
			k.stops, k.slow = true, "erfinvFarF64"
		}
		ks = append(ks, k)
	}
	return ks
}

func threefry(b *B) {
	rotate := func(v *val, n int) *val { return b.Or(b.Shl(v, n), b.Srl(v, 32-n)) }
	k := []*val{b.Scalar("k0", i32), b.Scalar("k1", i32), b.Scalar("k2", i32)}
	x, y := b.Add(b.Load("z", i32, ""), k[0]), b.Add(b.Load("y", i32, ""), k[1])
	for g := 1; g <= 5; g++ {
		counts := []int{13, 15, 26, 6}
		if g%2 == 0 {
			counts = []int{17, 29, 16, 24}
		}
		for _, n := range counts {
			x = b.Add(x, y)
			y = b.Xor(rotate(y, n), x)
		}
		x, y = b.Add(x, k[g%3]), b.Add(b.Add(y, k[(g+1)%3]), b.I(int32(g)))
	}
	b.Store("z", x, "")
	b.Store("y", y, "")
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

// erfinvOf evaluates both rational functions, selects, and divides once. For float32 they are polynomials in -log(1-x²).
func (d precision) erfinvOf(b *B, x *val) *val {
	a := b.abs64(x)
	if !d.full {
		u := b.Fnma(x, x, b.D(1))
		f, e := logSplit(b, b.Max(b.D(0x1p-24), u))
		half, low := d.logTail(b, f)
		w := b.Fnma(e, b.D(math.Ln2), b.Sub(b.Sub(half, low), f))
		near := b.split64(b.Sub(b.Min(b.D(5), w), b.D(2.5)), coefErfinvNear)
		far := b.split64(b.Sub(w, b.D(11)), coefErfinvFar)
		y := b.Mul(x, b.Sel(b.Lt(w, b.D(5)), near, far))
		y = b.Sel(b.Eq(a, b.D(1)), b.withSign(b.D(math.Inf(1)), x), y)
		return b.Sel(b.NotGe(u, b.D(0)), b.D(math.NaN()), y)
	}
	b.Stop(b.NotGe(b.D(1-3e-11), a)) // the far tail, |x| >= 1, and NaN
	mid := b.Le(a, b.D(0.85))
	near := b.Fnma(b.Mul(x, b.D(0.25)), x, b.D(0.180625))
	tail := b.Sub(b.Sqrt(b.Sub(b.D(math.Ln2), b.logOf(d, b.Sub(b.D(1), a), b.D(0)))), b.D(1.6))
	up := b.Sel(mid, b.Mul(a, b.Horner64(near, nearUp)), b.Horner64(tail, tailUp))
	down := b.Sel(mid, b.Horner64(near, nearDown), b.Horner64(tail, tailDown))
	return b.withSign(b.Div(up, down), x)
}
