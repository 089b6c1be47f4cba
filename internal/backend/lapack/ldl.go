package lapack

import "math"

// LDL factors a symmetric matrix, or a Hermitian one, n×n, whose lower triangle is given: P·L·D·Lᵀ·Pᵀ (Lᴴ) with blocks of one or two rows
// in D, by the pivots of Bunch and Kaufman. L and D replace the lower triangle. A pivot of one row k has piv[k] = p+1, where rows k and p
// were exchanged; one of two has piv[k] = piv[k+1] = -(p+1) for rows k+1 and p. info is 0, or one more than the number of the first pivot
// that is zero.
func LDL[T Number](n int, a []T, piv []int32, hermitian bool) (info int) {
	cj := func(x T) T {
		if hermitian {
			return conj(x)
		}
		return x
	}
	alpha := (1 + math.Sqrt(17)) / 8
	for k := 0; k < n; {
		step, p := 1, k
		akk := size(a[k*n+k])
		if hermitian {
			akk = math.Abs(re(a[k*n+k]))
		}
		im, col := k, 0.0
		for i := k + 1; i < n; i++ {
			if v := size(a[i*n+k]); v > col {
				im, col = i, v
			}
		}
		switch {
		case max(akk, col) == 0 || akk != akk:
			if info == 0 {
				info = k + 1
			}
			piv[k] = int32(k + 1)
			k++
			continue
		case akk < alpha*col:
			row := 0.0
			for j := k; j < im; j++ {
				row = max(row, size(a[im*n+j]))
			}
			for i := im + 1; i < n; i++ {
				row = max(row, size(a[i*n+im]))
			}
			switch {
			case akk >= alpha*col*(col/row):
			case size(a[im*n+im]) >= alpha*row:
				p = im
			default:
				p, step = im, 2
			}
		}
		kk := k + step - 1
		if p != kk {
			exchangeSymmetric(n, a, k, kk, p, step, hermitian)
		}
		if hermitian {
			a[k*n+k] = of[T](re(a[k*n+k]), 0)
			a[kk*n+kk] = of[T](re(a[kk*n+kk]), 0)
		}
		if step == 1 {
			d := a[k*n+k]
			for j := k + 1; j < n; j++ {
				f := cj(a[j*n+k]) / d
				for i := j; i < n; i++ {
					a[i*n+j] -= a[i*n+k] * f
				}
			}
			for i := k + 1; i < n; i++ {
				a[i*n+k] /= d
			}
			piv[k] = int32(p + 1)
			k++
			continue
		}
		twoRows(n, a, k, cj)
		piv[k], piv[k+1] = -int32(p+1), -int32(p+1)
		k += 2
	}
	return info
}

// exchangeSymmetric exchanges rows and columns kk and p of what is left of the lower triangle.
func exchangeSymmetric[T Number](n int, a []T, k, kk, p, step int, hermitian bool) {
	for i := p + 1; i < n; i++ {
		a[i*n+kk], a[i*n+p] = a[i*n+p], a[i*n+kk]
	}
	for j := kk + 1; j < p; j++ {
		x, y := a[j*n+kk], a[p*n+j]
		if hermitian {
			x, y = conj(x), conj(y)
		}
		a[j*n+kk], a[p*n+j] = y, x
	}
	if hermitian {
		a[p*n+kk] = conj(a[p*n+kk])
	}
	a[kk*n+kk], a[p*n+p] = a[p*n+p], a[kk*n+kk]
	if step == 2 {
		a[(k+1)*n+k], a[p*n+k] = a[p*n+k], a[(k+1)*n+k]
	}
}

// twoRows eliminates with the 2×2 pivot at row k.
func twoRows[T Number](n int, a []T, k int, cj func(T) T) {
	d11, d21, d22 := a[k*n+k], a[(k+1)*n+k], a[(k+1)*n+k+1]
	f := of[T](max(size(d11), size(d21), size(d22)), 0)
	d11, d21, d22 = d11/f, d21/f, d22/f
	det := d11*d22 - d21*cj(d21)
	for j := k + 2; j < n; j++ {
		x, y := a[j*n+k], a[j*n+k+1]
		// (x y)·D⁻¹ for the row of L
		lx, ly := (x*d22-y*d21)/det/f, (y*d11-x*cj(d21))/det/f
		for i := j; i < n; i++ {
			a[i*n+j] -= a[i*n+k]*cj(lx) + a[i*n+k+1]*cj(ly)
		}
		a[j*n+k], a[j*n+k+1] = lx, ly
	}
}

// SolveLDL replaces b, n×cols, by the solution of A·x = b from a factorisation of A; piv must be valid (ValidLDL).
func SolveLDL[T Number](n, cols int, a []T, piv []int32, b []T, hermitian bool) {
	cj := func(x T) T {
		if hermitian {
			return conj(x)
		}
		return x
	}
	row := func(i int) []T { return b[i*cols:][:cols] }
	change := func(i, p int) {
		if i != p {
			swap(row(i), row(p))
		}
	}
	for k := 0; k < n; {
		if piv[k] > 0 {
			change(k, int(piv[k])-1)
			for i := k + 1; i < n; i++ {
				axpy(row(i), -a[i*n+k], row(k))
			}
			for j := range row(k) {
				row(k)[j] /= a[k*n+k]
			}
			k++
			continue
		}
		change(k+1, int(-piv[k])-1)
		for i := k + 2; i < n; i++ {
			axpy(row(i), -a[i*n+k], row(k))
			axpy(row(i), -a[i*n+k+1], row(k+1))
		}
		d11, d21, d22 := a[k*n+k], a[(k+1)*n+k], a[(k+1)*n+k+1]
		f := of[T](max(size(d11), size(d21), size(d22)), 0)
		d11, d21, d22 = d11/f, d21/f, d22/f
		det := d11*d22 - d21*cj(d21)
		for j := range cols {
			x, y := b[k*cols+j]/f, b[(k+1)*cols+j]/f
			b[k*cols+j], b[(k+1)*cols+j] = (d22*x-cj(d21)*y)/det, (d11*y-d21*x)/det
		}
		k += 2
	}
	for k := n - 1; k >= 0; {
		if piv[k] > 0 {
			for i := k + 1; i < n; i++ {
				axpy(row(k), -cj(a[i*n+k]), row(i))
			}
			change(k, int(piv[k])-1)
			k--
			continue
		}
		for i := k + 1; i < n; i++ {
			axpy(row(k), -cj(a[i*n+k]), row(i))
			axpy(row(k-1), -cj(a[i*n+k-1]), row(i))
		}
		change(k, int(-piv[k])-1)
		k -= 2
	}
}

// ValidLDL reports whether pivots can come from LDL.
func ValidLDL(piv []int32) bool {
	n := int32(len(piv))
	for k := 0; k < len(piv); k++ {
		p := piv[k]
		switch {
		case p > 0 && p <= n:
		case p < 0 && -p <= n && k+1 < len(piv) && piv[k+1] == p:
			k++
		default:
			return false
		}
	}
	return true
}
