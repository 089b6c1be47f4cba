package lapack

import (
	"math"
	"math/cmplx"
)

// complexEig is Eig for complex matrices: a is multiplied by f. The Hessenberg form is that of T, all else is in complex128.
func (s *Solver[T]) complexEig(n int, a []T, f float64, w, v []complex128) (info int) {
	wide := s.inComplex128()
	at, from := wide.at(), s.at()
	defer wide.back(at)
	defer s.back(from)
	ld := complexWidth(n)
	h := wide.zeros(n * ld)
	for i := range n {
		for j, x := range a[i*n:][:n] {
			h[i*ld+j] = complex(re(x)*f, im(x)*f)
		}
	}
	scale := balance(n, h, ld)
	t, back := asT[T](s, h)
	blocks := s.hessenberg(n, t, ld)
	back(t, h)
	var q []complex128
	if v != nil {
		q = wide.zeros(n * ld)
		z, back := asT[T](s, q)
		s.transposedQ(n, blocks, z, ld)
		back(z, q)
	}
	r := newComplexFrancis(wide, n, h, q, ld, negligible[T]())
	if !r.run() {
		return 1
	}
	for i := range n {
		w[i] = h[i*ld+i]
	}
	if v != nil {
		r.vectors(v, scale)
	}
	return 0
}

// complexWidth is the length of rows that are not whole pages apart, which would share the sets of a cache.
func complexWidth(n int) int {
	ld := (n + 3) / 4 * 4
	if ld%64 == 0 {
		ld += 4
	}
	return ld
}

// newComplexFrancis is a Hessenberg matrix h with the transposed reflections q that led to it; rows have ld elements.
func newComplexFrancis(s *Solver[complex128], n int, h, q []complex128, ld int, eps float64) *complexFrancis {
	r := &complexFrancis{n: n, ld: ld, h: h, q: q, eps: eps, solver: s}
	for i := range n {
		r.norm = max(r.norm, largest(h[i*ld:][:n]))
	}
	r.givensRows, r.givensColumns = s.GivensRows, s.GivensColumns
	if r.givensRows == nil {
		r.givensRows, r.givensColumns = givensRows, givensColumns
	}
	return r
}

// shortComplex is the size up to which a block has one shift at a time.
const shortComplex = 48

// run goes on until the matrix is a triangle.
func (r *complexFrancis) run() bool {
	n, h := r.ld, r.h
	for hi := r.n - 1; hi >= 0; {
		if r.sweeps++; r.sweeps > mostSweeps {
			return false
		}
		lo := r.deflate(hi)
		switch size := hi - lo + 1; {
		case size == 1:
			hi, r.sweeps = hi-1, 0
		case size > shortComplex:
			r.manyShifts(lo, hi)
		case r.n > shortComplex && size > 2:
			if !r.alone(lo, hi) {
				return false
			}
			hi, r.sweeps = lo-1, 0
		default:
			shift := wilkinson(h[(hi-1)*n+hi-1], h[(hi-1)*n+hi], h[hi*n+hi-1], h[hi*n+hi])
			if r.sweeps%10 == 0 { // an exceptional shift breaks a cycle
				shift = r.exceptional(hi)
			}
			r.step(lo, hi, shift)
		}
	}
	return true
}

// deflate returns the first row of the block that ends with row hi.
func (r *complexFrancis) deflate(hi int) (lo int) {
	n, h := r.ld, r.h
	for lo = hi; lo > 0; lo-- {
		near := size(h[(lo-1)*n+lo-1]) + size(h[lo*n+lo])
		if near == 0 {
			near = r.norm
		}
		if size(h[lo*n+lo-1]) <= r.eps*near {
			h[lo*n+lo-1] = 0
			break
		}
	}
	return lo
}

// exceptional is a shift that breaks a cycle.
func (r *complexFrancis) exceptional(hi int) complex128 {
	return r.h[hi*r.ld+hi] + complex(0.75*size(r.h[hi*r.ld+hi-1]), 0)
}

// wilkinson is the eigenvalue of a 2×2 matrix that is nearer to its last element.
func wilkinson(a, b, c, d complex128) complex128 {
	half := (a - d) / 2
	root := cmplx.Sqrt(half*half + b*c)
	if real(half)*real(root)+imag(half)*imag(root) < 0 {
		root = -root
	}
	if den := half + root; den != 0 {
		return d - b*c/den
	}
	return d
}

// complexFrancis is a Hessenberg matrix on its way to a triangle.
type complexFrancis struct {
	n, ld, sweeps int
	h             []complex128
	q             []complex128 // the transposed product of all rotations; nil if neither it nor the triangle is wanted
	norm, eps     float64
	solver        *Solver[complex128]
	one           [1]complexBulge

	givensRows, givensColumns func(x []complex128, ld, count int, f []float64)
}

// rotation is [c s; -conj(s) c].
type rotation struct {
	c float64
	s complex128
}

// rotationTo makes y zero.
func rotationTo(x, y complex128) rotation {
	xx, yy := real(x)*real(x)+imag(x)*imag(x), real(y)*real(y)+imag(y)*imag(y)
	if p := xx * (xx + yy); xx > 0x1p-400 && yy > 0x1p-400 && p > 0x1p-800 && p < 0x1p+800 {
		f := 1 / math.Sqrt(p) // of |x|·√(|x|²+|y|²)
		return rotation{xx * f, complex((real(x)*real(y)+imag(x)*imag(y))*f, (imag(x)*real(y)-real(x)*imag(y))*f)}
	}
	if y == 0 {
		return rotation{c: 1}
	}
	if x == 0 {
		return rotation{s: cmplx.Conj(y) / complex(cmplx.Abs(y), 0)}
	}
	m := cmplx.Abs(x)
	r := math.Hypot(m, cmplx.Abs(y))
	return rotation{m / r, x / complex(m, 0) * cmplx.Conj(y) / complex(r, 0)}
}

// rows rotates two rows from the left.
func (g rotation) rows(x, y []complex128) {
	c, sr, si := g.c, real(g.s), imag(g.s)
	y = y[:len(x)]
	for i, a := range x {
		b := y[i]
		x[i] = complex(c*real(a)+(sr*real(b)-si*imag(b)), c*imag(a)+(sr*imag(b)+si*real(b)))
		y[i] = complex(c*real(b)-(sr*real(a)+si*imag(a)), c*imag(b)-(sr*imag(a)-si*real(a)))
	}
}

// along applies rotations of neighbouring columns to a row from the right, one after the other.
func along(row []complex128, f []rotation) {
	row = row[:len(f)+1]
	a := row[0]
	for k, g := range f {
		b := row[k+1]
		c, sr, si := g.c, real(g.s), imag(g.s)
		row[k] = complex(c*real(a)+(sr*real(b)+si*imag(b)), c*imag(a)+(sr*imag(b)-si*real(b)))
		a = complex(c*real(b)-(sr*real(a)-si*imag(a)), c*imag(b)-(sr*imag(a)+si*real(a)))
	}
	row[len(f)] = a
}

// givensRows applies rotations to neighbouring rows of x, which are ld elements apart with cols used. f has four numbers of each: c, re s,
// -im s and im s.
func givensRows(x []complex128, ld, cols int, f []float64) {
	for i := range len(f) / 4 {
		rotation{f[4*i], complex(f[4*i+1], f[4*i+3])}.rows(x[i*ld:][:cols], x[(i+1)*ld:])
	}
}

// givensColumns applies rotations to neighbouring columns of rows.
func givensColumns(x []complex128, ld, rows int, f []float64) {
	all := make([]rotation, len(f)/4)
	for i := range all {
		all[i] = rotation{f[4*i], complex(f[4*i+1], f[4*i+2])}
	}
	for i := range rows {
		along(x[i*ld:], all)
	}
}
