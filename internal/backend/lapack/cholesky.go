package lapack

import "math"

const shortCholesky = 24

// Cholesky replaces the lower triangle of a, n×n, by L with L·Lᴴ = A; what is above the diagonal may be changed. info is 0, or one
// more than the number of the first row that shows that A is not positive definite.
func (s *Solver[T]) Cholesky(n int, a []T, ld int) (info int) {
	if n <= shortCholesky {
		return choleskyLines(n, a, ld)
	}
	if s.ahead(n, n) {
		return s.choleskyAhead(n, a, ld)
	}
	h := max(n/2/8*8, 8)
	if info = s.Cholesky(h, a, ld); info != 0 {
		return info
	}
	m := s.at()
	defer s.back(m)
	// L21·L11ᴴ = A21, transposed: conj(L11)·L21ᵀ = A21ᵀ.
	k := n - h
	below := a[h*ld:]
	t, l := s.take(h*k), a
	lld := ld
	if isComplex[T]() {
		l, lld = s.take(h*h), h
		for i := range h {
			copy(l[i*h:][:h], a[i*ld:])
		}
		conjugate(l)
	}
	s.transpose(k, h, below, ld, t, k)
	s.SolveTriangular(false, false, h, k, l, lld, 1, t, k)
	s.transpose(h, k, t, k, below, ld)
	conjugate(t) // now L21ᴴ
	s.lowerProduct(k, h, below, ld, t, k, a[h*ld+h:], ld)
	if info = s.Cholesky(k, a[h*ld+h:], ld); info != 0 {
		info += h
	}
	return info
}

// lowerProduct subtracts x·y from c, n×n, at least where it is on or below the diagonal. x is n×k, y is k×n.
func (s *Solver[T]) lowerProduct(n, k int, x []T, ldx int, y []T, ldy int, c []T, ldc int) {
	if n <= 64 {
		s.subtract(n, n, k, x, ldx, 1, y, ldy, c, ldc)
		return
	}
	h := n / 2 / 8 * 8
	s.lowerProduct(h, k, x, ldx, y, ldy, c, ldc)
	s.subtract(n-h, h, k, x[h*ldx:], ldx, 1, y, ldy, c[h*ldc:], ldc)
	s.lowerProduct(n-h, k, x[h*ldx:], ldx, y[h:], ldy, c[h*ldc+h:], ldc)
}

func choleskyLines[T Number](n int, a []T, ld int) (info int) {
	for i := range n {
		row := a[i*ld:][:i+1]
		for j := range i {
			other := a[j*ld:][:j+1]
			sum := row[j]
			if isComplex[T]() {
				for k := range j {
					sum -= row[k] * conj(other[k])
				}
			} else {
				for k := range j {
					sum -= row[k] * other[k]
				}
			}
			row[j] = sum / other[j]
		}
		d := re(row[i])
		for k := range i {
			x, y := re(row[k]), im(row[k])
			d -= x*x + y*y
		}
		if !(d > 0) || math.IsInf(d, 0) {
			return i + 1
		}
		row[i] = of[T](math.Sqrt(d), 0)
	}
	return 0
}
