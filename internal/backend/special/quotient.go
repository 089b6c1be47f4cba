package special

import (
	"math"
	"math/cmplx"
)

// Atan2 is the angle of (x, y). math.Atan2 loses its sign where y/x is too small for a float64.
func Atan2(y, x float64) float64 { return math.Copysign(math.Atan2(y, x), y) }

// DivC is a complex quotient by Smith's method, the larger part of the divisor taken out. Go's own division gives 0 for
// a number over an infinity; NumPy and PyTorch give NaN unless the other part is a number, and so does this.
func DivC(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	if math.Abs(c) >= math.Abs(d) {
		if c == 0 && d == 0 {
			return complex(a/math.Abs(c), b/math.Abs(c))
		}
		r := d / c
		n := c + d*r
		return complex((a+b*r)/n, (b-a*r)/n)
	}
	r := c / d
	n := d + c*r
	return complex((a*r+b)/n, (b*r-a)/n)
}

// SqrtC is the complex square root.
func SqrtC(z complex128) complex128 {
	if math.IsNaN(real(z)) && !math.IsInf(imag(z), 0) {
		return cmplx.NaN()
	}
	return cmplx.Sqrt(z)
}

// RsqrtC is one over the square root.
func RsqrtC(z complex128) complex128 { return DivC(1, SqrtC(z)) }

// SigmoidC is the logistic function.
func SigmoidC(z complex128) complex128 { return DivC(1, 1+ExpC(-z)) }

// PowC is a complex power: that of math/cmplx where that has a value (for x = 0 it may panic, and below the normal numbers it is wrong,
// see Log), and else what C99's annex G makes of exp(y·log x).
func PowC(x, y complex128) complex128 {
	if y == 0 {
		return 1
	}
	if cmplx.Abs(x) >= 0x1p-1022 && isFinite(real(x)) && isFinite(imag(x)) && isFinite(real(y)) && isFinite(imag(y)) {
		if z := cmplx.Pow(x, y); !math.IsNaN(real(z)) && !math.IsNaN(imag(z)) {
			return z
		}
	}
	return ExpC(mulG(y, LogC(x)))
}

// mulG is a product in which an infinite operand makes an infinite result, though its parts come out as NaN.
func mulG(x, y complex128) complex128 {
	z := x * y
	if !math.IsNaN(real(z)) || !math.IsNaN(imag(z)) || !cmplx.IsInf(x) && !cmplx.IsInf(y) {
		return z
	}
	boxed := func(z complex128) complex128 { // an infinity's corner, a number's sign in place of NaN
		part := func(v float64) float64 {
			switch {
			case math.IsInf(v, 0):
				return math.Copysign(1, v)
			case math.IsNaN(v) || cmplx.IsInf(z):
				return math.Copysign(0, v)
			}
			return v
		}
		return complex(part(real(z)), part(imag(z)))
	}
	z = boxed(x) * boxed(y)
	return complex(math.Inf(1)*real(z), math.Inf(1)*imag(z))
}
