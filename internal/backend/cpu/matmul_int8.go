package cpu

import "github.com/lucid-go/lucid/internal/backend/cpu/gemm"

// int8Work is how many multiply-adds a product of bytes has from which packing for the int8 kernels pays.
const int8Work = 4 << 10

// int8WithEpilogue multiplies bytes, signed or not: results wrap around, so that the sign does not matter. Sums are int32, in
// scratch; the low byte of each is the result.
func int8WithEpilogue() endedProduct[uint8] {
	plain := ended(productOf[uint8])
	if !gemm.HasInt8() {
		return plain
	}
	return func(m, n, k int, a []uint8, ars, acs int, b []uint8, brs, bcs int, c []uint8, crs int,
		ep func(c []uint8, crs, row, col, rows, cols int), run gemm.Runner) {
		if m*n*k < int8Work || ars|acs|brs|bcs < 0 {
			plain(m, n, k, a, ars, acs, b, brs, bcs, c, crs, ep, run)
			return
		}
		sums, free := borrow[int32](m * n)
		defer free()
		gemm.Int8(m, n, k, a, ars, acs, b, brs, bcs, sums, n, func(row, col, rows, cols int) {
			for i := row; i < row+rows; i++ {
				to := c[i*crs+col:][:cols]
				for j, v := range sums[i*n+col:][:cols] {
					to[j] = uint8(v)
				}
			}
			if ep != nil {
				ep(c[row*crs+col:], crs, row, col, rows, cols)
			}
		}, run)
	}
}
