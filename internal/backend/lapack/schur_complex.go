package lapack

import (
	"math"
	"math/cmplx"
)

// complexSchur finds eigenvalues by QR steps on the Hessenberg form, and eigenvectors from the triangle they end in. h
// is overwritten.
func complexSchur(s *Solver[complex128], n int, h, w, v []complex128, eps float64) (info int) {
	at := s.at()
	defer s.back(at)
	var q []complex128
	blocks := s.hessenberg(n, h, n)
	if v != nil {
		q = s.take(n * n)
		s.transposedQ(n, blocks, q, n)
	}
	r := newComplexFrancis(s, n, h, q, eps)
	if !r.run() {
		return 1
	}
	for i := range n {
		w[i] = h[i*n+i]
	}
	if v != nil {
		x := s.zeros(n * n)
		triangleVectors(n, h, x)
		s.Mul(n, n, n, r.q, 1, n, x, 1, n, v, n, false)
	}
	return 0
}

// newComplexFrancis is a Hessenberg matrix h with the transposed reflections q that led to it.
func newComplexFrancis(s *Solver[complex128], n int, h, q []complex128, eps float64) *complexFrancis {
	r := &complexFrancis{n: n, h: h, q: q, norm: largest(h[:n*n]), eps: eps, solver: s}
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
	n, h := r.n, r.h
	for hi := n - 1; hi >= 0; {
		if r.sweeps++; r.sweeps > mostSweeps {
			return false
		}
		lo := r.deflate(hi)
		switch size := hi - lo + 1; {
		case size == 1:
			hi, r.sweeps = hi-1, 0
		case size > shortComplex:
			r.manyShifts(lo, hi)
		case n > shortComplex && size > 2:
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
	n, h := r.n, r.h
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
	return r.h[hi*r.n+hi] + complex(0.75*size(r.h[hi*r.n+hi-1]), 0)
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
	n, sweeps int
	h         []complex128
	q         []complex128 // the transposed product of all rotations; nil if neither it nor the triangle is wanted
	f         []rotation
	norm, eps float64
	solver    *Solver[complex128]

	givensRows, givensColumns func(x []complex128, ld, count int, f []float64)
	forward, back             []float64 // f in numbers, and its conjugates
}

// rotation is [c s; -conj(s) c].
type rotation struct {
	c float64
	s complex128
}

// rotationTo makes y zero.
func rotationTo(x, y complex128) rotation {
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

// step is one QR step over rows lo … hi. Rotations are made some at a time from the rows and columns they need, before the rest has them.
func (r *complexFrancis) step(lo, hi int, shift complex128) {
	n, h := r.n, r.h
	above, last := lo, hi+1
	if r.q != nil {
		above, last = 0, n
	}
	for from := lo; from < hi; from += chaseSteps {
		to := min(from+chaseSteps, hi)
		near := min(to+2, last)
		r.f = r.f[:0]
		for k := from; k < to; k++ {
			x, y := h[lo*n+lo]-shift, h[(lo+1)*n+lo]
			if k > lo {
				x, y = h[k*n+k-1], h[(k+1)*n+k-1]
			}
			g := rotationTo(x, y)
			r.f = append(r.f, g)
			left := max(k-1, lo)
			g.rows(h[k*n+left:k*n+near], h[(k+1)*n+left:])
			if k > lo {
				h[(k+1)*n+k-1] = 0
			}
			for i := from; i <= min(k+2, hi); i++ {
				along(h[i*n+k:], r.f[k-from:])
			}
		}
		r.forward, r.back = r.forward[:0], r.back[:0]
		for _, g := range r.f {
			r.forward = append(r.forward, g.c, real(g.s), -imag(g.s), imag(g.s))
			r.back = append(r.back, g.c, real(g.s), imag(g.s), -imag(g.s))
		}
		if near < last {
			r.givensRows(h[from*n+near:], n, last-near, r.forward)
		}
		if r.q != nil {
			r.givensRows(r.q[from*n:], n, n, r.back)
		}
		if above < from {
			r.givensColumns(h[above*n+from:], n, from-above, r.back)
		}
	}
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

// triangleVectors finds the eigenvectors of an upper triangle t by substitution: row k of x is that of eigenvalue k.
func triangleVectors(n int, t, x []complex128) {
	norm := largest(t)
	tiny := max(0x1p-52*norm, 0x1p-1000)
	for k := range n {
		v := x[k*n:][:n]
		v[k] = 1
		for i := k - 1; i >= 0; i-- {
			sum := dot(t[i*n+i+1:i*n+k+1], v[i+1:k+1])
			d := t[i*n+i] - t[k*n+k]
			if size(d) < tiny {
				d = complex(tiny, 0)
			}
			v[i] = -sum / d
			if big := size(v[i]); big > 0x1p+300 {
				f := complex(1/big, 0)
				for j := i; j <= k; j++ {
					v[j] *= f
				}
			}
		}
	}
}
