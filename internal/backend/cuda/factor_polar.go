package cuda

import (
	"math"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Singular values by way of the polar decomposition A = Q·H: Q comes from matrix products alone, and the eigenvalues of H are the
// singular values. This takes a third of the time of cuSOLVER's Jacobi rotations. Matrices whose smallest singular value is too small
// for Q to be orthogonal are left to those.

// The odd polynomials c₀x + c₁x³ + c₂x⁵: the first makes small singular values 3.4 times as large and
// keeps the others between 0.6 and 1.3, the second brings them to 1.
var (
	growing    = [3]float64{3.4445, -4.7750, 2.0315}
	converging = [3]float64{1.875, -1.25, 0.375}
)

// polarSVD is svd for matrices that cuSOLVER would have; done is false if they are too near singular.
func (x *factoring) polarSVD(src, u, s, vh backend.View, info uintptr) (done bool, err error) {
	rows, k, wide := max(x.m, x.n), min(x.m, x.n), x.m < x.n
	a, err := x.matrices(rows, k)
	if err != nil {
		return false, err
	}
	if src, err = x.dense(src); err != nil {
		return false, err
	}
	if src = x.flat(src, x.m, x.n); wide {
		err = x.adjointOf(a, src)
	} else {
		err = x.Device.move(a, src)
	}
	if err != nil {
		return false, err
	}
	if err := x.pass("only_finite", a.Numel(), factorParams{m: rows, n: k, z: address(a), info: info}); err != nil {
		return false, err
	}
	q, off, err := x.polarFactor(a, rows, k)
	if err != nil {
		return false, err
	}
	// Rounding alone leaves less than this.
	most := math.Sqrt(float64(k)) * 0x1p-20
	if x.t.Real() == dtype.Float64 {
		most = math.Sqrt(float64(k)) * 0x1p-46
	}
	if x.mode == running && !(float64(off) <= most) {
		return false, x.Device.Fill(info, 0, 4*x.count)
	}
	h, err := x.matrices(k, k)
	if err != nil {
		return false, err
	}
	qh, err := x.adjointView(q, k, rows)
	if err != nil {
		return false, err
	}
	if err := x.mul(h, qh, a); err != nil {
		return false, err
	}
	v, err := x.matrices(k, k)
	if err != nil {
		return false, err
	}
	said, err := x.words()
	if err != nil {
		return false, err
	}
	m, n := x.m, x.n
	x.m, x.n = k, k
	err = x.eigh(h, s, v, said)
	x.m, x.n = m, n
	if err != nil {
		return false, err
	}
	if err := x.pass("blank", x.count*k, factorParams{n: k, s: address(s), info: info, piv: said}); err != nil {
		return false, err
	}
	p := factorParams{n: k, s: address(s), a: address(v)}
	if !x.f.Vectors {
		return true, x.pass("descending", x.count*k, p)
	}
	sorted, err := x.matrices(k, k)
	if err != nil {
		return false, err
	}
	p.z = address(sorted)
	if err := x.pass("descending", sorted.Numel(), p); err != nil {
		return false, err
	}
	if !wide {
		if err := x.mul(x.flat(u, rows, k), q, sorted); err != nil {
			return false, err
		}
		return true, x.adjointOf(x.flat(vh, k, k), sorted)
	}
	left, err := x.matrices(rows, k)
	if err != nil {
		return false, err
	}
	if err := x.mul(left, q, sorted); err != nil {
		return false, err
	}
	if err := x.adjointOf(x.flat(vh, k, rows), left); err != nil {
		return false, err
	}
	return true, x.Device.move(x.flat(u, k, k), sorted)
}

// adjointView is the conjugate transpose: a view of real matrices, a copy of complex ones.
func (x *factoring) adjointView(v backend.View, rows, cols int) (backend.View, error) {
	if !x.t.IsComplex() {
		return swapped(v), nil
	}
	z, err := x.matrices(rows, cols)
	if err != nil {
		return z, err
	}
	return z, x.adjointOf(z, v)
}

// polarFactor returns the orthogonal factor of rows×k matrices, and how far it is from being orthogonal.
func (x *factoring) polarFactor(a backend.View, rows, k int) (q backend.View, off float32, err error) {
	grow, converge := 13, 4 // singular values of 1e-7 grow to 1
	if x.t.Real() == dtype.Float64 {
		grow, converge = 24, 5
	}
	var at [2]backend.View
	var g [3]backend.View
	for i := range at {
		if at[i], err = x.matrices(rows, k); err != nil {
			return
		}
	}
	for i := range g {
		if g[i], err = x.matrices(k, k); err != nil {
			return
		}
	}
	p := factorParams{m: rows, n: k, a: address(a), z: address(at[0])}
	if err = x.passBlocks("divide_by_norm", min(x.count, maxGroups), 0, p); err != nil {
		return
	}
	held := len(x.bufs)
	gram := func(v backend.View) error {
		vh, err := x.adjointView(v, k, rows)
		if err != nil {
			return err
		}
		err = x.mul(g[0], vh, v)
		for _, b := range x.bufs[held:] {
			b.Free()
		}
		x.bufs = x.bufs[:held]
		return err
	}
	for i := range grow + converge {
		c := growing
		if i >= grow {
			c = converging
		}
		if err = gram(at[0]); err != nil {
			return
		}
		if err = x.mul(g[1], g[0], g[0]); err != nil {
			return
		}
		bits := func(f float64) int { return int(math.Float64bits(f)) }
		if err = x.pass("matrix_polynomial", g[2].Numel(), factorParams{m: bits(c[0]), n: k, cols: bits(c[1]), flags: bits(c[2]),
			a: address(g[0]), b: address(g[1]), z: address(g[2])}); err != nil {
			return
		}
		if err = x.mul(at[1], at[0], g[2]); err != nil {
			return
		}
		at[0], at[1] = at[1], at[0]
	}
	if err = gram(at[0]); err != nil {
		return
	}
	word, err := x.words()
	if err != nil {
		return q, 0, err
	}
	if err = x.pass("from_identity", g[0].Numel(), factorParams{n: k, a: address(g[0]), info: word}); err != nil {
		return q, 0, err
	}
	bits, err := x.firstWord(word)
	return at[0], math.Float32frombits(uint32(bits)), err
}
