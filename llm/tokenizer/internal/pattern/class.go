package pattern

import (
	"cmp"
	"slices"
	"unicode"
)

// span is a range of code points, both ends included.
type span struct{ lo, hi rune }

// class is a set of code points: a bitmap of pages of 256, shared where they are empty or full. Pages behind the last are as
// rest says, so that most sets have few.
type class struct {
	ascii [2]uint64
	pages []*[4]uint64
	rest  bool
}

var emptyPage, fullPage = &[4]uint64{}, &[4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

// has reports whether r is in the set.
func (c *class) has(r rune) bool {
	if r < 128 {
		return c.ascii[r>>6]>>(r&63)&1 != 0
	}
	if p := int(r >> 8); p < len(c.pages) {
		return c.pages[p][r>>6&3]>>(r&63)&1 != 0
	}
	return c.rest
}

// newClass makes the bitmap of spans in ascending order.
func newClass(set []span) *class {
	c := &class{}
	const all = (unicode.MaxRune + 1) >> 8
	n := rune(0) // pages that are needed
	for _, s := range set {
		if c.rest = s.hi == unicode.MaxRune; c.rest {
			n = max(n, min((s.lo+255)>>8, all))
		} else {
			n = max(n, s.hi>>8+1)
		}
	}
	c.pages = make([]*[4]uint64, max(n, 1))
	for i := range c.pages {
		c.pages[i] = emptyPage
	}
	if n == 0 && c.rest {
		c.pages[0] = fullPage
	}
	for _, s := range set {
		for p := s.lo >> 8; p <= s.hi>>8 && p < n; p++ {
			lo, hi := max(s.lo, p<<8), min(s.hi, p<<8|255)
			if hi-lo == 255 {
				c.pages[p] = fullPage
				continue
			}
			if c.pages[p] == emptyPage {
				c.pages[p] = &[4]uint64{}
			}
			for r := lo; r <= hi; r++ {
				c.pages[p][r>>6&3] |= 1 << (r & 63)
			}
		}
	}
	c.ascii = [2]uint64{c.pages[0][0], c.pages[0][1]}
	return c
}

// merged sorts spans and joins those that touch.
func merged(set []span) []span {
	set = slices.Clone(set)
	slices.SortFunc(set, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	out := set[:0]
	for _, s := range set {
		if n := len(out); n > 0 && s.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, s.hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}

func inverted(set []span) (out []span) {
	next := rune(0)
	for _, s := range merged(set) {
		if s.lo > next {
			out = append(out, span{next, s.lo - 1})
		}
		next = s.hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return out
}

func intersected(a, b []span) []span {
	return inverted(append(inverted(a), inverted(b)...))
}

func ofTable(t *unicode.RangeTable) (out []span) {
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			out = append(out, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			out = append(out, span{r, r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return out
}

// folded adds the other cases of every code point.
func folded(set []span) []span {
	out := slices.Clone(set)
	for _, s := range set {
		if s.hi-s.lo > 0x2000 { // a large set has its cases already, or none
			continue
		}
		for r := s.lo; r <= s.hi; r++ {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				out = append(out, span{f, f})
			}
		}
	}
	return merged(out)
}
