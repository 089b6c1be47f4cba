package simd

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
)

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

// What is too far for the kernels that convert floats to integers.
func f32to32far(x float32) int32 { return int32(dtype.TruncUint(float64(x))) }
func f32to8far(x float32) uint8  { return uint8(dtype.TruncUint(float64(x))) }
func f32to64far(x float32) int64 { return int64(dtype.TruncUint(float64(x))) }
func f64to64far(x float64) int64 { return int64(dtype.TruncUint(x)) }
func f64to32far(x float64) int32 { return int32(dtype.TruncUint(x)) }
