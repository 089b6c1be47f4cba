package lapack

// Eigh finds the eigenvalues of a Hermitian matrix, ascending, and if vectors, its eigenvectors: the columns of a after it. a, n×n, has
// both triangles. w has n elements. info is 0, or 1 if it does not converge, as for a matrix with NaN.
func (s *Solver[T]) Eigh(n int, a []T, ld int, w []float64, vectors bool) (info int) {
	if n == 0 {
		return 0
	}
	at := s.at()
	defer s.back(at)
	m := 0.0
	for i := range n {
		m = max(m, largest(a[i*ld:][:n]))
	}
	if !(m <= maxFloat) {
		return 1
	}
	f := powerOfScale[T](m)
	for i := range n {
		scaleBy(a[i*ld:][:n], f)
	}
	e := make([]float64, n)
	v, tau := s.tridiagonalize(n, a, ld, w, e)
	if !vectors {
		if !tridiagonalQL(w, e, nil, 0) {
			return 1
		}
		unscale(w, f)
		return 0
	}
	if !s.tridiagonalVectors(w, e, a, ld) {
		return 1
	}
	s.applyAll(false, n-1, n, 1, v, tau, n, a, ld)
	unscale(w, f)
	return 0
}

const maxFloat = 0x1.fffffffffffffp+1023

func unscale(w []float64, f float64) {
	if f != 1 {
		for i := range w {
			w[i] /= f
		}
	}
}
