package lapack

import "math"

// Eig finds the eigenvalues of a square matrix and, if v is not nil, its eigenvectors: the columns of v, of length 1, each with its
// largest element real. a, n×n, is not changed. info is 0, or 1 if it does not converge, as for a matrix with NaN. It computes in
// float64.
func (s *Solver[T]) Eig(n int, a []T, w, v []complex128) (info int) {
	if n == 0 {
		return 0
	}
	m := largest(a[:n*n])
	if !(m <= maxFloat) {
		return 1
	}
	f := 1.0
	if m > 0 && (m < 0x1p-400 || m > 0x1p+400) {
		_, e := math.Frexp(m)
		f = math.Ldexp(1, min(-e, 1000))
	}
	if isComplex[T]() {
		h := make([]complex128, n*n)
		for i, x := range a[:n*n] {
			h[i] = complex(re(x)*f, im(x)*f)
		}
		scale := balance(n, h)
		if info = complexSchur(n, h, w, v, negligible[T]()); info == 0 && v != nil {
			finishVectors(n, v, scale)
		}
	} else {
		h := make([]float64, n*n)
		for i, x := range a[:n*n] {
			h[i] = re(x) * f
		}
		scale := balance(n, h)
		r := s.inFloat64()
		if info = realSchur(r, n, h, w, v, negligible[T]()); info == 0 && v != nil {
			finishVectors(n, v, scale)
		}
	}
	for i := range w {
		w[i] = complex(real(w[i])/f, imag(w[i])/f)
	}
	return info
}

// negligible is the ratio to its neighbours at which an element of a Hessenberg matrix counts as 0: less than rounding changes a matrix
// of T, and in float32 a QR step fewer than float64 asks for.
func negligible[T Number]() float64 {
	if isWide[T]() {
		return 0x1p-53
	}
	return 0x1p-27
}

// balance scales rows and columns by powers of two so that their norms are alike: D⁻¹·A·D.
func balance[T float64 | complex128](n int, a []T) (scale []float64) {
	scale = make([]float64, n)
	for i := range scale {
		scale[i] = 1
	}
	for range 20 {
		done := true
		for i := range n {
			col, row := 0.0, 0.0
			for k := range n {
				if k != i {
					col += size(a[k*n+i])
					row += size(a[i*n+k])
				}
			}
			if col == 0 || row == 0 {
				continue
			}
			f, sum := 1.0, col+row
			for col < row/2 {
				f, col, row = f*2, col*2, row/2
			}
			for col >= row*2 {
				f, col, row = f/2, col/2, row*2
			}
			if col+row < 0.95*sum && scale[i]*f > 0x1p-500 && scale[i]*f < 0x1p+500 {
				done = false
				scale[i] *= f
				up, down := of[T](f, 0), of[T](1/f, 0)
				for k := range n {
					a[k*n+i] *= up
				}
				for k := range n {
					a[i*n+k] *= down
				}
			}
		}
		if done {
			break
		}
	}
	return scale
}

// finishVectors undoes the scaling, makes the columns unit vectors, and multiplies complex ones by a phase so that their largest element
// is real.
func finishVectors(n int, v []complex128, scale []float64) {
	for j := range n {
		for i := range n {
			v[i*n+j] *= complex(scale[i], 0)
		}
		norm := norm2(n, v[j:], n)
		if norm == 0 {
			continue
		}
		big, at := -1.0, 0
		real1 := true
		for i := range n {
			x := v[i*n+j] / complex(norm, 0)
			v[i*n+j] = x
			if m := real(x)*real(x) + imag(x)*imag(x); m > big {
				big, at = m, i
			}
			real1 = real1 && imag(x) == 0
		}
		if real1 {
			continue
		}
		x := v[at*n+j]
		phase := complex(real(x), -imag(x)) / complex(math.Hypot(real(x), imag(x)), 0)
		for i := range n {
			v[i*n+j] *= phase
		}
		v[at*n+j] = complex(real(v[at*n+j]), 0)
	}
}

// realHessenberg is hessenberg with matrix products for a, with rows of ld elements. q, if it is not nil, is the transposed product of
// the reflections, with rows as long.
func realHessenberg(s *Solver[float64], n int, a, q []float64, ld int) {
	at := s.at()
	defer s.back(at)
	v, tau := s.zeros(max(n-2, 0)*n), s.zeros(n)
	minus, line := s.take(n), s.take(n)
	for j := 0; j+2 < n; j++ {
		k := n - j - 1
		u := v[j*n+j+1:][:k]
		for i := range u {
			u[i] = a[(j+1+i)*ld+j]
		}
		beta, t := reflector(k, u, 1)
		u[0], tau[j] = 1, t
		a[(j+1)*ld+j] = beta
		for i := 1; i < k; i++ {
			a[(j+1+i)*ld+j] = 0
		}
		if t == 0 {
			continue
		}
		for i, x := range u {
			minus[i] = -t * x
		}
		rest := a[(j+1)*ld+j+1:]
		s.Mul(1, k, k, minus, k, 1, rest, ld, 1, line, k, false)
		s.Mul(k, k, 1, u, 1, 1, line, k, 1, rest, ld, true)
		s.Mul(n, 1, k, a[j+1:], ld, 1, minus, 1, 1, line, 1, false)
		s.Mul(n, k, 1, line, 1, 1, u, k, 1, a[j+1:], ld, true)
	}
	if q == nil {
		return
	}
	full := s.zeros(n * n)
	for i := range n {
		full[i*n+i] = 1
	}
	s.applyAll(false, max(n-2, 0), n, 1, v, tau, n, full, n)
	s.transpose(n, n, full, n, q, ld)
}

// hessenberg reduces a to upper Hessenberg form by reflections, and multiplies q by them from the right.
func hessenberg[T float64 | complex128](n int, a, q []T) {
	w := make([]T, n)
	for j := 0; j+2 < n; j++ {
		x := a[(j+1)*n+j:]
		k := n - j - 1
		beta, tau := reflector(k, x, n)
		if tau == 0 {
			continue
		}
		x[0] = 1
		u := make([]T, k)
		for i := range u {
			u[i] = x[i*n]
		}
		// Hᴴ from the left: A -= conj(tau)·u·(uᴴ·A)
		row := w[:n-j-1]
		clear(row)
		for i := range k {
			axpy(row, conj(u[i]), a[(j+1+i)*n+j+1:])
		}
		for i := range k {
			axpy(a[(j+1+i)*n+j+1:][:len(row)], -conj(tau)*u[i], row)
		}
		// H from the right: A -= tau·(A·u)·uᴴ
		for _, m := range [][]T{a, q} {
			if m == nil {
				continue
			}
			for i := range n {
				r := m[i*n+j+1:][:k]
				f := -tau * dot(r, u)
				for c := range r {
					r[c] += f * conj(u[c])
				}
			}
		}
		x[0] = of[T](beta, 0)
		for i := 1; i < k; i++ {
			x[i*n] = 0
		}
	}
}
