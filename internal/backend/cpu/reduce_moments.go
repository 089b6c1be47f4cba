package cpu

import (
	"math"
	"math/cmplx"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/special"
	"github.com/lucid-go/lucid/internal/dtype"
)

// moments are a number of elements, their mean and the sum of squared distances from it. Blocks are measured in two
// passes while they are in the cache, and joined by Chan's formula: nothing cancels.
type moments struct{ n, mean, m2 float64 }

func joinMoments(a, b moments) moments {
	if a.n == 0 {
		return b
	}
	if b.n == 0 {
		return a
	}
	n, d := a.n+b.n, b.mean-a.mean
	m := a.mean + d*b.n/n
	return moments{n, m, a.m2 + b.m2 + d*d*a.n*b.n/n + (m - m)} // m-m: infinities have no variance
}

func momentsF32(x []float32) moments {
	n := float64(len(x))
	mean := float64(simd.SumF32(x)) / n
	// The rounded mean is taken off. Where it is so large that its rounding counts among the distances, what it left of
	// the mean is put right at the end.
	c, q := float32(mean), 0.0
	for p := x; len(p) > 0; {
		m := min(len(p), 4096)
		q += float64(simd.SumSqSubF32(p[:m], p[:m], c))
		p = p[m:]
	}
	const far = 1 << 16
	// Squares that float32 does not hold, too large or too small, a sum that it does not, or no variance at all.
	if q-q != 0 || mean-mean != 0 || q < n*1e-30 {
		return momentsWide(x)
	}
	if !(n*mean*mean > far*q) {
		d := float64(c) - mean
		return moments{n, mean, max(q-n*d*d, 0)}
	}
	var t [tileElems]float32
	s := 0.0
	for len(x) > 0 {
		m := min(len(x), tileElems)
		simd.AddScalarF32(t[:m], x[:m], -c)
		s += float64(simd.SumF32(t[:m]))
		x = x[m:]
	}
	return moments{n, float64(c) + s/n, max(q-s*s/n, 0)}
}

// momentsWide is momentsF32 in float64.
func momentsWide(x []float32) moments {
	n, s, q := float64(len(x)), 0.0, 0.0
	for _, v := range x {
		s += float64(v)
	}
	for _, v := range x {
		d := float64(v) - s/n
		q += d * d
	}
	return moments{n, s / n, q}
}

func momentsF64(x []float64) moments {
	n, s := float64(len(x)), 0.0
	if len(x) >= runFrom {
		s = simd.SumF64(x)
	} else {
		s = sumShortF64(x)
	}
	mean, q := s/n, 0.0
	for len(x) >= runFrom {
		m := min(len(x), tileElems)
		q += spreadF64(x[:m], mean)
		x = x[m:]
	}
	return moments{n, mean, q + distancesF64(x, mean)}
}

// spreadF64 is squaresF64 of distances from c.
//
//go:noinline
func spreadF64(x []float64, c float64) float64 {
	var t [tileElems]float64
	simd.AddScalarF64(t[:len(x)], x, -c)
	simd.SquareF64(t[:len(x)], t[:len(x)])
	return simd.SumF64(t[:len(x)])
}

// varOf folds a variance; end divides.
func varOf[T floats](block func([]T) moments, end func(moments) float64) folder[T, moments, T] {
	return folder[T, moments, T]{join: joinMoments, done: func(a moments, _ int) T { return T(end(a)) },
		run: func(a moments, x []T) moments {
			for len(x) > 0 {
				n := min(len(x), 4096)
				a = joinMoments(a, block(x[:n]))
				x = x[n:]
			}
			return a
		},
		cols: func(acc []moments, p unsafe.Pointer, stride, rows int) {
			var t T
			size := int(unsafe.Sizeof(t))
			sum, sq := make([]float64, len(acc)), make([]float64, len(acc))
			row := func(r int) []T { return unsafe.Slice((*T)(unsafe.Add(p, r*stride*size)), len(acc)) }
			for r := range rows {
				for j, v := range row(r) {
					sum[j] += float64(v)
				}
			}
			n := float64(rows)
			for j := range sum {
				sum[j] /= n
			}
			for r := range rows {
				for j, v := range row(r) {
					d := float64(v) - sum[j]
					sq[j] += d * d
				}
			}
			for j := range acc {
				acc[j] = joinMoments(acc[j], moments{n, sum[j], sq[j]})
			}
		}}
}

// spread is the variance of complex numbers: that of both parts.
type spread struct{ re, im moments }

func varComplex[T complex64 | complex128, R floats](end func(moments) float64) folder[T, spread, R] {
	put := func(a spread, v T) spread {
		c := complex128(v)
		return spread{joinMoments(a.re, moments{1, real(c), 0}), joinMoments(a.im, moments{1, imag(c), 0})}
	}
	return folder[T, spread, R]{
		join: func(a, b spread) spread { return spread{joinMoments(a.re, b.re), joinMoments(a.im, b.im)} },
		done: func(a spread, _ int) R { return R(end(moments{n: a.re.n, m2: a.re.m2 + a.im.m2})) },
		run: func(a spread, x []T) spread {
			for _, v := range x {
				a = put(a, v)
			}
			return a
		},
		cols: colsOf(func(acc []spread, x []T) {
			for j, v := range x {
				acc[j] = put(acc[j], v)
			}
		})}
}

// rootOf takes the root of a variance, before it is rounded: it may be more than the dtype holds.
func variance(rootOf bool) backend.Kernel {
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		return varianceOf(a, in[0].DType, rootOf).kernel()(c, a, out, in)
	}
}

func varianceOf(a attr.Attr, d dtype.DType, rootOf bool) *byType {
	correction := a.(attr.Var).Correction
	end := func(m moments) float64 { return m.m2 / max(0, m.n-correction) }
	if rootOf {
		end = func(m moments) float64 { return math.Sqrt(m.m2 / max(0, m.n-correction)) }
	}
	t := new(byType)
	switch d {
	case dtype.Float32:
		t[dtype.Float32] = varOf(momentsF32, end).reducer()
	case dtype.Float64:
		t[dtype.Float64] = varOf(momentsF64, end).reducer()
	case dtype.Complex64:
		t[dtype.Complex64] = varComplex[complex64, float32](end).reducer()
	case dtype.Complex128:
		t[dtype.Complex128] = varComplex[complex128, float64](end).reducer()
	default:
		halfTypes(t, varOf(momentsF32, end))
	}
	return t
}

// powerSum is how a norm treats one magnitude; end takes the root.
func normOf[T floats](p float64) folder[T, float64, T] {
	one := func(m float64) float64 { return special.Pow(m, p) }
	f := folder[T, float64, T]{join: add[float64], done: func(a float64, _ int) T { return T(special.Pow(a, 1/p)) }}
	switch {
	case p == 0:
		one = func(m float64) float64 {
			if m != 0 {
				return 1
			}
			return 0
		}
		f.done = func(a float64, _ int) T { return T(a) }
	case p == 1:
		one = func(m float64) float64 { return m }
		f.done = func(a float64, _ int) T { return T(a) }
	case p == 2:
		one = func(m float64) float64 { return m * m }
		f.done = func(a float64, _ int) T { return T(math.Sqrt(a)) }
	case math.IsInf(p, 1):
		f.join = func(a, b float64) float64 { return max(a, b) }
		one = func(m float64) float64 { return m }
		f.done = func(a float64, _ int) T { return T(a) }
	case math.IsInf(p, -1):
		f.zero = math.Inf(1)
		f.join = func(a, b float64) float64 { return min(a, b) }
		one = func(m float64) float64 { return m }
		f.done = func(a float64, _ int) T { return T(a) }
	}
	join := f.join
	f.run = func(a float64, x []T) float64 {
		for _, v := range x {
			a = join(a, one(math.Abs(float64(v))))
		}
		return a
	}
	f.cols = colsOf(func(acc []float64, x []T) {
		for j, v := range x {
			acc[j] = join(acc[j], one(math.Abs(float64(v))))
		}
	})
	return f
}

// normF32 has the common norms by vectors of float32.
func normF32(p float64) folder[float32, float64, float32] {
	f := normOf[float32](p)
	switch p {
	case 2:
		f.run = func(a float64, x []float32) float64 {
			for len(x) > 0 {
				n := min(len(x), 4096)
				a += float64(simd.SumSqF32(x[:n]))
				x = x[n:]
			}
			return a
		}
		f.cols = blockCols(func(t, x []float32, first bool) {
			if first {
				simd.SquareF32(t, x)
				return
			}
			for j, v := range x {
				t[j] += v * v
			}
		})
	case 1:
		f.run = absRun(func(a float64, t []float32) float64 { return a + float64(simd.SumF32(t)) })
	case math.Inf(1):
		f.run = absRun(func(a float64, t []float32) float64 { return max(a, float64(simd.MaxOfF32(t))) })
	case math.Inf(-1):
		f.run = absRun(func(a float64, t []float32) float64 { return min(a, float64(simd.MinOfF32(t))) })
	}
	return f
}

// normF64 has the common norm by vectors of float64.
func normF64(p float64) folder[float64, float64, float64] {
	f := normOf[float64](p)
	if p == 2 {
		f.run = func(a float64, x []float64) float64 {
			for len(x) >= runFrom {
				m := min(len(x), tileElems)
				a += squaresF64(x[:m])
				x = x[m:]
			}
			return a + distancesF64(x, 0)
		}
	}
	return f
}

// squaresF64 adds the squares of at least runLanes elements, and at most tileElems. It is a function of its own: short rows do
// without its scratch.
//
//go:noinline
func squaresF64(x []float64) float64 {
	var t [tileElems]float64
	simd.SquareF64(t[:len(x)], x)
	return simd.SumF64(t[:len(x)])
}

// distancesF64 adds the squares of distances from c, four sums side by side.
func distancesF64(x []float64, c float64) float64 {
	var s [4]float64
	for ; len(x) >= 4; x = x[4:] {
		d0, d1, d2, d3 := x[0]-c, x[1]-c, x[2]-c, x[3]-c
		s[0] += d0 * d0
		s[1] += d1 * d1
		s[2] += d2 * d2
		s[3] += d3 * d3
	}
	for i, v := range x {
		s[i] += (v - c) * (v - c)
	}
	return (s[0] + s[2]) + (s[1] + s[3])
}

func absRun(step func(a float64, t []float32) float64) func(a float64, x []float32) float64 {
	return func(a float64, x []float32) float64 {
		t := floatTiles.Get().(*floatTile)
		defer floatTiles.Put(t)
		for len(x) > 0 {
			n := min(len(x), tileElems)
			simd.AbsF32(t[:n], x[:n])
			a = step(a, t[:n])
			x = x[n:]
		}
		return a
	}
}

// normComplex measures magnitudes.
func normComplex[T complex64 | complex128, R floats](p float64) folder[T, float64, R] {
	f := normOf[float64](p)
	return folder[T, float64, R]{zero: f.zero, join: f.join, done: func(a float64, n int) R { return R(f.done(a, n)) },
		run: func(a float64, x []T) float64 {
			for _, v := range x {
				a = f.run(a, []float64{cmplx.Abs(complex128(v))})
			}
			return a
		},
		cols: colsOf(func(acc []float64, x []T) {
			for j, v := range x {
				acc[j] = f.run(acc[j], []float64{cmplx.Abs(complex128(v))})
			}
		})}
}

func vectorNorm(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	return vectorNormOf(a, in[0].DType).kernel()(c, a, out, in)
}

func vectorNormOf(a attr.Attr, d dtype.DType) *byType {
	p := a.(attr.Norm).P
	t := new(byType)
	switch d {
	case dtype.Float32:
		t[dtype.Float32] = normF32(p).reducer()
	case dtype.Float64:
		t[dtype.Float64] = normF64(p).reducer()
	case dtype.Complex64:
		t[dtype.Complex64] = normComplex[complex64, float32](p).reducer()
	case dtype.Complex128:
		t[dtype.Complex128] = normComplex[complex128, float64](p).reducer()
	default:
		halfTypes(t, normF32(p))
	}
	return t
}

func init() {
	register(backend.Table{"var": variance(false), "std": variance(true), "vector_norm": vectorNorm})
}
