package lapack

import "math"

const shortCholesky = 24

// Cholesky replaces the lower triangle of a, n×n, by L with L·Lᴴ = A; what is above the diagonal may be changed. info is 0, or one
// more than the number of the first row that shows that A is not positive definite.
func (s *Solver[T]) Cholesky(n int, a []T, ld int) (info int) {
	if n <= shortCholesky {
		return choleskyRows(n, a, ld)
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
	transpose(k, h, below, ld, t, k)
	s.SolveTriangular(false, false, h, k, l, lld, 1, t, k)
	transpose(h, k, t, k, below, ld)
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

// transpose writes the transpose of x, m×n, to z, n×m.
func transpose[T Number](m, n int, x []T, ldx int, z []T, ldz int) {
	// Tiles go through a buffer: rows that are a power of two apart share the sets of a cache, so each is read or written at once.
	const tile = 16
	var b [tile * tile]T
	for i0 := 0; i0 < m; i0 += tile {
		rows := min(tile, m-i0)
		for j0 := 0; j0 < n; j0 += tile {
			cols := min(tile, n-j0)
			for i := range rows {
				copy(b[i*tile:][:cols], x[(i0+i)*ldx+j0:])
			}
			for j := range cols {
				to := z[(j0+j)*ldz+i0:][:rows]
				for i := range to {
					to[i] = b[(i*tile+j)&(tile*tile-1)]
				}
			}
		}
	}
}

func choleskyRows[T Number](n int, a []T, ld int) (info int) {
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
