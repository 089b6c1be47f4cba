package lapack

// A large matrix is factored in panels of columns. The columns behind a panel are cut into slabs, and each slab takes what the panel
// does to it by itself: row exchanges, a triangle, a product. The first slab is the next panel, whose columns are factored as soon as
// they are up to date, while other goroutines still update the rest. Widths depend on sizes alone.

// aheadSize is the number of rows and columns from which that is done.
const aheadSize = 192

// panelWidth and slabWidth are the columns of a panel and of a slab of a matrix of n columns: a panel is slow, and the last ones have
// nothing that could run at the same time; a slab packs a panel once more.
func panelWidth(n int) int {
	if n < 1024 {
		return 64
	}
	return 128
}

func slabWidth(n int) int {
	if n < 1024 {
		return 128
	}
	return 256
}

// reflectWidth is the slab of columns that blocks of reflectors are applied to.
func reflectWidth(n int) int {
	if n < 1024 {
		return 64
	}
	return 256
}

// ahead reports whether a matrix is factored with several goroutines.
func (s *Solver[T]) ahead(m, n int) bool { return s.Loop != nil && min(m, n) >= aheadSize }

// luAhead is LU.
func (s *Solver[T]) luAhead(m, n int, a []T, ld int, piv []int32) (info int) {
	k, nb := min(m, n), panelWidth(min(m, n))
	w := s.alone()
	info = w.LU(m, min(nb, k), a, ld, piv[:min(nb, k)])
	w.Release()
	for j := 0; j < k; j += nb {
		width := min(nb, k-j)
		more := s.luSlabs(m, n, j, width, min(nb, k-j-width), a, ld, piv)
		if info == 0 && more > 0 {
			info = j + width + more
		}
	}
	s.share(k, nb, func(_ *Solver[T], from, count int) {
		for j := from + nb; j < k; j += nb {
			exchange(piv[j:min(j+nb, k)], 0, count, a[j*ld+from:], ld)
		}
	})
	for j := nb; j < k; j += nb {
		for i := j; i < min(j+nb, k); i++ {
			piv[i] += int32(j)
		}
	}
	return info
}

// luSlabs updates what is behind the panel of columns j … j+width-1, and factors the next panel, of next columns. It returns its info.
func (s *Solver[T]) luSlabs(m, n, j, width, next int, a []T, ld int, piv []int32) (info int) {
	at, below := j+width, m-j-width
	slab := slabWidth(min(m, n))
	others := (n - at - next + slab - 1) / slab
	first := 0
	if next == 0 {
		first = 1
	}
	s.Loop(others+1-first, func(i int) {
		w := s.alone()
		defer w.Release()
		from, count := at, next
		if i += first; i > 0 {
			from = at + next + (i-1)*slab
			count = min(slab, n-from)
		}
		top := a[j*ld+from:]
		exchange(piv[j:at], 0, count, top, ld)
		w.SolveTriangular(false, true, width, count, a[j*ld+j:], ld, 1, top, ld)
		if below == 0 {
			return
		}
		w.subtract(below, count, width, a[at*ld+j:], ld, 1, top, ld, a[at*ld+from:], ld)
		if i == 0 {
			info = w.LU(below, next, a[at*ld+at:], ld, piv[at:at+next])
		}
	})
	return info
}

// Inverse writes the inverse of A to z, n×n, from a factorisation of A.
func (s *Solver[T]) Inverse(n int, lu []T, ld int, piv []int32, z []T) {
	slab := slabWidth(n)
	solve := func(w *Solver[T], from, count int) {
		for i := range n {
			row := z[i*n+from:][:count]
			clear(row)
			if i >= from && i < from+count {
				row[i-from] = 1
			}
		}
		// Above its own rows a slab of the inverse of L is zero.
		w.SolveTriangular(false, true, n-from, count, lu[from*ld+from:], ld, 1, z[from*n+from:], n)
		w.SolveTriangular(true, false, n, count, lu, ld, 1, z[from:], n)
	}
	// The columns are those of A⁻¹·Pᵀ. to[c] is where column c belongs.
	to := make([]int, n)
	for i := range to {
		to[i] = i
	}
	for i := range n {
		to[i], to[piv[i]] = to[piv[i]], to[i]
	}
	reorder := func(w *Solver[T], from, count int) {
		at := w.at()
		defer w.back(at)
		line := w.take(n)
		for i := range count {
			row := z[(from+i)*n:][:n]
			copy(line, row)
			for c, v := range line {
				row[to[c]] = v
			}
		}
	}
	if s.Loop != nil {
		s.share(n, slab, solve)
		s.share(n, slab, reorder)
		return
	}
	for from := 0; from < n; from += slab {
		solve(s, from, min(slab, n-from))
	}
	reorder(s, 0, n)
}
