package gemm

import "unsafe"

// Products of whole numbers of 32 and 64 bits. Sums are taken modulo 2³² and 2⁶⁴, whether numbers have a sign or not, so every
// order of summation gives the same bits. Panels, sums and tiles are passed on as floats that no code computes with.

// HasInt32 reports whether Int32 has kernels on this machine.
func HasInt32() bool { return engineInt32() != nil }

// HasInt64 reports whether Int64 has kernels on this machine.
func HasInt64() bool { return engineInt64() != nil }

// Int32 computes C = A·B or C += A·B as Float32 does, modulo 2³². There must be kernels: see HasInt32. ep may be nil; it
// is told where a finished part is.
func Int32[I int32 | uint32](m, n, k int, a []I, ars, acs int, b []I, brs, bcs int, c []I, crs int, mode Mode,
	ep func(row, col, rows, cols int), run Runner) {
	check(m, n, k, len(a), ars, acs, len(b), brs, bcs, len(c), crs)
	multiply(engineInt32(), problem[float32]{m: m, n: n, k: k, a: seen[float32](a), ars: ars, acs: acs, b: seen[float32](b),
		brs: brs, bcs: bcs,
		c: seen[float32](c), crs: crs, ccs: 1, mode: mode, ep: toldOf[float32](ep)}, run)
}

// Int64 is Int32 for 64 bits; see HasInt64.
func Int64[I int64 | uint64](m, n, k int, a []I, ars, acs int, b []I, brs, bcs int, c []I, crs int, mode Mode,
	ep func(row, col, rows, cols int), run Runner) {
	check(m, n, k, len(a), ars, acs, len(b), brs, bcs, len(c), crs)
	multiply(engineInt64(), problem[float64]{m: m, n: n, k: k, a: seen[float64](a), ars: ars, acs: acs, b: seen[float64](b),
		brs: brs, bcs: bcs,
		c: seen[float64](c), crs: crs, ccs: 1, mode: mode, ep: toldOf[float64](ep)}, run)
}

// seen shows whole numbers as floats of their size.
func seen[T Float, I int32 | uint32 | int64 | uint64](x []I) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// toldOf is an epilogue that is only told of parts.
func toldOf[T Float](ep func(row, col, rows, cols int)) Epilogue[T] {
	if ep == nil {
		return nil
	}
	return func(_ []T, _, row, col, rows, cols int) { ep(row, col, rows, cols) }
}
