package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// sumComplex adds the parts of complex numbers, which are interleaved: runs by folding them in two, in their own precision, runs
// to each other and rows in float64. wide gives parts as float64.
func sumComplex[T complex64 | complex128, P float32 | float64](two func(z, x, y []P), wide func(z []float64, x []P),
	done func(complex128, int) complex128) folder[T, complex128, T] {
	return folder[T, complex128, T]{join: add[complex128], done: func(a complex128, n int) T { return T(done(a, n)) },
		run: func(a complex128, x []T) complex128 {
			for len(x) > 0 {
				n := min(len(x), 2048)
				a += sumParts(elems[P](unsafe.Pointer(unsafe.SliceData(x)), 2*n), two)
				x = x[n:]
			}
			return a
		},
		cols: func(acc []complex128, p unsafe.Pointer, stride, rows int) {
			for r := range rows {
				x := elems[P](unsafe.Add(p, r*stride*int(unsafe.Sizeof(*new(T)))), 2*len(acc))
				addParts(elems[float64](unsafe.Pointer(unsafe.SliceData(acc)), len(x)), x, wide)
			}
		}}
}

// sumParts adds the upper half of x to the lower one until a vector is left, and its numbers in float64.
func sumParts[P float32 | float64](x []P, two func(z, x, y []P)) complex128 {
	const lanes = 16
	if len(x) > 2*lanes {
		buf := floatTiles.Get().(*floatTile)
		defer floatTiles.Put(buf)
		t := elems[P](unsafe.Pointer(buf), len(x))
		for len(x) > lanes {
			n := len(x)
			h := ((n+1)/2 + lanes - 1) / lanes * lanes
			two(t[:n-h], x[:n-h], x[h:])
			copy(t[n-h:h], x[n-h:h]) // of itself but the first time
			x = t[:h]
		}
	}
	re, im := 0.0, 0.0
	for ; len(x) >= 2; x = x[2:] {
		re, im = re+float64(x[0]), im+float64(x[1])
	}
	return complex(re, im)
}

// addParts adds x to sum, over and over again if it is longer.
func addParts[P float32 | float64](sum []float64, x []P, wide func(z []float64, x []P)) {
	buf := floatTiles.Get().(*floatTile)
	defer floatTiles.Put(buf)
	t := elems[float64](unsafe.Pointer(buf), runLanes)
	for at := 0; len(x) > 0; {
		n := min(len(x), runLanes, len(sum)-at)
		wide(t[:n], x[:n])
		simd.AddF64(sum[at:at+n], sum[at:at+n], t[:n])
		if x, at = x[n:], at+n; at == len(sum) {
			at = 0
		}
	}
}
