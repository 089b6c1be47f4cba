package lapack

// LeastSquares writes the x with the least ‖A·x - b‖, and among those the shortest, to z, n×cols: the pseudoinverse of a, m×n, with these
// tolerances times b, m×cols. Neither is changed. info is 0, or 1 if the decomposition does not converge.
func (s *Solver[T]) LeastSquares(m, n int, a []T, cols int, b []T, atol, rtol float64, z []T) (info int) {
	if min(m, n, cols) == 0 {
		clear(z[:n*cols])
		return 0
	}
	if m >= n && s.fullRankSquares(m, n, a, cols, b, atol, rtol, z) {
		return 0
	}
	at := s.at()
	defer s.back(at)
	f, p := s.take(m*n), s.take(n*m)
	copy(f, a)
	if info = s.Pinv(m, n, f, atol, rtol, false, p); info == 0 {
		s.Mul(n, cols, m, p, m, 1, b, cols, 1, z, cols, false)
	}
	return info
}

// fullRankSquares is LeastSquares by a QR factorisation without Q: the reflectors are applied to b, which stands behind the columns of a.
// It reports whether no singular value counts as 0.
func (s *Solver[T]) fullRankSquares(m, n int, a []T, cols int, b []T, atol, rtol float64, z []T) bool {
	if big := largest(a[:m*n]); !(big <= maxFloat) || powerOfScale[T](big) != 1 {
		return false
	}
	at := s.at()
	defer s.back(at)
	ld := n + cols
	f, tau, inv := s.take(m*ld), s.take(n), s.take(n*n)
	for i := range m {
		copy(f[i*ld:][:n], a[i*n:])
		copy(f[i*ld+n:][:cols], b[i*cols:])
	}
	s.qrFirst(m, ld, n, f, ld, tau)
	if !s.fullRank(n, f, ld, inv, atol, rtol) {
		return false
	}
	for i := range n {
		copy(z[i*cols:][:cols], f[i*ld+n:])
	}
	s.SolveTriangular(true, false, n, cols, f, ld, 1, z, cols)
	return true
}
