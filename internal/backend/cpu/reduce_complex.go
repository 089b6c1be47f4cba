package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// sumComplex adds the parts of complex numbers, which are interleaved, in float64: in lanes, then across lanes. wide gives parts
// as float64.
func sumComplex[T complex64 | complex128, P float32 | float64](wide func(z []float64, x []P),
	done func(complex128, int) complex128) folder[T, complex128, T] {
	return folder[T, complex128, T]{join: add[complex128], done: func(a complex128, n int) T { return T(done(a, n)) },
		run: func(a complex128, x []T) complex128 {
			if len(x) < 8 {
				s := complex128(0)
				for _, v := range x {
					s += complex128(v)
				}
				return a + s
			}
			var sum [runLanes]float64
			addParts(sum[:], elems[P](unsafe.Pointer(unsafe.SliceData(x)), 2*len(x)), wide)
			for w := min(runLanes, 1<<bits.Len(uint(2*len(x)-1))); w > 2; w /= 2 { // the rest is zero
				simd.AddF64(sum[:w/2], sum[:w/2], sum[w/2:w])
			}
			return a + complex(sum[0], sum[1])
		},
		cols: func(acc []complex128, p unsafe.Pointer, stride, rows int) {
			for r := range rows {
				x := elems[P](unsafe.Add(p, r*stride*int(unsafe.Sizeof(*new(T)))), 2*len(acc))
				addParts(elems[float64](unsafe.Pointer(unsafe.SliceData(acc)), len(x)), x, wide)
			}
		}}
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
