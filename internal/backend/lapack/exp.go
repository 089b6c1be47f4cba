package lapack

import "math"

// pade are the coefficients of the diagonal Padé approximants of the exponential, and the 1-norms up to which each is exact to float64
// and to float32, which needs no more than degree 7.
var pade = []struct {
	wide, narrow float64
	c            []float64
}{
	{1.495585217958292e-2, 4.258730016922831e-1, []float64{120, 60, 12, 1}},
	{2.539398330063230e-1, 1.880152677804762, []float64{30240, 15120, 3360, 420, 30, 1}},
	{9.504178996162932e-1, 3.925724783138660, []float64{17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}},
	{2.097847961257068, 0, []float64{17643225600, 8821612800, 2075673600, 302702400, 30270240, 2162160, 110880, 3960, 90, 1}},
	{5.371920351148152, 0, []float64{64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
		10559470521600,
		670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}},
}

// Exp writes the exponential of a, n×n, to z: a Padé approximant of a matrix scaled by a power of two, squared again as often.
func (s *Solver[T]) Exp(n int, a, z []T) {
	at := s.at()
	defer s.back(at)
	x := s.take(n * n)
	copy(x, a)
	norm, sums := 0.0, make([]float64, n)
	for i := range n {
		for j, v := range x[i*n:][:n] {
			sums[j] += abs(v)
		}
	}
	for _, sum := range sums {
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
	squarings, most := 0, 0.0
	var c []float64
	for _, q := range pade {
		to := q.wide
		if !isWide[T]() {
			to = q.narrow
		}
		if to == 0 {
			break
		}
		c, most = q.c, to
		if norm <= to {
			break
		}
	}
	if norm > most {
		_, squarings = math.Frexp(norm / most)
		scaleBy(x, math.Ldexp(1, -squarings))
	}
	y := s.take(n * n)
	if squarings%2 == 1 { // the last square goes to z
		y, z = z, y
	}
	s.padeOf(n, x, c, z)
	for range squarings {
		s.Mul(n, n, n, z, n, 1, z, n, 1, y, n, false)
		y, z = z, y
	}
}

// padeOf computes q(-x)⁻¹·q(x) for q with coefficients c.
func (s *Solver[T]) padeOf(n int, x []T, c []float64, z []T) {
	at := s.at()
	defer s.back(at)
	nn := n * n
	even, odd, next := s.zeros(nn), s.zeros(nn), s.take(nn)
	var powers [][]T // x², x⁴, … up to x⁶, or x⁸ for degree 9
	most := min(len(c)/2-1, 4)
	if len(c) > 10 {
		most = 3
	}
	for i := range most {
		p := s.take(nn)
		if i == 0 {
			s.Mul(n, n, n, x, n, 1, x, n, 1, p, n, false)
		} else {
			s.Mul(n, n, n, powers[i-1], n, 1, powers[0], n, 1, p, n, false)
		}
		powers = append(powers, p)
	}
	parts := [2][]T{even, odd}
	for side, z := range parts {
		if high := 2*most + 2; high < len(c) { // x⁶·(c₈·x² + c₁₀·x⁴ + c₁₂·x⁶), and so for the odd ones
			clear(next)
			s.addMultiples(next, powers, c[high+side:], c[0])
			s.Mul(n, n, n, powers[most-1], n, 1, next, n, 1, z, n, false)
		}
		s.addMultiples(z, powers, c[2+side:], c[0])
		for i := range n {
			z[i*n+i] += of[T](c[side]/c[0], 0)
		}
	}
	s.Mul(n, n, n, x, n, 1, odd, n, 1, next, n, false) // the odd part
	s.pieces(nn, func(from, to int) {
		z, e, o := z[from:to], even[from:to], next[from:to]
		for i, v := range e {
			z[i] = v + o[i]
			e[i] = v - o[i]
		}
	})
	piv := make([]int32, n)
	s.LU(n, n, even, n, piv)
	s.SolveLU(false, n, n, even, n, piv, z, n)
}

// addMultiples adds c[0]·p[0] + c[2]·p[1] + …, divided by d, to z.
func (s *Solver[T]) addMultiples(z []T, p [][]T, c []float64, d float64) {
	s.pieces(len(z), func(from, to int) {
		for i, x := range p {
			axpy(z[from:to], of[T](c[2*i]/d, 0), x[from:to])
		}
	})
}

// pieces calls f for parts of n elements, which goroutines share.
func (s *Solver[T]) pieces(n int, f func(from, to int)) {
	const piece = 8 << 10
	if s.Loop == nil || n <= piece {
		f(0, n)
		return
	}
	s.Loop((n+piece-1)/piece, func(i int) { f(i*piece, min((i+1)*piece, n)) })
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
