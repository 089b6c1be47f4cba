//go:build !purego

package simd

//go:noescape
func maxPool2x2F32AVX512(z *float32, at *int64, x *float32, rows, cols, xs int)

//go:noescape
func maxUnpool2x2F32AVX512(z, x *float32, at *int64, rows, cols, zs int)

//go:noescape
func maxPoolRowAVX2(z *float32, at *int64, x, below *float32, n, first, second int)

//go:noescape
func maxUnpoolRowAVX2(z, below, x *float32, at *int64, n, first, second int)

func maxPool2x2(z []float32, at []int64, x []float32, rows, cols, xs int) bool {
	if len(x) >= 1<<31 {
		return false
	}
	if useAVX512 {
		maxPool2x2F32AVX512(&z[0], &at[0], &x[0], rows, cols, xs)
		return true
	}
	return useAVX2 && maxPoolRows(z, at, x, rows, cols, xs, 8, maxPoolRowAVX2)
}

func maxUnpool2x2(z, x []float32, at []int64, rows, cols, zs int) bool {
	if len(z) >= 1<<31 {
		return false
	}
	if useAVX512 {
		maxUnpool2x2F32AVX512(&z[0], &x[0], &at[0], rows, cols, zs)
		return true
	}
	return useAVX2 && maxUnpoolRows(z, x, at, rows, cols, zs, 8, maxUnpoolRowAVX2)
}
