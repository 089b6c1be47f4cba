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

// fromLeft replaces the m rows of x, n apart, by those of uᵀ·x, in columns from … to-1.
func (u *small) fromLeft(m int, x []float64, n, from, to int) {
	a, b := x[from:to], x[n+from:n+to]
	switch m {
	case 2:
		for j, p := range a {
			q := b[j]
			a[j], b[j] = u[0][0]*p+u[1][0]*q, u[0][1]*p+u[1][1]*q
		}
	case 3:
		c := x[2*n+from : 2*n+to]
		for j, p := range a {
			q, r := b[j], c[j]
			a[j] = u[0][0]*p + u[1][0]*q + u[2][0]*r
			b[j] = u[0][1]*p + u[1][1]*q + u[2][1]*r
			c[j] = u[0][2]*p + u[1][2]*q + u[2][2]*r
		}
	case 4:
		c, d := x[2*n+from:2*n+to], x[3*n+from:3*n+to]
		for j, p := range a {
			q, r, s := b[j], c[j], d[j]
			a[j] = u[0][0]*p + u[1][0]*q + (u[2][0]*r + u[3][0]*s)
			b[j] = u[0][1]*p + u[1][1]*q + (u[2][1]*r + u[3][1]*s)
			c[j] = u[0][2]*p + u[1][2]*q + (u[2][2]*r + u[3][2]*s)
			d[j] = u[0][3]*p + u[1][3]*q + (u[2][3]*r + u[3][3]*s)
		}
	}
}

// fromRight replaces the first m elements of rows of x, n apart, by those of x·u.
func (u *small) fromRight(m int, x []float64, n, rows int) {
	for k := range rows {
		row := x[k*n:][:m]
		var v [4]float64
		copy(v[:], row)
		for a := range row {
			row[a] = v[0]*u[0][a] + v[1]*u[1][a] + (v[2]*u[2][a] + v[3]*u[3][a])
		}
	}
}

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
	u.fromLeft(m, h[i*n:], n, i, r.n)
	u.fromLeft(m, r.q[i*n:], n, 0, r.n)
	u.fromRight(m, h[i:], n, i+m)
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
// those of (-X, 1), where A·X - X·B is what is right of A and above B.
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

// sylvester solves A·X - X·B = C for the blocks of p and q rows of d, and C right of the first, by elimination.
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
