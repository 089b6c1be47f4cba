//go:build !purego

package simd

//go:noescape
func maxPool2x2F32AVX512(z *float32, at *int64, x *float32, rows, cols, xs int)

func maxPool2x2(z []float32, at []int64, x []float32, rows, cols, xs int) bool {
	if !useAVX512 || len(x) >= 1<<31 {
		return false
	}
	maxPool2x2F32AVX512(&z[0], &at[0], &x[0], rows, cols, xs)
	return true
}

//go:noescape
func maxGive2x2F32AVX512(z, x *float32, at *int64, rows, cols, zs int)

func maxGive2x2(z, x []float32, at []int64, rows, cols, zs int) bool {
	if !useAVX512 || len(z) >= 1<<31 {
		return false
	}
	maxGive2x2F32AVX512(&z[0], &x[0], &at[0], rows, cols, zs)
	return true
}
