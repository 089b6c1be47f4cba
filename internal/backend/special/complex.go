package special

import (
	"math"
	"math/cmplx"
)

// The complex functions of math/cmplx lose all digits for large and for tiny arguments, and give NaN where C99 says
// what infinities and signed zeros give. These follow Kahan ("Branch Cuts for Complex Elementary Functions") and C99's
// annex G, except that a zero or an infinity whose sign C99 leaves open has the sign that is at hand.

// timesI is i·z, and overI is z/i, without the products of zeros and infinities that make NaN.
func timesI(z complex128) complex128 { return complex(-imag(z), real(z)) }
func overI(z complex128) complex128  { return complex(imag(z), -real(z)) }

func isFinite(x float64) bool { return x-x == 0 }

// ExpC is the complex exponential.
func ExpC(z complex128) complex128 {
	if imag(z) == 0 {
		return complex(math.Exp(real(z)), imag(z))
	}
	if x := real(z); x > 700 && isFinite(x) {
		s, c := math.Sincos(imag(z))
		return complex(2*halfExp(x, c), 2*halfExp(x, s))
	}
	return cmplx.Exp(z)
}

// Exp2C is 2 to a complex power.
func Exp2C(z complex128) complex128 { return ExpC(complex(real(z)*math.Ln2, imag(z)*math.Ln2)) }

// Expm1C is e^z - 1, right for small z too.
func Expm1C(z complex128) complex128 {
	x, y := real(z), imag(z)
	if !isFinite(x) || !isFinite(y) || y == 0 {
		w := ExpC(z)
		if y == 0 {
			return complex(math.Expm1(x), y)
		}
		return complex(real(w)-1, imag(w))
	}
	s, c := math.Sincos(y)
	h := math.Sin(y / 2)
	return complex(math.Expm1(x)*c-2*h*h, math.Exp(x)*s)
}

// twoSquares is a² + b² + add, with the roundings of the squares given back.
func twoSquares(a, b, add float64) float64 {
	a2, b2 := a*a, b*b
	return a2 + add + b2 + (math.FMA(a, a, -a2) + math.FMA(b, b, -b2))
}

// LogC is the complex logarithm.
func LogC(z complex128) complex128 {
	a, b := math.Abs(real(z)), math.Abs(imag(z))
	if a < b {
		a, b = b, a
	}
	if 0.5 < a && a < 2 { // near the unit circle the magnitude's logarithm is a small difference
		return complex(math.Log1p(twoSquares(a, b, -1))/2, Atan2(imag(z), real(z)))
	}
	return complex(Log(cmplx.Abs(z)), Atan2(imag(z), real(z)))
}

// Log2C and Log10C are logarithms by other bases.
func Log2C(z complex128) complex128  { return logBase(z, math.Ln2) }
func Log10C(z complex128) complex128 { return logBase(z, math.Ln10) }

func logBase(z complex128, ln float64) complex128 {
	w := LogC(z)
	return complex(real(w)/ln, imag(w)/ln)
}

// Log1pC is log(1 + z), right for small z too.
func Log1pC(z complex128) complex128 {
	x, y := real(z), imag(z)
	if math.Abs(x) < 0.5 && math.Abs(y) < 0.5 {
		return complex(math.Log1p(twoSquares(x, y, 2*x))/2, Atan2(y, 1+x))
	}
	return LogC(complex(1+x, y))
}

// halfExp is eˣ·by/2, also where eˣ alone is too large.
func halfExp(x, by float64) float64 {
	e := math.Exp(x / 2)
	return e / 2 * by * e
}

// SinhC, CoshC, SinC and CosC keep a part that is zero.
func SinhC(z complex128) complex128 {
	if imag(z) == 0 {
		return complex(math.Sinh(real(z)), imag(z))
	}
	if x := math.Abs(real(z)); x > 700 && isFinite(x) {
		s, c := math.Sincos(imag(z))
		return complex(math.Copysign(1, real(z))*halfExp(x, c), halfExp(x, s))
	}
	return cmplx.Sinh(z)
}

// CoshC is the hyperbolic cosine.
func CoshC(z complex128) complex128 {
	if x, y := real(z), imag(z); y == 0 {
		return complex(math.Cosh(x), math.Copysign(1, x)*y)
	} else if a := math.Abs(x); a > 700 && isFinite(x) {
		s, c := math.Sincos(y)
		return complex(halfExp(a, c), math.Copysign(1, x)*halfExp(a, s))
	}
	return cmplx.Cosh(z)
}

// SinC is the sine.
func SinC(z complex128) complex128 { return overI(SinhC(timesI(z))) }

// CosC is the cosine.
func CosC(z complex128) complex128 { return CoshC(timesI(z)) }

// TanC is the tangent.
func TanC(z complex128) complex128 { return overI(TanhC(timesI(z))) }

// TanhC is the hyperbolic tangent.
func TanhC(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case math.IsInf(x, 0) && !isFinite(y):
		return complex(math.Copysign(1, x), math.Copysign(0, y))
	case !isFinite(y):
		if x == 0 {
			return complex(x, math.NaN())
		}
		return complex(math.NaN(), math.NaN())
	case math.IsNaN(x):
		if y == 0 {
			return z
		}
		return complex(x, x)
	case math.Abs(x) > 22: // 1 to all digits
		s, c := math.Sincos(y)
		return complex(math.Copysign(1, x), 4*s*c*math.Exp(-2*math.Abs(x)))
	}
	t, s := math.Tan(y), math.Sinh(x)
	r, b := math.Sqrt(1+s*s), 1+t*t
	d := 1 + b*s*s
	return complex(b*r*s/d, t/d)
}

// AsinhC is the inverse hyperbolic sine, through the arc sine of i·z.
func AsinhC(z complex128) complex128 { return overI(AsinC(timesI(z))) }

// AsinC is the arc sine.
func AsinC(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case math.IsInf(y, 0):
		switch {
		case math.IsNaN(x):
			return complex(x, y)
		case math.IsInf(x, 0):
			return complex(math.Copysign(math.Pi/4, x), y)
		}
		return complex(math.Copysign(0, x), y)
	case math.IsInf(x, 0):
		if math.IsNaN(y) {
			return complex(y, math.Inf(1))
		}
		return complex(math.Copysign(math.Pi/2, x), math.Copysign(math.Inf(1), y))
	case math.IsNaN(x) || math.IsNaN(y):
		if x == 0 {
			return z
		}
		return complex(math.NaN(), math.NaN())
	case huge(x, y):
		return complex(Atan2(x, math.Abs(y)), math.Copysign(logTwice(x, y), y))
	}
	p, q := cmplx.Sqrt(complex(1-x, -y)), cmplx.Sqrt(complex(1+x, y))
	return complex(Atan2(x, real(p)*real(q)-imag(p)*imag(q)), math.Copysign(math.Asinh(real(p)*imag(q)-imag(p)*real(q)), y))
}

// huge says that adding 1 to such a number changes nothing, and logTwice is log|2z| for it.
func huge(x, y float64) bool { return math.Abs(x) > 1e17 || math.Abs(y) > 1e17 }
func logTwice(x, y float64) float64 {
	return math.Log(math.Hypot(x/4, y/4)) + 3*math.Ln2
}

// AcosC is the arc cosine.
func AcosC(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case math.IsInf(y, 0):
		re := math.Pi / 2
		switch {
		case math.IsNaN(x):
			re = x
		case math.IsInf(x, 1):
			re = math.Pi / 4
		case math.IsInf(x, -1):
			re = 3 * math.Pi / 4
		}
		return complex(re, -y)
	case math.IsInf(x, 0):
		switch {
		case math.IsNaN(y):
			return complex(y, math.Inf(-1))
		case x > 0:
			return complex(0, -math.Copysign(x, y))
		}
		return complex(math.Pi, math.Copysign(x, -y))
	case math.IsNaN(x) || math.IsNaN(y):
		if x == 0 {
			return complex(math.Pi/2, y)
		}
		return complex(math.NaN(), math.NaN())
	case huge(x, y):
		return complex(Atan2(math.Abs(y), x), -math.Copysign(logTwice(x, y), y))
	}
	p, q := cmplx.Sqrt(complex(1-x, -y)), cmplx.Sqrt(complex(1+x, y))
	return complex(2*Atan2(real(p), real(q)), -math.Copysign(math.Asinh(real(q)*imag(p)-imag(q)*real(p)), y))
}

// AcoshC is the inverse hyperbolic cosine, whose real part is not negative.
func AcoshC(z complex128) complex128 {
	w := AcosC(z)
	if math.Signbit(imag(z)) && !math.IsNaN(imag(z)) {
		return complex(math.Abs(imag(w)), -real(w))
	}
	return complex(math.Abs(imag(w)), real(w))
}

// AtanC is the arc tangent.
func AtanC(z complex128) complex128 { return overI(AtanhC(timesI(z))) }

// AtanhC is the inverse hyperbolic tangent.
func AtanhC(z complex128) complex128 {
	x, y := math.Abs(real(z)), imag(z)
	var re, im float64
	switch {
	case math.IsInf(y, 0):
		im = math.Copysign(math.Pi/2, y)
	case math.IsInf(x, 0):
		im = math.Copysign(math.Pi/2, y)
		if math.IsNaN(y) {
			im = y
		}
	case math.IsNaN(x) || math.IsNaN(y):
		re, im = math.NaN(), math.NaN()
		if x == 0 {
			re = 0
		}
	case huge(x, y):
		h := math.Hypot(x, y)
		re, im = x/h/h, math.Copysign(math.Pi/2, y)
	case x == 1 && math.Abs(y) < 1e-150:
		re, im = (math.Ln2-math.Log(math.Abs(y)))/2, math.Copysign(math.Pi/4, y)
		if y == 0 {
			im = y
		}
	default:
		re = math.Log1p(4*x/((1-x)*(1-x)+y*y)) / 4
		im = Atan2(2*y, (1-x)*(1+x)-y*y) / 2
	}
	return complex(math.Copysign(re, real(z)), im)
}
