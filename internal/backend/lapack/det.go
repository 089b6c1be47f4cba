package lapack

import (
	"math"
	"unsafe"
)

// Conj is the complex conjugate.
func Conj[T Number](x T) T { return conj(x) }

// RealPart is x without its imaginary part.
func RealPart[T Number](x T) T { return of[T](re(x), 0) }

// Scale multiplies a matrix by a power of two so that squares of its elements neither overflow nor vanish, and returns what undoes
// that.
func (s *Solver[T]) Scale(a []T) (undo func(x []T)) {
	f := powerOfScale[T](largest(a))
	scaleBy(a, f)
	return func(x []T) { scaleBy(x, 1/f) }
}

// LUInPlace is LU without row exchanges.
func (s *Solver[T]) LUInPlace(m, n int, a []T, ld int) (info int) {
	for j := range min(m, n) {
		d := a[j*ld+j]
		if d == 0 {
			if info == 0 {
				info = j + 1
			}
			continue
		}
		for i := j + 1; i < m; i++ {
			f := a[i*ld+j] / d
			a[i*ld+j] = f
			axpy(a[i*ld+j+1:][:n-j-1], -f, a[j*ld+j+1:])
		}
	}
	return info
}

// odd reports whether the exchanges are an odd permutation.
func odd(piv []int32) bool {
	var count uint32 // without branches, which pivots would mispredict
	for i, p := range piv {
		d := p ^ int32(i)
		count += uint32(d|-d) >> 31
	}
	return count&1 != 0
}

// Det is the determinant of a factored matrix. The product stays near 1 until the end, so that only the result can overflow.
func Det[T Number](n int, lu []T, ld int, piv []int32) T { return signed(n, lu, ld, odd(piv)) }

// signed is the product of a diagonal, with the other sign if minus is set.
func signed[T Number](n int, lu []T, ld int, minus bool) T {
	if z, ok := shortDet(n, lu, ld); ok {
		if minus {
			z = -z
		}
		return of[T](z, 0)
	}
	z, exp := complex(1, 0), 0
	if minus {
		z = -1
	}
	for i := range n {
		d := lu[i*ld+i]
		z *= complex(re(d), im(d))
		m := max(math.Abs(real(z)), math.Abs(imag(z)))
		if m == 0 || m != m || math.IsInf(m, 0) {
			continue
		}
		_, e := math.Frexp(m)
		z = complex(math.Ldexp(real(z), -e), math.Ldexp(imag(z), -e))
		exp += e
	}
	return of[T](math.Ldexp(real(z), exp), math.Ldexp(imag(z), exp))
}

// Dets writes the determinants of count factored matrices, one behind the other, to z; pivots count from 1. ok is false if one of them is
// no row.
func Dets[T Number](n, count int, lu []T, piv []int32, z []T) (ok bool) {
	var most uint32
	switch x := any(lu).(type) {
	case []float32:
		if z := any(z).([]float32); n == 4 {
			most = dets4(count, x, piv, z)
		} else {
			most = realDets(n, count, x, piv, z)
		}
	case []float64:
		most = realDets(n, count, x, piv, any(z).([]float64))
	default:
		for i := range count {
			minus, last := moves(piv[i*n:][:n])
			most = max(most, last)
			z[i] = signed(n, lu[min(i*n*n, len(lu)):], n, minus != 0)
		}
	}
	return n == 0 || count == 0 || int(most) < n
}

func realDets[T float32 | float64](n, count int, lu []T, piv []int32, z []T) (most uint32) {
	for i := range count {
		x := lu[min(i*n*n, len(lu)):]
		minus, last := moves(piv[i*n:][:n])
		most = max(most, last)
		if d, ok := diagonalProduct(n, x, n); ok {
			z[i] = T(withSign(d, minus))
		} else {
			z[i] = signed(n, x, n, minus != 0)
		}
	}
	return most
}

// dets4 is realDets for 4×4 matrices of float32, without loops and branches.
func dets4(count int, lu []float32, piv []int32, z []float32) (most uint32) {
	for i := range z[:count] {
		x, p := (*[16]float32)(lu[16*i:]), (*[4]int32)(piv[4*i:])
		r0, r1, r2, r3 := uint32(p[0])-1, uint32(p[1])-1, uint32(p[2])-1, uint32(p[3])-1
		most = max(most, r0, r1, r2, r3)
		d := float64(x[0]) * float64(x[5]) * float64(x[10]) * float64(x[15])
		z[i] = float32(withSign(d, differ(r0, 0)^differ(r1, 1)^differ(r2, 2)^differ(r3, 3)))
	}
	return most
}

// withSign is d, or -d if minus is 1. Signs of determinants are as good as random, so that a branch would be mispredicted.
func withSign(d float64, minus uint64) float64 {
	return math.Float64frombits(math.Float64bits(d) ^ minus<<63)
}

// differ is 1 if two rows differ, else 0.
func differ(a, b uint32) uint64 {
	var d uint64
	if a != b {
		d = 1
	}
	return d
}

// moves gives 1 for an odd permutation of exchanges, which count from 1, and the last row that they name, from 0 on; what is no row is a
// large number.
func moves(piv []int32) (odd uint64, last uint32) {
	for k, p := range piv {
		row := uint32(p) - 1
		last = max(last, row)
		odd ^= differ(row, uint32(k))
	}
	return odd, last
}

// shortDet is the plain product of a real diagonal, if nothing on the way comes near the ends of float64: the same bits as with scaling.
func shortDet[T Number](n int, lu []T, ld int) (z float64, ok bool) {
	switch x := any(lu).(type) {
	case []float32:
		return diagonalProduct(n, x, ld)
	case []float64:
		return diagonalProduct(n, x, ld)
	}
	return 0, false
}

func diagonalProduct[T float32 | float64](n int, x []T, ld int) (z float64, ok bool) {
	z = 1
	if unsafe.Sizeof(x[0]) == 4 && n <= 6 { // as many exponents of float32 are far from the ends of float64
		for i := range n {
			z *= float64(x[i*ld+i])
		}
		return z, true
	}
	for i := range n {
		z *= float64(x[i*ld+i])
		if m := math.Abs(z); !(m > 0x1p-900 && m < 0x1p+900) {
			return 0, false
		}
	}
	return z, true
}

// LogDet is the sign of the determinant of a factored matrix, and the logarithm of its magnitude.
func LogDet[T Number](n int, lu []T, ld int, piv []int32) (sign T, log float64) {
	z := complex(1, 0)
	if odd(piv) {
		z = -1
	}
	for i := range n {
		d := lu[i*ld+i]
		m := abs(d)
		if m == 0 {
			return 0, math.Inf(-1)
		}
		z *= complex(re(d)/m, im(d)/m)
		log += math.Log(m)
	}
	if isComplex[T]() && n > 0 {
		m := math.Hypot(real(z), imag(z))
		z = complex(real(z)/m, imag(z)/m)
	}
	return of[T](real(z), imag(z)), log
}

// Adjugate writes the adjugate of a, n×n, to z: the transposed cofactors, det(A)·A⁻¹ where A has an inverse. By singular values it
// is right for singular matrices too.
func (s *Solver[T]) Adjugate(n int, a, z []T) {
	at := s.at()
	defer s.back(at)
	if n == 0 {
		return
	}
	if n == 1 {
		z[0] = 1
		return
	}
	c, u, vh, sv := s.take(n*n), s.take(n*n), s.take(n*n), make([]float64, n)
	copy(c, a)
	if s.SVD(n, n, c, sv, u, n, vh, n) != 0 {
		for i := range z {
			z[i] = of[T](math.NaN(), math.NaN())
		}
		return
	}
	// adj A = det(U)·det(Vᴴ)·V·diag(Π of the other values)·Uᴴ
	phase := s.determinant(n, u) * s.determinant(n, vh)
	v, uh := s.take(n*n), s.take(n*n)
	for i := range n {
		others := 1.0
		for k, x := range sv {
			if k != i {
				others *= x
			}
		}
		f := of[T](real(phase)*others, imag(phase)*others)
		for k := range n {
			v[k*n+i] = conj(vh[i*n+k]) * f
			uh[i*n+k] = conj(u[k*n+i])
		}
	}
	s.Mul(n, n, n, v, n, 1, uh, n, 1, z, n, false)
}

func (s *Solver[T]) determinant(n int, a []T) complex128 {
	at := s.at()
	defer s.back(at)
	c, piv := s.take(n*n), make([]int32, n)
	copy(c, a)
	s.LU(n, n, c, n, piv)
	d := Det(n, c, n, piv)
	return complex(re(d), im(d))
}
