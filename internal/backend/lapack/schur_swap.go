package lapack

import "math"

// moveUp moves the block of size rows at row i of a quasi-triangle up to row to, by exchanging it with each block above. It reports whether
// all of that was possible.
func (r *francis) moveUp(i, size, to int) bool {
	for i > to {
		above := 1
		if i-2 >= to && r.h[(i-1)*r.ld+i-2] != 0 {
			above = 2
		}
		if !r.exchange(i-above, above, size) {
			return false
		}
		i -= above
		if size == 2 && r.h[(i+1)*r.ld+i] == 0 { // a pair became two real eigenvalues
			return r.moveUp(i, 1, to) && r.moveUp(i+1, 1, to+1)
		}
	}
	return true
}

// small is a matrix of up to four rows.
type small [4][4]float64

// exchange exchanges the block of p rows at row i of a quasi-triangle with the one of q rows behind it. It leaves all as it is, and reports
// that, if what should become zero does not.
func (r *francis) exchange(i, p, q int) bool {
	n, h, m := r.ld, r.h, p+q
	var d small
	big := 0.0
	for a := range m {
		for b := range m {
			d[a][b] = h[(i+a)*n+i+b]
			big = max(big, math.Abs(d[a][b]))
		}
	}
	u, ok := swapper(&d, p, q, big)
	if !ok {
		return false
	}
	rows := func(x []float64, from, to int) {
		for j := from; j < to; j++ {
			var v [4]float64
			for a := range m {
				v[a] = x[(i+a)*n+j]
			}
			for a := range m {
				sum := 0.0
				for b := range m {
					sum += u[b][a] * v[b]
				}
				x[(i+a)*n+j] = sum
			}
		}
	}
	rows(h, i, r.n)
	rows(r.q, 0, r.n)
	for k := range i + m {
		row := h[k*n+i:][:m]
		var v [4]float64
		copy(v[:], row)
		for a := range row {
			sum := 0.0
			for b := range m {
				sum += v[b] * u[b][a]
			}
			row[a] = sum
		}
	}
	for a := q; a < m; a++ {
		clear(h[(i+a)*n+i:][:q])
	}
	if q == 2 && h[(i+1)*n+i] != 0 {
		r.standardize(i)
	}
	if p == 2 && h[(i+q+1)*n+i+q] != 0 {
		r.standardize(i + q)
	}
	return true
}

// swapper is an orthogonal matrix whose first q columns are what the last q rows of d, a quasi-triangle of blocks p and q, leave invariant:
// those of (-X, 1), where A·X - X·B is what is beside the blocks A and B.
func swapper(d *small, p, q int, big float64) (u small, ok bool) {
	x := sylvester(d, p, q, big)
	m := p + q
	var y small
	for b := range q {
		for a := range p {
			y[a][b] = -x[a][b]
		}
		y[p+b][b] = 1
	}
	for a := range m {
		u[a][a] = 1
	}
	for j := range q {
		var v [4]float64
		for a := j; a < m; a++ {
			v[a] = y[a][j]
		}
		_, tau := reflector(m-j, v[j:m], 1)
		v[j] = 1
		for b := j + 1; b < q; b++ {
			sum := 0.0
			for a := j; a < m; a++ {
				sum += v[a] * y[a][b]
			}
			for a := j; a < m; a++ {
				y[a][b] -= tau * sum * v[a]
			}
		}
		for a := range m { // u·H
			sum := 0.0
			for b := j; b < m; b++ {
				sum += u[a][b] * v[b]
			}
			for b := j; b < m; b++ {
				u[a][b] -= tau * sum * v[b]
			}
		}
	}
	for a := q; a < m; a++ { // uᵀ·d·u below its first block
		for b := range q {
			sum := 0.0
			for k := range m {
				for l := range m {
					sum += u[k][a] * d[k][l] * u[l][b]
				}
			}
			if !(math.Abs(sum) <= 20*0x1p-53*big) {
				return u, false
			}
		}
	}
	return u, true
}

// sylvester solves A·X - X·B = C for the blocks of p and q rows of d, and C beside them, by elimination.
func sylvester(d *small, p, q int, big float64) (x small) {
	m := p * q
	var k [4][5]float64 // unknown a·q+b is that of row a and column b
	for a := range p {
		for b := range q {
			row := &k[a*q+b]
			for c := range p {
				row[c*q+b] += d[a][c]
			}
			for c := range q {
				row[a*q+c] -= d[p+c][p+b]
			}
			row[4] = d[a][p+b]
		}
	}
	for j := range m {
		at := j
		for i := j + 1; i < m; i++ {
			if math.Abs(k[i][j]) > math.Abs(k[at][j]) {
				at = i
			}
		}
		k[j], k[at] = k[at], k[j]
		if math.Abs(k[j][j]) < 0x1p-53*big {
			k[j][j] = 0x1p-53 * big
		}
		for i := j + 1; i < m; i++ {
			f := k[i][j] / k[j][j]
			for c := j; c < 5; c++ {
				k[i][c] -= f * k[j][c]
			}
		}
	}
	for i := m - 1; i >= 0; i-- {
		sum := k[i][4]
		for c := i + 1; c < m; c++ {
			sum -= k[i][c] * x[c/q][c%q]
		}
		x[i/q][i%q] = sum / k[i][i]
	}
	return x
}
