package lapack

// choleskyAhead is Cholesky of a large matrix in panels. Rows below a panel's block on the diagonal are solved for in parts; then parts of
// the rest are updated, the first of which is the next block on the diagonal, which is factored while others go on.
func (s *Solver[T]) choleskyAhead(n int, a []T, ld int) (info int) {
	at := s.at()
	defer s.back(at)
	nb := panelWidth(n)
	t, l := s.take(nb*(n+columnPad)), a
	if isComplex[T]() {
		l = s.take(nb * nb)
	}
	w := s.alone()
	info = w.Cholesky(min(nb, n), a, ld)
	w.Release()
	for j := 0; info == 0 && j+nb < n; j += nb {
		ldl := ld
		if isComplex[T]() {
			ldl = nb
			for i := range nb {
				copy(l[i*nb:][:nb], a[(j+i)*ld+j:])
			}
			conjugate(l)
		} else {
			l = a[j*ld+j:]
		}
		s.choleskyRows(n, j, nb, l, ldl, a, ld, t)
		if info = s.choleskyRest(n, j, nb, a, ld, t); info != 0 {
			info += j + nb
		}
	}
	return info
}

// choleskyRows replaces the rows below the block on the diagonal by those of L, and writes their adjoint to t.
func (s *Solver[T]) choleskyRows(n, j, nb int, l []T, ldl int, a []T, ld int, t []T) {
	rest := n - j - nb
	ldt := rest + columnPad
	s.share(rest, slabWidth(n), func(w *Solver[T], from, count int) {
		rows, cols := a[(j+nb+from)*ld+j:], t[from:]
		w.transpose(count, nb, rows, ld, cols, ldt)
		w.SolveTriangular(false, false, nb, count, l, ldl, 1, cols, ldt)
		w.transpose(nb, count, cols, ldt, rows, ld)
		if isComplex[T]() {
			for i := range nb {
				conjugate(cols[i*ldt:][:count])
			}
		}
	})
}

// choleskyRest updates the rows behind a panel up to their diagonal, and factors the next block on it. It returns its info.
func (s *Solver[T]) choleskyRest(n, j, nb int, a []T, ld int, t []T) (info int) {
	top, rest := j+nb, n-j-nb
	next, slab := min(nb, rest), slabWidth(n)
	ldt := rest + columnPad
	others := (rest - next + slab - 1) / slab
	s.Loop(others+1, func(i int) {
		w := s.alone()
		defer w.Release()
		from, count := 0, next
		if i > 0 { // the longest rows first
			from = next + (others-i)*slab
			count = min(slab, rest-from)
			w.subtract(count, from, nb, a[(top+from)*ld+j:], ld, 1, t, ldt, a[(top+from)*ld+top:], ld)
		}
		corner := a[(top+from)*ld+top+from:]
		w.lowerProduct(count, nb, a[(top+from)*ld+j:], ld, t[from:], ldt, corner, ld)
		if i == 0 {
			info = w.Cholesky(count, corner, ld)
		}
	})
	return info
}
