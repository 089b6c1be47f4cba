package lapack

// SVD computes A = U·diag(sv)·Vᴴ of a, m×n, which is overwritten. sv has min(m, n) elements, descending. u is nil, or m×uc and gets the
// first uc columns of U, where uc is min(m, n) or m; vh is nil too then, or vc×n with the rows of Vᴴ, vc being min(m, n) or n. info is 0,
// or 1 if it does not converge, as for a matrix with NaN.
func (s *Solver[T]) SVD(m, n int, a []T, sv []float64, u []T, uc int, vh []T, vc int) (info int) {
	at := s.at()
	defer s.back(at)
	if min(m, n) == 0 {
		identity(m, uc, u)
		identity(vc, n, vh)
		return 0
	}
	big := largest(a[:m*n])
	if !(big <= maxFloat) {
		return 1
	}
	if m < n {
		// Aᴴ = V·S·Uᴴ
		t := s.take(m * n)
		s.transpose(m, n, a, n, t, m)
		conjugate(t)
		if u == nil {
			return s.SVD(n, m, t, sv, nil, 0, nil, 0)
		}
		left, right := s.take(n*vc), s.take(uc*m)
		info = s.SVD(n, m, t, sv, left, vc, right, uc)
		s.transpose(n, vc, left, vc, vh, n)
		s.transpose(uc, m, right, m, u, uc)
		conjugate(vh[:vc*n])
		conjugate(u[:m*uc])
		return info
	}
	f := powerOfScale[T](big)
	scaleBy(a[:m*n], f)
	if m > n+n/2 && n > 1 {
		info = s.tallSVD(m, n, a, sv, u, uc, vh, vc)
	} else {
		info = s.squareSVD(m, n, a, sv, u, uc, vh)
	}
	unscale(sv, f)
	return info
}

func identity[T Number](m, n int, x []T) {
	clear(x)
	for i := range min(m, n) {
		if x != nil {
			x[i*n+i] = 1
		}
	}
}

// tallSVD makes the matrix square first: A = Q·R.
func (s *Solver[T]) tallSVD(m, n int, a []T, sv []float64, u []T, uc int, vh []T, vc int) (info int) {
	tau, r := s.take(n), s.zeros(n*n)
	s.QR(m, n, a, n, tau)
	for i := range n {
		copy(r[i*n+i:(i+1)*n], a[i*n+i:(i+1)*n])
	}
	if u == nil {
		return s.squareSVD(n, n, r, sv, nil, 0, nil)
	}
	core, q := s.take(n*n), s.take(m*uc)
	if info = s.squareSVD(n, n, r, sv, core, n, vh); info != 0 {
		return info
	}
	s.FormQ(m, uc, n, a, n, tau, q, uc)
	s.Mul(m, n, n, q, uc, 1, core, n, 1, u, uc, false)
	for i := range m {
		copy(u[i*uc+n:(i+1)*uc], q[i*uc+n:(i+1)*uc])
	}
	return 0
}

// narrow writes n rows of n elements of x, ld apart, to z.
func narrow[T Number](n int, z []T, x []float64, ld int) {
	for i := range n {
		row := x[i*ld:][:n]
		switch to := any(z[i*n:][:n]).(type) {
		case []float64:
			copy(to, row)
		case []float32:
			for j, v := range row {
				to[j] = float32(v)
			}
		default:
			for j, v := range row {
				z[i*n+j] = of[T](v, 0)
			}
		}
	}
}

// squareSVD is SVD for m ≥ n by bidiagonalization.
func (s *Solver[T]) squareSVD(m, n int, a []T, sv []float64, u []T, uc int, vh []T) (info int) {
	b := s.bidiagonalize(m, n, a, n)
	copy(sv, b.d)
	if u == nil {
		if !s.bidiagonalQR(sv, b.e, nil, nil, 0) {
			return 1
		}
		return 0
	}
	wide := s.inFloat64()
	from := wide.at()
	defer wide.back(from)
	ld := (n+7)/8*8 + 8                          // whole vectors, in rows that are not whole pages apart
	ub, vb := wide.zeros(n*ld), wide.zeros(n*ld) // row i: the i-th left and right vector of the bidiagonal matrix
	if !s.bidiagonalVectors(sv, b.e, ub, vb, ld) {
		return 1
	}
	clear(u[:m*uc])
	rows, v := s.take(n*n), s.take(n*n)
	narrow(n, rows, ub, ld)
	s.transpose(n, n, rows, n, u, uc)
	for i := n; i < uc; i++ {
		u[i*uc+i] = 1
	}
	s.applyAll(false, n, m, 0, b.v, b.tauq, uc, u, uc)
	narrow(n, rows, vb, ld)
	s.transpose(n, n, rows, n, v, n)
	s.applyAll(false, n-1, n, 1, b.u, b.taup, n, v, n)
	s.transpose(n, n, v, n, vh, n)
	conjugate(vh[:n*n])
	return 0
}
