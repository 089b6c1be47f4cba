package fft

import (
	"math/bits"
	"sync"
	"unsafe"
)

// maxLanes is the largest number of lanes: of float32 in 64 bytes.
const maxLanes = 16

// lanesOf is how many transforms run side by side.
func lanesOf[T floats]() int {
	var z T
	return vectorBytes() / int(unsafe.Sizeof(z))
}

// pass is one step of a transform of n = m·radix·s elements: for p < m and q < s, the elements q + s·(p + m·k), k < radix, are
// transformed and written to q + s·(radix·p + j), times roots[p][j-1] of order m·radix.
type pass[T floats] struct {
	radix, m, s int
	roots       []T // m rows of radix-1 pairs; nil if m is 1: all would be 1
}

// plan is a transform of one length in lanes.
type plan[T floats] struct {
	n      int
	passes []pass[T]
	conv   *bluestein[T] // instead of passes
}

// bytes is about what the plan's tables take.
func (p *plan[T]) bytes() int {
	var z T
	size := 0
	for _, s := range p.passes {
		size += len(s.roots)
	}
	if p.conv != nil {
		size += len(p.conv.chirp) + len(p.conv.filter)
	}
	return size*int(unsafe.Sizeof(z)) + 256
}

// scratch is how many elements of type T each of the two buffers of a run with l lanes needs.
func (p *plan[T]) scratch(l int) int {
	if p.conv != nil {
		return p.conv.inner.scratch(l)
	}
	return 2 * l * p.n
}

// smooth reports whether n has only small prime factors.
func smooth(n int) bool {
	_, ok := radices(n)
	return ok
}

// radices factors n; ok is false if another prime is left. The first is 8 if there is one, since the first pass of rows has a kernel, and
// the second is even if it can be, since neighbours then fill the lanes of all others.
func radices(n int) (list []int, ok bool) {
	two := bits.TrailingZeros(uint(n))
	n >>= two
	even := func() {
		r := 3 // the exponent
		switch two {
		case 1, 2:
			r = two
		case 4:
			r = 2
		}
		list, two = append(list, 1<<r), two-r
	}
	if two >= 3 && n > 1 {
		list, two = append(list, 8), two-3
		if two >= 4 {
			even()
		}
	}
	for _, r := range []int{13, 11, 7, 5, 3} {
		for n%r == 0 {
			list, n = append(list, r), n/r
		}
	}
	for two > 0 {
		even()
	}
	return list, n == 1
}

func newPlan[T floats](n int) *plan[T] {
	p := &plan[T]{n: n}
	list, ok := radices(n)
	if !ok {
		p.conv = newBluestein[T](n)
		return p
	}
	s, cur := 1, n
	for _, r := range list {
		st := pass[T]{radix: r, m: cur / r, s: s}
		if st.m > 1 {
			st.roots = make([]T, 0, 2*st.m*(r-1))
			for k := range st.m {
				for j := 1; j < r; j++ {
					re, im := root(k*j, cur)
					st.roots = append(st.roots, T(re), T(im))
				}
			}
		}
		p.passes = append(p.passes, st)
		cur, s = st.m, s*r
	}
	return p
}

// swaps say at which end of a run the parts of elements are swapped: at both for an inverse transform.
type swaps struct{ in, out bool }

// run transforms what x holds, elements of l lanes, and returns x or y, whichever has the result. yield is called between pieces of
// work.
func (p *plan[T]) run(l int, x, y []T, sw swaps, yield func()) []T {
	if p.conv != nil {
		return p.conv.run(l, x, y, sw, yield)
	}
	if len(p.passes) == 0 && sw.in != sw.out {
		swapLanes(x[:2*l])
	}
	last := len(p.passes) - 1
	for i := range p.passes {
		p.passes[i].run(l, y, x, once, swaps{sw.in && i == 0, sw.out && i == last}, yield)
		x, y = y, x
	}
	return x
}

// runWide is run for elements of several vectors each, with assembly.
func (p *plan[T]) runWide(wide int, x, y []T, sw swaps, yield func()) []T {
	last := len(p.passes) - 1
	for i := range p.passes {
		p.passes[i].run(lanesOf[T](), y, x, steps{in: 1, out: 1, wide: wide}, swaps{sw.in && i == 0, sw.out && i == last}, yield)
		x, y = y, x
	}
	return x
}

// end is where a transform finds its elements, or puts its results. Elements are step elements apart; if pairs, they are complex numbers of
// a tensor, and neighbours are the lanes; if stream, results go around the cache. So many bytes behind what is read there may be what is
// read next. Nothing at all: they are in a buffer.
type end[T floats] struct {
	at     []T
	step   int
	pairs  bool
	stream bool
	next   int
}

// between is run from one end to another, with results times scale, which is 1 where they stay in lanes. x and y are scratch, or x has the
// elements. It returns the buffer that has the result, if there is no other end.
func (p *plan[T]) between(from, to end[T], x, y []T, sw swaps, scale T, yield func()) []T {
	l, last := lanesOf[T](), len(p.passes)-1
	in := 0 // passes done
	switch {
	case from.at == nil:
	case last < 0 || from.pairs && !p.passes[0].hasPairs(true):
		from.load(x, p.n)
	case from.pairs:
		p.passes[0].fromPairs(y, from.at, from.step, from.next, sw.in, yield)
		x, y, in = y, x, 1
	default:
		p.passes[0].run(l, y, from.at, steps{in: from.step, out: 1, wide: 1}, swaps{sw.in, sw.out && last == 0}, yield)
		x, y, in = y, x, 1
	}
	if p.conv != nil || last < 0 {
		x = p.run(l, x, y, sw, yield)
		to.save(x, p.n, scale)
		return x
	}
	direct := to.at != nil && in <= last && (!to.pairs || p.passes[last].hasPairs(false))
	if direct && to.pairs && last == 0 && sw.in {
		direct = false // the pass would have to swap at both ends
	}
	end := last
	if !direct {
		end++
	}
	for i := in; i < end; i++ {
		p.passes[i].run(l, y, x, once, swaps{sw.in && i == 0, sw.out && i == last}, yield)
		x, y = y, x
	}
	switch {
	case !direct:
		to.save(x, p.n, scale)
	case to.pairs:
		p.passes[last].toPairs(to.at, x, to.step, again{}, sw.out, to.stream, scale, yield)
	default:
		p.passes[last].run(l, to.at, x, steps{in: 1, out: to.step, wide: 1}, swaps{sw.in && last == 0, sw.out}, yield)
	}
	return x
}

// load copies the elements of an end to x.
func (e end[T]) load(x []T, n int) {
	if e.pairs {
		split(x, e.at, 2*e.step, n)
		return
	}
	l := lanesOf[T]()
	for j := range n {
		copy(x[2*l*j:][:2*l], e.at[2*l*e.step*j:])
	}
}

// save copies results to an end, if there is one; it may change x.
func (e end[T]) save(x []T, n int, scale T) {
	l := lanesOf[T]()
	switch {
	case e.at == nil:
	case e.pairs:
		if scale != 1 {
			scaleFast(x[:2*l*n], scale)
		}
		join(e.at, x, 2*e.step, n)
	default:
		for j := range n {
			copy(e.at[2*l*e.step*j:][:2*l], x[2*l*j:])
		}
	}
}

// swapLanes swaps the parts of one element.
func swapLanes[T floats](x []T) {
	l := len(x) / 2
	for i := range l {
		x[i], x[l+i] = x[l+i], x[i]
	}
}

// maxPlanBytes bounds what tables take in all; the oldest go first.
const maxPlanBytes = 64 << 20

// store keeps plans, and other tables, by length.
type store struct {
	mu    sync.Mutex
	plans map[int]table
	order []int
	size  int
}

type table interface{ bytes() int }

var stores [2]store // of float32, of float64

// cached returns the table of a length, made by f the first time.
func cached[T floats, P table](key int, f func() P) P {
	var z T
	c := &stores[unsafe.Sizeof(z)/8]
	key = key*2*maxLanes + lanesOf[T]() // some tables have lanes
	c.mu.Lock()
	if p, ok := c.plans[key]; ok {
		c.mu.Unlock()
		return p.(P)
	}
	c.mu.Unlock()
	made := f() // outside the lock: tables may be made of other tables
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.plans == nil {
		c.plans = map[int]table{}
	}
	if p, ok := c.plans[key]; ok {
		return p.(P)
	}
	c.plans[key] = made
	c.order = append(c.order, key)
	for c.size += made.bytes(); c.size > maxPlanBytes && len(c.order) > 1; {
		c.size -= c.plans[c.order[0]].bytes()
		delete(c.plans, c.order[0])
		c.order = c.order[1:]
	}
	return made
}

// Keys of tables: a length times kinds, plus the kind.
const (
	kindPlan = iota
	kindLong
	kindHalf
	kindHalfBlocks
	kindFew
	kindStraight
	kindWhole
	kinds
)

func planOf[T floats](n int) *plan[T] {
	return cached[T](n*kinds+kindPlan, func() *plan[T] { return newPlan[T](n) })
}
