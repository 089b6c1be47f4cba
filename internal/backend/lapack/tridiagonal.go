package lapack

// tridiagonalize reduces a Hermitian matrix, n×n with both triangles, to a real tridiagonal one with diagonal d and subdiagonal e:
// A = Q·T·Qᴴ. It returns the n-1 reflectors of Q as rows of v and tau; vector i begins at element i+1. a is not changed.
func (s *Solver[T]) tridiagonalize(n int, a []T, ld int, d, e []float64) (v, tau []T) {
	v, tau = s.zeros(max(n-1, 0)*n), s.take(n)
	at := s.at()
	defer s.back(at)
	r := s.newTridiagonal(n, a, ld)
	for from := 0; from < n-1; from += reflectors {
		count := min(reflectors, n-1-from)
		s.transpose(r.n-from, count, r.a[from*r.ld+from:], r.ld, r.cols, r.n-from)
		for t := range count {
			j := from + t
			col := r.cols[t*(r.n-from)+t:][:n-j]
			r.updateColumn(j, t, col)
			d[j] = re(col[0])
			u := v[j*n+j+1 : (j+1)*n]
			copy(u, col[1:])
			e[j], tau[j] = reflector(len(u), u, 1)
			u[0] = 1
			row := r.both[2*t*r.n:][:r.n]
			clear(row[:j+1])
			copy(row[j+1:], u)
			clear(row[n:])
			r.secondVector(j, t, tau[j])
		}
		r.updateRest(from+count, count)
	}
	if n > 0 {
		d[n-1] = re(r.a[(n-1)*r.ld+n-1])
	}
	return v, tau
}

// tridiagonal is a Hermitian matrix on its way to tridiagonal form. What is not reduced yet is A - V·Wᴴ - W·Vᴴ for the reflectors of a
// panel.
type tridiagonal[T Number] struct {
	*Solver[T]
	n, ld int // rows, of which those beyond the matrix's are zero
	a     []T
	both  []T // rows 2t and 2t+1: vectors v and w of reflector t of the panel
	minus []T // -V, -W … and Wᴴ, Vᴴ …
	other []T
	cols  []T // the columns of the panel, in rows
	x     []T
	coef  []T
	half  bool // only the blocks on and below the diagonal are updated
}

func (s *Solver[T]) newTridiagonal(n int, a []T, ld int) *tridiagonal[T] {
	rows := (n + 7) / 8 * 8
	r := &tridiagonal[T]{Solver: s, n: rows, ld: (rows + 15) / 16 * 16}
	if r.ld%256 == 0 { // rows that are whole pages apart share the sets of a cache
		r.ld += 16
	}
	r.a = s.take(rows * r.ld)
	for i := range rows {
		row := r.a[i*r.ld:][:rows]
		if i < n {
			copy(row, a[i*ld:][:n])
			clear(row[n:])
		} else {
			clear(row)
		}
	}
	const nb = reflectors
	r.both, r.minus, r.other = s.take(2*nb*rows), s.take(2*nb*rows), s.take(2*nb*rows)
	r.cols, r.x, r.coef = s.take(nb*rows), s.take(rows), s.take(4*nb)
	x := r.x[:0]
	r.half = s.symmetricTimes(nil, 0, x, x)
	return r
}

// symmetricTimes is a device's product of a symmetric matrix and a vector; it reports whether there is one.
func (s *Solver[T]) symmetricTimes(a []T, ld int, x, y []T) bool {
	switch a := any(a).(type) {
	case []float32:
		return s.Symmetric32 != nil && s.Symmetric32(a, ld, any(x).([]float32), any(y).([]float32))
	case []float64:
		return s.Symmetric64 != nil && s.Symmetric64(a, ld, any(x).([]float64), any(y).([]float64))
	}
	return false
}

// updateColumn brings column j up to date, from its diagonal on, with the t reflectors of the panel before it.
func (r *tridiagonal[T]) updateColumn(j, t int, col []T) {
	if t == 0 {
		return
	}
	for p := range 2 * t {
		r.coef[p] = -conj(r.both[(p^1)*r.n+j])
	}
	r.Mul(1, len(col), 2*t, r.coef, 2*t, 1, r.both[j:], r.n, 1, col, len(col), true)
}

// secondVector computes w for reflector t of the panel, that of column j, so that the reflection is A - v·wᴴ - w·vᴴ.
func (r *tridiagonal[T]) secondVector(j, t int, tau T) {
	n := r.n
	row := r.both[(2*t+1)*n:][:n]
	if tau == 0 {
		clear(row)
		return
	}
	from := (j + 1) &^ 7 // vectors are zero before element j+1
	all := r.both[2*t*n:][:n]
	u, out := all[j+1:], row[j+1:]
	m := len(u)
	switch {
	case r.half && r.symmetricTimes(r.a[from*r.ld+from:], r.ld, all[from:], row[from:]):
	case isComplex[T]():
		r.Mul(m, 1, m, r.a[(j+1)*r.ld+j+1:], r.ld, 1, u, 1, 1, out, 1, false)
	default: // uᵀ·A is the same, and reads rows several at once
		r.Mul(1, m, m, u, m, 1, r.a[(j+1)*r.ld+j+1:], r.ld, 1, out, m, false)
	}
	clear(row[:j+1])
	if t > 0 {
		// out -= V·(Wᴴ·u) + W·(Vᴴ·u)
		c, dots := r.x[:m], r.coef[2*t:][:2*t]
		copy(c, u)
		conjugate(c)
		r.Mul(2*t, 1, m, r.both[j+1:], n, 1, c, 1, 1, dots, 1, false)
		for p := range dots {
			r.coef[p] = -conj(dots[p^1])
		}
		r.Mul(1, m, 2*t, r.coef, 2*t, 1, r.both[j+1:], n, 1, out, m, true)
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

// updateRest applies the reflectors of a panel to the matrix behind it: A -= V·Wᴴ + W·Vᴴ.
func (r *tridiagonal[T]) updateRest(top, count int) {
	m := r.n - top
	if m <= 0 {
		return
	}
	for p := range 2 * count {
		r.negate(r.minus[p*m:][:m], r.both[p*r.n+top:][:m])
		copy(r.other[p*m:][:m], r.both[(p^1)*r.n+top:][:m])
	}
	conjugate(r.other[:2*count*m])
	if r.half {
		r.lowerRest(m, 2*count, m, r.minus, r.other, r.a[top*r.ld+top:])
		return
	}
	r.Mul(m, m, 2*count, r.minus, 1, m, r.other, m, 1, r.a[top*r.ld+top:], r.ld, true)
}

// lowerRest adds xᵀ·y to c, n×n, where it is on or below the diagonal; x and y are k rows of ld elements.
func (r *tridiagonal[T]) lowerRest(n, k, ld int, x, y, c []T) {
	if n <= 96 {
		r.Mul(n, n, k, x, 1, ld, y, ld, 1, c, r.ld, true)
		return
	}
	h := n / 2 / 8 * 8
	r.lowerRest(h, k, ld, x, y, c)
	r.Mul(n-h, h, k, x[h:], 1, ld, y, ld, 1, c[h*r.ld:], r.ld, true)
	r.lowerRest(n-h, k, ld, x[h:], y[h:], c[h*r.ld+h:])
}
