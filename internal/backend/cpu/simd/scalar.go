package simd

import "math"

// lesser is what VMINPS gives: y where either is NaN or both are zero.
func lesser[T float32 | float64](x, y T) T {
	if x < y {
		return x
	}
	return y
}

// greater is what VMAXPS gives.
func greater[T float32 | float64](x, y T) T {
	if x > y {
		return x
	}
	return y
}

// sqrt is exact: the root of a float32 in float64 has enough bits to be rounded twice.
func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func toByte(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// sinHuge and cosHuge serve arguments for which the kernels' range reduction is
// too short; math has a longer one.
func sinHuge(x float32) float32 { return float32(math.Sin(float64(x))) }

func cosHuge(x float32) float32 { return float32(math.Cos(float64(x))) }
