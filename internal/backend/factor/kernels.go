package factor

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/lapack"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

func lu[T lapack.Number](j *job[T]) error {
	count, m, n := dims(j.in[0])
	k := min(m, n)
	z, piv, info := backend.Slice[T](j.out[0]), backend.Slice[int32](j.out[1]), backend.Slice[int32](j.out[2])
	if !j.a.NoPivot && j.together(count, m, n) {
		x := operand[T](j.in[0], m*n)
		if err := j.groups(count, m*n*k, func(b Batch[T], i, c int) {
			b.LU(m, n, c, from(x, i), z[i*m*n:], piv[i*k:], info[i:])
		}); err != nil {
			return err
		}
		return failed(j.a.Check, info, backend.MatrixSingular)
	}
	x := z
	if j.in[0].Contiguous() && !j.a.NoPivot {
		x = dense[T](j.in[0])
	} else if err := j.fill(z, j.in[0]); err != nil {
		return err
	}
	err := j.each(count, m*n*k, func(s *lapack.Solver[T], i int) {
		p := piv[i*k:][:k]
		if j.a.NoPivot {
			info[i] = int32(s.LUInPlace(m, n, z[i*m*n:], n))
			for r := range p {
				p[r] = int32(r)
			}
		} else {
			info[i] = int32(s.LUOf(m, n, x[i*m*n:], z[i*m*n:], n, p))
		}
		for r := range p {
			p[r]++ // counted from 1
		}
	})
	if err != nil {
		return err
	}
	return failed(j.a.Check, info, backend.MatrixSingular)
}

// pivots checks and returns the pivots of all matrices, counted from 0.
func pivots(op string, v backend.View, n int) ([]int32, error) {
	given := dense[int32](v)
	p := make([]int32, len(given))
	for i, x := range given {
		p[i] = x - 1
		if p[i] < 0 || int(p[i]) >= n {
			return nil, fault.New(fault.Index, op, "pivot %d is %d; pivots of %d rows are 1 to %d", i, x, n, n)
		}
	}
	return p, nil
}

// rows reports whether pivots are rows 1 … n.
func rows(p []int32, n int) bool {
	var most uint32
	for _, x := range p {
		most = max(most, uint32(x)-1)
	}
	return len(p) == 0 || int(most) < n
}

// solveFactored has the operands A, which only a gradient reads, LU, pivots and B.
func solveFactored[T lapack.Number](j *job[T]) error {
	count, n, cols := dims(j.in[3])
	z := backend.Slice[T](j.out[0])
	if j.together(count, n, cols) {
		f, y, given := operand[T](j.in[1], n*n), lapack.Matrices[T]{}, dense[int32](j.in[2])
		if j.a.Inverse {
			y.Data = make([]T, n*n)
			setIdentity(n, y.Data)
		} else {
			y = operand[T](j.in[3], n*cols)
		}
		var bad atomic.Bool
		err := j.groups(count, n*n*cols, func(b Batch[T], i, c int) {
			p := given[i*n:][:c*n]
			if !rows(p, n) {
				bad.Store(true)
				return
			}
			b.SolveLU(j.a.Adjoint, n, cols, c, from(f, i), p, from(y, i), z[i*n*cols:])
		})
		if err == nil && bad.Load() {
			_, err = pivots("lu_solve", j.in[2], n)
		}
		return err
	}
	p, err := pivots("lu_solve", j.in[2], n)
	if err != nil {
		return err
	}
	f := dense[T](j.in[1])
	if !j.a.Inverse {
		fill(z, j.in[3])
	}
	return j.each(count, n*n*cols, func(s *lapack.Solver[T], i int) {
		if j.a.Inverse {
			setIdentity(n, z[i*n*n:][:n*n])
		}
		if !j.a.Adjoint && n == cols && (j.a.Inverse || isIdentity(n, z[i*n*n:])) {
			s.Inverse(n, f[i*n*n:], n, p[i*n:][:n], z[i*n*n:][:n*n])
			return
		}
		s.SolveLU(j.a.Adjoint, n, cols, f[i*n*n:], n, p[i*n:][:n], z[i*n*cols:], cols)
	})
}

// setIdentity makes x, n×n, the identity.
func setIdentity[T lapack.Number](n int, x []T) {
	clear(x)
	for i := range n {
		x[i*(n+1)] = 1
	}
}

// isIdentity reports whether x, n×n, is the identity.
func isIdentity[T lapack.Number](n int, x []T) bool {
	for i := range n {
		for k, v := range x[i*n:][:n] {
			if v != 0 && (k != i || v != 1) || k == i && v == 0 {
				return false
			}
		}
	}
	return true
}

func triangular[T lapack.Number](j *job[T]) error {
	count, n, cols := dims(j.in[1])
	z := backend.Slice[T](j.out[0])
	if j.together(count, n, cols) {
		f, y := operand[T](j.in[0], n*n), operand[T](j.in[1], n*cols)
		return j.groups(count, n*n*cols/2, func(b Batch[T], i, c int) {
			b.SolveTriangular(j.a.Upper, j.a.Unit, n, cols, c, from(f, i), from(y, i), z[i*n*cols:])
		})
	}
	a := dense[T](j.in[0])
	fill(z, j.in[1])
	return j.each(count, n*n*cols/2, func(s *lapack.Solver[T], i int) {
		s.SolveTriangular(j.a.Upper, j.a.Unit, n, cols, a[i*n*n:], n, 1, z[i*n*cols:], cols)
	})
}

func cholesky[T lapack.Number](j *job[T]) error {
	count, n, _ := dims(j.in[0])
	z, info := backend.Slice[T](j.out[0]), backend.Slice[int32](j.out[1])
	if j.together(count, n) {
		x := operand[T](j.in[0], n*n)
		if err := j.groups(count, n*n*n/3, func(b Batch[T], i, c int) {
			b.Cholesky(n, c, from(x, i), z[i*n*n:], info[i:])
		}); err != nil {
			return err
		}
		return failed(j.a.Check, info, backend.MatrixNotDefinite)
	}
	if err := j.fill(z, j.in[0]); err != nil {
		return err
	}
	err := j.each(count, n*n*n/3, func(s *lapack.Solver[T], i int) {
		l := z[i*n*n:][:n*n]
		info[i] = int32(s.Cholesky(n, l, n))
		for r := range n {
			clear(l[r*n+r+1 : (r+1)*n])
		}
	})
	if err != nil {
		return err
	}
	return failed(j.a.Check, info, backend.MatrixNotDefinite)
}

// qr gives Q and R; Q is empty unless Vectors is set, and square if Full is.
func qr[T lapack.Number](j *job[T]) error {
	count, m, n := dims(j.in[0])
	k := min(m, n)
	r := backend.Slice[T](j.out[1])
	_, rows, _ := dims(j.out[1])
	var q []T
	cols := 0
	if j.a.Vectors {
		q = backend.Slice[T](j.out[0])
		_, _, cols = dims(j.out[0])
	}
	if j.together(count, m, n) {
		x := operand[T](j.in[0], m*n)
		return j.groups(count, 2*m*n*k, func(b Batch[T], i, c int) {
			b.QR(m, n, c, from(x, i), part(q, i*m*cols), cols, r[i*rows*n:], rows)
		})
	}
	a := make([]T, count*m*n)
	fill(a, j.in[0])
	return j.each(count, 2*m*n*k, func(s *lapack.Solver[T], i int) {
		f, tau := a[i*m*n:][:m*n], make([]T, k)
		undo := s.Scale(f)
		s.QR(m, n, f, n, tau)
		up := r[i*rows*n:][:rows*n]
		clear(up)
		for t := range k {
			copy(up[t*n+t:(t+1)*n], f[t*n+t:(t+1)*n])
		}
		undo(up)
		if j.a.Vectors {
			s.FormQ(m, cols, k, f, n, tau, q[i*m*cols:], cols)
		}
	})
}

func geqrf[T lapack.Number](j *job[T]) error {
	count, m, n := dims(j.in[0])
	k := min(m, n)
	z, tau := backend.Slice[T](j.out[0]), backend.Slice[T](j.out[1])
	fill(z, j.in[0])
	return j.each(count, m*n*k, func(s *lapack.Solver[T], i int) { s.QR(m, n, z[i*m*n:], n, tau[i*k:][:k]) })
}

// hermitian fills the upper triangle from the lower one.
func hermitian[T lapack.Number](n int, a []T) {
	for i := range n {
		a[i*n+i] = lapack.RealPart(a[i*n+i])
		for k := range i {
			a[k*n+i] = lapack.Conj(a[i*n+k])
		}
	}
}

// parts writes real numbers to an output of the real type of T.
func parts(v backend.View, at int, x []float64) {
	if v.DType == dtype.Float32 {
		z := backend.Slice[float32](v)[at:]
		for i, w := range x {
			z[i] = float32(w)
		}
		return
	}
	copy(backend.Slice[float64](v)[at:], x)
}

// eigh gives the eigenvalues, the eigenvectors if wanted, and info.
func eigh[T lapack.Number](j *job[T]) error {
	count, n, _ := dims(j.in[0])
	var z []T
	if j.a.Vectors {
		z = backend.Slice[T](j.out[1])
	}
	info := make([]int32, count)
	if j.together(count, n) {
		x, w := operand[T](j.in[0], n*n), backend.Slice[T](j.out[0])
		if err := j.groups(count, 8*n*n*n, func(b Batch[T], i, c int) {
			b.Eigh(n, c, from(x, i), w[i*n:], part(z, i*n*n), info[i:])
		}); err != nil {
			return err
		}
		return failed(j.a.Check, info, backend.MatrixNotFinite)
	}
	if z == nil {
		z = make([]T, count*n*n)
	}
	fill(z, j.in[0])
	err := j.each(count, 4*n*n*n, func(s *lapack.Solver[T], i int) {
		w, a := make([]float64, n), z[i*n*n:][:n*n]
		hermitian(n, a)
		if info[i] = int32(s.Eigh(n, a, n, w, j.a.Vectors)); info[i] != 0 {
			blank(w)
		}
		parts(j.out[0], i*n, w)
	})
	if err != nil {
		return err
	}
	return failed(j.a.Check, info, backend.MatrixNotFinite)
}

func blank(w []float64) {
	for i := range w {
		w[i] = math.NaN()
	}
}

// svd gives U, S and Vᴴ, or S alone.
func svd[T lapack.Number](j *job[T]) error {
	count, m, n := dims(j.in[0])
	k := min(m, n)
	info := make([]int32, count)
	at := 0
	var u, vh []T
	uc, vc := 0, 0
	if j.a.Vectors {
		at = 1
		u, vh = backend.Slice[T](j.out[0]), backend.Slice[T](j.out[2])
		_, _, uc = dims(j.out[0])
		_, vc, _ = dims(j.out[2])
	}
	batched := j.together(count, m, n) && (!j.a.Vectors || uc == k && vc == k)
	if batched {
		if err := j.smallSVD(count, m, n, u, vh, j.out[at], info); err != nil {
			return err
		}
		if !slices.Contains(info, otherSVD) {
			return failed(j.a.Check, info, backend.MatrixNotFinite)
		}
	}
	a := make([]T, count*m*n)
	fill(a, j.in[0])
	err := j.each(count, 8*m*n*k, func(s *lapack.Solver[T], i int) {
		if batched && info[i] != otherSVD {
			return
		}
		sv := make([]float64, k)
		if j.a.Vectors {
			info[i] = int32(s.SVD(m, n, a[i*m*n:][:m*n], sv, u[i*m*uc:][:m*uc], uc, vh[i*vc*n:][:vc*n], vc))
		} else {
			info[i] = int32(s.SVD(m, n, a[i*m*n:][:m*n], sv, nil, 0, nil, 0))
		}
		if info[i] != 0 {
			blank(sv)
		}
		parts(j.out[at], i*k, sv)
	})
	if err != nil {
		return err
	}
	return failed(j.a.Check, info, backend.MatrixNotFinite)
}

// otherSVD is the info of a matrix that Batch leaves to lapack.Solver.
const otherSVD = -1

func (j *job[T]) smallSVD(count, m, n int, u, vh []T, sv backend.View, info []int32) error {
	k := min(m, n)
	x, w := operand[T](j.in[0], m*n), backend.Slice[T](sv)
	return j.groups(count, 8*m*n*k, func(b Batch[T], i, c int) {
		b.SVD(m, n, c, from(x, i), w[i*k:], part(u, i*m*k), part(vh, i*k*n), info[i:])
	})
}

// det has the operands A, which only a gradient reads, LU and pivots.
func det[T lapack.Number](j *job[T]) error {
	count, n, _ := dims(j.in[1])
	f, p, z := dense[T](j.in[1]), dense[int32](j.in[2]), backend.Slice[T](j.out[0])
	var bad atomic.Bool
	const some = 512
	err := j.c.For((count+some-1)/some, func(b int) {
		i := b * some
		c := min(some, count-i)
		if !lapack.Dets(n, c, part(f, i*n*n), part(p, i*n), z[i:i+c]) {
			bad.Store(true)
		}
	})
	if err == nil && bad.Load() {
		_, err = pivots("det", j.in[2], n)
	}
	return err
}

// slogdet gives the sign and the logarithm of the magnitude.
func slogdet[T lapack.Number](j *job[T]) error {
	count, n, _ := dims(j.in[1])
	p, err := pivots("slogdet", j.in[2], n)
	if err != nil {
		return err
	}
	f, z := dense[T](j.in[1]), backend.Slice[T](j.out[0])
	for i := range count {
		sign, log := lapack.LogDet(n, part(f, i*n*n), n, p[i*n:][:n])
		z[i] = sign
		parts(j.out[1], i, []float64{log})
	}
	return nil
}

// part is x[from:], or nothing if there are no elements.
func part[T any](x []T, from int) []T { return x[min(from, len(x)):] }

func adjugate[T lapack.Number](j *job[T]) error {
	count, n, _ := dims(j.in[0])
	a, z := dense[T](j.in[0]), backend.Slice[T](j.out[0])
	return j.each(count, 4*n*n*n, func(s *lapack.Solver[T], i int) { s.Adjugate(n, a[i*n*n:][:n*n], z[i*n*n:][:n*n]) })
}

// permutation converts row exchanges to the rows in their new order.
func permutation(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	d := out[0].Shape.Dims()
	m, k := d[len(d)-1], in[0].Shape.Dim(-1)
	z := backend.Slice[int64](out[0])
	if len(z) == 0 {
		return nil
	}
	p, err := pivots("lu_unpack", in[0], m)
	if err != nil {
		return err
	}
	for i := 0; i*m < len(z); i++ {
		row := z[i*m:][:m]
		for r := range row {
			row[r] = int64(r)
		}
		for r, x := range p[i*k:][:k] {
			row[r], row[x] = row[x], row[r]
		}
	}
	return nil
}
