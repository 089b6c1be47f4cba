package export

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
)

// formula is a number that depends on open sizes s: whole ones are ⌊(Σ c·Πs^e) / div⌋, others scale·Πs^up / Πs^down, rounded to a
// dtype where they are the value of an immediate.
type formula struct {
	terms    []term
	div      int // at least 1; 0: not whole
	scale    float64
	up, down []int
	round    dtype.DType // 0: none
}

// term is a coefficient and the power of each size.
type term struct {
	c      int
	powers []int
}

// Limits of a formula.
const (
	maxTerms = 16
	maxPower = 4
)

// eval computes a formula; ok is false if it is out of range.
func (f *formula) eval(sizes []int) (v float64, ok bool) {
	if f.div == 0 {
		up, ok := product(f.up, sizes)
		down, fine := product(f.down, sizes)
		if !ok || !fine || down == 0 {
			return 0, false
		}
		return rounded(f.scale*up/down, f.round), true
	}
	sum := 0.0
	for _, t := range f.terms {
		p, ok := product(t.powers, sizes)
		if !ok {
			return 0, false
		}
		sum += float64(t.c) * p
	}
	if math.Abs(sum) > exact {
		return 0, false
	}
	return math.Floor(sum / float64(f.div)), true
}

// product multiplies powers of sizes; ok is false if a float64 cannot hold it.
func product(powers, sizes []int) (p float64, ok bool) {
	p = 1
	for i, e := range powers {
		for range e {
			p *= float64(sizes[i])
		}
	}
	return p, p <= exact
}

// rounded is a number as a dtype holds it.
func rounded(v float64, d dtype.DType) float64 {
	if !d.Valid() || !d.IsFloat() {
		return v
	}
	var b [16]byte
	d.Put(b[:], 0, dtype.Scalar{F: v})
	return d.Get(b[:], 0).F
}

func sameFloat(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// fitFormula finds a formula that gives the values at the sizes.
func fitFormula(sizes [][]int, v []float64, whole bool, round dtype.DType) (formula, bool) {
	holds := func(f formula) bool {
		for k := range sizes {
			if x, ok := f.eval(sizes[k]); !ok || !sameFloat(x, v[k]) && x != v[k] {
				return false
			}
		}
		return true
	}
	if !whole {
		for _, up := range monomials(len(sizes[0])) {
			for _, down := range monomials(len(sizes[0])) {
				for _, scale := range scales(sizes[0], v[0], up, down) {
					if f := (formula{scale: scale, up: up, down: down, round: round}); holds(f) {
						return f, true
					}
				}
			}
		}
		return formula{}, false
	}
	for _, p := range monomials(len(sizes[0])) {
		if f, ok := fitScaled(sizes, v, p); ok && holds(f) {
			return f, true
		}
	}
	if f, ok := fitAffine(sizes, v); ok && holds(f) {
		return f, true
	}
	for _, p := range monomials(len(sizes[0])) {
		if f, ok := fitQuotient(sizes, v, p); ok && holds(f) {
			return f, true
		}
	}
	return formula{}, false
}

// monomials lists powers of n sizes, of degree 1 to 3; for quotients of floats the degree 0 too, which comes first.
func monomials(n int) (list [][]int) {
	var add func(p []int, left int)
	add = func(p []int, left int) {
		if len(p) == n {
			list = append(list, append([]int(nil), p...))
			return
		}
		for e := 0; e <= left; e++ {
			add(append(p, e), left-e)
		}
	}
	add(nil, 3)
	return list
}

// scales are factors that may be meant: a round number that gives the first value.
func scales(sizes []int, v float64, up, down []int) (list []float64) {
	u, _ := product(up, sizes)
	d, _ := product(down, sizes)
	s := v * d / u
	for _, unit := range []float64{1, 2, 4, 8, 10, 16, 100, 1000} {
		list = append(list, math.Round(s*unit)/unit)
	}
	return append(list, s)
}

// fitScaled fits c·p + b.
func fitScaled(sizes [][]int, v []float64, p []int) (formula, bool) {
	x0, _ := product(p, sizes[0])
	for k := range sizes {
		x, _ := product(p, sizes[k])
		if x == x0 {
			continue
		}
		c := (v[k] - v[0]) / (x - x0)
		b := v[0] - c*x0
		if c != math.Trunc(c) || math.Abs(c) > exact || math.Abs(b) > exact {
			return formula{}, false
		}
		f := formula{div: 1, terms: []term{{int(c), p}}}
		if b != 0 {
			f.terms = append(f.terms, term{int(b), make([]int, len(p))})
		}
		return f, true
	}
	return formula{}, false
}

// fitAffine fits a whole number of each size, and one more.
func fitAffine(sizes [][]int, v []float64) (formula, bool) {
	n := len(sizes[0])
	rows := make([][]float64, 0, len(sizes))
	for k := range sizes {
		row := make([]float64, n+2)
		for i, s := range sizes[k] {
			row[i] = float64(s)
		}
		row[n], row[n+1] = 1, v[k]
		rows = append(rows, row)
	}
	for c := range n + 1 { // elimination with the largest pivot
		at := c
		for r := c; r < len(rows); r++ {
			if math.Abs(rows[r][c]) > math.Abs(rows[at][c]) {
				at = r
			}
		}
		if at >= len(rows) || math.Abs(rows[at][c]) < 1e-9 {
			return formula{}, false
		}
		rows[c], rows[at] = rows[at], rows[c]
		for r := range rows {
			if r == c {
				continue
			}
			m := rows[r][c] / rows[c][c]
			for k := c; k < n+2; k++ {
				rows[r][k] -= m * rows[c][k]
			}
		}
	}
	f := formula{div: 1}
	for c := range n + 1 {
		a := math.Round(rows[c][n+1] / rows[c][c])
		if a == 0 {
			continue
		}
		p := make([]int, n)
		if c < n {
			p[c] = 1
		}
		f.terms = append(f.terms, term{int(a), p})
	}
	return f, len(f.terms) > 0
}

// maxDivisor is the largest divisor that is tried; the sizes of samples cover its residues.
const maxDivisor = 8

// fitQuotient fits ⌊(a·p + b) / d⌋. b must be the only one.
func fitQuotient(sizes [][]int, v []float64, p []int) (formula, bool) {
	for d := 2; d <= maxDivisor; d++ {
		for a := 1; a <= 4; a++ {
			low, high := math.Inf(-1), math.Inf(1)
			for k := range sizes {
				x, _ := product(p, sizes[k])
				b := v[k]*float64(d) - float64(a)*x
				low, high = max(low, b), min(high, b+float64(d)-1)
			}
			if low != high || math.Abs(low) > exact {
				continue
			}
			f := formula{div: d, terms: []term{{a, p}}}
			if low != 0 {
				f.terms = append(f.terms, term{int(low), make([]int, len(p))})
			}
			return f, true
		}
	}
	return formula{}, false
}
