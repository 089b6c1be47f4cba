package special

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
)

// Recurrence gives the coefficients of p(m+1) = (a·x + b)·p(m) - c·p(m-1).
func Recurrence(f attr.Family, m float64) (a, b, c float64) {
	switch f {
	case attr.ChebyshevT, attr.ChebyshevU, attr.ChebyshevV, attr.ChebyshevW:
		return 2, 0, 1
	case attr.ShiftedChebyshevT, attr.ShiftedChebyshevU, attr.ShiftedChebyshevV, attr.ShiftedChebyshevW:
		return 4, -2, 1
	case attr.HermiteH:
		return 2, 0, 2 * m
	case attr.HermiteHe:
		return 1, 0, m
	case attr.Laguerre:
		return -1 / (m + 1), (2*m + 1) / (m + 1), m / (m + 1)
	}
	return (2*m + 1) / (m + 1), 0, m / (m + 1)
}

// FirstDegree gives the polynomial of degree 1 as a·x + b.
func FirstDegree(f attr.Family) (a, b float64) {
	switch f {
	case attr.ChebyshevT, attr.HermiteHe, attr.Legendre:
		return 1, 0
	case attr.ChebyshevU, attr.HermiteH:
		return 2, 0
	case attr.ChebyshevV:
		return 2, -1
	case attr.ChebyshevW:
		return 2, 1
	case attr.ShiftedChebyshevT:
		return 2, -1
	case attr.ShiftedChebyshevU:
		return 4, -2
	case attr.ShiftedChebyshevV:
		return 4, -3
	case attr.ShiftedChebyshevW:
		return 4, -1
	}
	return -1, 1 // Laguerre
}

// maxDegree bounds the recurrence, which takes a step for every degree; none of its digits would be right far before.
const maxDegree = 1 << 16

// IsDegree says whether the recurrence is needed, and ends, for the degree n.
func IsDegree(n float64) bool { return n >= 1 && n <= maxDegree }

// Whole gives the recurrence in whole numbers: p(m+1) = ((a·x + b)·p(m) - c·p(m-1))/d.
func Whole(f attr.Family, m float64) (a, b, c, d float64) {
	switch f {
	case attr.Laguerre:
		return -1, 2*m + 1, m, m + 1
	case attr.Legendre:
		return 2*m + 1, 0, m, m + 1
	}
	a, b, c = Recurrence(f, m)
	return a, b, c, 1
}

// Polynomial is PolynomialNarrow with twice the digits inside: the roundings of a recurrence grow with the degree, and near a zero
// nothing else is left.
func Polynomial(p attr.Polynomial, x, n float64) float64 {
	if !(n >= 2 && n <= maxDegree) {
		return PolynomialNarrow(p, x, n)
	}
	f := polynomialLost
	if p.Derivative > 0 {
		f = polynomialDD
	}
	if v := f(p, x, n); isFinite(v) {
		return v
	}
	return PolynomialNarrow(p, x, n) // some product has overflowed in its two parts
}

// line is a·x + b.
func line(a, b, x float64) dd {
	p := twoMul(a, x)
	s := twoSum(p.hi, b)
	return quickSum(s.hi, s.lo+p.lo)
}

// polynomialLost has a second recurrence for what roundings take from the first. The CPU backend's kernels do the same roundings.
func polynomialLost(p attr.Polynomial, x, n float64) float64 {
	a, b := FirstDegree(p.Family)
	start := line(a, b, x)
	now, lost, before, lostBefore := start.hi, start.lo, 1.0, 0.0
	a, b, c, d := Whole(p.Family, 1)
	w := line(a, b, x)
	for m := 1.0; m+1 <= n; m++ {
		if p.Family >= attr.HermiteH {
			a, b, c, d = Whole(p.Family, m)
			w = line(a, b, x)
		}
		t, u := twoMul(w.hi, now), twoMul(c, before)
		s := twoSum(t.hi, -u.hi)
		rest := math.FMA(w.lo, now, t.lo-u.lo+s.lo)
		rest = math.FMA(-c, lostBefore, math.FMA(w.hi, lost, rest))
		next := s.hi
		if d != 1 {
			r := 1 / d
			next *= r
			rest = (rest + math.FMA(-next, d, s.hi)) * r
		}
		now, lost, before, lostBefore = next, rest, now, lost
	}
	return now + lost
}

// polynomialDD is for derivatives.
func polynomialDD(p attr.Polynomial, x, n float64) float64 {
	k := p.Derivative
	var small [8]dd
	now, before := append(small[:0:4], make([]dd, k+1)...), append(small[4:4:8], make([]dd, k+1)...)
	before[0] = dd{1, 0}
	a, b := FirstDegree(p.Family)
	now[0] = twoMul(a, x).add(dd{b, 0})
	now[1] = dd{a, 0}
	for m := 1.0; m+1 <= n; m++ {
		a, b, c, d := Whole(p.Family, m)
		w := twoMul(a, x).add(dd{b, 0})
		for j := k; j >= 0; j-- { // from the highest: each needs the old one below it
			next := w.mul(now[j])
			if c == 1 {
				next = next.add(before[j].neg())
			} else {
				next = next.add(before[j].times(-c))
			}
			if j > 0 {
				next = next.add(now[j-1].times(float64(j) * a))
			}
			if d != 1 {
				next = next.by(d)
			}
			before[j] = next
		}
		now, before = before, now
	}
	return now[k].hi
}

// PolynomialNarrow is the wanted derivative at x of the family's polynomial of degree n, which is truncated to an integer; a
// negative degree gives 0, one above maxDegree NaN. The derivatives follow from differentiating the recurrence. Its error is some n units
// of the largest polynomial up to n, which is enough for float32.
func PolynomialNarrow(p attr.Polynomial, x, n float64) float64 {
	k := p.Derivative
	switch {
	case n != n || n <= -1:
		return 0
	case n < 1 && k == 0:
		return 1
	case n < 1:
		return 0
	case n > maxDegree:
		return math.NaN()
	}
	var small [8]float64
	now, before := append(small[:0:4], make([]float64, k+1)...), append(small[4:4:8], make([]float64, k+1)...)
	before[0] = 1
	a, b := FirstDegree(p.Family)
	now[0] = a*x + b
	if k > 0 {
		now[1] = a
	}
	for m := 1.0; m+1 <= n; m++ {
		a, b, c := Recurrence(p.Family, m)
		for j := k; j >= 0; j-- { // from the highest: each needs the old one below it
			next := (a*x+b)*now[j] - c*before[j]
			if j > 0 {
				next += float64(j) * a * now[j-1]
			}
			before[j] = next
		}
		if now, before = before, now; now[k] != now[k] {
			break
		}
	}
	return now[k]
}
