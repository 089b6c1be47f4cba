package lapack

import "math"

// realSchur finds eigenvalues by QR steps with double shifts on the Hessenberg form: complex ones come as conjugate pairs. Eigenvectors
// are those of the quasi-triangle they end in. What is eps of its neighbours is negligible. a is overwritten.
func realSchur(s *Solver[float64], n int, a []float64, w, v []complex128, eps float64) (info int) {
	ld := (n+7)/8*8 + 8 // whole vectors behind any column, in rows that are not whole pages apart
	at := s.at()
	defer s.back(at)
	h := s.zeros((n + 1) * ld)
	for i := range n {
		copy(h[i*ld:][:n], a[i*n:])
	}
	var q []float64
	if v != nil {
		q = s.zeros((n + 1) * ld)
	}
	realHessenberg(s, n, h, q, ld)
	r := &francis{n: n, ld: ld, h: h, q: q, norm: largest(h), eps: eps, triples: s.Triples, solver: s}
	if r.triples == nil {
		r.triples = tripleRows
	}
	for hi := n - 1; hi >= 0; {
		lo, ok := r.deflate(hi)
		if !ok {
			return 1
		}
		switch lo {
		case hi:
			w[hi] = complex(h[hi*ld+hi], 0)
			hi, r.sweeps = hi-1, 0
		case hi - 1:
			w[hi-1], w[hi] = r.standardize(hi - 1)
			hi, r.sweeps = hi-2, 0
		default:
			r.step(lo, hi)
		}
	}
	if v != nil {
		r.vectors(w, v)
	}
	return 0
}

type francis struct {
	n, ld, sweeps int
	h             []float64 // a row more than n
	q             []float64 // the transposed product of all reflections, nil if it is not wanted
	norm, eps     float64
	triples       func(x []float64, ld, cols int, f []float64)
	solver        *Solver[float64]
	f             []float64 // the reflectors of a window
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

// step is one implicit step with two shifts over rows lo … hi, by reflections of three rows.
func (r *francis) step(lo, hi int) {
	n, h := r.ld, r.h
	x, y := h[hi*n+hi], h[(hi-1)*n+hi-1]
	prod := h[hi*n+hi-1] * h[(hi-1)*n+hi]
	if r.sweeps%10 == 0 { // exceptional shifts break a cycle
		f := math.Abs(h[hi*n+hi-1]) + math.Abs(h[(hi-1)*n+hi-2])
		x = 0.75*f + h[hi*n+hi]
		y, prod = x, -0.4375*f*f
	}
	// The first column of (H - s₁)(H - s₂), where s₁+s₂ = x+y and s₁·s₂ = x·y - prod.
	var p [3]float64
	m := hi - 2
	for ; m >= lo; m-- {
		z := h[m*n+m]
		a, b := x-z, y-z
		p[0] = (a*b-prod)/h[(m+1)*n+m] + h[m*n+m+1]
		p[1] = h[(m+1)*n+m+1] - z - a - b
		p[2] = h[(m+2)*n+m+1]
		f := math.Abs(p[0]) + math.Abs(p[1]) + math.Abs(p[2])
		if f != 0 {
			p[0], p[1], p[2] = p[0]/f, p[1]/f, p[2]/f
		}
		if m == lo {
			break
		}
		near := math.Abs(h[(m-1)*n+m-1]) + math.Abs(z) + math.Abs(h[(m+1)*n+m+1])
		if math.Abs(h[m*n+m-1])*(math.Abs(p[1])+math.Abs(p[2])) <= r.eps*math.Abs(p[0])*near {
			break
		}
	}
	for k := m; k < hi; k += chaseWindow {
		r.chase(k, min(k+chaseWindow, hi), m, lo, hi, p)
	}
}

// chaseWindow is the number of reflectors that are made from the few rows and columns they need, before they are applied to the others.
const chaseWindow = 16

// chase makes reflectors from … to-1 of a step that begins with reflector first, which is that of p, and applies them.
func (r *francis) chase(from, to, first, lo, hi int, p [3]float64) {
	n, h := r.ld, r.h
	r.f = r.f[:0]
	for k := from; k < to; k++ {
		count := min(3, hi-k+1)
		if k > first {
			p[2] = 0
			for i := range count {
				p[i] = h[(k+i)*n+k-1]
			}
		}
		u := p
		beta, tau := reflector(count, u[:count], 1)
		if count < 3 {
			u[2] = 0
		}
		r.f = append(r.f, u[1], u[2], tau)
		switch {
		case k > first:
			h[k*n+k-1] = beta
			for i := 1; i < count; i++ {
				h[(k+i)*n+k-1] = 0
			}
		case k > lo:
			h[k*n+k-1] *= 1 - tau
		}
		if tau == 0 {
			continue
		}
		// Columns up to to+1 from the left, rows from … k+3 from the right.
		x, y, z := h[k*n:], h[(k+1)*n:], h[(k+2)*n:]
		for j := k; j < min(to+2, r.n); j++ {
			sum := (x[j] + u[1]*y[j] + u[2]*z[j]) * tau
			x[j] -= sum
			y[j] -= sum * u[1]
			z[j] -= sum * u[2]
		}
		for i := from; i <= min(hi, k+3); i++ {
			row := h[i*n+k:][:3]
			sum := (row[0] + row[1]*u[1] + row[2]*u[2]) * tau
			row[0] -= sum
			row[1] -= sum * u[1]
			row[2] -= sum * u[2]
		}
	}
	above := lo
	if r.q != nil {
		above = 0
		r.triples(r.q[from*n:], n, (r.n+7)/8*8, r.f)
	}
	last := hi + 1
	if r.q != nil {
		last = r.n
	}
	if right := to + 2; right < last {
		r.triples(h[from*n+right:], n, (last-right+7)/8*8, r.f)
	}
	r.fromRight(above, from, from)
}

// fromRight applies the reflectors to rows first … last-1 from the right, four of them at once; the columns begin with column at.
func (r *francis) fromRight(first, last, at int) {
	n, h := r.ld, r.h
	m := len(r.f) / 3
	i := first
	for ; i+4 <= last; i += 4 {
		a, b, c, d := h[i*n+at:][:m+2], h[(i+1)*n+at:][:m+2], h[(i+2)*n+at:][:m+2], h[(i+3)*n+at:][:m+2]
		a0, b0, c0, d0, a1, b1, c1, d1 := a[0], b[0], c[0], d[0], a[1], b[1], c[1], d[1]
		for k := range m {
			f := r.f[3*k:][:3]
			u1, u2, tau := f[0], f[1], f[2]
			a2, b2, c2, d2 := a[k+2], b[k+2], c[k+2], d[k+2]
			s, t, u, v := tau*(a0+(a1*u1+a2*u2)), tau*(b0+(b1*u1+b2*u2)), tau*(c0+(c1*u1+c2*u2)), tau*(d0+(d1*u1+d2*u2))
			a[k], b[k], c[k], d[k] = a0-s, b0-t, c0-u, d0-v
			a0, b0, c0, d0 = a1-s*u1, b1-t*u1, c1-u*u1, d1-v*u1
			a1, b1, c1, d1 = a2-s*u2, b2-t*u2, c2-u*u2, d2-v*u2
		}
		a[m], b[m], c[m], d[m] = a0, b0, c0, d0
		a[m+1], b[m+1], c[m+1], d[m+1] = a1, b1, c1, d1
	}
	for ; i < last; i++ {
		row := h[i*n+at:][:m+2]
		for k := range m {
			u1, u2, tau := r.f[3*k], r.f[3*k+1], r.f[3*k+2]
			s := tau * (row[k] + (row[k+1]*u1 + row[k+2]*u2))
			row[k], row[k+1], row[k+2] = row[k]-s, row[k+1]-s*u1, row[k+2]-s*u2
		}
	}
}

// tripleRows applies reflectors of three rows each to neighbouring rows of x, which are ld elements apart with cols used: the i-th is
// that of rows i, i+1 and i+2, and f has for each the second and third element of its vector, whose first is 1, and tau.
func tripleRows(x []float64, ld, cols int, f []float64) {
	for i := range len(f) / 3 {
		u1, u2, tau := f[3*i], f[3*i+1], f[3*i+2]
		a, b, c := x[i*ld:][:cols], x[(i+1)*ld:][:cols], x[(i+2)*ld:][:cols]
		for k, v := range a {
			t := tau * (v + u1*b[k] + u2*c[k])
			a[k], b[k], c[k] = v-t, b[k]-u1*t, c[k]-u2*t
		}
	}
}

// vectors finds the eigenvectors of the quasi-triangle by substitution, and those of the matrix from them.
func (r *francis) vectors(w, v []complex128) {
	n, h := r.ld, r.h
	tiny := max(0x1p-52*r.norm, 0x1p-1000)
	all := r.n
	re, im := r.solver.zeros(all*all), r.solver.zeros(all*all) // row k: eigenvector k of the quasi-triangle
	x := make([]complex128, all)
	for k := all - 1; k >= 0; k-- {
		if imag(w[k]) > 0 {
			continue // the conjugate of the next
		}
		clear(x)
		last := k
		lambda := w[k]
		if imag(lambda) == 0 {
			x[k] = 1
		} else { // of the pair k-1, k the vector of the second: its block gives two elements
			b, c := h[(k-1)*n+k], h[k*n+k-1]
			if math.Abs(b) >= math.Abs(c) {
				x[k-1], x[k] = 1, (lambda-complex(h[(k-1)*n+k-1], 0))/complex(b, 0)
			} else {
				x[k-1], x[k] = (lambda-complex(h[k*n+k], 0))/complex(c, 0), 1
			}
			last = k - 1
		}
		r.substitute(last, k, lambda, w, x, tiny)
		for i, c := range x[:k+1] {
			re[k*all+i], im[k*all+i] = real(c), imag(c)
		}
	}
	vr, vi := r.solver.take(all*all), r.solver.take(all*all)
	r.solver.Mul(all, all, all, r.q, 1, n, re, 1, all, vr, all, false)
	r.solver.Mul(all, all, all, r.q, 1, n, im, 1, all, vi, all, false)
	for i := range all {
		for k := range all {
			at := i*all + k
			if imag(w[k]) > 0 { // the conjugate of the next
				v[at] = complex(vr[at+1], -vi[at+1])
			} else {
				v[at] = complex(vr[at], vi[at])
			}
		}
	}
}

// substitute finds the elements before last of an eigenvector that ends with element k.
func (r *francis) substitute(last, k int, lambda complex128, w, x []complex128, tiny float64) {
	n, h := r.ld, r.h
	sumOf := func(i, from int) (s complex128) {
		for j := from; j <= k; j++ {
			s -= complex(h[i*n+j]*real(x[j]), h[i*n+j]*imag(x[j]))
		}
		return s
	}
	for i := last - 1; i >= 0; i-- {
		if imag(w[i]) == 0 {
			d := complex(h[i*n+i], 0) - lambda
			if size(d) < tiny {
				d = complex(tiny, 0)
			}
			x[i] = sumOf(i, i+1) / d
		} else { // rows i-1 and i together
			e, f := sumOf(i-1, i+1), sumOf(i, i+1)
			a, b := complex(h[(i-1)*n+i-1], 0)-lambda, complex(h[(i-1)*n+i], 0)
			c, d := complex(h[i*n+i-1], 0), complex(h[i*n+i], 0)-lambda
			det := a*d - b*c
			if size(det) < tiny*tiny {
				det = complex(tiny*max(tiny, r.norm), 0)
			}
			x[i-1], x[i] = (e*d-b*f)/det, (a*f-c*e)/det
			i--
		}
		if big := max(size(x[i]), size(x[min(i+1, k)])); big > 0x1p+300 {
			f := complex(1/big, 0)
			for j := i; j <= k; j++ {
				x[j] *= f
			}
		}
	}
}
