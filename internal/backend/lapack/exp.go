package lapack

import "math"

// pade are the coefficients of the diagonal Padé approximants of the exponential, and the 1-norm up to which each is exact to float64.
var pade = []struct {
	norm float64
	c    []float64
}{
	{1.495585217958292e-2, []float64{120, 60, 12, 1}},
	{2.539398330063230e-1, []float64{30240, 15120, 3360, 420, 30, 1}},
	{9.504178996162932e-1, []float64{17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}},
	{2.097847961257068e0, []float64{17643225600, 8821612800, 2075673600, 302702400, 30270240, 2162160, 110880, 3960, 90, 1}},
	{5.371920351148152e0, []float64{64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
		10559470521600,
		670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}},
}

// Exp writes the exponential of a, n×n, to z: a Padé approximant of a matrix scaled by a power of two, squared again as often.
func (s *Solver[T]) Exp(n int, a, z []T) {
	at := s.at()
	defer s.back(at)
	x := s.take(n * n)
	copy(x, a)
	norm := 0.0
	for j := range n {
		sum := 0.0
		for i := range n {
			sum += abs(x[i*n+j])
		}
		if !(sum <= norm) {
			norm = sum
		}
	}
	if !(norm <= maxFloat) {
		for i := range z[:n*n] {
			z[i] = of[T](math.NaN(), 0)
		}
		return
	}
	squarings, p := 0, pade[len(pade)-1]
	for _, q := range pade {
		if norm <= q.norm {
			p = q
			break
		}
	}
	if norm > p.norm {
		_, squarings = math.Frexp(norm / p.norm)
		scaleBy(x, math.Ldexp(1, -squarings))
	}
	s.padeOf(n, x, p.c, z)
	if squarings == 0 {
		return
	}
	y := s.take(n * n)
	for range squarings {
		s.Mul(n, n, n, z, n, 1, z, n, 1, y, n, false)
		copy(z, y)
	}
}

// padeOf computes q(-x)⁻¹·q(x) for q with coefficients c.
func (s *Solver[T]) padeOf(n int, x []T, c []float64, z []T) {
	at := s.at()
	defer s.back(at)
	nn := n * n
	x2, odd, even := s.take(nn), s.take(nn), s.take(nn)
	s.Mul(n, n, n, x, n, 1, x, n, 1, x2, n, false)
	power, next := s.take(nn), s.take(nn)
	clear(power)
	clear(odd)
	clear(even)
	for i := range n {
		power[i*n+i] = 1
	}
	for k := 0; k+1 < len(c); k += 2 {
		axpy(even, of[T](c[k]/c[0], 0), power)
		axpy(odd, of[T](c[k+1]/c[0], 0), power)
		if k+3 < len(c) {
			s.Mul(n, n, n, power, n, 1, x2, n, 1, next, n, false)
			power, next = next, power
		}
	}
	s.Mul(n, n, n, x, n, 1, odd, n, 1, next, n, false) // the odd part
	for i := range nn {
		z[i] = even[i] + next[i]
		even[i] -= next[i]
	}
	piv := make([]int32, n)
	s.LU(n, n, even, n, piv)
	s.SolveLU(false, n, n, even, n, piv, z, n)
}

// Pinv writes the pseudoinverse of a, m×n, to z, n×m: singular values (of a Hermitian matrix, magnitudes of eigenvalues) up to
// max(atol, rtol·the largest) count as 0. a is overwritten. info is 0, or 1 if the decomposition does not converge.
func (s *Solver[T]) Pinv(m, n int, a []T, atol, rtol float64, hermitian bool, z []T) (info int) {
	at := s.at()
	defer s.back(at)
	k := min(m, n)
	if k == 0 {
		return 0
	}
	left, right, w := s.take(m*k), s.take(k*n), make([]float64, k)
	if hermitian {
		if info = s.Eigh(n, a, n, w, true); info != 0 {
			return info
		}
		copy(left, a[:n*n])
		transpose(n, n, left, n, right, n)
		conjugate(right)
	} else if info = s.SVD(m, n, a, w, left, k, right, k); info != 0 {
		return info
	}
	cut := 0.0
	for _, x := range w {
		cut = max(cut, math.Abs(x))
	}
	cut = max(atol, rtol*cut)
	// V·diag(1/w)·Uᴴ
	lh := s.take(k * m)
	transpose(m, k, left, k, lh, m)
	conjugate(lh)
	for i, x := range w {
		f := 0.0
		if math.Abs(x) > cut {
			f = 1 / x
		}
		row := lh[i*m:][:m]
		for j := range row {
			row[j] *= of[T](f, 0)
		}
	}
	conjugate(right)
	s.Mul(n, m, k, right, 1, n, lh, m, 1, z, m, false)
	return 0
}

// Sqrt writes the square root of a Hermitian matrix with both triangles to z, n×n. a is overwritten. info is 0, or 1 if an eigenvalue is
// negative by more than rounding, or the iteration does not converge.
func (s *Solver[T]) Sqrt(n int, a, z []T) (info int) {
	at := s.at()
	defer s.back(at)
	w := make([]float64, n)
	if n == 0 {
		return 0
	}
	if info = s.Eigh(n, a, n, w, true); info != 0 {
		return 1
	}
	v := s.take(n * n)
	copy(v, a[:n*n])
	conjugate(v)
	for j, x := range w {
		if x < -10*float64(n)*Eps[T]()*max(math.Abs(w[0]), math.Abs(w[n-1])) {
			info = 1
		}
		r := of[T](math.Sqrt(max(x, 0)), 0)
		for i := range n {
			a[i*n+j] *= r
		}
	}
	s.Mul(n, n, n, a, n, 1, v, 1, n, z, n, false)
	return info
}
