//go:build !purego

package simd

//go:noescape
func maxStepF32AVX512(z *float32, at *int32, zrs int, x *float32, xrs, rows, n, step, base int)

//go:noescape
func addStepF32AVX512(z *float32, zrs int, x *float32, xrs, rows, n, step int)

//go:noescape
func scatterStep2F32AVX512(z *float32, zrs int, x *float32, xrs, rows, n int)

//go:noescape
func unpoolStepF32AVX512(z *float32, zrs int, x *float32, at *int32, xrs, rows, n, step, base, prs int)

//go:noescape
func widenIndicesAVX512(z *int64, x *int32, n int)

//go:noescape
func narrowIndicesAVX512(z *int32, x *int64, n int)

//go:noescape
func maxStepF32AVX2(z *float32, at *int32, zrs int, x *float32, xrs, rows, n, step, base int)

//go:noescape
func addStepF32AVX2(z *float32, zrs int, x *float32, xrs, rows, n, step int)

//go:noescape
func scatterStep2F32AVX2(z *float32, zrs int, x *float32, xrs, rows, n int)

//go:noescape
func unpoolStepF32AVX2(z *float32, zrs int, x *float32, at *int32, xrs, rows, n, step, base, prs int)

//go:noescape
func widenIndicesAVX2(z *int64, x *int32, n int)

//go:noescape
func narrowIndicesAVX2(z *int32, x *int64, n int)

// stepMost is the largest stride: sixteen of them, in bytes too, must fit in 32 bits.
const stepMost = 1 << 20

func maxStep(z []float32, at []int32, zrs int, x []float32, xrs, rows, n, step, base int) bool {
	switch {
	case step > stepMost:
		return false
	case useAVX512:
		maxStepF32AVX512(&z[0], &at[0], zrs, &x[0], xrs, rows, n, step, base)
	case useAVX2:
		maxStepF32AVX2(&z[0], &at[0], zrs, &x[0], xrs, rows, n, step, base)
	default:
		return false
	}
	return true
}

func addStep(z []float32, zrs int, x []float32, xrs, rows, n, step int) bool {
	switch {
	case step > stepMost:
		return false
	case useAVX512:
		addStepF32AVX512(&z[0], zrs, &x[0], xrs, rows, n, step)
	case useAVX2:
		addStepF32AVX2(&z[0], zrs, &x[0], xrs, rows, n, step)
	default:
		return false
	}
	return true
}

func scatterStep(z []float32, zrs int, x []float32, xrs, rows, n, step int) bool {
	switch {
	case step != 2:
		return false
	case useAVX512:
		scatterStep2F32AVX512(&z[0], zrs, &x[0], xrs, rows, n)
	case useAVX2:
		scatterStep2F32AVX2(&z[0], zrs, &x[0], xrs, rows, n)
	default:
		return false
	}
	return true
}

func unpoolStep(z []float32, zrs int, x []float32, at []int32, xrs, rows, n, step, base, prs int) bool {
	switch {
	case step > 2:
		return false
	case useAVX512:
		unpoolStepF32AVX512(&z[0], zrs, &x[0], &at[0], xrs, rows, n, step, base, prs)
	case useAVX2:
		unpoolStepF32AVX2(&z[0], zrs, &x[0], &at[0], xrs, rows, n, step, base, prs)
	default:
		return false
	}
	return true
}

func widenIndices(z []int64, x []int32) int {
	n := len(x) &^ 7
	switch {
	case n == 0:
		return 0
	case useAVX512:
		widenIndicesAVX512(&z[0], &x[0], n)
	case useAVX2:
		widenIndicesAVX2(&z[0], &x[0], n)
	default:
		return 0
	}
	return n
}

func narrowIndices(z []int32, x []int64) int {
	n := len(x) &^ 7
	switch {
	case n == 0:
		return 0
	case useAVX512:
		narrowIndicesAVX512(&z[0], &x[0], n)
	case useAVX2:
		narrowIndicesAVX2(&z[0], &x[0], n)
	default:
		return 0
	}
	return n
}
