package lapack

// Eig finds the eigenvalues of a square matrix and, if v is not nil, its eigenvectors: the columns of v, of length 1, each with its
// largest element real. a, n×n, is not changed. info is 0, or 1 if it does not converge, as for a matrix with NaN. It computes in
// float64, but for the Hessenberg form.
func (s *Solver[T]) Eig(n int, a []T, w, v []complex128) (info int) {
	if n == 0 {
		return 0
	}
	m := largest(a[:n*n])
	if !(m <= maxFloat) {
		return 1
	}
	f := powerOfScale[T](m)
	if isComplex[T]() {
		info = s.complexEig(n, a, f, w, v)
	} else {
		info = s.realEig(n, a, f, w, v)
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
	return 0x1p-25
}

// balance scales rows and columns by powers of two so that their norms are alike: D⁻¹·A·D. Rows have ld elements.
func balance[T float64 | complex128](n int, a []T, ld int) (scale []float64) {
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
					col += size(a[k*ld+i])
					row += size(a[i*ld+k])
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
					a[k*ld+i] *= up
				}
				for k := range n {
					a[i*ld+k] *= down
				}
			}
		}
		if done {
			break
		}
	}
	return scale
}

// hessenberg reduces a, n×n with rows of ld elements, to upper Hessenberg form: Qᴴ·A·Q. It returns the blocks of reflectors of Q, each of
// which changes the rows behind the first one of its panel. The caller gives their scratch back.
func (s *Solver[T]) hessenberg(n int, a []T, ld int) (all []block[T]) {
	for from := 0; from+2 < n; from += reflectors {
		count := min(reflectors, n-2-from)
		b := s.emptyBlock(count, n-from-1)
		s.hessenbergPanel(n, from, &b, a, ld)
		all = append(all, b)
	}
	return all
}

// hessenbergPanel reduces the columns from … from+b.k-1. What is behind row from is (1 - V·Tᴴ·Vᴴ)·(A - Y·Vᴴ) for the reflectors so far,
// where Y = A·V·T; A stays as it is until the panel ends.
func (s *Solver[T]) hessenbergPanel(n, from int, b *block[T], a []T, ld int) {
	at := s.at()
	defer s.back(at)
	m, count := b.m, b.k
	top := a[(from+1)*ld:]
	cols, y := s.take(count*m), s.take(count*m)
	d, e := s.take(count), s.take(count)
	s.transpose(m, count, top[from:], ld, cols, m)
	clear(b.t[:count*count])
	for j := range count {
		col := cols[j*m:][:m]
		if j > 0 {
			for p := range j {
				e[p] = -conj(b.v[p*m+j-1])
			}
			s.Mul(1, m, j, e, j, 1, y, m, 1, col, m, true)
			s.Mul(j, 1, m, b.conj, m, 1, col, 1, 1, d, 1, false)
			for p := range j {
				var sum T
				for i := range p + 1 {
					sum += conj(b.t[i*count+p]) * d[i]
				}
				e[p] = -sum
			}
			s.Mul(1, m, j, e, j, 1, b.v, m, 1, col, m, true)
		}
		v := b.v[j*m:][:m]
		clear(v[:j])
		copy(v[j:], col[j:])
		beta, tau := reflector(m-j, v[j:], 1)
		v[j] = 1
		col[j] = of[T](beta, 0)
		clear(col[j+1:])
		if isComplex[T]() {
			copy(b.conj[j*m:][:m], v)
			conjugate(b.conj[j*m:][:m])
		}
		row := y[j*m:][:m]
		s.Mul(m, 1, m-j, top[from+1+j:], ld, 1, v[j:], 1, 1, row, 1, false)
		if j > 0 {
			s.Mul(j, 1, m-j, b.conj[j:], m, 1, v[j:], 1, 1, d, 1, false)
			s.negate(e[:j], d[:j])
			s.Mul(1, m, j, e, j, 1, y, m, 1, row, m, true)
			for i := range j {
				b.t[i*count+j] = tau * dot(b.t[i*count+i:i*count+j], e[i:j])
			}
		}
		for i := range row {
			row[i] *= tau
		}
		b.t[j*count+j] = tau
	}
	s.transpose(count, m, cols, m, top[from:], ld)
	s.hessenbergRest(n, from, b, y, a, ld)
}

// hessenbergRest applies the reflectors of a panel to the columns behind it, and to the rows above.
func (s *Solver[T]) hessenbergRest(n, from int, b *block[T], y, a []T, ld int) {
	m, count := b.m, b.k
	s.negate(y[:count*m], y[:count*m])
	if at := from + count; at < n {
		rest := a[(from+1)*ld+at:]
		s.Mul(m, n-at, count, y, 1, m, b.conj[count-1:], m, 1, rest, ld, true)
		s.apply(b, true, n-at, rest, ld)
	}
	w, w2, t := s.take((from+1)*count), s.take((from+1)*count), s.take(count*count)
	s.negate(t, b.t[:count*count])
	above := a[from+1:]
	s.Mul(from+1, count, m, above, ld, 1, b.v, 1, m, w, count, false)
	s.Mul(from+1, count, count, w, count, 1, t, count, 1, w2, count, false)
	s.Mul(from+1, m, count, w2, count, 1, b.conj, m, 1, above, ld, true)
}
