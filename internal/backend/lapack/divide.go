package lapack

import (
	"cmp"
	"math"
	"slices"
)

// shortTridiagonal is the size up to which a tridiagonal problem is solved by QL steps rather than cut in two.
const shortTridiagonal = 24

// divider solves a tridiagonal problem in two parts whose solutions it joins: what connects them is a matrix of rank 1, and the vectors
// of the whole are those of the parts times those of a diagonal matrix with such a change. Values are in float64, vectors in R.
type divider[R float32 | float64] struct {
	*Solver[R]
	one   *Solver[R] // for one goroutine of several
	n     int
	sides [2][]R // n×n: rows are vectors, those of a part only in its own columns. A joint goes from one side to the other
	// Memory of joints; each uses that of its own rows.
	work  []R       // rows that take part in a joint
	f     []R       // vectors of the inner problem, in rows
	delta []float64 // poles less roots, in rows
}

// tridiagonalVectors finds eigenvalues in place of d, ascending, and writes the eigenvectors to the columns of a.
func (s *Solver[T]) tridiagonalVectors(d, e []float64, a []T, ld int) bool {
	n := len(d)
	wide := s.inFloat64()
	at := wide.at()
	defer wide.back(at)
	if n <= shortTridiagonal {
		z := wide.zeros(n * n)
		for i := range n {
			z[i*n+i] = 1
		}
		if !tridiagonalQL(d, e, z, n) {
			return false
		}
		columnsOf(a, ld, n, z, nil)
		return true
	}
	// What is negligible is said for values near 1.
	f := 1.0
	if m := max(largest(d), largest(e[:n-1])); m > 0 {
		_, exp := math.Frexp(m)
		f = math.Ldexp(1, max(min(-exp, 1000), -1000))
	}
	scaleBy(d, f)
	scaleBy(e[:n-1], f)
	ok := false
	if narrow, is := any(s).(*Solver[float32]); is {
		ok = divideTridiagonal(narrow, wide, d, e, any(a).([]float32), ld)
	} else {
		ok = divideTridiagonal(wide, wide, d, e, a, ld)
	}
	unscale(d, f)
	return ok
}

// divideTridiagonal is tridiagonalVectors with vectors in R.
func divideTridiagonal[R float32 | float64, T Number](s *Solver[R], wide *Solver[float64], d, e []float64, a []T, ld int) bool {
	n := len(d)
	at := s.at()
	defer s.back(at)
	q := &divider[R]{Solver: s, one: s.one(), n: n, sides: [2][]R{s.zeros(n * n), s.zeros(n * n)}, work: s.take(n * n), f: s.take(n * n),
		delta: wide.take(n * n)}
	p := &tridiagonalPart[R]{divider: q, d: d, e: e}
	conquer(p, s.each)
	if !p.ok {
		return false
	}
	values := make([]float64, n)
	for i, o := range p.order {
		values[i] = d[o]
	}
	copy(d, values)
	same, is := any(a).([]R)
	if !is {
		columnsOf(a, ld, n, q.sides[0], p.order)
		return true
	}
	for i, o := range p.order {
		copy(q.work[i*n:][:n], q.sides[0][o*n:])
	}
	s.transpose(n, n, q.work, n, same, ld)
	return true
}

// columnsOf writes rows of z, n×n, in this order to the columns of a; nil is the order they have.
func columnsOf[R float32 | float64, T Number](a []T, ld, n int, z []R, order []int) {
	const tile = 16
	for i0 := 0; i0 < n; i0 += tile {
		i1 := min(i0+tile, n)
		for j := range n {
			o := j
			if order != nil {
				o = order[j]
			}
			for i, v := range z[o*n+i0 : o*n+i1] {
				a[(i0+i)*ld+j] = of[T](float64(v), 0)
			}
		}
	}
}

// each runs f for 0 … n-1, some at the same time where the solver can.
func (s *Solver[T]) each(n int, f func(i int)) {
	if s.Loop != nil && n > 1 {
		s.Loop(n, f)
		return
	}
	for i := range n {
		f(i)
	}
}

// tridiagonalPart is the part that begins with row at, with vectors on one side.
type tridiagonalPart[R float32 | float64] struct {
	*divider[R]
	side, at      int
	d, e          []float64
	rho           float64 // between its two parts
	first, second *tridiagonalPart[R]
	order         []int // ascending, of its values
	ok            bool
}

func (p *tridiagonalPart[R]) size() int { return len(p.d) }

func (p *tridiagonalPart[R]) split() (first, second division) {
	if len(p.d) <= shortTridiagonal {
		return nil, nil
	}
	d, e, m := p.d, p.e, len(p.d)/2
	p.rho = e[m-1]
	d[m-1] -= math.Abs(p.rho)
	d[m] -= math.Abs(p.rho)
	p.first = &tridiagonalPart[R]{divider: p.divider, side: 1 - p.side, at: p.at, d: d[:m], e: slices.Clone(e[:m])}
	p.second = &tridiagonalPart[R]{divider: p.divider, side: 1 - p.side, at: p.at + m, d: d[m:], e: e[m:]}
	return p.first, p.second
}

func (p *tridiagonalPart[R]) solve() {
	n := len(p.d)
	var room [shortTridiagonal * shortTridiagonal]float64
	small := room[:n*n]
	p.order = make([]int, n)
	for i := range n {
		small[i*n+i], p.order[i] = 1, i
	}
	p.ok = tridiagonalQL(p.d, p.e, small, n)
	for i := range n {
		z := p.sides[p.side][(p.at+i)*p.n+p.at:][:n]
		for j, v := range small[i*n:][:n] {
			z[j] = R(v)
		}
	}
}

func (p *tridiagonalPart[R]) join(alone bool) {
	if p.ok = p.first.ok && p.second.ok; !p.ok {
		return
	}
	s, m := p.Solver, len(p.first.d)
	if alone {
		s = p.one
	}
	j := joint[R]{divider: p.divider, s: s, z: p.sides[1-p.side], out: p.sides[p.side], at: p.at, n: len(p.d), m: m, d: p.d,
		rho: 2 * math.Abs(p.rho)}
	j.order = merge(p.d, p.first.order, p.second.order, m)
	j.connect(math.Signbit(p.rho))
	j.deflate()
	j.join()
	p.order = ascending(p.d)
}

// ascending is the order of values.
func ascending(d []float64) []int {
	order := make([]int, len(d))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d[a], d[b]) })
	return order
}

// merge is the ascending order of two parts, the second of which begins with element m.
func merge(d []float64, first, second []int, m int) []int {
	order := make([]int, 0, len(d))
	for len(first) > 0 || len(second) > 0 {
		if len(second) == 0 || len(first) > 0 && d[first[0]] <= d[m+second[0]] {
			order, first = append(order, first[0]), first[1:]
		} else {
			order, second = append(order, m+second[0]), second[1:]
		}
	}
	return order
}

// joint joins rows at … at+m-1 and those behind them, n together.
type joint[R float32 | float64] struct {
	*divider[R]
	s        *Solver[R]
	z, out   []R // vectors of the parts, and of the whole
	at, n, m int
	d        []float64
	rho      float64
	v        []float64 // the connection is rho·v·vᵀ
	order    []int
	live     []int // rows that take part, by ascending value
	done     []int // rows that are solutions already
	kind     []int // of each row: columns of the first part, of both, of the second
}

func (j *joint[R]) row(i int) []R { return j.z[(j.at+i)*j.divider.n+j.at:][:j.n] }

// connect makes v: the last elements of the first part's vectors and the first ones of the second's.
func (j *joint[R]) connect(negative bool) {
	j.v, j.kind = make([]float64, j.n), make([]int, j.n)
	f := 1.0
	if negative {
		f = -1
	}
	for i := range j.n {
		if i < j.m {
			j.v[i] = float64(j.row(i)[j.m-1]) * math.Sqrt2 / 2
		} else {
			j.v[i], j.kind[i] = f*float64(j.row(i)[j.m])*math.Sqrt2/2, 2
		}
	}
}

// deflate finds rows that stay as they are: those whose connection is negligible, and of two with values next to each other one, after a
// rotation that gives the other all of the connection.
func (j *joint[R]) deflate() {
	d, v := j.d, j.v
	tol := 4 * Eps[R]() * max(largest(d), largest(v))
	prev := -1
	for _, i := range j.order {
		if j.rho*math.Abs(v[i]) <= tol {
			j.done = append(j.done, i)
			continue
		}
		if prev < 0 {
			prev = i
			continue
		}
		s, c := v[prev], v[i]
		tau := math.Hypot(c, s)
		c, s = c/tau, -s/tau
		if t := d[i] - d[prev]; math.Abs(t*c*s) > tol {
			j.live = append(j.live, prev)
			prev = i
			continue
		}
		v[i], v[prev] = tau, 0
		rotate(j.row(prev), j.row(i), R(c), R(-s))
		if j.kind[prev] != j.kind[i] {
			j.kind[prev], j.kind[i] = 1, 1
		}
		d[prev], d[i] = d[prev]*c*c+d[i]*s*s, d[prev]*s*s+d[i]*c*c
		j.done = append(j.done, prev)
		prev = i
	}
	if prev >= 0 {
		j.live = append(j.live, prev)
	}
}

// join solves the inner problem and multiplies the vectors. Rows come out with those that took part first.
func (j *joint[R]) join() {
	k := len(j.live)
	values := make([]float64, 0, j.n)
	rows := make([]int, 0, k) // the live rows by kind: matrix products then skip columns that are zero
	counts := [3]int{}
	for kind := range 3 {
		for p, i := range j.live {
			if j.kind[i] == kind {
				rows = append(rows, p)
				counts[kind]++
			}
		}
	}
	values = append(values, j.inner(rows)...)
	n := j.divider.n
	out := j.out[j.at*n+j.at:]
	list := make([]int, k)
	for p, r := range rows {
		list[p] = j.live[r]
	}
	c := &combination[R]{mul: j.s.Mul, ld: n, x: j.z[j.at*n+j.at:], rows: list, alone: counts[0], both: counts[1], left: j.m,
		right: j.n - j.m, work: j.work[j.at*n:], out: out}
	c.multiply(j.f[j.at*n:][:k*k])
	for p, i := range j.done {
		copy(out[(k+p)*n:][:j.n], j.row(i))
		values = append(values, j.d[i])
	}
	copy(j.d, values)
}

// combination makes new rows of old ones: alone of these have elements in the left columns only, then come those with both, then those
// with the right ones.
type combination[R float32 | float64] struct {
	mul         Product[R]
	ld          int
	x           []R   // the old rows
	rows        []int // which of them
	alone, both int
	left, right int // columns
	work, out   []R
}

// multiply writes as many rows to out as there are old ones, with the coefficients in the rows of f.
func (c *combination[R]) multiply(f []R) {
	k := len(c.rows)
	top := c.alone + c.both
	for p, r := range c.rows[:top] {
		copy(c.work[p*c.left:][:c.left], c.x[r*c.ld:])
	}
	low := c.work[top*c.left:]
	for p, r := range c.rows[c.alone:] {
		copy(low[p*c.right:][:c.right], c.x[r*c.ld+c.left:])
	}
	c.part(k, c.left, top, f, c.work, c.out)
	c.part(k, c.right, k-c.alone, f[min(c.alone, len(f)):], low, c.out[c.left:])
}

// part writes some columns: the coefficients, in rows of k elements of which terms are read, times rows of cols elements.
func (c *combination[R]) part(k, cols, terms int, f, rows, out []R) {
	if terms == 0 || cols == 0 {
		for i := range k {
			clear(out[i*c.ld:][:cols])
		}
		return
	}
	c.mul(k, cols, terms, f, k, 1, rows, cols, 1, out, c.ld, false)
}

// inner solves the problem diag(d) + rho·v·vᵀ of the live rows. It returns the values, and writes the vectors to the rows of f with
// elements in the order that is given. The vectors are those of a connection nearby, for which the computed values are exact: so they are
// orthogonal.
func (j *joint[R]) inner(rows []int) []float64 {
	k := len(j.live)
	q := &secular{d: make([]float64, k), z2: make([]float64, k), rho: j.rho, poles: j.s.Poles}
	for p, i := range j.live {
		q.d[p], q.z2[p] = j.d[i], j.v[i]*j.v[i]
		q.sum += q.z2[p]
	}
	values := make([]float64, k)
	chunk := 16
	blocks := (k + chunk - 1) / chunk
	z, vectors := j.delta[j.at*j.divider.n:], j.f[j.at*j.divider.n:]
	j.s.each(blocks, func(b int) {
		for p := b * chunk; p < min((b+1)*chunk, k); p++ {
			origin, mu := q.root(p, z[p*k:][:k])
			values[p] = q.d[origin] + mu
		}
	})
	near := q.nearby(z, func(i int) bool { return j.v[j.live[i]] < 0 }, j.s.each)
	j.s.each(blocks, func(b int) {
		for p := b * chunk; p < min((b+1)*chunk, k); p++ {
			row := z[p*k:][:k]
			for i, x := range near {
				row[i] = x / row[i]
			}
			f := 1 / lengthOf(row)
			out := vectors[p*k:][:k]
			for t, r := range rows {
				out[t] = R(row[r] * f)
			}
		}
	})
	return values
}

// lengthOf is the norm of a vector, several squares at once where that is safe.
func lengthOf(x []float64) float64 {
	if sum := dot(x, x); sum > 0x1p-900 && sum < 0x1p+1000 {
		return math.Sqrt(sum)
	}
	return norm2(len(x), x, 1)
}

// nearby is the connection for which the roots are exact; delta has in row j the poles less root j.
func (q *secular) nearby(delta []float64, negative func(i int) bool, loop func(int, func(int))) []float64 {
	k := len(q.d)
	near := make([]float64, k)
	const chunk = 64
	loop((k+chunk-1)/chunk, func(b int) {
		lo, hi := b*chunk, min((b+1)*chunk, k)
		var room [chunk]float64
		gap := room[:hi-lo]
		for i := lo; i < hi; i++ {
			near[i] = -delta[i*k+i]
		}
		for j := range k {
			row := delta[j*k:][:k]
			q.gaps(gap, lo, j)
			for i := lo; i < hi; i++ {
				if i != j {
					near[i] *= row[i] / gap[i-lo]
				}
			}
		}
		for i := lo; i < hi; i++ {
			near[i] = math.Sqrt(math.Abs(near[i]))
			if negative(i) {
				near[i] = -near[i]
			}
		}
	})
	return near
}
