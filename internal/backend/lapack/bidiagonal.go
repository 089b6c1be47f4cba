package lapack

// bidiagonal is a matrix reduced to A = Q·B·Pᴴ, where B has a real diagonal d and e above it.
type bidiagonal[T Number] struct {
	m, n       int
	d, e       []float64
	v, tauq    []T // the reflectors of Q: n rows of m elements, vector i begins at element i
	u, taup    []T // those of P: n-1 rows of n elements, vector i begins at element i+1
	x, y       []T // of a panel: rows of m and of n elements
	col, coef  []T
	left, room []T
}

// bidiagonalize reduces a, m×n with m ≥ n, which is overwritten. It goes in panels as tridiagonalize does: the part of A not yet
// reduced is A - V·Yᴴ - X·Uᴴ.
func (s *Solver[T]) bidiagonalize(m, n int, a []T, ld int) *bidiagonal[T] {
	const nb = reflectors
	b := &bidiagonal[T]{m: m, n: n, d: make([]float64, n), e: make([]float64, n)}
	b.v, b.tauq = s.zeros(n*m), s.take(n)
	b.u, b.taup = s.zeros(max(n-1, 0)*n), s.take(n)
	at := s.at()
	defer s.back(at)
	b.x, b.y = s.take(nb*m), s.take(nb*n)
	b.col, b.coef = s.take(m), s.take(4*nb)
	b.left, b.room = s.take(2*nb*m), s.take(2*nb*n)
	for from := 0; from < n; from += nb {
		count := min(nb, n-from)
		for t := range count {
			s.leftReflector(b, from, t, a, ld)
			if from+t < n-1 {
				s.rightReflector(b, from, t, a, ld)
			}
		}
		top := from + count
		h, w := m-top, n-top
		if w == 0 {
			break
		}
		for t := range count {
			s.negate(b.left[t*h:][:h], b.v[(from+t)*m+top:][:h])
			s.negate(b.left[(count+t)*h:][:h], b.x[t*m+top:][:h])
			copy(b.room[t*w:][:w], b.y[t*n+top:][:w])
			copy(b.room[(count+t)*w:][:w], b.u[(from+t)*n+top:][:w])
		}
		conjugate(b.room[:2*count*w])
		s.Mul(h, w, 2*count, b.left, 1, h, b.room, w, 1, a[top*ld+top:], ld, true)
	}
	return b
}

// leftReflector clears column j = from+t below its diagonal, and computes y.
func (s *Solver[T]) leftReflector(b *bidiagonal[T], from, t int, a []T, ld int) {
	m, n, j := b.m, b.n, from+t
	h := m - j
	v := b.v[j*m+j:][:h]
	for i := range v {
		v[i] = a[(j+i)*ld+j]
	}
	if t > 0 {
		for p := range t {
			b.coef[p], b.coef[t+p] = -conj(b.y[p*n+j]), -conj(b.u[(from+p)*n+j])
		}
		s.Mul(1, h, t, b.coef, t, 1, b.v[from*m+j:], m, 1, v, h, true)
		s.Mul(1, h, t, b.coef[t:], t, 1, b.x[j:], m, 1, v, h, true)
	}
	b.d[j], b.tauq[j] = reflector(h, v, 1)
	v[0] = 1
	clear(b.y[t*n:][:n])
	w := n - j - 1
	if w == 0 || b.tauq[j] == 0 {
		return
	}
	// y = tau·(A - V·Yᴴ - X·Uᴴ)ᴴ·v, whose conjugate is vᴴ·A - (vᴴ·V)·Yᴴ - (vᴴ·X)·Uᴴ.
	y, c := b.y[t*n+j+1:][:w], b.col[:h]
	copy(c, v)
	conjugate(c)
	s.Mul(1, w, h, c, h, 1, a[j*ld+j+1:], ld, 1, y, w, false)
	conjugate(y)
	if t > 0 {
		// now y -= Y·(Vᴴ·v) + U·(Xᴴ·v); Vᴴ·v is the conjugate of Vᵀ·conj(v)
		s.Mul(t, 1, h, b.v[from*m+j:], m, 1, c, 1, 1, b.coef, 1, false)
		s.Mul(t, 1, h, b.x[j:], m, 1, c, 1, 1, b.coef[t:], 1, false)
		conjugate(b.coef[:2*t])
		s.negate(b.coef[:2*t], b.coef[:2*t])
		s.Mul(1, w, t, b.coef, t, 1, b.y[j+1:], n, 1, y, w, true)
		s.Mul(1, w, t, b.coef[t:], t, 1, b.u[from*n+j+1:], n, 1, y, w, true)
	}
	for i := range y {
		y[i] *= b.tauq[j]
	}
}

// rightReflector clears row j = from+t behind the element right of the diagonal, and computes x.
func (s *Solver[T]) rightReflector(b *bidiagonal[T], from, t int, a []T, ld int) {
	m, n, j := b.m, b.n, from+t
	w, h := n-j-1, m-j-1
	u := b.u[j*n+j+1:][:w]
	copy(u, a[j*ld+j+1:])
	conjugate(u) // the conjugate of the row: conj(r) - Y·conj(V_j) - U·conj(X_j)
	for p := range t + 1 {
		b.coef[p] = -conj(b.v[(from+p)*m+j])
	}
	s.Mul(1, w, t+1, b.coef, t+1, 1, b.y[j+1:], n, 1, u, w, true)
	if t > 0 {
		for p := range t {
			b.coef[p] = -conj(b.x[p*m+j])
		}
		s.Mul(1, w, t, b.coef, t, 1, b.u[from*n+j+1:], n, 1, u, w, true)
	}
	b.e[j], b.taup[j] = reflector(w, u, 1)
	u[0] = 1
	clear(b.x[t*m:][:m])
	if h == 0 || b.taup[j] == 0 {
		return
	}
	x, c := b.x[t*m+j+1:][:h], b.col[:w]
	s.Mul(h, 1, w, a[(j+1)*ld+j+1:], ld, 1, u, 1, 1, x, 1, false)
	copy(c, u)
	conjugate(c)
	k := t + 1
	s.Mul(k, 1, w, b.y[j+1:], n, 1, c, 1, 1, b.coef, 1, false)
	if t > 0 {
		s.Mul(t, 1, w, b.u[from*n+j+1:], n, 1, c, 1, 1, b.coef[k:], 1, false)
	}
	conjugate(b.coef[:k+t])
	s.negate(b.coef[:k+t], b.coef[:k+t])
	s.Mul(1, h, k, b.coef, k, 1, b.v[from*m+j+1:], m, 1, x, h, true)
	if t > 0 {
		s.Mul(1, h, t, b.coef[k:], t, 1, b.x[j+1:], m, 1, x, h, true)
	}
	for i := range x {
		x[i] *= b.taup[j]
	}
}
