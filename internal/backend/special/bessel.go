package special

import "math"

// series sums the ascending series Σ (x²/4)^k / (k! (k+v)!) of the modified Bessel functions, times (x/2)^v for v of
// 0 or 1. All terms are positive, so it is precise wherever it is short.
func series(v int, x float64) float64 {
	q := x * x / 4
	t := 1.0
	if v == 1 {
		t = x / 2
	}
	sum := t
	for k := 1; ; k++ {
		t *= q / float64(k*(k+v))
		sum += t
		if !(math.Abs(t) > 1e-17*math.Abs(sum)) {
			return sum
		}
	}
}

// far sums the asymptotic series of exp(-x)·I_v(x)·√(2πx) until its terms stop shrinking.
func far(v int, x float64) float64 {
	mu := float64(4 * v * v)
	t, sum := 1.0, 1.0
	for k := 1; k < 60; k++ {
		odd := float64(2*k - 1)
		u := -t * (mu - odd*odd) / (float64(k) * 8 * x)
		if math.Abs(u) >= math.Abs(t) || math.Abs(u) < 1e-17 {
			break
		}
		t = u
		sum += t
	}
	return sum
}

const nearBessel = 20

// I0e is exp(-|x|)·I0(x), I0 being the modified Bessel function of order 0.
func I0e(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < nearBessel:
		return math.Exp(-x) * series(0, x)
	case x == math.Inf(1):
		return 0
	}
	return far(0, x) / math.Sqrt(2*math.Pi*x)
}

// I0 is the modified Bessel function of order 0.
func I0(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < nearBessel:
		return series(0, x)
	case x > 750:
		return math.Inf(1)
	}
	h := math.Exp(x / 2) // as two factors, so that it overflows no sooner than the result
	return h * (far(0, x) / math.Sqrt(2*math.Pi*x)) * h
}

// I1e is exp(-|x|)·I1(x), odd.
func I1e(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a < nearBessel:
		return math.Copysign(math.Exp(-a)*series(1, a), x)
	case a == math.Inf(1):
		return math.Copysign(0, x)
	}
	return math.Copysign(far(1, a)/math.Sqrt(2*math.Pi*a), x)
}

// I1 is the modified Bessel function of order 1, odd.
func I1(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a < nearBessel:
		return math.Copysign(series(1, a), x)
	case a > 750:
		return math.Copysign(math.Inf(1), x)
	}
	h := math.Exp(a / 2)
	return math.Copysign(h*(far(1, a)/math.Sqrt(2*math.Pi*a))*h, x)
}

// besselK is exp(x)·K_v(x): exp(-x(cosh t - 1))·cosh(vt) integrated by the trapezoidal rule, whose error is some
// exp(-π²/h); from 30 on it takes the
// asymptotic series. x must not be tiny.
func besselK(v int, x float64) float64 {
	if x > 30 {
		return far(v, -x) * math.Sqrt(math.Pi/(2*x))
	}
	const h = 0.1
	sum := 0.5
	for k := 1; ; k++ {
		t := h * float64(k)
		s := math.Sinh(t / 2)
		e := math.Exp(-2 * x * s * s) // cosh t - 1 = 2 sinh² t/2
		if v == 1 {
			e *= math.Cosh(t)
		}
		sum += e
		if e < 1e-18*sum {
			return sum * h
		}
	}
}

const eulerGamma = 0.577215664901532860606512090082402431

// K0e is exp(x)·K0(x), K0 being the modified Bessel function of the second kind of order 0: Inf at 0, NaN below.
func K0e(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(1)
	case x < 0 || x != x:
		return math.NaN()
	case x == math.Inf(1):
		return 0
	case x < 1e-6:
		return -(Log(x/2) + eulerGamma) * (1 + x)
	}
	return besselK(0, x)
}

// K1e is exp(x)·K1(x).
func K1e(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(1)
	case x < 0 || x != x:
		return math.NaN()
	case x == math.Inf(1):
		return 0
	case x < 1e-6:
		return (1/x + x/2*(Log(x/2)+eulerGamma-0.5)) * (1 + x)
	}
	return besselK(1, x)
}

// K0 is the modified Bessel function of the second kind of order 0.
func K0(x float64) float64 { return K0e(x) * math.Exp(-x) }

// K1 is the modified Bessel function of the second kind of order 1.
func K1(x float64) float64 { return K1e(x) * math.Exp(-x) }

// finite answers NaN for infinities, where PyTorch's Bessel functions do.
func finite(f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if math.IsInf(x, 0) {
			return math.NaN()
		}
		return f(x)
	}
}

// The Bessel functions of the first and second kind; NaN at infinities.
var (
	J0 = finite(math.J0)
	J1 = finite(math.J1)
	Y0 = finite(y0)
	Y1 = finite(math.Y1)
)

// y0 is math.Y0, but for subnormal numbers, whose logarithm math.Log gets wrong on some machines: so near 0 the function is
// 2/π·(log(x/2) + γ).
func y0(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		const constant = -7.38042951086872317523e-02 // 2/π·(γ - log 2)
		return constant + 2/math.Pi*Log(x)
	}
	return math.Y0(x)
}

// SphericalJ0 is sin(x)/x, 1 at 0 and 0 at infinities.
func SphericalJ0(x float64) float64 {
	switch {
	case x == 0:
		return 1
	case math.IsInf(x, 0):
		return 0
	}
	return math.Sin(x) / x
}
