package lapack

// complexVectors is the number of eigenvectors that one goroutine finds.
const complexVectors = 32

// vectors finds the eigenvectors of the triangle by substitution, and those of the matrix from them: the columns of v, with rows multiplied
// by scale, of length 1, each with its largest element real.
func (r *complexFrancis) vectors(v []complex128, scale []float64) {
	n, tiny := r.n, max(0x1p-52*r.norm, 0x1p-1000)
	r.solver.each((n+complexVectors-1)/complexVectors, func(i int) {
		s := r.solver
		if s.Loop != nil {
			s = s.alone()
			defer s.Release()
		}
		p := s.at()
		defer s.back(p)
		first, last := i*complexVectors, min((i+1)*complexVectors, n)
		x, z := s.zeros((last-first)*n), s.take((last-first)*n)
		r.substitute(s, first, last, x, tiny)
		s.Mul(last-first, n, last, x, n, 1, r.q, r.ld, 1, z, n, false)
		line := make([]float64, 2*n)
		re, im := line[:n], line[n:]
		for k := first; k < last; k++ {
			for i, x := range z[(k-first)*n:][:n] {
				re[i], im[i] = real(x)*scale[i], imag(x)*scale[i]
			}
			phase, largest := unitPhase(n, re, im)
			for i := range n {
				v[i*n+k] = complex(re[i], im[i]) * phase
			}
			v[largest*n+k] = complex(real(v[largest*n+k]), 0)
		}
	})
}

// substitute finds eigenvectors first … last-1 of the triangle: row k-first of x is vector k. Rows of the triangle are solved for some at a
// time, from the last on, before a product takes them to the rows above.
func (r *complexFrancis) substitute(s *Solver[complex128], first, last int, x []complex128, tiny float64) {
	n, ld, h := r.n, r.ld, r.h
	minus := s.take((last - first) * vectorRows)
	for end := last; end > 0; end -= vectorRows {
		top := max(end-vectorRows, 0)
		from := max(first, top)
		for k := from; k < last; k++ {
			v := x[(k-first)*n:][:n]
			i := min(k, end-1)
			if k < end { // it begins here
				v[k] = 1
				i--
			}
			stop := min(k+1, end)
			for ; i >= top; i-- {
				d := h[i*ld+i] - h[k*ld+k]
				if size(d) < tiny {
					d = complex(tiny, 0)
				}
				v[i] = (v[i] - dot(h[i*ld+i+1:i*ld+stop], v[i+1:stop])) / d
				if big := size(v[i]); big > 0x1p+300 {
					f := complex(1/big, 0)
					for j := range v[:k+1] {
						v[j] *= f
					}
				}
			}
		}
		if top > 0 {
			count, size := last-from, end-top
			for i := range count {
				s.negate(minus[i*size:][:size], x[(from-first+i)*n+top:][:size])
			}
			s.Mul(count, top, size, minus, size, 1, h[top:], 1, ld, x[(from-first)*n:], n, true)
		}
	}
}
