package special

import "math"

// BetaGrad is the derivative of a sample x of the beta distribution of concentrations a and b, over x(1-x): by a for order 0, by
// b for order 1. Orders 2 and 3 are the derivatives of the former by a and by b, orders 4 and 5 those of the latter.
func BetaGrad(order int, a, b, x float64) float64 {
	switch {
	case a != a || b != b || !(x >= 0 && x <= 1) || a <= 0 || b <= 0 || math.IsInf(a, 1) || math.IsInf(b, 1):
		return math.NaN()
	case min(a, b) > 10*farConcentration:
		return farBetaGrad(order, a, b, x)
	case order > 1:
		return betaGradTwice(order, a, b, x)
	}
	total := Digamma(a + b)
	if x < (a+1)/(a+b+2) { // F = p·x(1-x)·C/a
		c := betaFraction(order, a, b, x)
		if order == 0 {
			return -(c[1] + c[0]*(Log(x)+total-Digamma(a+1))) / a
		}
		return -(c[1] + c[0]*(math.Log1p(-x)+total-Digamma(b))) / a
	}
	c := betaFraction(1-order, b, a, 1-x) // 1 - F = p·x(1-x)·C/b
	if order == 0 {
		return (c[1] + c[0]*(Log(x)+total-Digamma(a))) / b
	}
	return (c[1] + c[0]*(math.Log1p(-x)+total-Digamma(b+1))) / b
}

// betaFraction is a·B(a, b)·I(x; a, b)/(xᵃ(1-x)ᵇ) by its continued fraction 1/(1 + d(1)/(1 + d(2)/(1 + …))), with its derivative
// by a, or for order 1 by b.
func betaFraction(order int, a, b, x float64) jet {
	f := jet{1}
	for n := betaLength(a, b, x); n > 0; n-- {
		q := quotient(betaTerm(order, a, b, x, n), f)
		f = jet{1 + q[0], q[1]}
	}
	return quotient(jet{1}, f)
}

func betaLength(a, b, x float64) int {
	return fractionLength(func(n int) (float64, float64) { return 1, betaTerm(1, a, b, x, n)[0] })
}

// betaTerm is d(n) with its derivative by a for order 0, by b for order 1.
func betaTerm(order int, a, b, x float64, n int) jet {
	m := float64(n / 2)
	if n%2 == 0 {
		r := m * x / ((a + 2*m - 1) * (a + 2*m))
		d := r * (b - m)
		if order == 0 {
			return jet{d, -d * (1/(a+2*m-1) + 1/(a+2*m))}
		}
		return jet{d, r}
	}
	d := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
	if order == 0 {
		return jet{d, d * (1/(a+m) + 1/(a+b+m) - 1/(a+2*m) - 1/(a+2*m+1))}
	}
	return jet{d, d / (a + b + m)}
}

// jet2 is a function of a and b with its derivatives by a, b, a twice, a and b, b twice.
type jet2 [6]float64

func quotient2(u, v jet2) jet2 {
	q := u[0] / v[0]
	qa, qb := (u[1]-q*v[1])/v[0], (u[2]-q*v[2])/v[0]
	return jet2{q, qa, qb, (u[3] - 2*qa*v[1] - q*v[3]) / v[0], (u[4] - qa*v[2] - qb*v[1] - q*v[4]) / v[0],
		(u[5] - 2*qb*v[2] - q*v[5]) / v[0]}
}

// betaTerm2 is d(n) with all derivatives.
func betaTerm2(a, b, x float64, n int) jet2 {
	m := float64(n / 2)
	if n%2 == 0 {
		u, v := 1/(a+2*m-1), 1/(a+2*m)
		r, s := m*x*u*v, u+v
		r1, r2 := -r*s, r*(s*s+u*u+v*v)
		return jet2{r * (b - m), r1 * (b - m), r, r2 * (b - m), r1}
	}
	t, u, v, w := 1/(a+m), 1/(a+2*m), 1/(a+2*m+1), a+b+m
	e, s := -x*(a+m)*u*v, t-u-v
	e1, e2 := e*s, e*(s*s-t*t+u*u+v*v)
	return jet2{e * w, e1*w + e, e, e2*w + 2*e1, e1}
}

// betaGradTwice is BetaGrad of the orders from 2 on.
func betaGradTwice(order int, a, b, x float64) float64 {
	sign, swap := -1.0, false
	p, q, y := a, b, x
	if !(x < (a+1)/(a+b+2)) {
		sign, swap = 1, true
		p, q, y = b, a, 1-x
	}
	f := jet2{1}
	for n := betaLength(p, q, y); n > 0; n-- {
		f = quotient2(betaTerm2(p, q, y, n), f)
		f[0]++
	}
	r := quotient2(jet2{1}, quotient2(f, jet2{1 / p, -1 / (p * p), 0, 2 / (p * p * p)})) // 1/(f·p)
	if swap {
		r[1], r[2], r[3], r[5] = r[2], r[1], r[5], r[3]
	}
	total, both := Digamma(a+b), Polygamma(1, a+b)
	la, lb := Log(x)+total-Digamma(a), math.Log1p(-x)+total-Digamma(b)
	switch order {
	case 2:
		return sign * (r[3] + r[1]*la + r[0]*(both-Polygamma(1, a)))
	case 3:
		return sign * (r[4] + r[2]*la + r[0]*both)
	case 4:
		return sign * (r[4] + r[1]*lb + r[0]*both)
	}
	return sign * (r[5] + r[2]*lb + r[0]*(both-Polygamma(1, b)))
}

// farBetaGrad is the leading term for large concentrations: -a·log(x/p) - b·log((1-x)/q), p = 1-q = a/(a+b), stays.
func farBetaGrad(order int, a, b, x float64) float64 {
	// With m = x(a+b)/a - 1, the derivative is log(1+m)/(am); that by b is of the other sign, with 1-x for x and b for a.
	y, sign := 1-x, 1.0
	if order == 1 || order > 3 {
		a, b, x, y, sign = b, a, y, x, -1
	}
	m := (b*x - a*y) / a
	k, k1 := 1-m/2, -0.5+2*m/3 // log(1+m)/m and its derivative
	if math.Abs(m) > 1e-5 {
		k = math.Log1p(m) / m
		k1 = (1/(1+m) - k) / m
	}
	switch order {
	case 0, 1:
		return sign * k / a
	case 2, 5:
		return sign * (-k1*x*b/a - k) / (a * a)
	}
	return sign * k1 * x / (a * a)
}
