package lapack

import "math"

// A QR step with two shifts is a bulge below the diagonal that reflections of three rows chase from the top of a block to its bottom. A
// sweep has several of them, three rows apart. It goes in rounds, each of which moves all bulges down by some rows: the reflectors are
// made, bulge by bulge, within the window of rows and columns that they need; then the rest of the matrix has them all at once, slab by
// slab.

// bulge is a QR step under way. Its shifts have the sum x+y and the product x·y - prod.
type bulge struct {
	x, y, prod float64
	from, to   int       // the rows of the reflectors of a round
	f          []float64 // for each the second and third element of its vector, whose first is 1, and tau
}

// chaseSteps is the number of reflectors of a bulge in a round.
const chaseSteps = 16

// slabSchur is the number of columns or rows of a slab.
const slabSchur = 64

// step is a step with two shifts over rows lo … hi.
func (r *francis) step(lo, hi int) {
	n, h := r.ld, r.h
	b := &r.one[0]
	b.x, b.y = h[hi*n+hi], h[(hi-1)*n+hi-1]
	b.prod = h[hi*n+hi-1] * h[(hi-1)*n+hi]
	if r.sweeps%10 == 0 { // exceptional shifts break a cycle
		f := math.Abs(h[hi*n+hi-1]) + math.Abs(h[(hi-1)*n+hi-2])
		b.x = 0.75*f + h[hi*n+hi]
		b.y, b.prod = b.x, -0.4375*f*f
	}
	m := hi - 2 // where two small elements below the diagonal follow each other the step may begin
	for ; m > lo; m-- {
		p := r.begin(b, m)
		near := math.Abs(h[(m-1)*n+m-1]) + math.Abs(h[m*n+m]) + math.Abs(h[(m+1)*n+m+1])
		if math.Abs(h[m*n+m-1])*(math.Abs(p[1])+math.Abs(p[2])) <= r.eps*math.Abs(p[0])*near {
			break
		}
	}
	r.sweep(m, lo, hi, r.one[:])
}

// begin is the first column of (H - s₁)(H - s₂) for the rows from m on, scaled.
func (r *francis) begin(b *bulge, m int) (p [3]float64) {
	n, h := r.ld, r.h
	z, below := h[m*n+m], h[(m+1)*n+m]
	x, y := b.x-z, b.y-z
	p[0] = (x*y - b.prod) + h[m*n+m+1]*below
	p[1] = (h[(m+1)*n+m+1] - z - x - y) * below
	p[2] = h[(m+2)*n+m+1] * below
	if f := math.Abs(p[0]) + math.Abs(p[1]) + math.Abs(p[2]); f != 0 {
		p[0], p[1], p[2] = p[0]/f, p[1]/f, p[2]/f
	}
	return p
}

// sweep chases bulges that begin in row first through the block of rows lo … hi.
func (r *francis) sweep(first, lo, hi int, chain []bulge) {
	for t := 0; t < hi-first+3*(len(chain)-1); t += chaseSteps {
		top, right := hi, 0 // the window
		for i := range chain {
			b := &chain[i]
			b.from, b.to = min(max(first+t-3*i, first), hi), min(max(first+t+chaseSteps-3*i, first), hi)
			b.f = b.f[:0]
			if b.from < b.to {
				top, right = min(top, b.from), max(right, b.to+2)
			}
		}
		for i := range chain {
			b := &chain[i]
			if b.from == b.to {
				continue
			}
			r.reflect(b, first, lo, hi)
			r.fromLeft(b, b.to+2, min(right, r.n))
			r.fromRight(chain[i:i+1], top, b.from, b.from)
		}
		r.spread(chain, lo, hi, top, right)
	}
}

// reflect makes the reflectors of a bulge, and applies them to columns up to b.to+1 and to rows from b.from on.
func (r *francis) reflect(b *bulge, first, lo, hi int) {
	n, h := r.ld, r.h
	var p [3]float64
	for k := b.from; k < b.to; k++ {
		count := min(3, hi-k+1)
		if k > first {
			for i := range count {
				p[i] = h[(k+i)*n+k-1]
			}
		} else {
			p = r.begin(b, first)
		}
		if count < 3 {
			p[2] = 0
		}
		beta, tau, u := reflectThree(p)
		b.f = append(b.f, u[1], u[2], tau)
		switch {
		case k > first:
			h[k*n+k-1] = beta
			for i := 1; i < count; i++ {
				h[(k+i)*n+k-1] = 0
			}
		case k > lo:
			h[k*n+k-1] *= 1 - tau
		}
		if tau == 0 {
			continue
		}
		cols := min(b.to+2, r.n) - k
		x, y, z := h[k*n+k:][:cols], h[(k+1)*n+k:][:cols], h[(k+2)*n+k:][:cols]
		for j, v := range x {
			sum := (v + u[1]*y[j] + u[2]*z[j]) * tau
			x[j] = v - sum
			y[j] -= sum * u[1]
			z[j] -= sum * u[2]
		}
		for i := b.from; i <= min(hi, k+3); i++ {
			row := h[i*n+k:][:3]
			sum := (row[0] + row[1]*u[1] + row[2]*u[2]) * tau
			row[0] -= sum
			row[1] -= sum * u[1]
			row[2] -= sum * u[2]
		}
	}
}

// reflectThree is reflector for three numbers. The vector is u, whose first element is not to be read.
func reflectThree(p [3]float64) (beta, tau float64, u [3]float64) {
	rest := p[1]*p[1] + p[2]*p[2]
	sum := p[0]*p[0] + rest
	if !(rest > 0x1p-900 && sum < 0x1p+900) {
		u = p
		beta, tau = reflector(3, u[:], 1)
		return beta, tau, u
	}
	beta = -math.Copysign(math.Sqrt(sum), p[0])
	f := 1 / (p[0] - beta)
	return beta, (beta - p[0]) / beta, [3]float64{1, p[1] * f, p[2] * f}
}

// fromLeft applies the reflectors of a bulge to columns first … last-1.
func (r *francis) fromLeft(b *bulge, first, last int) {
	x, n := r.h[b.from*r.ld:], r.ld
	if whole := (last - first) &^ 3; whole > 0 {
		r.triples(x[first:], n, whole, b.f)
		first += whole
	}
	if first < last {
		r.triples(x[first:], n, last-first, b.f)
	}
}

// fromRight applies the reflectors of a chain to rows first … last-1, whose columns begin with column at. They go through a transposed
// copy.
func (r *francis) fromRight(chain []bulge, first, last, at int) {
	right := 0
	for i := range chain {
		right = max(right, chain[i].to+2)
	}
	if last <= first {
		return
	}
	s := r.solver
	p := s.at()
	defer s.back(p)
	r.rightSlab(chain, first, last, at, right-at, s.take((right-at)*((last-first+7)&^7)))
}

// rightSlab is fromRight with room for the copy of cols columns.
func (r *francis) rightSlab(chain []bulge, first, last, at, cols int, room []float64) {
	rows := last - first
	wide := (rows + 7) &^ 7
	x := r.h[first*r.ld+at:]
	r.solver.transpose(rows, cols, x, r.ld, room, wide)
	for c := rows; c < wide; c++ {
		for i := range cols {
			room[i*wide+c] = 0
		}
	}
	for i := range chain {
		if b := &chain[i]; len(b.f) > 0 {
			r.triples(room[(b.from-at)*wide:], wide, wide, b.f)
		}
	}
	r.solver.transpose(cols, rows, room, wide, x, r.ld)
}

// spread applies the reflectors of a round to what is outside of the window that begins with row top and ends before column right.
func (r *francis) spread(chain []bulge, lo, hi, top, right int) {
	above, last := lo, hi+1
	count := 0 // columns and rows
	if r.q != nil {
		above, last = 0, r.n
		count = r.n
	}
	slabs := func(n int) int { return (max(n, 0) + slabSchur - 1) / slabSchur }
	inH, inQ, rows := slabs(last-right), slabs(count), slabs(top-above)
	s := r.solver
	p := s.at()
	defer s.back(p)
	room := s.take(rows * slabSchur * (right - top))
	columns := func(x []float64, from, to int) {
		cols := (to - from + 7) &^ 7 // rows go on behind the last column
		for i := range chain {
			if b := &chain[i]; len(b.f) > 0 {
				r.triples(x[b.from*r.ld+from:], r.ld, cols, b.f)
			}
		}
	}
	part := func(i int) {
		switch {
		case i < inH:
			from := right + i*slabSchur
			columns(r.h, from, min(from+slabSchur, last))
		case i < inH+inQ:
			from := (i - inH) * slabSchur
			columns(r.q, from, min(from+slabSchur, r.n))
		default:
			i -= inH + inQ
			from := above + i*slabSchur
			r.rightSlab(chain, from, min(from+slabSchur, top), top, right-top, room[i*slabSchur*(right-top):])
		}
	}
	if len(chain) == 1 { // too little for several threads
		for i := range inH + inQ + rows {
			part(i)
		}
		return
	}
	s.each(inH+inQ+rows, part)
}

// tripleRows applies reflectors of three rows each to neighbouring rows of x, which are ld elements apart with cols used: the i-th is
// that of rows i, i+1 and i+2, and f has for each the second and third element of its vector, whose first is 1, and tau.
func tripleRows(x []float64, ld, cols int, f []float64) {
	for i := range len(f) / 3 {
		u1, u2, tau := f[3*i], f[3*i+1], f[3*i+2]
		a, b, c := x[i*ld:][:cols], x[(i+1)*ld:][:cols], x[(i+2)*ld:][:cols]
		for k, v := range a {
			t := tau * (v + u1*b[k] + u2*c[k])
			a[k], b[k], c[k] = v-t, b[k]-u1*t, c[k]-u2*t
		}
	}
}
