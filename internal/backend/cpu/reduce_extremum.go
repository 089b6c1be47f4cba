package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// maxOf and minOf reduce integers and float64; NaN wins, as in Go's max and min.
func maxOf[T reals](low T) extremum[T] {
	return extremum[T]{folder[T, T, T]{zero: low, join: func(a, b T) T { return max(a, b) }, done: func(a T, _ int) T { return a },
		ends: func(z, a []T, _ int) { copy(z, a) },
		run: func(a T, x []T) T {
			b := a
			for len(x) >= 2 {
				a, b = max(a, x[0]), max(b, x[1])
				x = x[2:]
			}
			for _, v := range x {
				a = max(a, v)
			}
			return max(a, b)
		},
		cols: colsOf(func(acc, x []T) {
			acc = acc[:len(x)]
			for j, v := range x {
				acc[j] = max(acc[j], v)
			}
		})}}
}

func minOf[T reals](high T) extremum[T] {
	return extremum[T]{folder[T, T, T]{zero: high, join: func(a, b T) T { return min(a, b) }, done: func(a T, _ int) T { return a },
		ends: func(z, a []T, _ int) { copy(z, a) },
		run: func(a T, x []T) T {
			b := a
			for len(x) >= 2 {
				a, b = min(a, x[0]), min(b, x[1])
				x = x[2:]
			}
			for _, v := range x {
				a = min(a, v)
			}
			return min(a, b)
		},
		cols: colsOf(func(acc, x []T) {
			acc = acc[:len(x)]
			for j, v := range x {
				acc[j] = min(acc[j], v)
			}
		})}}
}

// bounds gives the smallest and the largest integer of a type.
func bounds[T integers]() (low, high T) {
	if ^T(0) > 0 {
		return 0, ^T(0)
	}
	high = T(1)<<(8*unsafe.Sizeof(low)-1) - 1
	return -high - 1, high
}

// extremum is a reduction that gives one of its elements.
type extremum[T comparable] struct{ folder[T, T, T] }

// inVectors is the reduction by a vector kernel for the maximum of two slices, or the minimum.
func (f extremum[T]) inVectors(two func(z, x, y []T)) extremum[T] {
	f.run, f.cols, f.joins = treeExtremum(f.run, two), extremumCols(two), two
	f.dense, f.long = extremaOf(f.zero, f.run, two), true
	return f
}

func extremumInts[T integers](most, least *byType, d dtype.DType, larger, smaller func(z, x, y []T)) {
	low, high := bounds[T]()
	f, g := maxOf(low), minOf(high)
	if larger != nil {
		f, g = f.inVectors(larger), g.inVectors(smaller)
	}
	most[d], least[d] = f.reducer(), g.reducer()
}

func init() {
	most, least := new(byType), new(byType)
	inf := math.Inf(1)
	f := maxOf(float32(-inf))
	f.run = func(a float32, x []float32) float32 {
		if len(x) < 16 {
			for _, v := range x {
				a = max(a, v)
			}
			return a
		}
		return max(a, simd.MaxOfF32(x))
	}
	f.cols, f.joins, f.dense = extremumCols(simd.MaxF32), simd.MaxF32, extremaOf(f.zero, f.run, simd.MaxF32)
	g := minOf(float32(inf))
	g.run = func(a float32, x []float32) float32 {
		if len(x) < 16 {
			for _, v := range x {
				a = min(a, v)
			}
			return a
		}
		return min(a, simd.MinOfF32(x))
	}
	g.cols, g.joins, g.dense = extremumCols(simd.MinF32), simd.MinF32, extremaOf(g.zero, g.run, simd.MinF32)
	most[dtype.Float32], least[dtype.Float32] = f.reducer(), g.reducer()
	halfTypes(most, f.folder)
	halfTypes(least, g.folder)
	most[dtype.Float64], least[dtype.Float64] = maxOf(-inf).inVectors(simd.MaxF64).reducer(), minOf(inf).inVectors(simd.MinF64).reducer()
	extremumInts(most, least, dtype.Bool, simd.MaxU8, simd.MinU8)
	extremumInts(most, least, dtype.Uint8, simd.MaxU8, simd.MinU8)
	extremumInts(most, least, dtype.Uint16, simd.MaxU16, simd.MinU16)
	extremumInts[uint32](most, least, dtype.Uint32, nil, nil)
	extremumInts[uint64](most, least, dtype.Uint64, nil, nil)
	extremumInts(most, least, dtype.Int8, simd.MaxI8, simd.MinI8)
	extremumInts(most, least, dtype.Int16, simd.MaxI16, simd.MinI16)
	extremumInts(most, least, dtype.Int32, simd.MaxI32, simd.MinI32)
	extremumInts(most, least, dtype.Int64, simd.MaxI64, simd.MinI64)
	registerFold("amax", most)
	registerFold("amin", least)
	registerFold("count_nonzero", countTable(func(a int64, _ int) int64 { return a }))
	registerFold("any", countTable(func(a int64, _ int) bool { return a > 0 }))
	registerFold("all", countTable(func(a int64, n int) bool { return a == int64(n) }))
}

// prodOf multiplies in A.
func prodOf[T, A numbers](to func(x []T, a A) A, row func(acc []A, x []T), done func(A) T) folder[T, A, T] {
	return folder[T, A, T]{zero: 1, join: func(a, b A) A { return a * b }, run: func(a A, x []T) A { return to(x, a) },
		cols: colsOf(row), done: func(a A, _ int) T { return done(a) }}
}

// prodInts multiplies modulo the size of T: signed and unsigned integers have the same bits.
func prodInts[T integers](t *byType, all ...dtype.DType) {
	r := prodOf(func(x []T, a T) T {
		b, c, d := T(1), T(1), T(1)
		for ; len(x) >= 4; x = x[4:] {
			a, b, c, d = a*x[0], b*x[1], c*x[2], d*x[3]
		}
		for _, v := range x {
			a *= v
		}
		return a * b * (c * d)
	}, func(acc, x []T) {
		for j, v := range x {
			acc[j] *= v
		}
	}, func(a T) T { return a }).reducer()
	for _, d := range all {
		t[d] = r
	}
}

// toDouble gives elements as float64. It is no function value, through which its operands would move to the heap.
func toDouble[T floats](z []float64, x []T) {
	switch x := any(x).(type) {
	case []float32:
		simd.F32ToF64(z, x)
	case []float64:
		copy(z, x)
	}
}

// prodFloats multiplies in float64. Long runs go through lanes.
func prodFloats[T floats]() folder[T, float64, T] {
	return prodOf(func(x []T, a float64) float64 {
		for len(x) >= runFrom {
			n := min(len(x), tileElems)
			a *= prodRun(x[:n])
			x = x[n:]
		}
		// Eight products side by side: each waits for the last one.
		p := [8]float64{a, 1, 1, 1, 1, 1, 1, 1}
		for ; len(x) >= 8; x = x[8:] {
			y := x[:8]
			p[0] *= float64(y[0])
			p[1] *= float64(y[1])
			p[2] *= float64(y[2])
			p[3] *= float64(y[3])
			p[4] *= float64(y[4])
			p[5] *= float64(y[5])
			p[6] *= float64(y[6])
			p[7] *= float64(y[7])
		}
		for i, v := range x {
			p[i] *= float64(v)
		}
		return ((p[0] * p[4]) * (p[2] * p[6])) * ((p[1] * p[5]) * (p[3] * p[7]))
	}, func(acc []float64, x []T) {
		var t [runLanes]float64
		for len(x) > 0 {
			n := min(len(x), runLanes)
			toDouble(t[:n], x[:n])
			simd.MulF64(acc[:n], acc[:n], t[:n])
			acc, x = acc[n:], x[n:]
		}
	}, func(a float64) T { return T(a) })
}

// prodRun multiplies at least runLanes elements, and at most tileElems.
func prodRun[T floats](x []T) float64 {
	buf := floatTiles.Get().(*floatTile) // clearing as much on the stack would take longer than the row
	defer floatTiles.Put(buf)
	t := elems[float64](unsafe.Pointer(buf), tileElems)
	toDouble(t[:len(x)], x)
	for n := len(x); n > 8; {
		h := (n + 15) / 16 * 8 // full vectors
		simd.MulF64(t[:n-h], t[:n-h], t[h:n])
		n = h
	}
	return ((t[0] * t[4]) * (t[2] * t[6])) * ((t[1] * t[5]) * (t[3] * t[7]))
}

func prodComplex[T complex64 | complex128]() folder[T, complex128, T] {
	return prodOf(func(x []T, a complex128) complex128 {
		if len(x) >= 8 { // four products side by side: each waits for the last one
			p := [4]complex128{1, 1, 1, 1}
			for ; len(x) >= 4; x = x[4:] {
				p[0] *= complex128(x[0])
				p[1] *= complex128(x[1])
				p[2] *= complex128(x[2])
				p[3] *= complex128(x[3])
			}
			a *= (p[0] * p[2]) * (p[1] * p[3])
		}
		for _, v := range x {
			a *= complex128(v)
		}
		return a
	}, func(acc []complex128, x []T) {
		for j, v := range x {
			acc[j] *= complex128(v)
		}
	}, func(a complex128) T { return T(a) })
}

func init() {
	t := new(byType)
	f := prodFloats[float32]()
	t[dtype.Float32], t[dtype.Float64] = f.reducer(), prodFloats[float64]().reducer()
	halfTypes(t, f)
	t[dtype.Complex64], t[dtype.Complex128] = prodComplex[complex64]().reducer(), prodComplex[complex128]().reducer()
	prodInts[uint8](t, dtype.Bool, dtype.Uint8, dtype.Int8)
	prodInts[uint16](t, dtype.Uint16, dtype.Int16)
	prodInts[uint32](t, dtype.Uint32, dtype.Int32)
	prodInts[uint64](t, dtype.Uint64, dtype.Int64)
	registerFold("prod", t)
}
