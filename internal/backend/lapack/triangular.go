package lapack

// shortTriangle is the size up to which a triangle is solved row by row.
const shortTriangle = 16

// fewColumns is the number of right sides below which rows are added in a loop rather than by a product.
const fewColumns = 32

// slabColumns is the number of right sides that one goroutine solves for at least.
const slabColumns = 64

// SolveTriangular replaces b, n×cols, by the solution of A·x = b. A is lower or upper triangular with strides rs and cs, so a
// transposed matrix is one with its strides exchanged; only its triangle is read, and not its diagonal if unit.
func (s *Solver[T]) SolveTriangular(upper, unit bool, n, cols int, a []T, rs, cs int, b []T, ld int) {
	if n == 0 || cols == 0 {
		return
	}
	if s.Loop != nil && cols > slabColumns { // columns do not depend on each other
		width := slabColumns
		if cols >= 4*slabWidth(cols) {
			width = slabWidth(cols)
		}
		s.share(cols, width, func(w *Solver[T], from, count int) {
			w.SolveTriangular(upper, unit, n, count, a, rs, cs, b[from:], ld)
		})
		return
	}
	if n <= shortTriangle {
		s.shortSolve(upper, unit, n, cols, a, rs, cs, b, ld)
		return
	}
	h := n / 2 / 8 * 8
	corner := h * (rs + cs)
	m := s.at()
	defer s.back(m)
	if upper {
		s.SolveTriangular(upper, unit, n-h, cols, a[corner:], rs, cs, b[h*ld:], ld)
		s.subtract(h, cols, n-h, a[h*cs:], rs, cs, b[h*ld:], ld, b, ld)
		s.SolveTriangular(upper, unit, h, cols, a, rs, cs, b, ld)
		return
	}
	s.SolveTriangular(upper, unit, h, cols, a, rs, cs, b, ld)
	s.subtract(n-h, cols, h, a[h*rs:], rs, cs, b, ld, b[h*ld:], ld)
	s.SolveTriangular(upper, unit, n-h, cols, a[corner:], rs, cs, b[h*ld:], ld)
}

// subtract computes c -= a·b with rows of b.
func (s *Solver[T]) subtract(m, n, k int, a []T, ars, acs int, b []T, ldb int, c []T, ldc int) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	at := s.at()
	defer s.back(at)
	if m < n {
		minus := s.take(m * k)
		if ars == 1 && acs != 1 { // a column after the other, as they are stored
			for p := range k {
				s.negate(minus[p*m:][:m], a[p*acs:][:m])
			}
			s.Mul(m, n, k, minus, 1, m, b, ldb, 1, c, ldc, true)
			return
		}
		for i := range m {
			row := minus[i*k:][:k]
			for p := range row {
				row[p] = -a[i*ars+p*acs]
			}
		}
		s.Mul(m, n, k, minus, k, 1, b, ldb, 1, c, ldc, true)
		return
	}
	minus := s.take(k * n)
	for p := range k {
		s.negate(minus[p*n:][:n], b[p*ldb:][:n])
	}
	s.Mul(m, n, k, a, ars, acs, minus, n, 1, c, ldc, true)
}

func (s *Solver[T]) shortSolve(upper, unit bool, n, cols int, a []T, rs, cs int, b []T, ld int) {
	var minus [shortTriangle]T
	for t := range n {
		i, from, k := t, 0, t // row i has the elements from … from+k-1 next to its diagonal
		if upper {
			i = n - 1 - t
			from, k = i+1, t
		}
		row := b[i*ld:][:cols]
		if cols >= fewColumns && k > 0 {
			for p := range k {
				minus[p] = -a[i*rs+(from+p)*cs]
			}
			s.Mul(1, cols, k, minus[:k], k, 1, b[from*ld:], ld, 1, row, ld, true)
		} else {
			for p := from; p < from+k; p++ {
				axpy(row, -a[i*rs+p*cs], b[p*ld:][:cols])
			}
		}
		if unit {
			continue
		}
		d := a[i*(rs+cs)]
		for j := range row {
			row[j] /= d
		}
	}
}
