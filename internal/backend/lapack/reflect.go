package lapack

import "math"

// reflector makes H = 1 - tau·v·vᴴ with Hᴴ·x = beta·e₁ for x of n elements, inc apart: beta is real, v begins with 1. x
// becomes v but for its first element, which is left to the caller.
func reflector[T Number](n int, x []T, inc int) (beta float64, tau T) {
	if n == 0 {
		return 0, 0
	}
	a, b := re(x[0]), im(x[0])
	rest := 0.0
	if n > 1 {
		rest = norm2(n-1, x[inc:], inc)
	}
	if rest == 0 && b == 0 {
		return a, 0
	}
	beta = math.Sqrt(a*a + b*b + rest*rest)
	if !(beta > 0x1p-400 && beta < 0x1p+400) {
		beta = math.Hypot(math.Hypot(a, b), rest)
	}
	beta = -math.Copysign(beta, a)
	if math.Abs(beta) < least[T]()/Eps[T]() { // subnormal numbers have too few digits for v
		f := 0x1p+600
		if !isWide[T]() {
			f = 0x1p+80
		}
		for i := range n {
			x[i*inc] = of[T](re(x[i*inc])*f, im(x[i*inc])*f)
		}
		beta, tau = reflector(n, x, inc)
		return beta / f, tau
	}
	tau = of[T]((beta-a)/beta, -b/beta)
	f := 1 / complex(a-beta, b)
	g := of[T](real(f), imag(f))
	for i := 1; i < n; i++ {
		x[i*inc] *= g
	}
	return beta, tau
}

// block is a product of reflectors H₀·H₁…: 1 - V·T·Vᴴ. Row i of v is the i-th vector, of m elements.
type block[T Number] struct {
	k, m int
	v    []T // k×m
	conj []T // its conjugate: v itself if T is real
	t    []T // k×k, upper triangular
}

// emptyBlock has room for k reflectors of m elements.
func (s *Solver[T]) emptyBlock(k, m int) block[T] {
	b := block[T]{k: k, m: m, v: s.take(k * m), t: s.take(k * k)}
	b.conj = b.v
	if isComplex[T]() {
		b.conj = s.take(k * m)
	}
	return b
}

// newBlock makes the block of reflectors with vectors in the rows of v.
func (s *Solver[T]) newBlock(k, m int, v, tau []T) block[T] {
	b := block[T]{k: k, m: m, v: v, conj: v, t: s.take(k * k)}
	if isComplex[T]() {
		b.conj = s.take(k * m)
	}
	s.fillBlock(&b, tau)
	return b
}

// fillBlock makes a block of what is in the rows of its v.
func (s *Solver[T]) fillBlock(b *block[T], tau []T) {
	at := s.at()
	defer s.back(at)
	k, m := b.k, b.m
	if isComplex[T]() {
		copy(b.conj[:k*m], b.v)
		conjugate(b.conj[:k*m])
	}
	clear(b.t[:k*k])
	g := s.take(k * k) // g[i][j] = vᵢᴴ·vⱼ
	s.Mul(k, k, m, b.conj, m, 1, b.v, 1, m, g, k, false)
	for j := range k {
		b.t[j*k+j] = tau[j]
		for i := range j {
			var sum T
			for p := i; p < j; p++ {
				sum += b.t[i*k+p] * g[p*k+j]
			}
			b.t[i*k+j] = -tau[j] * sum
		}
	}
}

// apply replaces c, m×n, by (1 - V·T·Vᴴ)·c, or by (1 - V·Tᴴ·Vᴴ)·c if adjoint.
func (s *Solver[T]) apply(b *block[T], adjoint bool, n int, c []T, ld int) {
	if n == 0 {
		return
	}
	at := s.at()
	defer s.back(at)
	k := b.k
	if s.Loop != nil && n > slabColumns { // columns do not depend on each other
		s.share(n, reflectWidth(n), func(w *Solver[T], from, count int) { w.apply(b, adjoint, count, c[from:], ld) })
		return
	}
	w, w2, t := s.take(k*n), s.take(k*n), s.take(k*k)
	s.Mul(k, n, b.m, b.conj, b.m, 1, c, ld, 1, w, n, false)
	s.negate(t, b.t[:k*k])
	if adjoint {
		conjugate(t)
		s.Mul(k, n, k, t, 1, k, w, n, 1, w2, n, false)
	} else {
		s.Mul(k, n, k, t, k, 1, w, n, 1, w2, n, false)
	}
	s.Mul(b.m, n, k, b.v, 1, b.m, w2, n, 1, c, ld, true)
}

// reflectors is how many are applied at once.
const reflectors = 32

// manyReflectors is that for a factorisation with k of them: a large matrix leaves the caches, and more of them read it less often.
func manyReflectors(k int) int {
	if k < 1024 {
		return reflectors
	}
	return 3 * reflectors
}

// applyAll applies the reflectors with vectors in the rows of v, each of m elements and zero before its own first one: H₀·H₁…·c, or
// …H₁ᴴ·H₀ᴴ·c if adjoint. Vector i begins at element i+shift.
func (s *Solver[T]) applyAll(adjoint bool, k, m, shift int, v, tau []T, n int, c []T, ld int) {
	at := s.at()
	defer s.back(at)
	all := make([]block[T], (k+reflectors-1)/reflectors)
	for i := range all {
		from := i * reflectors
		count, top := min(reflectors, k-from), from+shift
		part := s.take(count * (m - top))
		for r := range count {
			copy(part[r*(m-top):][:m-top], v[(from+r)*m+top:])
		}
		all[i] = s.newBlock(count, m-top, part, tau[from:from+count])
	}
	s.applyBlocks(adjoint, all, m, 0, n, c, ld)
}

// applyBlocks applies blocks of reflectors, each of which changes the last rows of c, m×n: in order if adjoint, from the last on if not.
// Block i leaves the first i·skip columns alone.
func (s *Solver[T]) applyBlocks(adjoint bool, all []block[T], m, skip, n int, c []T, ld int) {
	if n == 0 {
		return
	}
	slab := func(w *Solver[T], from, count int) {
		for t := range all {
			i := t
			if !adjoint {
				i = len(all) - 1 - t
			}
			b := &all[i]
			if out := max(0, i*skip-from); out < count {
				w.apply(b, adjoint, count-out, c[(m-b.m)*ld+from+out:], ld)
			}
		}
	}
	if s.Loop != nil && n > slabColumns {
		s.share(n, reflectWidth(n), slab)
		return
	}
	slab(s, 0, n)
}
