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

// Values out of the range of the kernels that convert floats to integers.
func f32to32far(x float32) int32   { return dtype.TruncInt32(float64(x)) }
func f32to8far(x float32) uint8    { return uint8(dtype.TruncInt(float64(x))) }
func f32to16uFar(x float32) uint16 { return uint16(dtype.TruncInt32(float64(x))) }
func f32to64far(x float32) int64   { return dtype.TruncInt(float64(x)) }
func f64to64far(x float64) int64   { return dtype.TruncInt(x) }
func f64to32far(x float64) int32   { return dtype.TruncInt32(x) }

// f64toOddFar serves subnormal results.
func f64toOddFar(x float64) float32 {
	z := float32(x)
	if wide := float64(z); wide != x && x == x {
		b := math.Float32bits(z)
		if math.Abs(wide) > math.Abs(x) {
			b-- // towards zero
		}
		z = math.Float32frombits(b | 1)
	}
	return z
}

// erfinvFarF64 serves the far tails of the inverse error function, and arguments outside (-1, 1).
func erfinvFarF64(x float64) float64 { return math.Erfinv(x) }

func tanHuge(x float32) float32 { return float32(math.Tan(float64(x))) }

// fmodFar64 serves quotients that are too large for the kernel, and non-finite operands.
func fmodFar64(x, y float64) float64 {
	if ax, ay := math.Abs(x), math.Abs(y); ax < ay && ay <= math.MaxFloat64 {
		return x
	}
	return math.Mod(x, y)
}

func remainderFar64(x, y float64) float64 {
	mod := fmodFar64(x, y)
	if mod != 0 && (y < 0) != (mod < 0) {
		mod += y
	}
	return mod
}

// floorDivideFar64 is Python's floor division: exact where x/y rounds up to an integer.
func floorDivideFar64(x, y float64) float64 {
	if y == 0 {
		return x / y
	}
	mod := fmodFar64(x, y)
	div := (x - mod) / y
	if mod != 0 && (y < 0) != (mod < 0) {
		div--
	}
	if div == 0 {
		return math.Copysign(0, x/y)
	}
	f := math.Floor(div)
	if div-f > 0.5 {
		f++
	}
	return f
}

func fmodFar1(x, y float32) float32        { return float32(fmodFar64(float64(x), float64(y))) }
func remainderFar1(x, y float32) float32   { return float32(remainderFar64(float64(x), float64(y))) }
func floorDivideFar1(x, y float32) float32 { return float32(floorDivideFar64(float64(x), float64(y))) }
