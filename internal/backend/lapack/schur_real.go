package lapack

import "math"

// realSchur finds eigenvalues by QR steps with double shifts on the Hessenberg form: complex ones come as conjugate pairs. Eigenvectors
// are those of the quasi-triangle they end in. h is overwritten.
func realSchur(n int, h []float64, w, v []complex128) (info int) {
	var q []float64
	if v != nil {
		q = make([]float64, n*n)
		for i := range n {
			q[i*n+i] = 1
		}
	}
	hessenberg(n, h, q)
	r := &francis{n: n, h: h, q: q, norm: largest(h)}
	for hi := n - 1; hi >= 0; {
		lo, ok := r.deflate(hi)
		if !ok {
			return 1
		}
		switch lo {
		case hi:
			w[hi] = complex(h[hi*n+hi], 0)
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
	n, sweeps int
	h, q      []float64
	norm      float64
}

// deflate returns the first row of the block that ends with row hi.
func (r *francis) deflate(hi int) (lo int, ok bool) {
	n, h := r.n, r.h
	if r.sweeps++; r.sweeps > mostSweeps {
		return 0, false
	}
	for lo = hi; lo > 0; lo-- {
		near := math.Abs(h[(lo-1)*n+lo-1]) + math.Abs(h[lo*n+lo])
		if near == 0 {
			near = r.norm
		}
		if math.Abs(h[lo*n+lo-1]) <= 0x1p-53*near {
			h[lo*n+lo-1] = 0
			break
		}
	}
	return lo, true
}

// rotate rotates rows i and i+1 from column from on, and columns i and i+1 down to row last, of h, and the columns of q.
func (r *francis) rotate(i, from, last int, cs, sn float64) {
	n, h := r.n, r.h
	for j := from; j < n; j++ {
		a, b := h[i*n+j], h[(i+1)*n+j]
		h[i*n+j], h[(i+1)*n+j] = cs*a+sn*b, cs*b-sn*a
	}
	for k := range last + 1 {
		a, b := h[k*n+i], h[k*n+i+1]
		h[k*n+i], h[k*n+i+1] = cs*a+sn*b, cs*b-sn*a
	}
	if r.q != nil {
		for k := range n {
			a, b := r.q[k*n+i], r.q[k*n+i+1]
			r.q[k*n+i], r.q[k*n+i+1] = cs*a+sn*b, cs*b-sn*a
		}
	}
}

// standardize brings the 2×2 block at row i to triangular form if its eigenvalues are real, and gives them.
func (r *francis) standardize(i int) (w0, w1 complex128) {
	n, h := r.n, r.h
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
	n, h := r.n, r.h
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
		if math.Abs(h[m*n+m-1])*(math.Abs(p[1])+math.Abs(p[2])) <= 0x1p-53*math.Abs(p[0])*near {
			break
		}
	}
	for k := m; k < hi; k++ {
		count := min(3, hi-k+1)
		if k > m {
			for i := range count {
				p[i] = h[(k+i)*n+k-1]
			}
		}
		u := [3]float64{p[0], p[1], p[2]}
		beta, tau := reflector(count, u[:count], 1)
		if tau == 0 {
			if k > m {
				h[k*n+k-1] = beta
			}
			continue
		}
		u[0] = 1
		if k > m {
			h[k*n+k-1] = beta
			for i := 1; i < count; i++ {
				h[(k+i)*n+k-1] = 0
			}
		} else if k > lo {
			h[k*n+k-1] *= 1 - tau
		}
		r.reflect(k, count, min(hi, k+3), tau, u)
	}
}

// reflect applies a reflection of count rows from k on to h from both sides, and to q.
func (r *francis) reflect(k, count, last int, tau float64, u [3]float64) {
	n, h := r.n, r.h
	for j := k; j < n; j++ {
		sum := 0.0
		for i := range count {
			sum += u[i] * h[(k+i)*n+j]
		}
		sum *= tau
		for i := range count {
			h[(k+i)*n+j] -= sum * u[i]
		}
	}
	right := func(x []float64, rows int) {
		for i := range rows {
			row := x[i*n+k:][:count]
			sum := 0.0
			for c, v := range row {
				sum += v * u[c]
			}
			sum *= tau
			for c := range row {
				row[c] -= sum * u[c]
			}
		}
	}
	right(h, last+1)
	if r.q != nil {
		right(r.q, n)
	}
}

// vectors finds the eigenvectors of the quasi-triangle by substitution, and those of the matrix from them.
func (r *francis) vectors(w, v []complex128) {
	n, h := r.n, r.h
	tiny := max(0x1p-52*r.norm, 0x1p-1000)
	x := make([]complex128, n)
	for k := n - 1; k >= 0; k-- {
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
		for i := range n {
			var sum complex128
			for j := range k + 1 {
				sum += complex(r.q[i*n+j]*real(x[j]), r.q[i*n+j]*imag(x[j]))
			}
			v[i*n+k] = sum
			if imag(lambda) != 0 {
				v[i*n+k-1] = complex(real(sum), -imag(sum))
			}
		}
	}
}

// substitute finds the elements before last of an eigenvector that ends with element k.
func (r *francis) substitute(last, k int, lambda complex128, w, x []complex128, tiny float64) {
	n, h := r.n, r.h
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
