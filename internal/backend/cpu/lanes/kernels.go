package lanes

import (
	"math"
	"unsafe"
)

// args are the operands of all kernels; not all read all of them. Distances are in bytes.
type args[T Float] struct {
	a, b, c, d, t, consts *T
	n, m, k               int
	rs, cs, bs            int
	done                  int
	i0, i1, j0, j1        int // rows of pairs
}

// kernelSet has the kernels of one type.
type kernelSet[T Float] struct {
	lu, exchange, solve, cholesky, reflector, reflect func(*args[T])
	implicit, rotations, jacobi, largest, scale       func(*args[T])
	fetch                                             func(*args[T])
	// lu4 and solve4 are for as many 4×4 matrices as there are lanes; nil: there are none.
	lu4, solve4 func(*args[T])
	transpose   func(z []T, ldz int, x []T, ldx, rows, cols int) // z[j·ldz+i] = x[i·ldx+j]

	bytes             int // of a cell: one vector
	consts            []T // in the order of asmgen
	finite, low, high T   // the largest number; between low and high squares lose no digits
	eps               T
}

// call runs a kernel.
func (b *Batch[T]) call(f func(*args[T]), a args[T]) int {
	a.consts = &b.k.consts[0]
	b.args = a // what a function value gets must be on the heap
	f(&b.args)
	return b.args.done
}

// constants32 and constants64 are 1, -1, ½, the square of a negligible ratio, a number below which squares lose digits, by what such
// numbers are scaled and the inverse, a bound of cotangents, and what counts as zero.
var (
	constants32 = []float32{1, -1, 0.5, 0x1p-48, 0x1p-50, 0x1p+70, 0x1p-70, 0x1p+60, 0x1p-100}
	constants64 = []float64{1, -1, 0.5, 0x1p-106, 0x1p-460, 0x1p+500, 0x1p-500, 0x1p+500, 0x1p-900}
)

// powerNear is the power of two that brings a positive number near 1.
func powerNear[T Float](m T) T {
	most := 1000
	if unsafe.Sizeof(m) == 4 {
		most = 120
	}
	_, e := math.Frexp(float64(m))
	return T(math.Ldexp(1, max(min(-e, most), -most)))
}
