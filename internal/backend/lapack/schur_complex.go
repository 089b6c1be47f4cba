package lapack

import (
	"math"
	"math/cmplx"
)

// complexSchur finds eigenvalues by QR steps with single shifts on the Hessenberg form, and eigenvectors from the triangle they end in. h
// is overwritten.
func complexSchur(s *Solver[complex128], n int, h, w, v []complex128, eps float64) (info int) {
	var q []complex128
	if v != nil {
		q = v
		clear(q)
		for i := range n {
			q[i*n+i] = 1
		}
	}
	at := s.at()
	defer s.back(at)
	if blocks := s.hessenberg(n, h, n); q != nil && n > 1 { // the first row and column of Q stay those of the identity
		s.applyBlocks(false, blocks, n-1, reflectors, n-1, q[n+1:], n)
	}
	for hi, sweeps := n-1, 0; hi >= 0; sweeps++ {
		if sweeps > mostSweeps {
			return 1
		}
		lo := hi
		for ; lo > 0; lo-- {
			near := size(h[(lo-1)*n+lo-1]) + size(h[lo*n+lo])
			if near == 0 {
				near = largest(h)
			}
			if size(h[lo*n+lo-1]) <= eps*near {
				h[lo*n+lo-1] = 0
				break
			}
		}
		if lo == hi {
			hi--
			sweeps = -1
			continue
		}
		shift := wilkinson(h[(hi-1)*n+hi-1], h[(hi-1)*n+hi], h[hi*n+hi-1], h[hi*n+hi])
		if sweeps%10 == 9 { // an exceptional shift breaks a cycle
			shift = h[hi*n+hi] + complex(0.75*size(h[hi*n+hi-1]), 0)
		}
		complexStep(n, lo, hi, shift, h, q)
	}
	for i := range n {
		w[i] = h[i*n+i]
	}
	if q != nil {
		triangleVectors(n, h, q)
	}
	return 0
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

// complexStep is one QR step over rows lo … hi by rotations.
func complexStep(n, lo, hi int, shift complex128, h, q []complex128) {
	x, y := h[lo*n+lo]-shift, h[(lo+1)*n+lo]
	for k := lo; k < hi; k++ {
		if k > lo {
			x, y = h[k*n+k-1], h[(k+1)*n+k-1]
		}
		// c real, s complex: [c s; -conj(s) c]·[x; y] = [r; 0]
		c, s := 1.0, complex128(0)
		if y != 0 {
			r := math.Hypot(cmplx.Abs(x), cmplx.Abs(y))
			if x == 0 {
				c, s = 0, cmplx.Conj(y)/complex(cmplx.Abs(y), 0)
			} else {
				c = cmplx.Abs(x) / r
				s = x / complex(cmplx.Abs(x), 0) * cmplx.Conj(y) / complex(r, 0)
			}
		}
		cc := complex(c, 0)
		for j := max(k-1, lo); j < n; j++ {
			a, b := h[k*n+j], h[(k+1)*n+j]
			h[k*n+j], h[(k+1)*n+j] = cc*a+s*b, cc*b-cmplx.Conj(s)*a
		}
		if k > lo {
			h[(k+1)*n+k-1] = 0
		}
		for i := range min(k+2, hi) + 1 {
			a, b := h[i*n+k], h[i*n+k+1]
			h[i*n+k], h[i*n+k+1] = cc*a+cmplx.Conj(s)*b, cc*b-s*a
		}
		if q != nil {
			for i := range n {
				a, b := q[i*n+k], q[i*n+k+1]
				q[i*n+k], q[i*n+k+1] = cc*a+cmplx.Conj(s)*b, cc*b-s*a
			}
		}
	}
}

// triangleVectors finds the eigenvectors of an upper triangle t by substitution, and replaces q by q times them.
func triangleVectors(n int, t, q []complex128) {
	norm := largest(t)
	tiny := max(0x1p-52*norm, 0x1p-1000)
	x := make([]complex128, n*n) // row k is the vector of eigenvalue k
	for k := range n {
		v := x[k*n:][:n]
		v[k] = 1
		for i := k - 1; i >= 0; i-- {
			var sum complex128
			for j := i + 1; j <= k; j++ {
				sum += t[i*n+j] * v[j]
			}
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
	row := make([]complex128, n)
	for i := range n {
		copy(row, q[i*n:][:n])
		for k := range n {
			q[i*n+k] = dot(row[:k+1], x[k*n:][:k+1])
		}
	}
}
