package special

import (
	"math"
	"math/cmplx"

	"github.com/lucid-go/lucid/internal/dtype"
)

// LogAddExp is log(eˣ + eʸ).
func LogAddExp(x, y float64) float64 {
	if x == y && math.IsInf(x, 0) {
		return x
	}
	return math.Max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
}

// LogAddExp2 is log2(2ˣ + 2ʸ).
func LogAddExp2(x, y float64) float64 {
	if x == y && math.IsInf(x, 0) {
		return x
	}
	return math.Max(x, y) + math.Log1p(math.Exp2(-math.Abs(x-y)))/math.Ln2
}

// LogAddExpComplex is log(eˣ + eʸ), the larger real part taken out.
func LogAddExpComplex(x, y complex128) complex128 {
	if real(x) < real(y) {
		x, y = y, x
	}
	if x == y && math.IsInf(real(x), 0) {
		return x
	}
	return x + cmplx.Log(1+cmplx.Exp(y-x))
}

// XLogY is x·log y, 0 where x is 0 and y is a number.
func XLogY(x, y float64) float64 {
	switch {
	case y != y:
		return y
	case x == 0:
		return 0
	}
	return x * Log(y)
}

// XLog1pY is x·log(1+y), 0 where x is 0 and y is a number.
func XLog1pY(x, y float64) float64 {
	switch {
	case y != y:
		return y
	case x == 0:
		return 0
	}
	return x * math.Log1p(y)
}

// Logit is log(x/(1-x)).
func Logit(x float64) float64 { return Log(x / (1 - x)) }

// Mantissa is the fraction of x in ±[0.5, 1).
func Mantissa(x float64) float64 { m, _ := math.Frexp(x); return m }

// Exponent is the power of two that goes with Mantissa; 0 for zeros, infinities and NaN.
func Exponent(x float64) int32 {
	if math.IsInf(x, 0) || x != x {
		return 0
	}
	_, e := math.Frexp(x)
	return int32(e)
}

// NextAfter is the neighbour of x in dtype d towards y. Both must be numbers of d.
func NextAfter(d dtype.DType, x, y float64) float64 {
	switch {
	case x != x || y != y:
		return math.NaN()
	case x == y:
		return y
	case d == dtype.Float64:
		return math.Nextafter(x, y)
	case d == dtype.Float32:
		return float64(math.Nextafter32(float32(x), float32(y)))
	}
	// A half's neighbour is its bits plus or minus one; from 0 it is the least subnormal.
	var bits uint16
	if d == dtype.Float16 {
		bits = uint16(dtype.ToF16(float32(x)))
	} else {
		bits = uint16(dtype.ToBF16(float32(x)))
	}
	switch {
	case x == 0:
		bits = 1
		if y < 0 {
			bits = 0x8001
		}
	case (y > x) == (x > 0):
		bits++
	default:
		bits--
	}
	if d == dtype.Float16 {
		return float64(dtype.F16(bits).Float32())
	}
	return float64(dtype.BF16(bits).Float32())
}
