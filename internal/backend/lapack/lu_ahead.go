package lapack

import "slices"

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

// luAhead is LU of x, which it copies to a; x may be a.
func (s *Solver[T]) luAhead(m, n int, x, a []T, ld int, piv []int32) (info int) {
	at := s.at()
	defer s.back(at)
	k, nb := min(m, n), panelWidth(min(m, n))
	q := &luSlabs[T]{Solver: s, m: m, n: n, nb: nb, a: a, ld: ld, piv: piv}
	for i := range q.below {
		q.below[i] = s.take(m * (nb + columnPad))
	}
	info = q.first(x)
	for j := 0; j < k; j += nb {
		width := min(nb, k-j)
		more := q.update(j, width, min(nb, k-j-width))
		if info == 0 && more > 0 {
			info = j + width + more
		}
	}
	for j := nb; j < k; j += nb {
		for i := j; i < min(j+nb, k); i++ {
			piv[i] += int32(j)
		}
	}
	return info
}

// luSlabs is a matrix that is factored in panels of nb columns.
type luSlabs[T Number] struct {
	*Solver[T]
	m, n, nb int
	a        []T
	ld       int
	piv      []int32
	// below has the rows of -L below the block on the diagonal of the panel that is applied, and of the next: all slabs are multiplied
	// with them, and rows of A that are whole pages apart share the sets of a cache.
	below [2][]T
}

// copyRows is the number of rows that are copied at once.
const copyRows = 64

// first copies x, and factors the first panel meanwhile.
func (q *luSlabs[T]) first(x []T) (info int) {
	width := min(q.nb, q.m, q.n)
	panel := func() {
		w := q.alone()
		defer w.Release()
		info = q.panel(w, 0, width)
	}
	if &x[0] == &q.a[0] {
		panel()
		return info
	}
	q.Loop(1+(q.m+copyRows-1)/copyRows, func(b int) {
		if b == 0 {
			for i := range q.m {
				copy(q.a[i*q.ld:][:width], x[i*q.n:])
			}
			panel()
			return
		}
		for i := (b - 1) * copyRows; i < min(b*copyRows, q.m); i++ {
			copy(q.a[i*q.ld+width:][:q.n-width], x[i*q.n+width:])
		}
	})
	return info
}

// panel factors width columns from row and column j on, and copies what products need of them.
func (q *luSlabs[T]) panel(w *Solver[T], j, width int) (info int) {
	info = w.LU(q.m-j, width, q.a[j*q.ld+j:], q.ld, q.piv[j:j+width])
	rows, l := q.below[j/q.nb%2], q.nb+columnPad
	for i := range q.m - j - width {
		w.negate(rows[i*l:][:width], q.a[(j+width+i)*q.ld+j:][:width])
	}
	return info
}

// update brings what is behind the panel of columns j … j+width-1 up to date, and factors the next panel, of next columns. It returns its
// info. The row exchanges of what is before the panel come last, for goroutines that have nothing else to do.
func (q *luSlabs[T]) update(j, width, next int) (info int) {
	at := j + width
	slab := slabWidth(min(q.m, q.n))
	others := (q.n - at - next + slab - 1) / slab
	first := 0
	if next == 0 {
		first = 1
	}
	last := others + 1 - first
	from := rowsAfter(q.piv[j:at])
	q.Loop(last+(j+2*slab-1)/(2*slab), func(i int) {
		if i >= last {
			col := (i - last) * 2 * slab
			exchange(q.piv[j:at], 0, min(2*slab, j-col), q.a[j*q.ld+col:], q.ld)
			return
		}
		w := q.alone()
		defer w.Release()
		if i += first; i > 0 {
			col := at + next + (i-1)*slab
			q.slab(w, from, j, width, col, min(slab, q.n-col))
			return
		}
		q.slab(w, from, j, width, at, next)
		if at < q.m {
			info = q.panel(w, at, next)
		}
	})
	return info
}

// slab applies the panel of columns j … j+width-1 to count columns from col on. Their upper rows are solved for in a copy.
func (q *luSlabs[T]) slab(w *Solver[T], from []rowMove, j, width, col, count int) {
	at := w.at()
	defer w.back(at)
	l := count + columnPad
	top, c := w.take(width*l), q.a[j*q.ld+col:]
	for i := range width {
		copy(top[i*l:][:count], c[from[i].from*q.ld:])
	}
	for _, r := range from[width:] { // a row from the upper ones, which are still in place
		copy(c[r.to*q.ld:][:count], c[r.from*q.ld:])
	}
	w.SolveTriangular(false, true, width, count, q.a[j*q.ld+j:], q.ld, 1, top, l)
	for i := range width {
		copy(c[i*q.ld:][:count], top[i*l:])
	}
	if below := q.m - j - width; below > 0 {
		w.Mul(below, count, width, q.below[j/q.nb%2], q.nb+columnPad, 1, top, l, 1, c[width*q.ld:], q.ld, true)
	}
}

// rowMove says which row goes where.
type rowMove struct{ from, to int }

// rowsAfter returns what row exchanges do: the rows that come to be the first len(piv) ones, in order, and then the moves of upper rows to
// where these were.
func rowsAfter(piv []int32) []rowMove {
	k := len(piv)
	list := make([]rowMove, k, 2*k)
	lower := make([]rowMove, 0, k) // what rows beyond k now hold; there are few
	find := func(r int) int { return slices.IndexFunc(lower, func(x rowMove) bool { return x.to == r }) }
	for i := range k {
		list[i] = rowMove{i, i}
	}
	for i, p := range piv {
		r := int(p)
		if r < k {
			list[i].from, list[r].from = list[r].from, list[i].from
			continue
		}
		x := find(r)
		if x < 0 {
			x = len(lower)
			lower = append(lower, rowMove{r, r})
		}
		lower[x].from, list[i].from = list[i].from, lower[x].from
	}
	for _, x := range lower {
		if x.from != x.to {
			list = append(list, x)
		}
	}
	return list
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
