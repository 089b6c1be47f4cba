package lapack

import "math"

// realEig is Eig for real matrices: a is multiplied by f. The Hessenberg form is that of T, all else is in float64.
func (s *Solver[T]) realEig(n int, a []T, f float64, w, v []complex128) (info int) {
	wide := s.inFloat64()
	at, from := wide.at(), s.at()
	defer wide.back(at)
	defer s.back(from)
	ld := schurWidth(n)
	h := wide.zeros((n + 1) * ld)
	for i := range n {
		for j, x := range a[i*n:][:n] {
			h[i*ld+j] = re(x) * f
		}
	}
	scale := balance(n, h, ld)
	t, back := asT[T](s, h)
	blocks := s.hessenberg(n, t, ld)
	back(t, h)
	var q []float64
	if v != nil {
		q = wide.zeros((n + 1) * ld)
		z, back := asT[T](s, q)
		s.transposedQ(n, blocks, z, ld)
		back(z, q)
	}
	r := newFrancis(wide, n, h, q, ld, negligible[T]())
	if !r.run(w) {
		return 1
	}
	if v != nil {
		r.vectors(w, v, scale)
	}
	return 0
}

// asT is x in elements of a type T that is real or complex as W is: x itself, or a copy that back returns to x.
func asT[T, W Number](s *Solver[T], x []W) (z []T, back func(z []T, x []W)) {
	if y, ok := any(x).([]T); ok {
		return y, func([]T, []W) {}
	}
	z = s.take(len(x))
	convert(z, x)
	return z, func(z []T, x []W) { convert(x, z) }
}

// convert writes x to z in elements of the other width.
func convert[T, W Number](z []T, x []W) {
	switch x := any(x).(type) {
	case []float32:
		if z, ok := any(z).([]float64); ok {
			for i, v := range x {
				z[i] = float64(v)
			}
			return
		}
	case []float64:
		if z, ok := any(z).([]float32); ok {
			for i, v := range x {
				z[i] = float32(v)
			}
			return
		}
	case []complex64:
		if z, ok := any(z).([]complex128); ok {
			for i, v := range x {
				z[i] = complex128(v)
			}
			return
		}
	case []complex128:
		if z, ok := any(z).([]complex64); ok {
			for i, v := range x {
				z[i] = complex64(v)
			}
			return
		}
	}
	for i, v := range x {
		z[i] = of[T](re(v), im(v))
	}
}

// schurWidth is the length of rows: whole vectors behind any column, in rows that are not whole pages apart.
func schurWidth(n int) int { return (n+7)/8*8 + 8 }

// transposedQ writes the transposed product of the reflectors of a Hessenberg form to q.
func (s *Solver[T]) transposedQ(n int, blocks []block[T], q []T, ld int) {
	at := s.at()
	defer s.back(at)
	full := s.zeros(n * n)
	for i := range n {
		full[i*n+i] = 1
	}
	if n > 1 { // the first row and column stay those of the identity
		s.applyBlocks(false, blocks, n-1, reflectors, n-1, full[n+1:], n)
	}
	s.transpose(n, n, full, n, q, ld)
}

// francis is a Hessenberg matrix on its way to a quasi-triangle by QR steps.
type francis struct {
	n, ld, sweeps int
	h             []float64 // a row more than n
	q             []float64 // the transposed product of all reflections; nil if neither it nor the quasi-triangle is wanted
	norm, eps     float64
	triples       func(x []float64, ld, cols int, f []float64)
	solver        *Solver[float64]
	one           [1]bulge
}

func newFrancis(s *Solver[float64], n int, h, q []float64, ld int, eps float64) *francis {
	r := &francis{n: n, ld: ld, h: h, q: q, norm: largest(h), eps: eps, triples: s.Triples, solver: s}
	if r.triples == nil {
		r.triples = tripleRows
	}
	return r
}

// shortSchur is the size up to which a block has one pair of shifts a step.
const shortSchur = 80

// run goes on until every block has one or two rows, and gives the eigenvalues.
func (r *francis) run(w []complex128) bool {
	for hi := r.n - 1; hi >= 0; {
		lo, ok := r.deflate(hi)
		if !ok {
			return false
		}
		switch size := hi - lo + 1; {
		case size == 1:
			w[hi] = complex(r.h[hi*r.ld+hi], 0)
			hi, r.sweeps = hi-1, 0
		case size == 2:
			w[hi-1], w[hi] = r.standardize(hi - 1)
			hi, r.sweeps = hi-2, 0
		case size > shortSchur:
			r.manyShifts(lo, hi)
		case r.n > shortSchur:
			if !r.alone(lo, hi, w) {
				return false
			}
			hi, r.sweeps = lo-1, 0
		default:
			r.step(lo, hi)
		}
	}
	return true
}

// deflate returns the first row of the block that ends with row hi.
func (r *francis) deflate(hi int) (lo int, ok bool) {
	n, h := r.ld, r.h
	if r.sweeps++; r.sweeps > mostSweeps {
		return 0, false
	}
	for lo = hi; lo > 0; lo-- {
		near := math.Abs(h[(lo-1)*n+lo-1]) + math.Abs(h[lo*n+lo])
		if near == 0 {
			near = r.norm
		}
		if math.Abs(h[lo*n+lo-1]) <= r.eps*near {
			h[lo*n+lo-1] = 0
			break
		}
	}
	return lo, true
}

// alone reduces the block of rows lo … hi in memory of its own, and applies its reflections to the rest at once.
func (r *francis) alone(lo, hi int, w []complex128) bool {
	s, k := r.solver, hi-lo+1
	at := s.at()
	defer s.back(at)
	t := r.window(lo, k, r.q != nil)
	if !t.run(w[lo : hi+1]) {
		return false
	}
	if r.q != nil {
		r.put(t, lo)
		r.around(lo, hi, lo, t)
	}
	return true
}

// window copies k rows and columns from row top on; its reflections start as the identity, if they are wanted.
func (r *francis) window(top, k int, reflections bool) *francis {
	s, ld := r.solver, schurWidth(k)
	t, v := s.zeros((k+1)*ld), []float64(nil)
	if reflections {
		v = s.zeros((k + 1) * ld)
	}
	for i := range k {
		copy(t[i*ld:][:k], r.h[(top+i)*r.ld+top:])
		if reflections {
			v[i*ld+i] = 1
		}
	}
	return newFrancis(s, k, t, v, ld, r.eps)
}

// put writes a window back.
func (r *francis) put(t *francis, top int) {
	for i := range t.n {
		copy(r.h[(top+i)*r.ld+top:][:t.n], t.h[i*t.ld:])
	}
}

// around applies the reflections of a window of rows top … top+t.n-1 to what is around it, in a block that begins with row lo and ends with
// row hi: all of the matrix, if the quasi-triangle is wanted.
func (r *francis) around(lo, hi, top int, t *francis) {
	s, n, k := r.solver, r.ld, t.n
	above, last := lo, hi+1
	if r.q != nil {
		above, last = 0, r.n
	}
	at := s.at()
	defer s.back(at)
	fromLeft := func(x []float64, cols int) {
		if cols <= 0 {
			return
		}
		z := s.take(k * cols)
		s.Mul(k, cols, k, t.q, t.ld, 1, x, n, 1, z, cols, false)
		for i := range k {
			copy(x[i*n:][:cols], z[i*cols:])
		}
	}
	fromLeft(r.h[top*n+top+k:], last-top-k)
	if r.q != nil {
		fromLeft(r.q[top*n:], r.n)
	}
	if rows := top - above; rows > 0 {
		x, z := r.h[above*n+top:], s.take(rows*k)
		s.Mul(rows, k, k, x, n, 1, t.q, 1, t.ld, z, k, false)
		for i := range rows {
			copy(x[i*n:][:k], z[i*k:])
		}
	}
}

// rotate rotates rows i and i+1 from column from on, and columns i and i+1 down to row last, of h, and the columns of q.
func (r *francis) rotate(i, from, last int, cs, sn float64) {
	n, h := r.ld, r.h
	for j := from; j < r.n; j++ {
		a, b := h[i*n+j], h[(i+1)*n+j]
		h[i*n+j], h[(i+1)*n+j] = cs*a+sn*b, cs*b-sn*a
	}
	for k := range last + 1 {
		a, b := h[k*n+i], h[k*n+i+1]
		h[k*n+i], h[k*n+i+1] = cs*a+sn*b, cs*b-sn*a
	}
	if r.q != nil {
		rotate(r.q[i*n:][:r.n], r.q[(i+1)*n:][:r.n], cs, -sn)
	}
}

// standardize brings the 2×2 block at row i to triangular form if its eigenvalues are real, and gives them.
func (r *francis) standardize(i int) (w0, w1 complex128) {
	n, h := r.ld, r.h
	a, b, c, d := h[i*n+i], h[i*n+i+1], h[(i+1)*n+i], h[(i+1)*n+i+1]
	scale := max(math.Abs(a), math.Abs(b), math.Abs(c), math.Abs(d))
	p := (a - d) / scale / 2
	disc := p*p + (b/scale)*(c/scale)
	if disc < 0 {
		mid, im := a/2+d/2, math.Sqrt(-disc)*scale
		return complex(mid, im), complex(mid, -im)
	}
	z := p + math.Copysign(math.Sqrt(disc), p) // the eigenvalue farther from d, less d
	first := d + z*scale
	second := d
	if z != 0 {
		second = d - (b/scale)*(c/scale)/z*scale
	}
	// The vector of the first: (first - d, c).
	cs, sn, rr := z*scale, c, 0.0
	if rr = math.Hypot(cs, sn); rr == 0 {
		cs, sn = 1, 0
	} else {
		cs, sn = cs/rr, sn/rr
	}
	r.rotate(i, i, i+1, cs, sn)
	h[(i+1)*n+i] = 0
	h[i*n+i], h[(i+1)*n+i+1] = first, second
	return complex(first, 0), complex(second, 0)
}
