package lapack

// QR factors a, m×n, in place: R on and above the diagonal, below it the vectors of the reflectors, whose first element 1 is not
// stored. tau has min(m, n) elements.
func (s *Solver[T]) QR(m, n int, a []T, ld int, tau []T) { s.qrFirst(m, n, min(m, n), a, ld, tau) }

// qrFirst makes reflectors of the first k columns, and applies them to all n.
func (s *Solver[T]) qrFirst(m, n, k int, a []T, ld int, tau []T) {
	at := s.at()
	defer s.back(at)
	if k <= 8 || n <= 8 {
		qrColumns(m, n, k, a, ld, tau)
		return
	}
	q := &qrAhead[T]{Solver: s, m: m, n: n, k: k, a: a, ld: ld, tau: tau, width: manyReflectors(k)}
	for i := range q.two {
		q.two[i] = s.emptyBlock(min(q.width, k), m)
	}
	q.panel(s, 0)
	for j := 0; j < k; j += q.width {
		if min(j+q.width, k) < n {
			q.update(j)
		}
	}
}

// qrAhead is a matrix that is factored in panels. The columns behind a panel are cut into slabs; the first is the next panel, which is
// factored while others update the rest.
type qrAhead[T Number] struct {
	*Solver[T]
	m, n, k int // k columns become reflectors
	width   int // of a panel
	ld      int
	a, tau  []T
	two     [2]block[T] // of the panel that is applied, and of the next
}

// panel factors the panel that begins with column j, and makes its block of reflectors.
func (q *qrAhead[T]) panel(s *Solver[T], j int) {
	w, rows := min(q.width, q.k-j), q.m-j
	b := &q.two[j/q.width%2]
	b.k, b.m = w, rows
	at := q.a[j*q.ld+j:]
	s.transpose(rows, w, at, q.ld, b.v, rows)
	s.panel(w, rows, rows, b.v, q.tau[j:j+w])
	s.transpose(w, rows, b.v, rows, at, q.ld)
	if j+w < q.n {
		unpackReflectors(w, rows, b.v)
		s.fillBlock(b, q.tau[j:j+w])
	}
}

// update applies the panel that begins with column j to all columns behind it, and factors the next.
func (q *qrAhead[T]) update(j int) {
	b := &q.two[j/q.width%2]
	at := j + b.k
	next := min(q.width, q.k-at)
	slab := reflectWidth(q.n)
	columns := func(s *Solver[T], from, count int) { s.apply(b, true, count, q.a[j*q.ld+from:], q.ld) }
	if q.Loop == nil || q.n-at <= slab {
		columns(q.Solver, at, q.n-at)
		if next > 0 {
			q.panel(q.Solver, at)
		}
		return
	}
	others := (q.n - at - next + slab - 1) / slab
	q.Loop(others+1, func(i int) {
		w := q.alone()
		defer w.Release()
		if i > 0 {
			from := at + next + (i-1)*slab
			columns(w, from, min(slab, q.n-from))
			return
		}
		if next > 0 {
			columns(w, at, next)
			q.panel(w, at)
		}
	})
}

// unpackReflectors puts the 1 and the zeros before it in the rows of a panel.
func unpackReflectors[T Number](k, m int, p []T) {
	for i := range k {
		row := p[i*m:][:m]
		clear(row[:min(i, m)])
		if i < m {
			row[i] = 1
		}
	}
}

// someReflectors is how many of a panel are made one by one.
const someReflectors = 8

// panel factors the columns that are stored in the w rows of p, ld apart, of m elements each: one half, then what it leaves of the other.
func (s *Solver[T]) panel(w, m, ld int, p, tau []T) {
	if w <= someReflectors {
		s.panelPart(w, m, ld, p, tau)
		return
	}
	at := s.at()
	defer s.back(at)
	k := (w/2 + someReflectors - 1) / someReflectors * someReflectors
	s.panel(k, m, ld, p, tau[:k])
	rest := w - k
	b := s.emptyBlock(k, m)
	for i := range k {
		copy(b.v[i*m:][:m], p[i*ld:])
	}
	unpackReflectors(k, m, b.v)
	s.fillBlock(&b, tau[:k])
	// A column c becomes c - V·Tᴴ·Vᴴ·c; columns are rows here.
	c, x, y := p[k*ld:], s.take(rest*k), s.take(rest*k)
	s.Mul(rest, k, m, c, ld, 1, b.conj, 1, m, x, k, false)
	s.negate(b.t, b.t)
	conjugate(b.t)
	s.Mul(rest, k, k, x, k, 1, b.t, k, 1, y, k, false)
	s.Mul(rest, m, k, y, k, 1, b.v, m, 1, c, ld, true)
	s.panel(rest, m-k, ld, c[k:], tau[k:])
}

// panelPart factors the columns in the k rows of p, ld apart, of m elements each.
func (s *Solver[T]) panelPart(k, m, ld int, p, tau []T) {
	at := s.at()
	defer s.back(at)
	v, minus := s.take(m), s.take(k)
	for j := range k {
		x := p[j*ld+j:][:m-j]
		beta, t := reflector(len(x), x, 1)
		tau[j] = t
		rest := k - j - 1
		if rest > 0 && t != 0 {
			x[0] = 1
			u := v[:len(x)]
			copy(u, x)
			conjugate(u)
			f := minus[:rest]
			s.Mul(rest, 1, len(x), p[(j+1)*ld+j:], ld, 1, u, 1, 1, f, 1, false)
			for i := range f {
				f[i] *= -conj(t)
			}
			s.Mul(rest, len(x), 1, f, 1, 1, x, len(x), 1, p[(j+1)*ld+j:], ld, true)
		}
		x[0] = of[T](beta, 0)
	}
}

// qrColumns goes column by column.
func qrColumns[T Number](m, n, k int, a []T, ld int, tau []T) {
	var room [64]T
	w := room[:]
	if n > len(w) {
		w = make([]T, n)
	}
	for j := range k {
		beta, t := reflector(m-j, a[j*ld+j:], ld)
		tau[j] = t
		if w := w[:n-j-1]; t != 0 && len(w) > 0 {
			copy(w, a[j*ld+j+1:])
			for i := j + 1; i < m; i++ {
				axpy(w, conj(a[i*ld+j]), a[i*ld+j+1:])
			}
			f := -conj(t)
			axpy(a[j*ld+j+1:][:len(w)], f, w)
			for i := j + 1; i < m; i++ {
				axpy(a[i*ld+j+1:][:len(w)], f*a[i*ld+j], w)
			}
		}
		a[j*ld+j] = of[T](beta, 0)
	}
}

// FormQ writes the first n columns of the product of the k reflectors that QR left below the diagonal of a, m rows.
func (s *Solver[T]) FormQ(m, n, k int, a []T, ld int, tau, q []T, ldq int) {
	at := s.at()
	defer s.back(at)
	for i := range m {
		clear(q[i*ldq:][:n])
		if i < n {
			q[i*ldq+i] = 1
		}
	}
	if k <= 8 {
		formColumns(m, n, k, a, ld, tau, q, ldq)
		return
	}
	width := manyReflectors(k)
	all := make([]block[T], (k+width-1)/width)
	for i := range all {
		j := i * width
		w, rows := min(width, k-j), m-j
		p := s.take(w * rows)
		s.transpose(rows, w, a[j*ld+j:], ld, p, rows)
		unpackReflectors(w, rows, p)
		all[i] = s.newBlock(w, rows, p, tau[j:j+w])
	}
	// The columns before those of a block are still those of the identity.
	s.applyBlocks(false, all, m, width, n, q, ldq)
}

func formColumns[T Number](m, n, k int, a []T, ld int, tau, q []T, ldq int) {
	var room [64]T
	w := room[:]
	if n > len(w) {
		w = make([]T, n)
	}
	for j := k - 1; j >= 0; j-- {
		w := w[:n-j]
		copy(w, q[j*ldq+j:])
		for i := j + 1; i < m; i++ {
			axpy(w, conj(a[i*ld+j]), q[i*ldq+j:])
		}
		axpy(q[j*ldq+j:][:len(w)], -tau[j], w)
		for i := j + 1; i < m; i++ {
			axpy(q[i*ldq+j:][:len(w)], -tau[j]*a[i*ld+j], w)
		}
	}
}
