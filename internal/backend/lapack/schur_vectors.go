package lapack

import "math"

// vectorRows is the number of rows of a quasi-triangle that are solved for before a product takes them to the rows above.
const vectorRows = 16

// vectors finds the eigenvectors of the quasi-triangle by substitution, and those of the matrix from them: the columns of v, with rows
// multiplied by scale, of length 1, each with its largest element real.
func (r *francis) vectors(w, v []complex128, scale []float64) {
	cuts := []int{0}
	for at := slabSchur; at < r.n; at += slabSchur {
		if imag(w[at]) < 0 { // not between a pair
			at++
		}
		if at < r.n {
			cuts = append(cuts, at)
		}
	}
	cuts = append(cuts, r.n)
	tiny := max(0x1p-52*r.norm, 0x1p-1000)
	r.solver.each(len(cuts)-1, func(i int) {
		s := r.solver
		if s.Loop != nil {
			s = s.alone()
			defer s.Release()
		}
		p := s.at()
		defer s.back(p)
		t := &substitution{francis: r, w: w, tiny: tiny, first: cuts[i], last: cuts[i+1], zero: s.zeros(r.n)}
		t.x = s.zeros((t.last - t.first) * r.n)
		t.solve(s)
		k, n := t.last-t.first, r.n
		z := s.take(k * n)
		s.Mul(k, n, t.last, t.x, n, 1, r.q, r.ld, 1, z, n, false)
		t.finish(z, v, scale)
	})
}

// substitution finds eigenvectors first … last-1 of a quasi-triangle. Row k-first of x is vector k; of a conjugate pair only the second
// is found, and the two rows are its real and its imaginary part.
type substitution struct {
	*francis
	w           []complex128
	tiny        float64
	first, last int
	x           []float64
	zero        []float64 // the imaginary part of real vectors
}

// parts are the real and the imaginary part of vector k, which is the second of a pair if it is of one.
func (t *substitution) parts(x []float64, k int) (re, im []float64) {
	at := (k - t.first) * t.n
	if imag(t.w[k]) == 0 {
		return x[at:][:t.n], t.zero
	}
	return x[at-t.n:][:t.n], x[at:][:t.n]
}

func (t *substitution) solve(s *Solver[float64]) {
	n, ld, h := t.n, t.ld, t.h
	minus := s.take((t.last - t.first) * (vectorRows + 1))
	for end := t.last; end > 0; {
		top := max(end-vectorRows, 0)
		if top > 0 && h[top*ld+top-1] != 0 {
			top--
		}
		for k := max(t.first, top); k < t.last; k++ {
			if imag(t.w[k]) <= 0 {
				t.rows(k, top, end)
			}
		}
		if top > 0 {
			from, size := max(t.first, top)-t.first, end-top
			count := t.last - t.first - from
			for i := range count {
				s.negate(minus[i*size:][:size], t.x[(from+i)*n+top:][:size])
			}
			s.Mul(count, top, size, minus, size, 1, h[top:], 1, ld, t.x[from*n:], n, true)
		}
		end = top
	}
}

// rows finds elements top … end-1 of vector k, from which those behind have been subtracted.
func (t *substitution) rows(k, top, end int) {
	n, h, w, lambda := t.ld, t.h, t.w, t.w[k]
	re, im := t.parts(t.x, k)
	i := min(k, end-1)
	if k < end { // it begins here
		if imag(lambda) == 0 {
			re[k] = 1
			i--
		} else {
			b, c, x, y := h[(k-1)*n+k], h[k*n+k-1], complex128(1), complex128(1)
			if math.Abs(b) >= math.Abs(c) {
				y = (lambda - complex(h[(k-1)*n+k-1], 0)) / complex(b, 0)
			} else {
				x = (lambda - complex(h[k*n+k], 0)) / complex(c, 0)
			}
			re[k-1], im[k-1], re[k], im[k] = real(x), imag(x), real(y), imag(y)
			i -= 2
		}
	}
	stop := min(k+1, end)
	rest := func(i, from int) complex128 {
		row, a, b := h[i*n+from:i*n+stop], re[from:stop], im[from:stop]
		p, q := re[i], im[i]
		for j, c := range row {
			p -= c * a[j]
			q -= c * b[j]
		}
		return complex(p, q)
	}
	for ; i >= top; i-- {
		big := 0.0
		if imag(w[i]) == 0 {
			d := complex(h[i*n+i], 0) - lambda
			if size(d) < t.tiny {
				d = complex(t.tiny, 0)
			}
			x := rest(i, i+1) / d
			re[i], im[i] = real(x), imag(x)
			big = size(x)
		} else { // rows i-1 and i together
			e, f := rest(i-1, i+1), rest(i, i+1)
			a, b := complex(h[(i-1)*n+i-1], 0)-lambda, complex(h[(i-1)*n+i], 0)
			c, d := complex(h[i*n+i-1], 0), complex(h[i*n+i], 0)-lambda
			det := a*d - b*c
			if size(det) < t.tiny*t.tiny {
				det = complex(t.tiny*max(t.tiny, t.norm), 0)
			}
			x, y := (e*d-b*f)/det, (a*f-c*e)/det
			re[i-1], im[i-1], re[i], im[i] = real(x), imag(x), real(y), imag(y)
			big = max(size(x), size(y))
			i--
		}
		if big > 0x1p+300 {
			for j := range k + 1 {
				re[j] /= big
				im[j] /= big
			}
		}
	}
}

// finish writes the vectors in the rows of z to the columns of v.
func (t *substitution) finish(z []float64, v []complex128, scale []float64) {
	n := t.n
	for k := t.first; k < t.last; k++ {
		if imag(t.w[k]) > 0 {
			continue // the conjugate of the next
		}
		re, im := t.parts(z, k)
		pair := imag(t.w[k]) != 0
		for i, f := range scale {
			re[i] *= f
			im[i] *= f
		}
		phase, largest := unitPhase(n, re, im)
		for i := range n {
			x := complex(re[i], im[i]) * phase
			if i == largest {
				x = complex(real(x), 0)
			}
			v[i*n+k] = x
			if pair {
				v[i*n+k-1] = complex(real(x), -imag(x))
			}
		}
	}
}

// unitPhase is the number by which a vector becomes one of length 1 with its largest element real, and the number of that element.
func unitPhase(n int, re, im []float64) (phase complex128, at int) {
	norm := math.Hypot(norm2(n, re, 1), norm2(n, im, 1))
	if norm == 0 {
		return 1, 0
	}
	big, isReal := -1.0, true
	for i, x := range re {
		x, y := x/norm, im[i]/norm
		if m := x*x + y*y; m > big {
			big, at = m, i
		}
		isReal = isReal && y == 0
	}
	if isReal {
		return complex(1/norm, 0), at
	}
	x, y := re[at]/norm, im[at]/norm
	m := math.Hypot(x, y) * norm
	return complex(x/m, -y/m), at
}
