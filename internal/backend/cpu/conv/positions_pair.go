package conv

import "slices"

// positionPair are two rows of n positions that are computed together: where they begin in the scratch of the input and among the
// sums, and the taps that see any of the input.
type positionPair struct {
	at, to [2]int
	n      int
	lo, hi int
}

// with is the pair of two that have one row each.
func (s *positionPair) with(t *positionPair) positionPair {
	return positionPair{[2]int{s.at[0], t.at[0]}, [2]int{s.to[0], t.to[0]}, s.n, min(s.lo, t.lo), max(s.hi, t.hi)}
}

// pair finds the rows of positions of a block and pairs those of the same length that see the same taps; then what is left
// with any of the same length; a row that stays alone is its own partner.
func (d *positionsConv[T]) pair(u *positionsBlock[T], each int) {
	var open []positionPair // with one row, first to last
	take := func(s *positionPair, fits func(o *positionPair) bool) bool {
		i := slices.IndexFunc(open, func(o positionPair) bool { return o.n == s.n && fits(&o) })
		if i >= 0 {
			o := open[i]
			if open = slices.Delete(open, i, i+1); o.at[0] > s.at[0] {
				o, *s = *s, o
			}
			u.pairs = append(u.pairs, o.with(s))
		}
		return i >= 0
	}
	for i := range u.images {
		for r := range u.rows {
			lo, hi := d.tapsOf(u.t0, u.t1+r)
			for q, from := range d.ends[:len(d.ends)-1] {
				s := positionPair{n: min(d.ends[q+1], u.cols) - from, lo: lo, hi: hi}
				if s.n <= 0 {
					break
				}
				s.at[0], s.to[0] = i*each+r*d.pitch+from, (i*u.rows+r)*u.cols+from
				if !take(&s, func(o *positionPair) bool { return o.lo == lo && o.hi == hi }) {
					open = append(open, s)
				}
			}
		}
	}
	for len(open) > 0 {
		s := open[0]
		open = open[1:]
		if !take(&s, func(*positionPair) bool { return true }) {
			u.pairs = append(u.pairs, s.with(&s))
		}
	}
}

// tapsOf is the range of taps of which output row t1 of t0 sees any input.
func (d *positionsConv[T]) tapsOf(t0, t1 int) (lo, hi int) {
	p, size := &d.j.phase, &d.j.size
	e, t := 1, t1
	each := p[2].taps
	if p[0].taps > 1 {
		e, t, each = 0, t0, p[1].taps*p[2].taps
	}
	lo, hi = p[e].taps, 0
	for v := range p[e].taps {
		if i := p[e].first + t*p[e].stride + v*p[e].step; i >= 0 && i < size[e] {
			lo, hi = min(lo, v), max(hi, v+1)
		}
	}
	if lo >= hi { // it sees zeros only
		return 0, d.tapCount
	}
	return lo * each, hi * each
}
