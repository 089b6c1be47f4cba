package export

import (
	"math"
	"slices"
)

// Divisors that are tried: with factors before the sizes, and without.
const (
	smallDivisor   = 8
	largestDivisor = 32
)

// whole finds a formula of whole numbers, the simplest first.
func (t *fit) whole(v []float64) *formula {
	try := func(f formula, ok bool) *formula {
		if ok && t.holds(f, v) {
			return &f
		}
		return nil
	}
	for _, p := range monomials(t.open) {
		if f := try(t.line(v, p)); f != nil {
			return f
		}
	}
	one := make([]int, t.open)
	basis := [][]int{one}
	for i := range t.open {
		basis = append(basis, t.power(i))
	}
	if f := try(t.sum(v, basis)); f != nil {
		return f
	}
	for _, p := range monomials(t.open) {
		if f := try(quotient(t.rows, v, p)); f != nil {
			t.derive(derived{of: []formula{*f}})
			return f
		}
	}
	if all := monomials(t.open); len(all) <= maxTerms && len(all) < len(t.rows)/2 {
		if f := try(t.sum(v, all)); f != nil {
			return f
		}
	}
	for i := range t.columns { // products with what was found, and sums
		for k := t.open; k < len(t.columns); k++ {
			for _, p := range [][]int{t.power(k), t.power(i, k)} {
				if f := try(t.line(v, p)); f != nil {
					return f
				}
			}
		}
	}
	for k := t.open; k < len(t.columns); k++ {
		if f := try(t.sum(v, append(slices.Clone(basis), t.power(k)))); f != nil {
			return f
		}
	}
	if f := t.padded(v); f != nil {
		return f
	}
	return t.pick(v)
}

// line fits c·p + b.
func (t *fit) line(v []float64, p []int) (formula, bool) {
	x0, _ := product(p, t.rows[0])
	for k := range t.rows {
		x, _ := product(p, t.rows[k])
		if x == x0 {
			continue
		}
		return t.through(p, x0, v[0], x, v[k])
	}
	return formula{}, false
}

// through is the line of two points.
func (t *fit) through(p []int, x0, v0, x, v float64) (formula, bool) {
	c := (v - v0) / (x - x0)
	b := v0 - c*x0
	if c != math.Trunc(c) || math.Abs(c) > exact || math.Abs(b) > exact {
		return formula{}, false
	}
	f := formula{div: 1}
	if c != 0 {
		f.terms = append(f.terms, term{int(c), p})
	}
	if b != 0 || c == 0 {
		f.terms = append(f.terms, term{int(b), make([]int, t.open)})
	}
	return f, true
}

// nearSizes bounds the sizes that a sum is solved for: products of large ones are not exact.
const nearSizes = 200

// sum fits a whole number of each product.
func (t *fit) sum(v []float64, basis [][]int) (formula, bool) {
	n := len(basis)
	var rows [][]float64
	for k, sizes := range t.rows {
		row := make([]float64, n+1)
		for i, p := range basis {
			row[i], _ = product(p, sizes)
		}
		if row[n] = v[k]; slices.Max(sizes[:t.open]) <= nearSizes || len(t.rows) < 2*n {
			rows = append(rows, row)
		}
	}
	for c := range n { // elimination with the largest pivot
		at := c
		for r := c; r < len(rows); r++ {
			if math.Abs(rows[r][c]) > math.Abs(rows[at][c]) {
				at = r
			}
		}
		if at >= len(rows) || math.Abs(rows[at][c]) < 1e-6 {
			return formula{}, false
		}
		rows[c], rows[at] = rows[at], rows[c]
		for r := range rows {
			if r == c {
				continue
			}
			m := rows[r][c] / rows[c][c]
			for k := c; k < n+1; k++ {
				rows[r][k] -= m * rows[c][k]
			}
		}
	}
	f := formula{div: 1}
	for c, p := range basis {
		if a := math.Round(rows[c][n] / rows[c][c]); a != 0 && math.Abs(a) < exact {
			f.terms = append(f.terms, term{int(a), p})
		}
	}
	return f, len(f.terms) > 0
}

// quotient fits ⌊(a·p + b) / d⌋ to rows. b must be the only one.
func quotient(rows [][]int, v []float64, p []int) (formula, bool) {
	for d := 2; d <= largestDivisor; d++ {
		for a := 1; a <= 4 && (a == 1 || d <= smallDivisor); a++ {
			low, high := math.Inf(-1), math.Inf(1)
			for k := range rows {
				x, _ := product(p, rows[k])
				b := v[k]*float64(d) - float64(a)*x
				if low, high = max(low, b), min(high, b+float64(d)-1); low > high {
					break
				}
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

// padded fits c·⌊(s + r) / d⌋ + e·s + b for one size: a multiple of d that is not smaller, and what is missing to it.
func (t *fit) padded(v []float64) *formula {
	for i := range t.open {
		p := t.power(i)
		for d := 2; d <= largestDivisor; d++ {
			for r := range d {
				q := derived{of: []formula{{div: d, terms: []term{{1, p}, {r, make([]int, t.open)}}}}}
				if f, ok := t.twoSlopes(v, i, d, r, &q); ok {
					return f
				}
			}
		}
	}
	return nil
}

// twoSlopes fits the numbers of such a formula by three samples, and tries it at all.
func (t *fit) twoSlopes(v []float64, i, d, r int, q *derived) (*formula, bool) {
	quot := func(k int) float64 { return math.Floor(float64(t.rows[k][i]+r) / float64(d)) }
	inside, across := -1, -1 // samples with the same quotient as the first, and with another
	for k := range t.rows {
		if t.rows[k][i] == t.rows[0][i] {
			if v[k] != v[0] {
				return nil, false // another size matters
			}
			continue
		}
		if quot(k) == quot(0) && inside < 0 {
			inside = k
		}
		if quot(k) != quot(0) && across < 0 {
			across = k
		}
	}
	if inside < 0 || across < 0 {
		return nil, false
	}
	s := func(k int) float64 { return float64(t.rows[k][i] - t.rows[0][i]) }
	e := (v[inside] - v[0]) / s(inside)
	c := (v[across] - v[0] - e*s(across)) / (quot(across) - quot(0))
	b := v[0] - c*quot(0) - e*float64(t.rows[0][i])
	if e != math.Trunc(e) || c != math.Trunc(c) || c == 0 || max(math.Abs(e), math.Abs(c), math.Abs(b)) > exact {
		return nil, false
	}
	for k := range t.rows {
		if c*quot(k)+e*float64(t.rows[k][i])+b != v[k] {
			return nil, false
		}
	}
	at := t.derive(*q)
	if at < 0 {
		return nil, false
	}
	f := formula{div: 1}
	for _, x := range []term{{int(c), t.power(at)}, {int(e), t.power(i)}, {int(b), make([]int, t.open)}} {
		if x.c != 0 {
			f.terms = append(f.terms, x)
		}
	}
	return &f, t.holds(f, v)
}
