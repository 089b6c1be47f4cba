package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
)

// A complex product is a real one of twice the rows and twice the inner size:
//
//	[re c]   [re a  -im a]   [re b]
//	[im c] = [im a   re a] · [im b]

// complexInner is the inner size from which that is done. It alone decides, so that a row has the same bits whatever
// rows come with it.
const complexInner = 16

func productC64(m, n, k int, a []complex64, ars, acs int, b []complex64, brs, bcs int, c []complex64, crs int, add bool, run gemm.Runner) {
	if k < complexInner {
		productOf(m, n, k, a, ars, acs, b, brs, bcs, c, crs, add, run)
		return
	}
	complexProduct(product32, m, n, k, parts[float32](a), ars, acs, parts[float32](b), brs, bcs, parts[float32](c), crs, add, run)
}

func productC128(m, n, k int, a []complex128, ars, acs int, b []complex128, brs, bcs int, c []complex128, crs int, add bool, run gemm.Runner) {
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
func complexProduct[F floats](mul product[F], m, n, k int, a []F, ars, acs int, b []F, brs, bcs int, c []F, crs int, add bool, run gemm.Runner) {
	buf, free := borrow[F](4*m*k + 2*k*n + 2*m*n)
	defer free()
	x, y, z := buf[:4*m*k], buf[4*m*k:][:2*k*n], buf[4*m*k+2*k*n:]
	for i := range m {
		re, im, from := x[i*2*k:][:2*k], x[(m+i)*2*k:][:2*k], a[2*i*ars:]
		for p := range k {
			r, s := from[2*p*acs], from[2*p*acs+1]
			re[p], re[k+p], im[p], im[k+p] = r, -s, s, r
		}
	}
	for p := range k {
		re, im, from := y[p*n:][:n], y[(k+p)*n:][:n], b[2*p*brs:]
		for j := range n {
			re[j], im[j] = from[2*j*bcs], from[2*j*bcs+1]
		}
	}
	mul(2*m, n, 2*k, x, 2*k, 1, y, n, 1, z, n, false, run)
	for i := range m {
		to, re, im := c[2*i*crs:][:2*n], z[i*n:][:n], z[(m+i)*n:][:n]
		for j := range n {
			if add {
				to[2*j], to[2*j+1] = to[2*j]+re[j], to[2*j+1]+im[j]
			} else {
				to[2*j], to[2*j+1] = re[j], im[j]
			}
		}
	}
}
