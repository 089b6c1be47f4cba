package cpu

// convAxis is a spatial dimension as two counters see it that move over the input together: output t and tap u read
// lo + t·stride + u·step. The input is laid out in parts, by the remainder of the distance to the first, so that the
// outputs that follow each other find their elements one after the other whatever the stride: tap u reads part part[u],
// from element shift[u] on.
type convAxis struct {
	lo, stride  int
	part, shift []int // by tap
	rest        []int // by part: the remainder
	extra       int   // elements of a part beside those of the outputs
}

func newConvAxis(first, stride, step, taps int) convAxis {
	a := convAxis{lo: first + min(0, (taps-1)*step), stride: stride, part: make([]int, taps), shift: make([]int, taps)}
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

// parts is the number of parts.
func (a *convAxis) parts() int { return len(a.rest) }

// at is the place in the input of element i of a part.
func (a *convAxis) at(part, i int) int { return a.lo + a.rest[part] + i*a.stride }
