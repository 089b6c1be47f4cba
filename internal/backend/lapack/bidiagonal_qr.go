package lapack

import "math"

// bidiagonalQR finds the singular values of a bidiagonal matrix, d with e above it, by implicit QR steps: descending, in place
// of d. The rows of u and v, if not nil, n rows of ld elements, are taken along. ok is false if it does not converge.
func (s *Solver[T]) bidiagonalQR(d, e, u, v []float64, ld int) (ok bool) {
	n := len(d)
	q := &bidiagonalSteps{d: d, e: e, u: u, v: v, n: n, ld: ld, left: s.newRotations(u, ld), right: s.newRotations(v, ld),
		cu: make([]float64, n), su: make([]float64, n), cv: make([]float64, n), sv: make([]float64, n)}
	q.tiny = 0x1p-1000
	q.norm = max(largest(d), largest(e))
	p := q.n
	for sweeps := 0; p > 0; sweeps++ {
		if sweeps > mostSweeps*q.n {
			return false
		}
		k := p - 2
		for ; k >= 0; k-- {
			if math.Abs(e[k]) <= q.tiny+0x1p-53*(math.Abs(d[k])+math.Abs(d[k+1])) {
				e[k] = 0
				break
			}
		}
		if k == p-2 { // d[p-1] stands alone
			p--
			continue
		}
		zero := -1
		for i := p - 1; i > k; i-- {
			if math.Abs(d[i]) <= 0x1p-53*0x1p-30*q.norm {
				zero = i
				break
			}
		}
		switch {
		case zero == p-1:
			q.clearLast(k+1, p)
		case zero >= 0:
			d[zero] = 0
			q.clearRow(zero, p)
		default:
			q.step(k+1, p)
		}
	}
	q.left.flush()
	q.right.flush()
	q.finish()
	return true
}

type bidiagonalSteps struct {
	d, e, u, v  []float64
	n, ld       int
	tiny, norm  float64
	left, right *rotations
	// The cosines and sines of one step.
	cu, su, cv, sv []float64
}

func givens(f, g float64) (cs, sn, r float64) {
	if g == 0 {
		return 1, 0, f
	}
	r = math.Sqrt(f*f + g*g)
	if !(r > 0x1p-500 && r < 0x1p+500) {
		r = math.Hypot(f, g)
	}
	return f / r, g / r, r
}

// rotate rotates rows i and j of vectors: xᵢ = cs·xᵢ + sn·xⱼ, xⱼ = cs·xⱼ - sn·xᵢ.
func (q *bidiagonalSteps) rotate(x *rotations, i, j int, cs, sn float64) {
	x.add(i, j-i, []float64{cs}, []float64{sn})
}

// clearLast removes e[p-2] where d[p-1] is zero, by rotations of columns.
func (q *bidiagonalSteps) clearLast(k, p int) {
	f := q.e[p-2]
	q.e[p-2], q.d[p-1] = 0, 0
	for j := p - 2; j >= k; j-- {
		cs, sn, r := givens(q.d[j], f)
		q.d[j] = r
		if j > k {
			f = -sn * q.e[j-1]
			q.e[j-1] *= cs
		}
		q.rotate(q.right, j, p-1, cs, sn)
	}
}

// clearRow removes e[k] where d[k] is zero, by rotations of rows.
func (q *bidiagonalSteps) clearRow(k, p int) {
	f := q.e[k]
	q.e[k] = 0
	for j := k + 1; j < p && f != 0; j++ {
		cs, sn, r := givens(q.d[j], f)
		q.d[j] = r
		if j < p-1 {
			f = -sn * q.e[j]
			q.e[j] *= cs
		}
		q.rotate(q.left, j, k, cs, sn)
	}
}

// step is one implicit QR step over rows k … p-1, with the shift of the last two rows.
func (q *bidiagonalSteps) step(k, p int) {
	d, e := q.d, q.e
	scale := max(math.Abs(d[p-1]), math.Abs(d[p-2]), math.Abs(e[p-2]), math.Abs(d[k]), math.Abs(e[k]))
	sp, spm1, epm1 := d[p-1]/scale, d[p-2]/scale, e[p-2]/scale
	sk, ek := d[k]/scale, e[k]/scale
	b := ((spm1+sp)*(spm1-sp) + epm1*epm1) / 2
	c := (sp * epm1) * (sp * epm1)
	shift := 0.0
	if b != 0 || c != 0 {
		shift = math.Sqrt(b*b + c)
		if b < 0 {
			shift = -shift
		}
		shift = c / (b + shift)
	}
	f, g := (sk+sp)*(sk-sp)+shift, sk*ek
	for j := k; j < p-1; j++ {
		cs, sn, r := givens(f, g)
		if j > k {
			e[j-1] = r
		}
		f = cs*d[j] + sn*e[j]
		e[j] = cs*e[j] - sn*d[j]
		g = sn * d[j+1]
		d[j+1] *= cs
		q.cv[j], q.sv[j] = cs, sn
		cs, sn, r = givens(f, g)
		d[j] = r
		f = cs*e[j] + sn*d[j+1]
		d[j+1] = -sn*e[j] + cs*d[j+1]
		if j+1 < p-1 {
			g = sn * e[j+1]
			e[j+1] *= cs
		}
		q.cu[j], q.su[j] = cs, sn
	}
	e[p-2] = f
	q.right.add(k, 1, q.cv[k:p-1], q.sv[k:p-1])
	q.left.add(k, 1, q.cu[k:p-1], q.su[k:p-1])
}

// finish makes the values positive and puts them in descending order.
func (q *bidiagonalSteps) finish() {
	for i, x := range q.d {
		q.d[i] = math.Abs(x)
		if x < 0 && q.v != nil {
			row := q.v[i*q.ld:][:q.n]
			for c := range row {
				row[c] = -row[c]
			}
		}
	}
	for i := range q.d {
		k := i
		for j := i + 1; j < q.n; j++ {
			if q.d[j] > q.d[k] {
				k = j
			}
		}
		if k == i {
			continue
		}
		q.d[i], q.d[k] = q.d[k], q.d[i]
		if q.u != nil {
			swap(q.u[i*q.ld:][:q.n], q.u[k*q.ld:][:q.n])
			swap(q.v[i*q.ld:][:q.n], q.v[k*q.ld:][:q.n])
		}
	}
}
