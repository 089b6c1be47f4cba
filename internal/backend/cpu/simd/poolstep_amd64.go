//go:build !purego

package simd

//go:noescape
func maxStepF32AVX512(z *float32, at *int32, zrs int, x *float32, xrs, rows, n, step, place int)

//go:noescape
func addStepF32AVX512(z *float32, zrs int, x *float32, xrs, rows, n, step int)

//go:noescape
func spreadStep2F32AVX512(z *float32, zrs int, x *float32, xrs, rows, n int)

//go:noescape
func giveStepF32AVX512(z *float32, zrs int, x *float32, at *int32, xrs, rows, n, step, place, prs int)

//go:noescape
func widenPlacesAVX512(z *int64, x *int32, n int)

//go:noescape
func narrowPlacesAVX512(z *int32, x *int64, n int)

//go:noescape
func maxStepF32AVX2(z *float32, at *int32, zrs int, x *float32, xrs, rows, n, step, place int)

//go:noescape
func addStepF32AVX2(z *float32, zrs int, x *float32, xrs, rows, n, step int)

//go:noescape
func spreadStep2F32AVX2(z *float32, zrs int, x *float32, xrs, rows, n int)

//go:noescape
func giveStepF32AVX2(z *float32, zrs int, x *float32, at *int32, xrs, rows, n, step, place, prs int)

//go:noescape
func widenPlacesAVX2(z *int64, x *int32, n int)

//go:noescape
func narrowPlacesAVX2(z *int32, x *int64, n int)

// stepMost is the widest step: sixteen of them must be numbers of 32 bits, and offsets in bytes too.
const stepMost = 1 << 20

func maxStep(z []float32, at []int32, zrs int, x []float32, xrs, rows, n, step, place int) bool {
	switch {
	case step > stepMost:
		return false
	case useAVX512:
		maxStepF32AVX512(&z[0], &at[0], zrs, &x[0], xrs, rows, n, step, place)
	case useAVX2:
		maxStepF32AVX2(&z[0], &at[0], zrs, &x[0], xrs, rows, n, step, place)
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

func spreadStep(z []float32, zrs int, x []float32, xrs, rows, n, step int) bool {
	switch {
	case step != 2:
		return false
	case useAVX512:
		spreadStep2F32AVX512(&z[0], zrs, &x[0], xrs, rows, n)
	case useAVX2:
		spreadStep2F32AVX2(&z[0], zrs, &x[0], xrs, rows, n)
	default:
		return false
	}
	return true
}

func giveStep(z []float32, zrs int, x []float32, at []int32, xrs, rows, n, step, place, prs int) bool {
	switch {
	case step > 2:
		return false
	case useAVX512:
		giveStepF32AVX512(&z[0], zrs, &x[0], &at[0], xrs, rows, n, step, place, prs)
	case useAVX2:
		giveStepF32AVX2(&z[0], zrs, &x[0], &at[0], xrs, rows, n, step, place, prs)
	default:
		return false
	}
	return true
}

func widenPlaces(z []int64, x []int32) int {
	n := len(x) &^ 7
	switch {
	case n == 0:
		return 0
	case useAVX512:
		widenPlacesAVX512(&z[0], &x[0], n)
	case useAVX2:
		widenPlacesAVX2(&z[0], &x[0], n)
	default:
		return 0
	}
	return n
}

func narrowPlaces(z []int32, x []int64) int {
	n := len(x) &^ 7
	switch {
	case n == 0:
		return 0
	case useAVX512:
		narrowPlacesAVX512(&z[0], &x[0], n)
	case useAVX2:
		narrowPlacesAVX2(&z[0], &x[0], n)
	default:
		return 0
	}
	return n
}
