package special

import (
	"math"
	"math/big"
)

// ascending has 1/(k!(k+v)!) for orders v of 0 and 1, rounded once: the coefficients of the modified Bessel functions in x²/4.
var ascending = func() (c [2][48]float64) {
	for v := range c {
		t := new(big.Float).SetPrec(128).SetInt64(1)
		for k := range c[v] {
			if k > 0 {
				t.Quo(t, new(big.Float).SetInt64(int64(k)*int64(k+v)))
			}
			c[v][k], _ = t.Float64()
		}
	}
	return c
}()

// series sums Σ (x²/4)^k / (k! (k+v)!), times (x/2)^v for v of 0 or 1. All terms are positive, so it is precise for x up to
// nearBessel, where the terms left out are below a rounding.
func series(v int, x float64) float64 {
	q := x * x / 4
	n := min(len(ascending[v]), 8+int(2*x))
	s := 0.0
	for k := n - 1; k >= 0; k-- {
		s = math.FMA(s, q, ascending[v][k])
	}
	// What rounding left out of q changes the sum by some x/2 times as much; of the quotient of two orders three digits are enough.
	order := float64(v + 1)
	s += s * (math.FMA(x, x, -4*q) / 2) / (order + math.Sqrt(order*order+x*x))
	if v == 1 {
		s *= x / 2
	}
	return s
}

// far sums the asymptotic series of exp(-x)·I_v(x)·√(2πx) until its terms stop shrinking.
func far(v int, x float64) float64 { return farOrder(float64(4*v*v), x) }

// farOrder is far of the order v, of which mu is 4v².
func farOrder(mu, x float64) float64 {
	t, sum := 1.0, 0.0
	for k := 1; k < 60; k++ {
		odd := float64(2*k - 1)
		u := -t * (mu - odd*odd) / (float64(k) * 8 * x)
		if math.Abs(u) >= math.Abs(t) || math.Abs(u) < 1e-18 {
			break
		}
		t = u
		sum += t
	}
	return 1 + sum
}

const nearBessel = 18.5

// I0e is exp(-|x|)·I0(x), I0 being the modified Bessel function of order 0.
func I0e(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < nearBessel:
		return math.Exp(-x) * series(0, x)
	case x == math.Inf(1):
		return 0
	}
	return far(0, x) / rootTwoPi(x)
}

// rootTwoPi is √(2πx).
func rootTwoPi(x float64) float64 {
	if x > 1e307 { // the product may overflow
		return 4 * math.Sqrt(2*math.Pi*(x/16))
	}
	return math.Sqrt(2 * math.Pi * x)
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
	return math.Copysign(far(1, a)/rootTwoPi(a), x)
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

// stepK is the step of the trapezoidal rule of besselK. At its points coshLess has cosh t - 1, coshThird cosh(t·v/3) for v from 0 to 3.
const stepK = 0.125

var coshLess, coshThird = func() (less [64]dd, third [4][64]float64) {
	// With C = cosh(kh) - 1, the next one is 2C + 2C₁ + 2C·C₁ less the one before.
	first := dd{0x1.005560b6db76fp-7, 0x1.92c19aa240fc9p-61}
	now, before := first, dd{}
	for k := range less {
		third[0][k], third[3][k] = 1, 1
		if k > 0 {
			less[k], third[3][k] = now, now.add(dd{1, 0}).hi
			next := now.add(first).add(now.mul(first))
			now, before = next.add(next).add(before.neg()), now
		}
	}
	for v, c := range [...]dd{
		{0x1.0038e5a9a4f66p+0, 0x1.090bff3388595p-56}, {0x1.00e3aff1245bcp+0, -0x1.2ee5b2e4dc3e2p-56},
	} { // cosh(h/3) and cosh(2h/3)
		now, before := dd{1, 0}, c
		for k := range third[1+v] {
			third[1+v][k] = now.hi
			next := now.mul(c)
			now, before = next.add(next).add(before.neg()), now
		}
	}
	return less, third
}()

// besselK is exp(x)·K of the order v/3, for v from 0 to 3: exp(-x(cosh t - 1))·cosh(vt/3) integrated by the trapezoidal rule, whose
// error is some exp(-π²/h); from 30 on it takes the asymptotic series. x must not be tiny.
func besselK(v int, x float64) float64 {
	if x > 30 {
		order := float64(v) / 3
		return farOrder(4*order*order, -x) * (math.Sqrt(2*math.Pi/x) / 2)
	}
	sum, lost := 0.5, 0.0
	for k := 1; k < len(coshLess); k++ {
		c := coshLess[k]
		p := x * c.hi
		e := math.Exp(-p)
		e -= e * (math.FMA(x, c.hi, -p) + x*c.lo) // what rounding left out of the exponent
		e *= coshThird[v][k]
		t := quickSum(sum, e)
		if sum, lost = t.hi, lost+t.lo; e < 1e-18*sum {
			break
		}
	}
	return (sum + lost) * stepK
}

const eulerGamma = 0.577215664901532860606512090082402431

// smallK0 and smallK1 are K0 and K1 for x up to 1, by their ascending series with the harmonic numbers H(k).
func smallK0(x float64) float64 {
	if x < 1e-300 { // half of which may be 0
		return math.Ln2 - eulerGamma - Log(x)
	}
	l, q := -(Log(x/2) + eulerGamma), x*x/4
	sum, t, h := 0.0, 1.0, 0.0
	for k := 1.0; k < 12; k++ {
		t *= q / (k * k)
		h += 1 / k
		sum += t * h
	}
	return l*series(0, x) + sum
}

func smallK1(x float64) float64 {
	if x < 1e-300 {
		return 1 / x
	}
	l, q := -(Log(x/2) + eulerGamma), x*x/4
	sum, t, h := 0.0, 1.0, 0.0
	for k := 0.0; k < 12; k++ {
		if k > 0 {
			t *= q / (k * (k + 1))
			h += 1 / k
		}
		sum += t * (2*h + 1/(k+1))
	}
	return 1/x - (l*series(1, x) + x/4*sum)
}

// K0e is exp(x)·K0(x), K0 being the modified Bessel function of the second kind of order 0: Inf at 0, NaN below.
func K0e(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(1)
	case x < 0 || x != x:
		return math.NaN()
	case x == math.Inf(1):
		return 0
	case x <= 1:
		return smallK0(x) * math.Exp(x)
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
	case x <= 1:
		return smallK1(x) * math.Exp(x)
	}
	return besselK(3, x)
}

// K0 is the modified Bessel function of the second kind of order 0.
func K0(x float64) float64 {
	if x > 0 && x <= 1 {
		return smallK0(x)
	}
	return decayed(K0e(x), x)
}

// decayed is v·exp(-x), as two factors where the exponential alone would be subnormal.
func decayed(v, x float64) float64 {
	if x > 600 {
		h := math.Exp(-x / 2)
		return v * h * h
	}
	return v * dd{-x, 0}.exp()
}

// K1 is the modified Bessel function of the second kind of order 1.
func K1(x float64) float64 {
	if x > 0 && x <= 1 {
		return smallK1(x)
	}
	return decayed(K1e(x), x)
}

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
