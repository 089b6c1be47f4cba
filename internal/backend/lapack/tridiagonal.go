package lapack

// tridiagonalize reduces a Hermitian matrix, n×n with both triangles, to a real tridiagonal one with diagonal d and subdiagonal e:
// A = Q·T·Qᴴ. It returns the n-1 reflectors of Q as rows of v and tau; vector i begins at element i+1. a is overwritten.
func (s *Solver[T]) tridiagonalize(n int, a []T, ld int, d, e []float64) (v, tau []T) {
	v, tau = s.zeros(max(n-1, 0)*n), s.take(n)
	at := s.at()
	defer s.back(at)
	const nb = reflectors
	w := s.take(nb * n) // rows: the vectors w of a panel
	both, pair := s.take(2*nb*n), s.take(2*nb*n)
	x, coef := s.take(n), s.take(2*nb)
	for from := 0; from < n-1; from += nb {
		count := min(nb, n-1-from)
		for t := range count {
			j := from + t
			s.updateColumn(n, from, t, a, ld, v, w, x, coef)
			d[j] = re(a[j*ld+j])
			col := v[j*n+j+1 : (j+1)*n]
			for i := range col {
				col[i] = a[(j+1+i)*ld+j]
			}
			e[j], tau[j] = reflector(len(col), col, 1)
			col[0] = 1
			s.secondVector(n, from, t, a, ld, v, w, tau[j], x, coef)
		}
		top := from + count
		m := n - top
		if m == 0 {
			break
		}
		// A22 -= V·Wᴴ + W·Vᴴ
		for t := range count {
			vr, wr := v[(from+t)*n+top:][:m], w[t*n+top:][:m]
			negate(both[t*m:][:m], vr)
			negate(both[(count+t)*m:][:m], wr)
			copy(pair[t*m:][:m], wr)
			copy(pair[(count+t)*m:][:m], vr)
		}
		conjugate(pair[:2*count*m])
		s.Mul(m, m, 2*count, both, 1, m, pair, m, 1, a[top*ld+top:], ld, true)
	}
	if n > 0 {
		d[n-1] = re(a[(n-1)*ld+n-1])
	}
	return v, tau
}

// updateColumn brings column j = from+t up to date with the t reflectors of the panel before it.
func (s *Solver[T]) updateColumn(n, from, t int, a []T, ld int, v, w, x, coef []T) {
	if t == 0 {
		return
	}
	j := from + t
	m := n - j
	for p := range t {
		coef[p] = -conj(w[p*n+j])
		coef[t+p] = -conj(v[(from+p)*n+j])
	}
	col := x[:m]
	for i := range col {
		col[i] = a[(j+i)*ld+j]
	}
	s.Mul(1, m, t, coef, t, 1, v[from*n+j:], n, 1, col, m, true)
	s.Mul(1, m, t, coef[t:], t, 1, w[j:], n, 1, col, m, true)
	for i := range col {
		a[(j+i)*ld+j] = col[i]
	}
}

// secondVector computes w for reflector t of the panel, so that the reflection is A - v·wᴴ - w·vᴴ.
func (s *Solver[T]) secondVector(n, from, t int, a []T, ld int, v, w []T, tau T, x, coef []T) {
	j := from + t
	m := n - j - 1
	u, out := v[j*n+j+1:][:m], w[t*n+j+1:][:m]
	clear(w[t*n:][:j+1])
	if tau == 0 {
		clear(out)
		return
	}
	if isComplex[T]() {
		s.Mul(m, 1, m, a[(j+1)*ld+j+1:], ld, 1, u, 1, 1, out, 1, false)
	} else { // uᵀ·A is the same, and reads rows several at once
		s.Mul(1, m, m, u, m, 1, a[(j+1)*ld+j+1:], ld, 1, out, m, false)
	}
	if t > 0 {
		// out -= V·(Wᴴ·u) + W·(Vᴴ·u)
		c := x[:m]
		copy(c, u)
		conjugate(c)
		s.Mul(t, 1, m, w[j+1:], n, 1, c, 1, 1, coef, 1, false)
		s.Mul(t, 1, m, v[from*n+j+1:], n, 1, c, 1, 1, coef[t:], 1, false)
		conjugate(coef[:2*t])
		negate(coef[:2*t], coef[:2*t])
		s.Mul(1, m, t, coef, t, 1, v[from*n+j+1:], n, 1, out, m, true)
		s.Mul(1, m, t, coef[t:], t, 1, w[j+1:], n, 1, out, m, true)
	}
	for i := range out {
		out[i] *= tau
	}
	var sum T // outᴴ·u
	if isComplex[T]() {
		for i := range out {
			sum += conj(out[i]) * u[i]
		}
	} else {
		sum = dot(out, u)
	}
	axpy(out, of[T](-0.5, 0)*tau*sum, u)
}
