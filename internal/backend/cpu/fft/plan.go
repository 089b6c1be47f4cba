package fft

import (
	"math/bits"
	"sync"
	"unsafe"
)

// maxLanes is the number of lanes of float32; float64 has half of them. Both fill 64 bytes.
const maxLanes = 16

// lanesOf is how many transforms run side by side.
func lanesOf[T floats]() int {
	var z T
	return 64 / int(unsafe.Sizeof(z))
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

// radices factors n; ok is false if another prime is left.
func radices(n int) (list []int, ok bool) {
	two := bits.TrailingZeros(uint(n))
	n >>= two
	for _, r := range []int{13, 11, 7, 5, 3} {
		for n%r == 0 {
			list, n = append(list, r), n/r
		}
	}
	for two > 0 {
		switch {
		case two == 1:
			list, two = append(list, 2), 0
		case two == 2 || two == 4:
			list, two = append(list, 4), two-2
		default:
			list, two = append(list, 8), two-3
		}
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
		p.passes[i].run(l, y, x, steps{1, 1}, swaps{sw.in && i == 0, sw.out && i == last}, yield)
		x, y = y, x
	}
	return x
}

// runFrom is run for elements of src that are stride elements apart; x and y are scratch.
func (p *plan[T]) runFrom(src []T, stride int, x, y []T, sw swaps, yield func()) []T {
	l := lanesOf[T]()
	if len(p.passes) == 0 {
		for j := range p.n {
			copy(x[2*l*j:][:2*l], src[2*l*stride*j:])
		}
		return p.run(l, x, y, sw, yield)
	}
	last := len(p.passes) - 1
	p.passes[0].run(l, y, src, steps{stride, 1}, swaps{sw.in, sw.out && last == 0}, yield)
	for i := 1; i <= last; i++ {
		x, y = y, x
		p.passes[i].run(l, y, x, steps{1, 1}, swaps{out: sw.out && i == last}, yield)
	}
	return y
}

// runTo is run with the result written to dst, stride elements apart; it changes x and y.
func (p *plan[T]) runTo(dst []T, stride int, x, y []T, sw swaps, yield func()) {
	l, last := lanesOf[T](), len(p.passes)-1
	if last < 0 {
		for j, z := 0, p.run(l, x, y, sw, yield); j < p.n; j++ {
			copy(dst[2*l*stride*j:][:2*l], z[2*l*j:])
		}
		return
	}
	for i := range last {
		p.passes[i].run(l, y, x, steps{1, 1}, swaps{in: sw.in && i == 0}, yield)
		x, y = y, x
	}
	p.passes[last].run(l, dst, x, steps{1, stride}, swaps{sw.in && last == 0, sw.out}, yield)
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
	kindFew
	kinds
)

func planOf[T floats](n int) *plan[T] {
	return cached[T](n*kinds+kindPlan, func() *plan[T] { return newPlan[T](n) })
}
