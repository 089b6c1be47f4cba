package cpu

import "github.com/lucid-go/lucid/internal/backend/cpu/gemm"

// Products of integers wrap around, so that a sign makes no difference to the bits and one function serves both kinds.

// intProductWork is how many multiply-adds a product has from which the kernels of package gemm pay.
const intProductWork = 2 << 10

func productInt32(m, n, k int, a []uint32, ars, acs int, b []uint32, brs, bcs int, c []uint32, crs int, add bool, run gemm.Runner) {
	if n == 1 || m*n*k < intProductWork || !gemm.HasInt32() {
		productOf(m, n, k, a, ars, acs, b, brs, bcs, c, crs, add, run)
		return
	}
	gemm.Int32(m, n, k, a, ars, acs, b, brs, bcs, c, crs, modeOf(add), nil, run)
}

func productInt64(m, n, k int, a []uint64, ars, acs int, b []uint64, brs, bcs int, c []uint64, crs int, add bool, run gemm.Runner) {
	if n == 1 || m*n*k < intProductWork || !gemm.HasInt64() {
		productOf(m, n, k, a, ars, acs, b, brs, bcs, c, crs, add, run)
		return
	}
	gemm.Int64(m, n, k, a, ars, acs, b, brs, bcs, c, crs, modeOf(add), nil, run)
}

// product16 multiplies in 32 bits; the low 16 bits are the result.
func product16(m, n, k int, a []uint16, ars, acs int, b []uint16, brs, bcs int, c []uint16, crs int, add bool, run gemm.Runner) {
	if n == 1 || m*n*k < intProductWork || !gemm.HasInt32() {
		productOf(m, n, k, a, ars, acs, b, brs, bcs, c, crs, add, run)
		return
	}
	buf, free := borrow[uint32](m*k + k*n + m*n)
	defer free()
	x, y, z := buf[:m*k], buf[m*k:][:k*n], buf[m*k+k*n:]
	widen16(x, a, m, k, ars, acs)
	widen16(y, b, k, n, brs, bcs)
	gemm.Int32(m, n, k, x, k, 1, y, n, 1, z, n, gemm.Overwrite, func(row, col, rows, cols int) {
		for i := row; i < row+rows; i++ {
			to := c[i*crs+col:][:cols]
			for j, v := range z[i*n+col:][:cols] {
				if add {
					v += uint32(to[j])
				}
				to[j] = uint16(v)
			}
		}
	}, run)
}

// widen16 copies a matrix row by row.
func widen16(z []uint32, x []uint16, rows, cols, rs, cs int) {
	for i := range rows {
		to, from := z[i*cols:][:cols], x[i*rs:]
		if cs == 1 {
			for j, v := range from[:cols] {
				to[j] = uint32(v)
			}
			continue
		}
		for j := range to {
			to[j] = uint32(from[j*cs])
		}
	}
}
