package conv

// axis is a spatial dimension as two counters see it that move over the input together: output t and tap u read
// lo + t·stride + u·step. The input is laid out in parts, by the remainder of the distance to the first, so that the
// outputs that follow each other find their elements one after the other whatever the stride: tap u reads part part[u],
// from element shift[u] on.
type axis struct {
	lo, stride  int
	part, shift []int // by tap
	rest        []int // by part: the remainder
	extra       int   // elements of a part next to those of the outputs
	shared      int   // of them, zeros that the end of a row has in common with the beginning of the next
}

func newAxis(first, stride, step, taps int) axis {
	a := axis{lo: first + min(0, (taps-1)*step), stride: stride, part: make([]int, taps), shift: make([]int, taps)}
	known := make(map[int]int)
	for u := range taps {
		at := first + u*step - a.lo
		q, ok := known[at%stride]
		if !ok {
			q = len(a.rest)
			known[at%stride] = q
			a.rest = append(a.rest, at%stride)
		}
		a.part[u], a.shift[u] = q, at/stride
		a.extra = max(a.extra, at/stride)
	}
	return a
}

// share says how many elements outside the input, which has so many elements, every row of outs outputs begins and ends
// with: rows that follow each other need them only once.
func (a *axis) share(outs, in int) {
	n := outs + a.extra
	a.shared = n
	for q := range a.rest {
		before := min(n, max(0, ceil(-a.at(q, 0), a.stride)))
		behind := min(n, max(0, n-max(0, ceil(in-a.at(q, 0), a.stride))))
		a.shared = min(a.shared, before, behind)
	}
	a.shared = min(a.shared, a.extra)
}

// parts is the number of parts.
func (a *axis) parts() int { return len(a.rest) }

// at is the position in the input of element i of a part.
func (a *axis) at(part, i int) int { return a.lo + a.rest[part] + i*a.stride }
