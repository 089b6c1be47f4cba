package main

import "math"

// piecewise lists activations that choose between two forms. Their parameters, y and w, are operands as x is: a program has numbers as
// tiles of equal elements.
func piecewise() []*kernel {
	var ks []*kernel
	for _, e := range elems {
		if e.t != f32 && e.t != f64 {
			continue
		}
		params := func(n int) []param { return append(slices3(e.goType), param{"w", e.goType})[:2+n] }
		add := func(name, doc string, n int, f func(b *B, x, y, w *val) *val) {
			ks = append(ks, &kernel{name: name + e.suffix, lane: e.t.size(), slices: params(n),
				doc: name + e.suffix + " sets z[i] = " + doc + ".",
				body: func(b *B) {
					var v [3]*val
					for k := range n + 1 {
						v[k] = b.Load("xyw"[k:k+1], e.t, "")
					}
					b.Z(f(b, v[0], v[1], v[2]))
				}})
		}
		num := func(b *B, f float64) *val {
			if e.t == f32 {
				return b.C(float32(f))
			}
			return b.D(f)
		}
		abs := func(b *B, x *val) *val { return b.Float(b.And(b.Bits(x), b.magnitude(e.t))) }
		sign := func(b *B, x *val) *val { return b.And(b.Bits(x), b.sign(e.t)) }
		expm1 := func(b *B, x *val) *val {
			if e.t == f32 {
				return expm1(b, x)
			}
			return b.withSign(b.abs64(precisions[1].expm1(b, x)), x)
		}
		add("Clamp", "x[i] cut to the interval from y[i] to w[i], NaN if one of them is", 2, func(b *B, x, y, w *val) *val {
			return b.minNaN(w, b.maxNaN(y, x))
		})
		add("LeakyRelu", "x[i] where that is above 0, x[i] y[i] elsewhere", 1, func(b *B, x, y, _ *val) *val {
			return b.Sel(b.Gt(x, num(b, 0)), x, b.Mul(x, y))
		})
		add("Softshrink", "x[i] moved by y[i] towards 0, which it does not pass", 1, func(b *B, x, y, _ *val) *val {
			far := b.Sub(x, b.Float(b.Or(sign(b, x), b.Bits(y))))
			return b.Sel(b.Le(abs(b, x), y), b.Float(sign(b, x)), far)
		})
		add("Hardshrink", "0 where |x[i]| is at most y[i], x[i] elsewhere", 1, func(b *B, x, y, _ *val) *val {
			return b.Sel(b.Le(abs(b, x), y), num(b, 0), x)
		})
		add("NanToNum", "y[i] where x[i] is NaN, elsewhere x[i] or the largest number of its sign", 1, func(b *B, x, y, _ *val) *val {
			most := float64(math.MaxFloat32)
			if e.t == f64 {
				most = math.MaxFloat64
			}
			return b.Sel(b.Unord(x, x), y, b.Min(num(b, most), b.Max(num(b, -most), x)))
		})
		add("Elu", "y[i] (e^(x[i] w[i]) - 1) where x[i] is below 0, x[i] elsewhere", 2, func(b *B, x, y, w *val) *val {
			return b.Sel(b.Lt(x, num(b, 0)), b.Mul(expm1(b, b.Mul(x, w)), y), x)
		})
		add("Selu", "1.05 x[i], and 1.05·1.67 (e^x[i] - 1) below 0", 0, func(b *B, x, _, _ *val) *val {
			const alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
			return b.Sel(b.Lt(x, num(b, 0)), b.Mul(expm1(b, x), num(b, alpha*scale)), b.Mul(x, num(b, scale)))
		})
	}
	return ks
}
