package lapack

// tallPanel is the number of rows from which the columns of a panel are made contiguous, and widePanel the number of columns up to which.
const (
	tallPanel = 32
	widePanel = 128
)

// columnPad is between the columns of a panel, in elements. They hold zeros, for whole vectors at the end of a column.
const columnPad = 16

// leafColumns is the number of columns of a panel that are factored one by one.
const leafColumns = 8

// luColumns is luPanel on a transposed copy: vectors run along the columns.
func (s *Solver[T]) luColumns(m, n int, a []T, ld int, piv []int32) (info int) {
	at := s.at()
	defer s.back(at)
	l := m + columnPad // columns a power of two apart would share the sets of a cache
	p := &tallLU[T]{Solver: s, m: m, n: n, ld: l, x: s.take(l * n), piv: piv}
	s.transpose(m, n, a, ld, p.x, l)
	for c := range n {
		clear(p.x[c*l+m:][:columnPad])
	}
	k := min(m, n)
	p.factor(0, k)
	if m < n {
		p.exchange(0, m, m, n)
		p.update(0, m, n)
	}
	s.transpose(n, m, p.x, l, a, ld)
	return p.info
}

// tallLU is a panel of columns, which are the rows of x.
type tallLU[T Number] struct {
	*Solver[T]
	m, n, ld int
	x        []T
	piv      []int32
	info     int
}

// factor factors columns from … to-1 from their diagonal on; what is before them is done.
func (p *tallLU[T]) factor(from, to int) {
	if to-from <= leafColumns {
		p.leaf(from, to)
		return
	}
	h := from + (to-from+2*leafColumns-1)/(2*leafColumns)*leafColumns
	p.factor(from, h)
	p.exchange(from, h, h, to)
	p.update(from, h, to)
	p.factor(h, to)
	p.exchange(h, to, from, h)
}

// exchange applies the row exchanges of columns from … to-1 to columns first … last-1.
func (p *tallLU[T]) exchange(from, to, first, last int) {
	piv := p.piv[from:to]
	for c := first; c < last; c++ {
		y := p.x[c*p.ld:][:p.m]
		for i, r := range piv {
			y[from+i], y[r] = y[r], y[from+i]
		}
	}
}

// leaf is factor for a few columns.
func (p *tallLU[T]) leaf(from, to int) {
	r := from + p.peak(p.x[from*p.ld+from:][:p.m-from])
	for j := from; j < to; j++ {
		p.piv[j] = int32(r)
		if r != j {
			for c := from; c < to; c++ {
				y := p.x[c*p.ld:]
				y[j], y[r] = y[r], y[j]
			}
		}
		if p.x[j*p.ld+j] == 0 && p.info == 0 {
			p.info = j + 1
		}
		if j+1 < p.m {
			r = j + 1 + p.eliminate(j, to)
		}
	}
}

// eliminate divides what is below the diagonal of column j by it, and subtracts from columns j+1 … to-1 what it is in them. It returns
// the peak of the next column below the diagonal.
func (p *tallLU[T]) eliminate(j, to int) (peak int) {
	var room [leafColumns]T
	f, rows := room[:to-j], p.m-j-1
	x := p.x[j*p.ld+j+1:]
	f[0] = p.inverse(x[:rows], p.x[j*p.ld+j])
	for i := range f[1:] {
		f[i+1] = p.x[(j+1+i)*p.ld+j]
	}
	switch v := any(x).(type) {
	case []float32:
		if p.Eliminate32 != nil {
			if peak, ok := p.Eliminate32(v, p.ld, rows, any(f).([]float32)); ok {
				return peak
			}
		}
	case []float64:
		if p.Eliminate64 != nil {
			if peak, ok := p.Eliminate64(v, p.ld, rows, any(f).([]float64)); ok {
				return peak
			}
		}
	}
	col := x[:rows]
	for i := range col {
		col[i] *= f[0]
	}
	for i, g := range f[1:] {
		axpy(x[(i+1)*p.ld:][:rows], -g, col)
	}
	if len(f) == 1 {
		return 0
	}
	return p.peak(x[p.ld:][:rows])
}

// inverse is what a column is to be multiplied by to divide it by its pivot: 1 for a pivot of 0, and for one without an inverse,
// by which the column is divided here.
func (p *tallLU[T]) inverse(col []T, d T) T {
	if d == 0 {
		return 1
	}
	if f := 1 / d; abs(d) >= least[T]() && abs(f) <= maxFloat {
		return f
	}
	for i := range col {
		col[i] /= d
	}
	return 1
}

// update subtracts from columns h … to-1 what columns from … h-1 are in them.
func (p *tallLU[T]) update(from, h, to int) {
	p.forward(from, h, h, to)
	if rows := p.m - h; rows > 0 {
		p.subtractColumns(from, h, h, to, h, rows)
	}
}

// forward solves with the unit triangle of columns from … h-1 for rows from … h-1 of columns first … last-1.
func (p *tallLU[T]) forward(from, h, first, last int) {
	k := h - from
	if k > leafColumns {
		mid := from + (k+2*leafColumns-1)/(2*leafColumns)*leafColumns
		p.forward(from, mid, first, last)
		p.subtractColumns(from, mid, first, last, mid, h-mid)
		p.forward(mid, h, first, last)
		return
	}
	for c := first; c < last; c++ {
		y := p.x[c*p.ld+from:][:k]
		for i, v := range y {
			l := p.x[(from+i)*p.ld+from:][:k]
			for q := i + 1; q < k; q++ {
				y[q] -= v * l[q]
			}
		}
	}
}

// subtractColumns subtracts from rows row … row+rows-1 of columns first … last-1 what columns from … to-1 are in them.
func (p *tallLU[T]) subtractColumns(from, to, first, last, row, rows int) {
	at := p.at()
	defer p.back(at)
	k := to - from
	minus := p.take((last - first) * k)
	for c := first; c < last; c++ {
		p.negate(minus[(c-first)*k:][:k], p.x[c*p.ld+from:][:k])
	}
	p.Mul(last-first, rows, k, minus, k, 1, p.x[from*p.ld+row:], p.ld, 1, p.x[first*p.ld+row:], p.ld, true)
}

// peak is the index of the first element of the largest size; 0 if all are NaN.
func (s *Solver[T]) peak(x []T) (at int) {
	switch v := any(x).(type) {
	case []float32:
		if s.Peak32 != nil {
			return s.Peak32(v)
		}
	case []float64:
		if s.Peak64 != nil {
			return s.Peak64(v)
		}
	}
	best := -1.0
	for i, a := range x {
		if b := size(a); b > best {
			best, at = b, i
		}
	}
	return at
}
