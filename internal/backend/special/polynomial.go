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

// Polynomial is the wanted derivative at x of the family's polynomial of degree n, which is truncated to an integer; a
// negative degree gives 0, one above maxDegree NaN. The derivatives follow from differentiating the recurrence.
func Polynomial(p attr.Polynomial, x, n float64) float64 {
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
