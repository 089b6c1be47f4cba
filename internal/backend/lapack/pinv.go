package lapack

import "math"

// Pinv writes the pseudoinverse of a, m×n, to z, n×m: singular values (of a Hermitian matrix, magnitudes of eigenvalues) up to
// max(atol, rtol·the largest) count as 0. a is overwritten. info is 0, or 1 if the decomposition does not converge.
func (s *Solver[T]) Pinv(m, n int, a []T, atol, rtol float64, hermitian bool, z []T) (info int) {
	at := s.at()
	defer s.back(at)
	k := min(m, n)
	if k == 0 {
		return 0
	}
	if !hermitian && s.fullRankPinv(m, n, a, atol, rtol, z) {
		return 0
	}
	left, right, w := s.take(m*k), s.take(k*n), make([]float64, k)
	if hermitian {
		if info = s.Eigh(n, a, n, w, true); info != 0 {
			return info
		}
		copy(left, a[:n*n])
		s.transpose(n, n, left, n, right, n)
		conjugate(right)
	} else if info = s.SVD(m, n, a, w, left, k, right, k); info != 0 {
		return info
	}
	cut := 0.0
	for _, x := range w {
		cut = max(cut, math.Abs(x))
	}
	cut = max(atol, rtol*cut)
	// V·diag(1/w)·Uᴴ
	lh := s.take(k * m)
	s.transpose(m, k, left, k, lh, m)
	conjugate(lh)
	for i, x := range w {
		f := 0.0
		if math.Abs(x) > cut {
			f = 1 / x
		}
		row := lh[i*m:][:m]
		for j := range row {
			row[j] *= of[T](f, 0)
		}
	}
	conjugate(right)
	s.Mul(n, m, k, right, 1, n, lh, m, 1, z, m, false)
	return 0
}

// fullRankPinv is Pinv by a QR factorisation, if bounds of the norms of R and of its inverse show that no singular value counts as 0. It
// reports whether they do; otherwise a is as it was.
func (s *Solver[T]) fullRankPinv(m, n int, a []T, atol, rtol float64, z []T) bool {
	if !(largest(a[:m*n]) <= maxFloat) {
		return false
	}
	at := s.at()
	defer s.back(at)
	rows, k := max(m, n), min(m, n)
	f, tau := s.take(m*n), s.take(k)
	if m >= n {
		copy(f, a[:m*n])
	} else { // the pseudoinverse of the adjoint is the adjoint of the pseudoinverse
		s.transpose(m, n, a, n, f, m)
		conjugate(f)
	}
	if big := largest(f); powerOfScale[T](big) != 1 {
		return false
	}
	s.QR(rows, k, f, k, tau)
	inv := s.take(k * k)
	if !s.fullRank(k, f, k, inv, atol, rtol) {
		return false
	}
	q := s.take(rows * k)
	s.FormQ(rows, k, k, f, k, tau, q, k)
	if m < n { // A = Rᴴ·Qᴴ, and its pseudoinverse is Q·R⁻ᴴ
		conjugate(inv)
		s.Mul(rows, k, k, q, k, 1, inv, 1, k, z, k, false)
		return true
	}
	conjugate(q)
	s.Mul(k, rows, k, inv, k, 1, q, 1, k, z, rows, false)
	return true
}

// fullRank writes the inverse of the upper triangle of r, k×k, to inv, and reports whether bounds of the norms of both show that no
// singular value counts as 0.
func (s *Solver[T]) fullRank(k int, r []T, ld int, inv []T, atol, rtol float64) bool {
	at := s.at()
	defer s.back(at)
	up := s.zeros(k * k)
	for i := range k {
		if r[i*ld+i] == 0 {
			return false
		}
		copy(up[i*k+i:(i+1)*k], r[i*ld+i:i*ld+k])
	}
	clear(inv[:k*k])
	const width = 64
	for from := 0; from < k; from += width { // below its own rows a part of the inverse is zero
		to := min(from+width, k)
		for i := from; i < to; i++ {
			inv[i*k+i] = 1
		}
		s.SolveTriangular(true, false, to, to-from, up, k, 1, inv[from:], k)
	}
	least := 1 / norm2(k*k, inv, 1)
	shows := func(most float64) bool { return least > 2*max(atol, rtol*most, float64(k)*Eps[T]()*most) }
	return shows(norm2(k*k, up, 1)) || shows(s.normBound(k, up))
}

// normBound is a bound of the largest singular value of r, k×k, at most k^⅛ times too large: the fourth root of the norm of (Rᴴ·R)².
func (s *Solver[T]) normBound(k int, r []T) float64 {
	at := s.at()
	defer s.back(at)
	whole := norm2(k*k, r, 1)
	if whole == 0 {
		return 0
	}
	c, g := s.take(k*k), s.take(k*k)
	scale := of[T](1/whole, 0)
	for i, x := range r {
		c[i] = x * scale
	}
	h := s.take(k * k)
	copy(h, c)
	conjugate(h)
	s.Mul(k, k, k, h, 1, k, c, k, 1, g, k, false)
	s.Mul(k, k, k, g, k, 1, g, k, 1, c, k, false)
	return whole * math.Sqrt(math.Sqrt(norm2(k*k, c, 1))) * (1 + float64(k)*Eps[T]())
}
