package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/par"
)

// A complex product is two real ones over matrices whose columns are real and imaginary parts in turn, as complex numbers are stored:
//
//	c = re a · b + im a · ib
//
// The parts of a are read without a copy, two apart, and so is b; i times b is a copy.

// complexInner is the inner size from which that is done. It alone decides, so that a row has the same bits whatever
// rows come with it.
const complexInner = 4

func productC64(m, n, k int, a []complex64, ars, acs int, b []complex64, brs, bcs int, c []complex64, crs int, add bool, run gemm.Runner) {
	if k < complexInner {
		productOf(m, n, k, a, ars, acs, b, brs, bcs, c, crs, add, run)
		return
	}
	complexProduct(product32, m, n, k, parts[float32](a), ars, acs, parts[float32](b), brs, bcs, parts[float32](c), crs, add, run)
}

func productC128(m, n, k int, a []complex128, ars, acs int, b []complex128, brs, bcs int, c []complex128, crs int, add bool,
	run gemm.Runner) {
	if k < complexInner {
		productOf(m, n, k, a, ars, acs, b, brs, bcs, c, crs, add, run)
		return
	}
	complexProduct(product64, m, n, k, parts[float64](a), ars, acs, parts[float64](b), brs, bcs, parts[float64](c), crs, add, run)
}

// parts shows complex numbers as pairs.
func parts[F floats, C complex64 | complex128](x []C) []F {
	return unsafe.Slice((*F)(unsafe.Pointer(unsafe.SliceData(x))), 2*len(x))
}

// complexProduct takes pairs; strides count complex numbers.
func complexProduct[F floats](mul product[F], m, n, k int, a []F, ars, acs int, b []F, brs, bcs int, c []F, crs int, add bool,
	run gemm.Runner) {
	if m == 0 || n == 0 {
		return
	}
	size := 2 * k * n
	if bcs != 1 {
		size *= 2
	}
	buf, free := borrow[F](size)
	defer free()
	ib := buf[:2*k*n]
	if bcs != 1 {
		b, brs = wholeRows(buf[2*k*n:], k, n, b, brs, bcs), n
	}
	pace := par.NewPace()
	for p := range k {
		to, from := ib[2*p*n:][:2*n], b[2*p*brs:][:2*n]
		for j := 0; j+1 < len(from) && j+1 < len(to); j += 2 {
			to[j], to[j+1] = -from[j+1], from[j]
		}
		if n >= tileElems {
			pace.Step()
		}
	}
	mul(m, 2*n, k, a, 2*ars, 2*acs, b, 2*brs, 1, c, 2*crs, add, run)
	mul(m, 2*n, k, a[1:], 2*ars, 2*acs, ib, 2*n, 1, c, 2*crs, true, run)
}

// wholeRows copies pairs to contiguous rows.
func wholeRows[F floats](z []F, rows, cols int, x []F, rs, cs int) []F {
	for p := range rows {
		to, from := z[2*p*cols:][:2*cols], x[2*p*rs:]
		for j := range cols {
			to[2*j], to[2*j+1] = from[2*j*cs], from[2*j*cs+1]
		}
	}
	return z
}
