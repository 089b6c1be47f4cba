//go:build !purego

package simd

//go:noescape
func maxStepF32AVX512(z *float32, at *int32, zrs int, x *float32, xrs, rows, n, step, place int)

//go:noescape
func addStepF32AVX512(z *float32, zrs int, x *float32, xrs, rows, n, step int)

//go:noescape
func spreadStep2F32AVX512(z *float32, zrs int, x *float32, xrs, rows, n int)

//go:noescape
func widenPlacesAVX512(z *int64, x *int32, n int)

// stepMost is the widest step: sixteen of them must be numbers of 32 bits, and offsets in bytes too.
const stepMost = 1 << 20

func maxStep(z []float32, at []int32, zrs int, x []float32, xrs, rows, n, step, place int) bool {
	if !useAVX512 || step > stepMost {
		return false
	}
	maxStepF32AVX512(&z[0], &at[0], zrs, &x[0], xrs, rows, n, step, place)
	return true
}

func addStep(z []float32, zrs int, x []float32, xrs, rows, n, step int) bool {
	if !useAVX512 || step > stepMost {
		return false
	}
	addStepF32AVX512(&z[0], zrs, &x[0], xrs, rows, n, step)
	return true
}

func spreadStep(z []float32, zrs int, x []float32, xrs, rows, n, step int) bool {
	if !useAVX512 || step != 2 {
		return false
	}
	spreadStep2F32AVX512(&z[0], zrs, &x[0], xrs, rows, n)
	return true
}

func widenPlaces(z []int64, x []int32) int {
	if !useAVX512 || len(x) < 8 {
		return 0
	}
	widenPlacesAVX512(&z[0], &x[0], len(x)&^7)
	return len(x) &^ 7
}

//go:noescape
func giveStepF32AVX512(z *float32, zrs int, x *float32, at *int32, xrs, rows, n, step, place, prs int)

//go:noescape
func narrowPlacesAVX512(z *int32, x *int64, n int)

func giveStep(z []float32, zrs int, x []float32, at []int32, xrs, rows, n, step, place, prs int) bool {
	if !useAVX512 || step > 2 {
		return false
	}
	giveStepF32AVX512(&z[0], zrs, &x[0], &at[0], xrs, rows, n, step, place, prs)
	return true
}

func narrowPlaces(z []int32, x []int64) int {
	if !useAVX512 || len(x) < 8 {
		return 0
	}
	narrowPlacesAVX512(&z[0], &x[0], len(x)&^7)
	return len(x) &^ 7
}
