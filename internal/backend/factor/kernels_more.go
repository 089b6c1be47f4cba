package factor

import (
	"math"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/lapack"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// eig gives complex eigenvalues, and eigenvectors if wanted.
func eig[T lapack.Number](j *job[T]) error {
	count, n, _ := dims(j.in[0])
	a := dense[T](j.in[0])
	info := make([]int32, count)
	err := j.each(count, 10*n*n*n, func(s *lapack.Solver[T], i int) {
		w := make([]complex128, n)
		var v []complex128
		if j.a.Vectors {
			v = make([]complex128, n*n)
		}
		if info[i] = int32(s.Eig(n, part(a, i*n*n), w, v)); info[i] != 0 {
			for k := range w {
				w[k] = complex(math.NaN(), math.NaN())
			}
		}
		complexParts(j.out[0], i*n, w)
		if v != nil {
			complexParts(j.out[1], i*n*n, v)
		}
	})
	if err != nil {
		return err
	}
	return failed(j.a.Check, info, backend.MatrixNotFinite)
}

func complexParts(v backend.View, at int, x []complex128) {
	if v.DType == dtype.Complex64 {
		z := backend.Slice[complex64](v)[at:]
		for i, w := range x {
			z[i] = complex64(w)
		}
		return
	}
	copy(backend.Slice[complex128](v)[at:], x)
}

func ldl[T lapack.Number](j *job[T]) error {
	count, n, _ := dims(j.in[0])
	z, piv, info := backend.Slice[T](j.out[0]), backend.Slice[int32](j.out[1]), backend.Slice[int32](j.out[2])
	fill(z, j.in[0])
	err := j.each(count, n*n*n/3, func(_ *lapack.Solver[T], i int) {
		a := z[i*n*n:][:n*n]
		info[i] = int32(lapack.LDL(n, a, piv[i*n:][:n], j.a.Hermitian))
		for r := range n {
			clear(a[r*n+r+1 : (r+1)*n])
		}
	})
	if err != nil {
		return err
	}
	return failed(j.a.Check, info, backend.MatrixSingular)
}

// ldlSolve has the operands LD, pivots and B.
func ldlSolve[T lapack.Number](j *job[T]) error {
	count, n, cols := dims(j.in[2])
	f, piv, z := dense[T](j.in[0]), dense[int32](j.in[1]), backend.Slice[T](j.out[0])
	fill(z, j.in[2])
	for i := range count {
		if p := part(piv, i*n)[:n]; !lapack.ValidLDL(p) {
			return fault.New(fault.Index, "linalg_ldl_solve", "pivots %v of matrix %d are not those of a factorisation", p, i)
		}
	}
	return j.each(count, n*n*cols, func(_ *lapack.Solver[T], i int) {
		lapack.SolveLDL(n, cols, f[i*n*n:], piv[i*n:][:n], z[i*n*cols:], j.a.Hermitian)
	})
}

func exp[T lapack.Number](j *job[T]) error {
	count, n, _ := dims(j.in[0])
	a, z := dense[T](j.in[0]), backend.Slice[T](j.out[0])
	return j.each(count, 10*n*n*n, func(s *lapack.Solver[T], i int) { s.Exp(n, part(a, i*n*n)[:n*n], z[i*n*n:][:n*n]) })
}

func sqrth[T lapack.Number](j *job[T]) error {
	count, n, _ := dims(j.in[0])
	a, z := make([]T, count*n*n), backend.Slice[T](j.out[0])
	fill(a, j.in[0])
	info := make([]int32, count)
	err := j.each(count, 5*n*n*n, func(s *lapack.Solver[T], i int) {
		x := a[i*n*n:][:n*n]
		hermitian(n, x)
		info[i] = int32(s.Sqrt(n, x, z[i*n*n:][:n*n]))
	})
	if err != nil {
		return err
	}
	return failed(j.a.Check, info, backend.MatrixNoRoot)
}

// pinv has the operands A and its two tolerances, one of each for each matrix.
func pinv[T lapack.Number](j *job[T]) error {
	count, m, n := dims(j.in[0])
	a, z := make([]T, count*m*n), backend.Slice[T](j.out[0])
	fill(a, j.in[0])
	atol, rtol := float64s(j.in[1]), float64s(j.in[2])
	info := make([]int32, count)
	err := j.each(count, 10*m*n*min(m, n), func(s *lapack.Solver[T], i int) {
		x := a[i*m*n:][:m*n]
		if j.a.Hermitian {
			hermitian(n, x)
		}
		info[i] = int32(s.Pinv(m, n, x, atol[i], rtol[i], j.a.Hermitian, z[i*m*n:][:m*n]))
	})
	if err != nil {
		return err
	}
	return failed(j.a.Check, info, backend.MatrixNotFinite)
}

// lstsq has the operands A, its two tolerances and B.
func lstsq[T lapack.Number](j *job[T]) error {
	count, m, n := dims(j.in[0])
	_, _, cols := dims(j.in[3])
	a, b, z := dense[T](j.in[0]), dense[T](j.in[3]), backend.Slice[T](j.out[0])
	atol, rtol := float64s(j.in[1]), float64s(j.in[2])
	info := make([]int32, count)
	err := j.each(count, 2*m*n*min(m, n), func(s *lapack.Solver[T], i int) {
		info[i] = int32(s.LeastSquares(m, n, part(a, i*m*n), cols, part(b, i*m*cols), atol[i], rtol[i], part(z, i*n*cols)))
	})
	if err != nil {
		return err
	}
	return failed(j.a.Check, info, backend.MatrixNotFinite)
}

// float64s reads a float32 or float64 operand.
func float64s(v backend.View) []float64 {
	if v.DType == dtype.Float64 {
		return dense[float64](v)
	}
	x := dense[float32](v)
	z := make([]float64, len(x))
	for i, f := range x {
		z[i] = float64(f)
	}
	return z
}
