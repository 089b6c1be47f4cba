package lapack

import (
	"math/rand/v2"
	"testing"
)

// Residuals of the factorisations whose results other tests use only to solve with, over all classes of matrices.

func TestLDLResidual(t *testing.T) {
	every(t, testLDLResidual[float32], testLDLResidual[float64], testLDLResidual[complex64], testLDLResidual[complex128])
}

// testLDLResidual checks ‖A - P·L·D·Lᵀ·Pᵀ‖ / (n·‖A‖·ε), of singular matrices too.
func testLDLResidual[T Number](t *testing.T, name string, m, n int, r *rand.Rand) {
	if m != n {
		t.Skip("square matrices")
	}
	for _, hermitian := range []bool{false, true} {
		a := matrix[T](name, r, n, n)
		for i := range n {
			if hermitian {
				a[i*n+i] = of[T](re(a[i*n+i]), 0)
			}
			for j := range i {
				a[j*n+i] = a[i*n+j]
				if hermitian {
					a[j*n+i] = conj(a[i*n+j])
				}
			}
		}
		f, piv := append([]T(nil), a...), make([]int32, n)
		LDL(n, f, piv, hermitian)
		if !ValidLDL(piv) {
			t.Fatalf("pivots %v", piv)
		}
		close(t, "P·L·D·Lᵀ·Pᵀ", fromLDL(n, f, piv, hermitian), a, n, frobenius(a))
	}
}

// fromLDL multiplies the factors of LDL: from the last pivot on, L of its columns from both sides, then its exchange.
func fromLDL[T Number](n int, f []T, piv []int32, hermitian bool) []T {
	d := make([]T, n*n)
	mirrored := func(x T) T {
		if hermitian {
			return conj(x)
		}
		return x
	}
	for k := 0; k < n; k++ {
		d[k*n+k] = f[k*n+k]
		if piv[k] < 0 {
			d[(k+1)*n+k], d[k*n+k+1], d[(k+1)*n+k+1] = f[(k+1)*n+k], mirrored(f[(k+1)*n+k]), f[(k+1)*n+k+1]
			k++
		}
	}
	for last := n - 1; last >= 0; {
		first, p := last, int(piv[last])-1
		if piv[last] < 0 {
			first, p = last-1, -int(piv[last])-1
		}
		for k := first; k <= last; k++ {
			for i := last + 1; i < n; i++ {
				axpy(d[i*n:][:n], f[i*n+k], d[k*n:])
			}
		}
		for k := first; k <= last; k++ {
			for i := last + 1; i < n; i++ {
				for row := range n {
					d[row*n+i] += mirrored(f[i*n+k]) * d[row*n+k]
				}
			}
		}
		if p != last {
			swap(d[last*n:][:n], d[p*n:][:n])
			for row := range n {
				d[row*n+last], d[row*n+p] = d[row*n+p], d[row*n+last]
			}
		}
		last = first - 1
	}
	return d
}

func TestInverseResidual(t *testing.T) {
	every(t, testInverseResidual[float32], testInverseResidual[float64], testInverseResidual[complex64], testInverseResidual[complex128])
}

// testInverseResidual checks ‖A·A⁻¹ - 1‖ / (n·‖A‖·‖A⁻¹‖·ε) of matrices that have one.
func testInverseResidual[T Number](t *testing.T, name string, m, n int, r *rand.Rand) {
	if m != n {
		t.Skip("square matrices")
	}
	a := matrix[T](name, r, n, n)
	s, lu, piv, z := solver[T](), append([]T(nil), a...), make([]int32, n), make([]T, n*n)
	if info := s.LU(n, n, lu, n, piv); info != 0 {
		if name != "zeros" && name != "ones" && name != "nearly singular" && name != "wilkinson" {
			t.Errorf("info %d", info)
		}
		return
	}
	s.Inverse(n, lu, n, piv, z)
	close(t, "A·A⁻¹", times(n, n, n, a, false, z, false), unit[T](n), n, frobenius(a)*frobenius(z))
}
