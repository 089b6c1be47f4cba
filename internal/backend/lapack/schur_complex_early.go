package lapack

import "math/cmplx"

// manyShifts looks for eigenvalues in the last rows of a large block, as that of real matrices does. Sweeps have the others as shifts.
func (r *complexFrancis) manyShifts(lo, hi int) {
	k := windowSize(hi - lo + 1)
	found, shifts := r.early(lo, hi, k)
	if found > 0 {
		r.sweeps = 0
	}
	if 7*found > k {
		return
	}
	hi -= found
	if r.sweeps%6 == 0 && r.sweeps > 0 {
		r.step(lo, hi, r.exceptional(hi))
	}
	for len(shifts) > 0 {
		k := min(len(shifts), complexChain)
		chain := make([]complexBulge, k)
		for i := range chain {
			chain[i].shift = shifts[i]
		}
		r.sweep(lo, hi, chain)
		shifts = shifts[k:]
	}
}

// early reduces the last k rows and columns of the block lo … hi alone. The element left of them becomes a column, the spike. Where its
// elements are negligible the eigenvalues are those of the matrix: they are moved to the end, and the rest is brought back to Hessenberg
// form. It returns how many there are, and the other eigenvalues.
func (r *complexFrancis) early(lo, hi, k int) (found int, others []complex128) {
	n, s := r.ld, r.solver
	at := s.at()
	defer s.back(at)
	top := hi - k + 1
	t := r.window(top, k, true)
	if !t.run() {
		return 0, []complex128{r.exceptional(hi)}
	}
	spike := r.h[top*n+top-1]
	stay := t.undeflated(spike)
	others = make([]complex128, stay)
	for i := range others {
		others[i] = t.h[i*t.ld+i]
	}
	if stay == k {
		return 0, others
	}
	r.h[top*n+top-1] = t.straighten(stay, spike)
	r.put(t, top)
	r.around(lo, hi, top, t)
	return k - stay, others
}

// undeflated moves the eigenvalues of a window whose elements of the spike are not negligible to its top, and returns how many they are.
func (r *complexFrancis) undeflated(spike complex128) (stay int) {
	n := r.ld
	for last := r.n - 1; last >= stay; {
		least := size(r.h[last*n+last])
		if least == 0 {
			least = size(spike)
		}
		if size(spike*r.q[last*n]) <= r.eps*least {
			last--
			continue
		}
		for i := last - 1; i >= stay; i-- {
			r.exchange(i)
		}
		stay++
	}
	return stay
}

// exchange exchanges the elements i and i+1 of the diagonal of a triangle, by a rotation.
func (r *complexFrancis) exchange(i int) {
	n, h := r.ld, r.h
	a, b := h[i*n+i], h[(i+1)*n+i+1]
	g := rotationTo(h[i*n+i+1], b-a)
	g.rows(h[i*n+i+2:i*n+r.n], h[(i+1)*n+i+2:])
	f := [1]rotation{g}
	for k := range i {
		along(h[k*n+i:], f[:])
	}
	h[i*n+i], h[(i+1)*n+i+1] = b, a
	g.s = cmplx.Conj(g.s)
	g.rows(r.q[i*n:][:n], r.q[(i+1)*n:])
}

// straighten makes the spike of the first stay rows of a window one element again, which it returns, and brings these rows back to
// Hessenberg form: that of the rows with the spike as a first column.
func (r *complexFrancis) straighten(stay int, spike complex128) complex128 {
	if stay == 0 {
		return 0
	}
	s, n, m := r.solver, r.ld, stay+1
	at := s.at()
	defer s.back(at)
	x, v := s.zeros(m*m), s.take(m*m)
	for i := range stay {
		x[(i+1)*m] = spike * cmplx.Conj(r.q[i*n])
		copy(x[(i+1)*m+1:][:stay], r.h[i*n:])
	}
	blocks := s.hessenberg(m, x, m)
	s.transposedQ(m, blocks, v, m)
	for i := range stay {
		copy(r.h[i*n:][:stay], x[(i+1)*m+1:][:stay])
	}
	s.fromLeft(stay, r.n, v[m+1:], m, r.q, n)
	conjugate(v)
	s.fromLeft(stay, r.n-stay, v[m+1:], m, r.h[stay:], n)
	return x[m]
}

// fromLeft replaces x, k×cols, by v·x.
func (s *Solver[T]) fromLeft(k, cols int, v []T, ldv int, x []T, ld int) {
	if cols <= 0 {
		return
	}
	at := s.at()
	defer s.back(at)
	z := s.take(k * cols)
	s.Mul(k, cols, k, v, ldv, 1, x, ld, 1, z, cols, false)
	for i := range k {
		copy(x[i*ld:][:cols], z[i*cols:])
	}
}

// alone reduces the block of rows lo … hi in memory of its own, and applies its rotations to the rest at once.
func (r *complexFrancis) alone(lo, hi int) bool {
	at := r.solver.at()
	defer r.solver.back(at)
	t := r.window(lo, hi-lo+1, r.q != nil)
	if !t.run() {
		return false
	}
	r.put(t, lo)
	if r.q != nil {
		r.around(lo, hi, lo, t)
	}
	return true
}

// window copies k rows and columns from row top on; its rotations start as the identity, if they are wanted.
func (r *complexFrancis) window(top, k int, rotations bool) *complexFrancis {
	s, ld := r.solver, complexWidth(k)
	t, v := s.zeros(k*ld), []complex128(nil)
	if rotations {
		v = s.zeros(k * ld)
	}
	for i := range k {
		copy(t[i*ld:][:k], r.h[(top+i)*r.ld+top:])
		if rotations {
			v[i*ld+i] = 1
		}
	}
	return newComplexFrancis(s, k, t, v, ld, r.eps)
}

// put writes a window back.
func (r *complexFrancis) put(t *complexFrancis, top int) {
	for i := range t.n {
		copy(r.h[(top+i)*r.ld+top:][:t.n], t.h[i*t.ld:])
	}
}

// around applies the rotations of a window of rows top … top+t.n-1 to what is around it, in a block that begins with row lo and ends with
// row hi: all of the matrix, if the triangle is wanted.
func (r *complexFrancis) around(lo, hi, top int, t *complexFrancis) {
	s, n, k := r.solver, r.ld, t.n
	above, last := lo, hi+1
	if r.q != nil {
		above, last = 0, r.n
		s.fromLeft(k, r.n, t.q, t.ld, r.q[top*n:], n)
	}
	at := s.at()
	defer s.back(at)
	if rows := top - above; rows > 0 {
		x, z := r.h[above*n+top:], s.take(rows*k)
		s.Mul(rows, k, k, x, n, 1, t.q, 1, t.ld, z, k, false)
		for i := range rows {
			copy(x[i*n:][:k], z[i*k:])
		}
	}
	if cols := last - top - k; cols > 0 {
		conjugate(t.q)
		s.fromLeft(k, cols, t.q, t.ld, r.h[top*n+top+k:], n)
	}
}
