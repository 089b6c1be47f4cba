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
