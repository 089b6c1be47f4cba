package lapack

import (
	"math"
	"slices"
)

// shortBidiagonal is the size up to which a bidiagonal problem is solved by QR steps rather than cut in two.
const shortBidiagonal = 24

// bidivider solves a bidiagonal problem in two parts and the row between them. A part that is not the last has a column more than rows,
// which the row behind it shares; its right vectors have one more, which belongs to no singular value.
type bidivider struct {
	s, one *Solver[float64] // for all goroutines, and for one of several
	ld     int
	u, v   []float64 // rows are vectors
	// Memory of joints; each uses that of its own rows.
	next, work []float64
	fu, fv     []float64 // vectors of the inner problem, in rows
}

// bidiagonalVectors finds the singular values of d with e above it, in place of d, descending, and the vectors: the rows of u and v, with
// ld elements, which are zero before.
func (s *Solver[T]) bidiagonalVectors(d, e, u, v []float64, ld int) bool {
	n := len(d)
	if n <= shortBidiagonal {
		for i := range n {
			u[i*ld+i], v[i*ld+i] = 1, 1
		}
		return s.bidiagonalQR(d, e, u, v, ld)
	}
	norm := max(largest(d), largest(e[:n-1]))
	if norm == 0 {
		for i := range n {
			u[i*ld+i], v[i*ld+i] = 1, 1
		}
		return true
	}
	_, exp := math.Frexp(norm)
	f := math.Ldexp(1, max(min(-exp, 1000), -1000))
	scaleBy(d, f)
	scaleBy(e[:n-1], f)
	wide := s.inFloat64()
	at := wide.at()
	defer wide.back(at)
	room := func() []float64 { return wide.take(n * ld) }
	q := &bidivider{s: wide, one: wide.one(), ld: ld, u: u, v: v, next: room(), work: room(), fu: room(), fv: room()}
	p := &bidiagonalPart{bidivider: q, d: d, e: e[:n-1]}
	conquer(p, wide.each)
	if !p.ok {
		return false
	}
	slices.Reverse(p.order)
	values := make([]float64, n)
	for i, o := range p.order {
		values[i] = d[o] / f
	}
	copy(d, values)
	for _, x := range [][]float64{u, v} {
		for i, o := range p.order {
			copy(q.next[i*ld:][:n], x[o*ld:][:n])
		}
		copy(x, q.next)
	}
	return true
}

// bidiagonalPart is the part that begins with row at, wide if it has a column more than rows.
type bidiagonalPart struct {
	*bidivider
	at            int
	d, e          []float64
	wide          bool
	alpha, beta   float64 // the row between its two parts
	first, second *bidiagonalPart
	order         []int // ascending, of its values
	ok            bool
}

func (p *bidiagonalPart) size() int { return len(p.d) }

func (p *bidiagonalPart) split() (first, second division) {
	if len(p.d) <= shortBidiagonal {
		return nil, nil
	}
	d, e, m := p.d, p.e, len(p.d)/2
	p.alpha, p.beta = d[m], e[m]
	p.first = &bidiagonalPart{bidivider: p.bidivider, at: p.at, d: d[:m], e: e[:m], wide: true}
	p.second = &bidiagonalPart{bidivider: p.bidivider, at: p.at + m + 1, d: d[m+1:], e: e[m+1:], wide: p.wide}
	return p.first, p.second
}

// solve solves a short part by QR steps; one column more than rows is a row of zeros more.
func (p *bidiagonalPart) solve() {
	n := len(p.d)
	cols := n
	if p.wide {
		cols++
	}
	ld := (cols + 7) / 8 * 8
	u, v := make([]float64, cols*ld), make([]float64, cols*ld)
	for i := range cols {
		u[i*ld+i], v[i*ld+i] = 1, 1
	}
	values, above := make([]float64, cols), make([]float64, cols)
	copy(values, p.d)
	copy(above, p.e)
	alone := &Solver[float64]{Vectors: p.s.Vectors}
	if p.ok = alone.bidiagonalQR(values, above, u, v, ld); !p.ok {
		return
	}
	copy(p.d, values)
	for i := range cols {
		if i < n {
			copy(p.u[(p.at+i)*p.ld+p.at:][:n], u[i*ld:])
		}
		copy(p.v[(p.at+i)*p.ld+p.at:][:cols], v[i*ld:])
	}
	p.order = ascending(p.d)
}

func (p *bidiagonalPart) join(alone bool) {
	if p.ok = p.first.ok && p.second.ok; !p.ok {
		return
	}
	s, m := p.s, len(p.first.d)
	if alone {
		s = p.one
	}
	j := &bijoint{bidivider: p.bidivider, s: s, at: p.at, n: len(p.d), m: m, wide: p.wide, d: p.d}
	j.order = merge(p.d, p.first.order, p.second.order, m+1)
	j.connect(p.alpha, p.beta)
	j.deflate()
	j.join()
	p.order = ascending(p.d)
}

// bijoint joins rows at … at+m-1, row at+m, and those behind it, n together.
type bijoint struct {
	*bidivider
	s        *Solver[float64]
	at, n, m int
	wide     bool
	d        []float64
	z        []float64 // the row between the parts, in the basis of their right vectors
	tol      float64
	order    []int // of the values but that of the row between
	live     []int // rows that take part: first the one between, then by ascending value
	done     []int
	kind     []int // of each row: columns of the first part, of both, of the second
}

func (j *bijoint) left(i int) []float64 { return j.u[(j.at+i)*j.ld+j.at:][:j.n] }

func (j *bijoint) right(i int) []float64 {
	if j.wide {
		return j.v[(j.at+i)*j.ld+j.at:][:j.n+1]
	}
	return j.v[(j.at+i)*j.ld+j.at:][:j.n]
}

// connect makes z. The row between has an element for one of the right vectors that belong to no value; with a wide second part there are
// two of these, rotated so that the element for the other is 0.
func (j *bijoint) connect(alpha, beta float64) {
	m := j.m
	j.z, j.kind = make([]float64, j.n), make([]int, j.n)
	for i := range j.n {
		switch {
		case i < m:
			j.z[i] = alpha * j.right(i)[m]
		case i > m:
			j.z[i], j.kind[i] = beta*j.right(i)[m+1], 2
		}
	}
	j.kind[m] = 1
	j.left(m)[m] = 1
	j.d[m] = 0
	j.tol = max(8*0x1p-53*max(largest(j.d), math.Abs(alpha), math.Abs(beta)), 0x1p-200) // the whole matrix has norm 1
	z := alpha * j.right(m)[m]
	if j.wide {
		other := beta * j.right(j.n)[m+1]
		if r := math.Hypot(z, other); r > 0 {
			rotate(j.right(m), j.right(j.n), z/r, -other/r)
			z = r
		}
	}
	if math.Abs(z) <= j.tol {
		z = math.Copysign(j.tol, z)
	}
	j.z[m] = z
}

// deflate finds rows that stay as they are, as that of joint does.
func (j *bijoint) deflate() {
	d, z := j.d, j.z
	j.live = append(j.live, j.m)
	prev := -1
	for _, i := range j.order {
		if math.Abs(z[i]) <= j.tol {
			j.done = append(j.done, i)
			continue
		}
		if prev < 0 {
			prev = i
			continue
		}
		if d[i]-d[prev] > j.tol {
			j.live = append(j.live, prev)
			prev = i
			continue
		}
		s, c := z[prev], z[i]
		tau := math.Hypot(c, s)
		c, s = c/tau, -s/tau
		z[i], z[prev] = tau, 0
		rotate(j.left(prev), j.left(i), c, -s)
		rotate(j.right(prev), j.right(i), c, -s)
		if j.kind[prev] != j.kind[i] {
			j.kind[prev], j.kind[i] = 1, 1
		}
		j.done = append(j.done, prev)
		prev = i
	}
	if prev >= 0 {
		j.live = append(j.live, prev)
	}
	// A value of 0 is that of the row between; others stay away from it by less than is negligible.
	for _, i := range j.live[1:] {
		d[i] = max(d[i], j.tol/2)
	}
}

// join solves the inner problem and multiplies the vectors. Rows come out with those that took part first.
func (j *bijoint) join() {
	k := len(j.live)
	rows, list := make([]int, 0, k), make([]int, 0, k)
	counts := [3]int{}
	for kind := range 3 {
		for p, i := range j.live {
			if j.kind[i] == kind {
				rows, list = append(rows, p), append(list, i)
				counts[kind]++
			}
		}
	}
	values := j.inner(rows)
	from := j.at*j.ld + j.at
	out := j.next[from:]
	for side, x := range [][]float64{j.u, j.v} {
		cols, f := j.n, j.fu[j.at*j.ld:]
		if side == 1 {
			f = j.fv[j.at*j.ld:]
			if j.wide {
				cols++
			}
		}
		c := &combination[float64]{mul: j.s.Mul, ld: j.ld, x: x[from:], rows: list, alone: counts[0], both: counts[1], left: j.m + 1,
			right: cols - j.m - 1, work: j.work[j.at*j.ld:], out: out}
		c.multiply(f[:k*k])
		for p, i := range j.done {
			copy(out[(k+p)*j.ld:][:cols], x[from+i*j.ld:])
		}
		for i := range j.n {
			copy(x[from+i*j.ld:][:cols], out[i*j.ld:])
		}
	}
	for _, i := range j.done {
		values = append(values, j.d[i])
	}
	copy(j.d, values)
}

// inner solves the problem of a matrix with first row z and diagonal d behind it. It returns the values and writes the vectors to the
// rows of fu and fv, with elements in the order that is given. They are those of a z nearby for which the values are exact.
func (j *bijoint) inner(rows []int) []float64 {
	k := len(j.live)
	q := &secular{d: make([]float64, k), z2: make([]float64, k), rho: 1, square: true, poles: j.s.Poles}
	for p, i := range j.live {
		q.d[p], q.z2[p] = j.d[i], j.z[i]*j.z[i]
		q.sum += q.z2[p]
	}
	values := make([]float64, k, j.n)
	const chunk = 16
	blocks := (k + chunk - 1) / chunk
	lefts, rights := j.fu[j.at*j.ld:], j.fv[j.at*j.ld:]
	j.s.each(blocks, func(b int) {
		for p := b * chunk; p < min((b+1)*chunk, k); p++ {
			origin, mu := q.root(p, rights[p*k:][:k])
			o := q.d[origin]
			values[p] = o + mu/(o+math.Sqrt(max(o*o+mu, 0)))
		}
	})
	near := q.nearby(rights, func(i int) bool { return j.z[j.live[i]] < 0 }, j.s.each)
	j.s.each(blocks, func(b int) {
		u, v := make([]float64, k), make([]float64, k)
		for p := b * chunk; p < min((b+1)*chunk, k); p++ {
			delta := rights[p*k:][:k]
			for i := range v {
				v[i] = near[i] / delta[i]
				u[i] = q.d[i] * v[i]
			}
			u[0] = -1
			fu, fv := 1/lengthOf(u), 1/lengthOf(v)
			left := lefts[p*k:][:k]
			for t, r := range rows {
				left[t], delta[t] = u[r]*fu, v[r]*fv
			}
		}
	})
	return values
}
