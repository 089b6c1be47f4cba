package cpu

import (
	"math"
	"math/cmplx"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// scaledSum is Σ exp(x - top); top is finite, and the largest x where that is.
type scaledSum struct{ top, sum float64 }

var noSum = scaledSum{top: math.Inf(-1)}

func joinScaled(a, b scaledSum) scaledSum {
	switch {
	case a.sum == 0 || math.IsInf(a.top, -1):
		return b
	case b.sum == 0 || math.IsInf(b.top, -1):
		return a
	case math.IsInf(a.sum, 1) && b.sum == b.sum:
		return a
	case math.IsInf(b.sum, 1) && a.sum == a.sum:
		return b
	case a.top < b.top:
		a, b = b, a
	}
	return scaledSum{a.top, a.sum + b.sum*math.Exp(b.top-a.top)}
}

// finite is a shift that makes no NaN of infinities.
func finite(top float64) float64 {
	if top-top != 0 { // NaN, of infinities too
		return 0
	}
	return top
}

// endScaled has the bits of endsScaled: which of them is called depends on where a sum is.
func endScaled(a scaledSum) float64 {
	s := [1]float64{a.sum}
	simd.LogF64(s[:], s[:])
	return s[0] + finite(a.top)
}

// endsScaled is endScaled of many.
func endsScaled[T floats](z []T, a []scaledSum, _ int) {
	var buf [expTile]float64
	for len(a) > 0 {
		n := min(len(a), expTile)
		s := buf[:n]
		for i := range s {
			s[i] = a[i].sum
		}
		simd.LogF64(s, s)
		for i, v := range s {
			z[i] = T(v + finite(a[i].top))
		}
		z, a = z[n:], a[n:]
	}
}

// rowsScaled folds rows of n elements, whose logarithms are taken many at a time.
func rowsScaled[T floats](run func(a scaledSum, x []T) scaledSum) func(z, x unsafe.Pointer, rows, n int) {
	return func(z, x unsafe.Pointer, rows, n int) {
		var sums [64]scaledSum
		to, from := elems[T](z, rows), elems[T](x, rows*n)
		for len(to) > 0 {
			some := sums[:min(len(to), len(sums))]
			for i := range some {
				some[i] = run(noSum, from[i*n:(i+1)*n])
			}
			endsScaled(to[:len(some)], some, n)
			to, from = to[len(some):], from[len(some)*n:]
		}
	}
}

// addExp adds Σ exp(x), with scratch for as many.
func addExp(a scaledSum, x, scratch []float32) scaledSum {
	top := float32(finite(float64(simd.MaxOfF32(x))))
	return joinScaled(a, scaledSum{float64(top), float64(simd.ExpSubSumF32(scratch[:len(x)], x, top))})
}

func logsumexpF32() folder[float32, scaledSum, float32] {
	f := folder[float32, scaledSum, float32]{zero: noSum, join: joinScaled,
		done: func(a scaledSum, _ int) float32 { return float32(endScaled(a)) }, ends: endsScaled[float32],
		run: func(a scaledSum, x []float32) scaledSum {
			if len(x) <= 64 { // clearing a whole tile would take longer than the row
				var t [64]float32
				return addExp(a, x, t[:])
			}
			var t [tileElems]float32
			for len(x) > 0 {
				n := min(len(x), tileElems)
				a = addExp(a, x[:n], t[:])
				x = x[n:]
			}
			return a
		},
		cols: func(acc []scaledSum, p unsafe.Pointer, stride, rows int) {
			var tops, sums, tmp [foldCols]float32
			w := len(acc)
			top, sum, t := tops[:w], sums[:w], tmp[:w]
			row := func(r int) []float32 { return unsafe.Slice((*float32)(unsafe.Add(p, r*stride*4)), w) }
			copy(top, row(0))
			for r := 1; r < rows; r++ {
				simd.MaxF32(top, top, row(r))
			}
			for j, v := range top {
				top[j] = float32(finite(float64(v)))
			}
			for r := range rows {
				simd.SubF32(t, row(r), top)
				simd.ExpF32(t, t)
				simd.SumRowsF32(sum, t)
			}
			for j := range acc {
				if next := (scaledSum{float64(top[j]), float64(sum[j])}); acc[j] == noSum {
					acc[j] = next
				} else {
					acc[j] = joinScaled(acc[j], next)
				}
			}
		}}
	f.dense, f.long = rowsScaled(f.run), true
	return f
}

// expTile is how many float64 are summed at a time.
const expTile = 256

// addExp64 adds Σ exp(x) of at most expTile elements.
func addExp64(a scaledSum, x []float64) scaledSum {
	var buf [expTile]float64
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	top = finite(top)
	t := buf[:len(x)]
	simd.AddScalarF64(t, x, -top)
	simd.ExpF64(t, t)
	s := 0.0
	for _, v := range t {
		s += v
	}
	return joinScaled(a, scaledSum{top, s})
}

func logsumexpF64() folder[float64, scaledSum, float64] {
	return folder[float64, scaledSum, float64]{zero: noSum, join: joinScaled,
		done: func(a scaledSum, _ int) float64 { return endScaled(a) }, ends: endsScaled[float64],
		run: func(a scaledSum, x []float64) scaledSum {
			for len(x) > 0 {
				n := min(len(x), expTile)
				a = addExp64(a, x[:n])
				x = x[n:]
			}
			return a
		},
		cols: func(acc []scaledSum, p unsafe.Pointer, stride, rows int) {
			for lo := 0; lo < len(acc); lo += expTile {
				expCols64(acc[lo:min(lo+expTile, len(acc))], unsafe.Add(p, 8*lo), stride, rows)
			}
		}}
}

// expCols64 adds Σ exp(x) down at most expTile columns.
func expCols64(acc []scaledSum, p unsafe.Pointer, stride, rows int) {
	var tops, sums, tmp [expTile]float64
	w := len(acc)
	top, sum, t := tops[:w], sums[:w], tmp[:w]
	row := func(r int) []float64 { return unsafe.Slice((*float64)(unsafe.Add(p, r*stride*8)), w) }
	copy(top, row(0))
	for r := 1; r < rows; r++ {
		simd.MaxF64(top, top, row(r))
	}
	for j, v := range top {
		top[j] = finite(v)
	}
	for r := range rows {
		simd.SubF64(t, row(r), top)
		simd.ExpF64(t, t)
		simd.AddF64(sum, sum, t)
	}
	for j := range acc {
		acc[j] = joinScaled(acc[j], scaledSum{top[j], sum[j]})
	}
}

// scaledComplex is Σ exp(z - top) with a real shift.
type scaledComplex struct {
	top float64
	sum complex128
}

func logsumexpComplex[T complex64 | complex128]() folder[T, scaledComplex, T] {
	join := func(a, b scaledComplex) scaledComplex {
		switch {
		case math.IsInf(a.top, -1):
			return b
		case math.IsInf(b.top, -1):
			return a
		case a.top < b.top:
			return scaledComplex{b.top, a.sum*complex(math.Exp(a.top-b.top), 0) + b.sum}
		}
		return scaledComplex{a.top, a.sum + b.sum*complex(math.Exp(b.top-a.top), 0)}
	}
	one := func(v T) scaledComplex {
		z := complex128(v)
		top := finite(real(z))
		return scaledComplex{top, cmplx.Exp(z - complex(top, 0))}
	}
	return folder[T, scaledComplex, T]{zero: scaledComplex{top: math.Inf(-1)}, join: join,
		done: func(a scaledComplex, _ int) T { return T(cmplx.Log(a.sum) + complex(finite(a.top), 0)) },
		run: func(a scaledComplex, x []T) scaledComplex {
			for _, v := range x {
				a = join(a, one(v))
			}
			return a
		},
		cols: colsOf(func(acc []scaledComplex, x []T) {
			for j, v := range x {
				acc[j] = join(acc[j], one(v))
			}
		})}
}

// logsumexps are the kernels by dtype.
var logsumexps *byType

func init() {
	t := new(byType)
	f := logsumexpF32()
	t[dtype.Float32], t[dtype.Float64] = f.reducer(), logsumexpF64().reducer()
	halfTypes(t, f)
	t[dtype.Complex64], t[dtype.Complex128] = logsumexpComplex[complex64]().reducer(), logsumexpComplex[complex128]().reducer()
	register(backend.Table{"logsumexp": t.kernel()})
	logsumexps = t
}
