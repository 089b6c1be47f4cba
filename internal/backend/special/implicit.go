package special

import "math"

// A sample x of a distribution with the cumulative probability F(θ, x) and the density p moves by dx/dθ = -F_θ/p where
// θ changes and the probability stays: the implicit gradient of sampling. Both F_θ and p underflow in the tails and their
// quotient does not, so it is computed as such: F or 1 - F is p·R with a series or a continued fraction R, whence
// F_θ/p = R_θ + R·(log p)_θ.

// jet is a function's value and its first two derivatives.
type jet [3]float64

// farConcentration is where the expansion for large concentrations begins: its error is below 1e-12 there, and the series and
// fractions take about as many steps as the root of the concentration.
const farConcentration = 1e6

// GammaGrad is dx/da of a sample x of the gamma distribution of concentration a; order 1 is its derivative by a.
func GammaGrad(order int, a, x float64) float64 {
	switch {
	case a != a || x != x || a <= 0 || x < 0 || math.IsInf(a, 1):
		return math.NaN()
	case x == 0:
		return 0
	case math.IsInf(x, 1):
		return math.NaN()
	case a > farConcentration:
		return farGammaGrad(order, a, x)
	}
	if x <= a+1 || x <= 1 {
		// F = p·x·S/a; the pole of ψ(a) at 0 cancels that of 1/a.
		s, l := gammaSeries(a, x), Log(x)-Digamma(a+1)
		g := -(s[1] + s[0]*l) * x / a
		if order == 0 {
			return g
		}
		return -(s[2]+s[1]*l-s[0]*Polygamma(1, a+1))*x/a - g/a
	}
	k, l := gammaFraction(a, x), Log(x)-Digamma(a)
	if order == 0 {
		return x * (k[1] + k[0]*l)
	}
	return x * (k[2] + k[1]*l - k[0]*Polygamma(1, a))
}

// gammaSeries is Σ xⁿ/((a+1)…(a+n)) with its derivatives by a.
func gammaSeries(a, x float64) jet {
	t := jet{1}
	sum := t
	for n := 1.0; ; n++ {
		d := 1 / (a + n)
		t[2], t[1], t[0] = t[2]*x*d, t[1]*x*d, t[0]*x*d
		t[1] -= t[0] * d
		t[2] -= 2 * t[1] * d
		sum[0], sum[1], sum[2] = sum[0]+t[0], sum[1]+t[1], sum[2]+t[2]
		if !(t[0] > 1e-17*sum[0] || -t[1] > 1e-17*-sum[1] || t[2] > 1e-17*sum[2]) {
			return sum
		}
	}
}

// gammaFraction is eˣ·x⁻ᵃ·Γ(a, x) by Legendre's continued fraction 1/(x+1-a - 1(1-a)/(x+3-a - …)), with its derivatives by a.
// Its length is found from the front, where derivatives would lose digits; it is evaluated from the back.
func gammaFraction(a, x float64) jet {
	length := fractionLength(func(n int) (b, c float64) { return x + 1 - a + 2*float64(n), float64(n) * (a - float64(n)) })
	f := jet{x + 1 - a + 2*float64(length), -1}
	for n := float64(length); n > 0; n-- {
		q := quotient(jet{n * (a - n), n}, f)
		f = jet{x + 2*n - 1 - a + q[0], q[1] - 1, q[2]}
	}
	return quotient(jet{1}, f)
}

// fractionLength is how many terms of b(0) + c(1)/(b(1) + c(2)/(b(2) + …)) it and its derivatives need, by Lentz's method.
func fractionLength(term func(n int) (b, c float64)) int {
	f, _ := term(0)
	u, v := f, 0.0
	for n := 1; n < 1<<20; n++ {
		b, c := term(n)
		u, v = b+c/u, 1/(b+c*v)
		if f *= u * v; !(math.Abs(u*v-1) >= 4e-16) { // or NaN
			return n + n/3 + 8
		}
	}
	return 1 << 20
}

// quotient is u/v.
func quotient(u, v jet) jet {
	q := u[0] / v[0]
	q1 := (u[1] - q*v[1]) / v[0]
	return jet{q, q1, (u[2] - 2*q1*v[1] - q*v[2]) / v[0]}
}

// farGammaGrad expands by 1/a: with λ = x/a and η²/2 = λ - 1 - log λ, the normal quantile of F is
// √a·(η - log(η/(λ-1))/(aη) + …), which is constant.
func farGammaGrad(order int, a, x float64) float64 {
	m := (x - a) / a
	l := m + 1
	h := math.Sqrt(2 * logRest(m))
	if m < 0 {
		h = -h
	}
	var lead, next float64 // λ·log λ/(λ-1), and (log(η/(λ-1)))' by η
	if math.Abs(m) < 1e-2 {
		lead = l * (1 + m*(-1.0/2+m*(1.0/3+m*(-1.0/4+m*(1.0/5+m*(-1.0/6+m*(1.0/7-m/8)))))))
		next = -1.0/3 + h*(1.0/18+h/540)
	} else {
		lead, next = l*math.Log1p(m)/m, 1/h-h*l/(m*m)
	}
	w := l
	if h != 0 {
		w = l * h / m
	}
	if order == 0 {
		return lead - w*next/(2*a)
	}
	// The derivative of the leading term by a, λ falling by λ/a.
	if math.Abs(m) < 1e-4 {
		return -l * (0.5 - m/3) / a
	}
	return -l * (m - math.Log1p(m)) / (m * m) / a
}

// logRest is m - log(1+m), also for small m.
func logRest(m float64) float64 {
	if math.Abs(m) > 0.1 {
		return m - math.Log1p(m)
	}
	// With s = m/(2+m), log(1+m) = 2 artanh s, so the difference is s·m - 2(s³/3 + s⁵/5 + …).
	s := m / (2 + m)
	q := s * s
	return s*m - 2*s*q*(1.0/3+q*(1.0/5+q*(1.0/7+q*(1.0/9+q*(1.0/11+q/13)))))
}
