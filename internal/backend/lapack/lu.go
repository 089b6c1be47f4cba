package lapack

// narrowPanel is the number of columns up to which LU goes column by column where there are few rows.
const narrowPanel = 16

// LU factors a, m×n, in place: P·L·U with row exchanges. Row i was exchanged with row piv[i], from 0 on, in this order. info is 0, or
// one more than the number of the first column without a pivot; the factorisation goes on behind it.
func (s *Solver[T]) LU(m, n int, a []T, ld int, piv []int32) (info int) {
	k := min(m, n)
	if k == 0 {
		return 0
	}
	if s.ahead(m, n) {
		return s.luAhead(m, n, a, a, ld, piv)
	}
	if n <= widePanel && m >= tallPanel {
		return s.luColumns(m, n, a, ld, piv)
	}
	if n <= narrowPanel {
		return luPanel(m, n, a, ld, piv)
	}
	h := k / 2
	if h > 8 {
		h = h / 8 * 8
	}
	if k <= narrowPanel {
		h = k // a wide matrix: factor its square part, then solve for the rest
	}
	info = s.LU(m, h, a, ld, piv[:h])
	right := a[h:]
	exchange(piv[:h], 0, n-h, right, ld)
	s.SolveTriangular(false, true, h, n-h, a, ld, 1, right, ld)
	if h == m {
		return info
	}
	s.subtract(m-h, n-h, h, a[h*ld:], ld, 1, right, ld, right[h*ld:], ld)
	if h == k {
		return info
	}
	more := s.LU(m-h, n-h, right[h*ld:], ld, piv[h:k])
	exchange(piv[h:k], 0, h, a[h*ld:], ld)
	for i := range piv[h:k] {
		piv[h+i] += int32(h)
	}
	if info == 0 && more > 0 {
		info = more + h
	}
	return info
}

// LUOf is LU of x, whose rows follow each other, to a.
func (s *Solver[T]) LUOf(m, n int, x, a []T, ld int, piv []int32) (info int) {
	if s.ahead(m, n) {
		return s.luAhead(m, n, x, a, ld, piv)
	}
	for i := range m {
		copy(a[i*ld:][:n], x[i*n:])
	}
	return s.LU(m, n, a, ld, piv)
}

// exchange applies row exchanges to n columns.
func exchange[T Number](piv []int32, from, n int, a []T, ld int) {
	for i := from; i < len(piv); i++ {
		if p := int(piv[i]); p != i {
			swap(a[i*ld:][:n], a[p*ld:][:n])
		}
	}
}

func luPanel[T Number](m, n int, a []T, ld int, piv []int32) (info int) {
	for j := range min(m, n) {
		p, best := j, -1.0
		for i := j; i < m; i++ {
			if v := size(a[i*ld+j]); v > best {
				p, best = i, v
			}
		}
		piv[j] = int32(p)
		top := a[j*ld:][:n]
		if p != j {
			swap(top, a[p*ld:][:n])
		}
		d := top[j]
		if d == 0 {
			if info == 0 {
				info = j + 1
			}
			continue
		}
		tail := top[j+1:]
		for i := j + 1; i < m; i++ {
			row := a[i*ld+j:][:n-j]
			f := row[0] / d
			row[0] = f
			if f == 0 {
				continue
			}
			row = row[1:]
			for c, v := range tail {
				row[c] -= f * v
			}
		}
	}
	return info
}

// SolveLU replaces b, n×cols, by the solution of A·x = b, or of Aᴴ·x = b if adjoint, from a factorisation of A.
func (s *Solver[T]) SolveLU(adjoint bool, n, cols int, lu []T, ld int, piv []int32, b []T, ldb int) {
	if !adjoint {
		exchange(piv[:n], 0, cols, b, ldb)
		s.SolveTriangular(false, true, n, cols, lu, ld, 1, b, ldb)
		s.SolveTriangular(true, false, n, cols, lu, ld, 1, b, ldb)
		return
	}
	m := s.at()
	defer s.back(m)
	if isComplex[T]() {
		c := s.take(n * n)
		for i := range n {
			copy(c[i*n:][:n], lu[i*ld:])
		}
		conjugate(c)
		lu, ld = c, n
	}
	s.SolveTriangular(false, false, n, cols, lu, 1, ld, b, ldb)
	s.SolveTriangular(true, true, n, cols, lu, 1, ld, b, ldb)
	for i := n - 1; i >= 0; i-- {
		if p := int(piv[i]); p != i {
			swap(b[i*ldb:][:cols], b[p*ldb:][:cols])
		}
	}
}
