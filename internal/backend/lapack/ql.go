package lapack

import (
	"math"
	"slices"
)

// mostSweeps bounds the iterations for one eigenvalue.
const mostSweeps = 60

// tridiagonalQL finds the eigenvalues of a real symmetric tridiagonal matrix, with diagonal d and subdiagonal e, by implicit QL steps. Row
// i of z, if it is not nil, is taken along as column i of a product with rotations from the right: from the identity they become
// eigenvectors. d is in order after it. ok is false if it does not converge.
func tridiagonalQL(d, e []float64, z []float64, cols int) (ok bool) {
	n := len(d)
	tiny := 0x1p-70 * max(largest(d), largest(e)) // far below what rounding changes in any eigenvalue
	for l := range n {
		for sweep := 0; ; sweep++ {
			m := l
			for ; m < n-1; m++ {
				if small := math.Abs(e[m]); small <= 0x1p-53*math.Sqrt(math.Abs(d[m]))*math.Sqrt(math.Abs(d[m+1])) || small <= tiny {
					break
				}
			}
			if m == l {
				break
			}
			if sweep == mostSweeps || d[l] != d[l] {
				return false
			}
			qlStep(d, e, l, m, z, cols)
		}
	}
	sortRows(d, z, cols)
	return true
}

// qlStep is one implicit step with Wilkinson's shift over rows l … m.
func qlStep(d, e []float64, l, m int, z []float64, cols int) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	r := math.Hypot(g, 1)
	g = d[m] - d[l] + e[l]/(g+math.Copysign(r, g))
	sn, cs, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := sn*e[i], cs*e[i]
		if r = math.Sqrt(f*f + g*g); !(r > 0x1p-500 && r < 0x1p+500) {
			r = math.Hypot(f, g)
		}
		e[i+1] = r
		if r == 0 {
			d[i+1] -= p
			e[m] = 0
			return
		}
		sn, cs = f/r, g/r
		g = d[i+1] - p
		r = (d[i]-g)*sn + 2*cs*b
		p = sn * r
		d[i+1] = g + p
		g = cs*r - b
		if z != nil {
			rotate(z[i*cols:][:cols], z[(i+1)*cols:][:cols], cs, sn)
		}
	}
	d[l] -= p
	e[l] = g
	e[m] = 0
}

// rotate replaces rows x, y by cs·x - sn·y and sn·x + cs·y.
func rotate[R float32 | float64](x, y []R, cs, sn R) {
	y = y[:len(x)]
	for i, a := range x {
		b := y[i]
		x[i], y[i] = cs*a-sn*b, sn*a+cs*b
	}
}

// sortRows puts the values in ascending order, and the rows of z with them.
func sortRows(d, z []float64, cols int) {
	if slices.IsSorted(d) {
		return
	}
	if z == nil {
		slices.Sort(d)
		return
	}
	for i := range d {
		k := i
		for j := i + 1; j < len(d); j++ {
			if d[j] < d[k] {
				k = j
			}
		}
		if k != i {
			d[i], d[k] = d[k], d[i]
			swap(z[i*cols:][:cols], z[k*cols:][:cols])
		}
	}
}
