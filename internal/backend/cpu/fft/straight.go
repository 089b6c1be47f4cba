package fft

import "unsafe"

// straight is a plan for rows whose elements are next to each other, with the arithmetic of the plan in lanes: lanes are neighbouring
// elements, so that rows need not be transposed. The first pass has values of p in its lanes, and puts its results in order. Where its
// radix is half of the lanes, the second has two values of p in its lanes. The others, whose s are multiples of the lanes, are passes of
// blocks. There is assembly for it where hasTensors.
type straight[T floats] struct {
	n             int
	first, second *pass[T]  // second: nil if there is none of this form
	roots, twice  []T       // of these: by blocks of p, by j from 1 on, in lanes
	passes        []pass[T] // the others, of blocks
	half          []T       // exp(-πi·k/n) for k from 1 to n/2, in blocks: the roots of a real row of 2n elements

	// Of a convolution, instead: its transform, and its tables in blocks.
	inner         *straight[T]
	chirp, filter []T
	front         []T // chirp, and zeros behind it
}

func (s *straight[T]) bytes() int {
	var z T
	return (len(s.roots)+len(s.twice)+len(s.front)+len(s.filter))*int(unsafe.Sizeof(z)) + 256
}

// straightUnit is what lengths of such rows are multiples of: the first radix, and its m whole vectors.
func straightUnit[T floats]() int { return 8 * max(8, lanesOf[T]()) }

// isStraight reports whether rows of n elements, which are not long, can be transformed so; isStraightConv whether by a convolution.
func isStraight[T floats](n int) bool {
	return n > 0 && n%straightUnit[T]() == 0 && hasTensors[T]() && smooth(n)
}

func isStraightConv[T floats](n int) bool {
	return n > straightUnit[T]() && hasTensors[T]() && !smooth(n) && convLength(2*n-1, 8)%straightUnit[T]() == 0
}

// rootsInLanes are the roots of a pass by blocks of q + s·p, by j from 1 on, in lanes.
func rootsInLanes[T floats](st *pass[T]) (r []T) {
	l := lanesOf[T]()
	for b := range st.s * st.m / l {
		for j := 1; j < st.radix; j++ {
			for part := range 2 {
				for i := range l {
					r = append(r, st.roots[2*((b*l+i)/st.s*(st.radix-1)+j-1)+part])
				}
			}
		}
	}
	return r
}

func straightOf[T floats](n int) *straight[T] {
	return cached[T](n*kinds+kindStraight, func() *straight[T] {
		p, l := planOf[T](n), lanesOf[T]()
		if c := p.conv; c != nil {
			s := &straight[T]{n: n, inner: straightOf[T](c.inner.n), filter: packPairs(c.filter, l)}
			s.front = make([]T, c.inner.n) // of half of the elements
			copy(s.front, packPairs(c.chirp, l))
			s.chirp = s.front[:2*l*blocksOf(n, l)]
			return s
		}
		s := &straight[T]{n: n, first: &p.passes[0], roots: rootsInLanes(&p.passes[0])}
		others := p.passes[1:]
		if others[0].s < l {
			s.second, s.twice, others = &others[0], rootsInLanes(&others[0]), others[1:]
		}
		for _, st := range others {
			st.s /= l
			s.passes = append(s.passes, st)
		}
		s.half = halfBlocksOf[T](2 * n)
		return s
	})
}

// rows transforms rows of pairs x, which are step numbers apart, to y, times scale, around the cache if stream; u and v are scratch. y may
// be x.
func (s *straight[T]) rows(y, x []T, count, step int, u, v []T, sw swaps, stream bool, scale T) {
	l, by := lanesOf[T](), once
	by.again = again{count, 2 * s.n, 2 * s.n}
	if s.passesFast(y, x, again{count, step, 2 * s.n}, u, sw, stream, scale) {
		return
	}
	openFast(s.first, u, x, s.roots, again{count, step, 2 * s.n}, sw.in)
	if s.second != nil {
		secondFast(s.second, v, u, s.twice, by.again)
		u, v = v, u
	}
	last := len(s.passes) - 1
	for i := range last {
		s.passes[i].run(l, v, u, by, swaps{}, nil)
		u, v = v, u
	}
	st := &s.passes[last]
	if st.hasPairs(false) {
		st.toPairs(y, u, l, by.again, sw.out, stream, scale, nil)
		return
	}
	st.run(l, v, u, by, swaps{out: sw.out}, nil)
	end[T]{at: y, step: l, pairs: true}.save(v, count*s.n/l, scale)
}

// spare is where the last pass puts rows that are read once more: in the buffer that it does not read, since two of 16 KB fit the first
// cache and three do not. z, if there is one, is better for longer rows, and behind a kernel for all passes.
func (s *straight[T]) spare(u, v, z []T) []T {
	const fits = 16 << 10
	passes := len(s.passes) - 1 // from one buffer to the other
	if s.second != nil {
		passes++
	}
	switch {
	case z != nil && (s.hasPasses() || 2*s.n*int(unsafe.Sizeof(z[0])) > fits):
		return z
	case passes%2 == 1 && !s.hasPasses():
		return u
	}
	return v
}

// toHalf transforms rows x of 2n real numbers, which are step apart, to n+1 bins each, which are pitch numbers apart. The last bins are in
// ends, as many numbers apart as it says. z may be nil.
func (s *straight[T]) toHalf(y, x []T, count, step, pitch int, ends []T, apart int, u, v, z []T, f factors[T]) {
	n := s.n
	z = s.spare(u, v, z)
	s.rows(z, x, count, step, u, v, swaps{}, false, 1)
	for r := range count { // as unpack does
		a, b, to, end := z[2*r*n], z[2*r*n+1], y[r*pitch:][:2*n], ends[r*apart:][:2]
		to[0], to[1], end[0], end[1] = (a+b)*f.ends, 0, (a-b)*f.ends, 0
	}
	halfPairs(false, y, z, s.half, n, 0, n/2/lanesOf[T](), again{count, 2 * n, pitch}, f.middle/2, f.middle/2*f.sign)
}

// fromHalf transforms n+1 bins x of rows to 2n real numbers each.
func (s *straight[T]) fromHalf(y, x []T, count int, u, v []T, f factors[T]) {
	n, z := s.n, v // which no pass before the second one writes
	for r := range count {
		pack(1, z[2*r*n:][:2*n], x[2*r*(n+1):][:2*(n+1)], nil, n, 0, 1, f)
	}
	halfPairs(true, z, x, s.half, n, 0, n/2/lanesOf[T](), again{count, 2 * (n + 1), 2 * n}, f.middle, f.middle*f.sign)
	s.rows(y, z, count, 2*n, u, v, swaps{out: true}, false, 1)
}

// after does passes of blocks, as many as are said of those behind the first and the second, on x; it returns the result, and the other
// buffer.
func (s *straight[T]) after(x, y []T, count int) (z, other []T) {
	if s.second != nil {
		secondFast(s.second, y, x, s.twice, again{})
		x, y = y, x
	}
	for i := range count {
		s.passes[i].run(lanesOf[T](), y, x, once, swaps{}, nil)
		x, y = y, x
	}
	return x, y
}

// convolve transforms a row by a convolution; u and v are scratch of the length of that. Half of what the convolution begins with are
// zeros, and half of its results are wanted: the passes at both ends know it.
func (s *straight[T]) convolve(y, x []T, u, v []T, sw swaps, scale T) {
	l, n, in := lanesOf[T](), s.n, s.inner
	whole, blocks, last := n/l, blocksOf(n, l), len(in.passes)-1
	chirpFast(u, x, s.chirp, whole, sw.in)
	packRow(u, x, &row1, n, whole, blocks)
	twistLanes(u[2*l*whole:], s.chirp[2*l*whole:], blocks-whole, swaps{in: sw.in})
	clear(u[2*l*blocks : max(2*l*blocks, in.n)])
	openHalfFast(in.first, v, u, in.roots)
	u, v = in.after(v, u, last+1)
	openFilterFast(in.first, v, u, in.roots, s.filter)
	u, v = in.after(v, u, last)
	if frontFast(&in.passes[last], v, u, s.front, sw.out, scale) {
		copy(y, v[:2*n]) // what is behind a row belongs to others
		return
	}
	in.passes[last].run(l, v, u, once, swaps{out: true}, nil)
	twistLanes(v, s.chirp, blocks, swaps{out: sw.out})
	unpackRow(y, v, &row1, n, 0, blocks, scale)
}

// each runs f over all rows, some at the same time, a few in a call, with three buffers for these, or their bins. Where a kernel does all
// passes of a row, and nothing comes behind it, these are all rows of a block.
func (s *straight[T]) each(run For, rows int, alone bool, f func(r, count int, u, v, z []T)) error {
	const work, together = 1 << 13, 1 << 10
	few, n := max(1, together/s.n), s.n
	if s.inner != nil {
		few, n = 1, s.inner.n
	}
	per, size, apart := max(few, work/n), 2*(n+lanesOf[T]())*few, 5*lanesOf[T]() // buffers do not begin in the same set of the cache
	if alone && s.hasPasses() {
		few = per // they need scratch of two rows
	}
	block := func(b int) {
		buf, back := borrow[T](3 * (size + apart))
		defer back()
		part := func(i int) []T { return buf[i*(size+apart):][:size] }
		u, v, z := part(0), part(1), part(2)
		end := min((b+1)*per, rows)
		for r := b * per; r < end; r += few {
			f(r, min(few, end-r), u, v, z)
		}
	}
	if rows <= per {
		block(0)
		return nil
	}
	return run(blocksOf(rows, per), block)
}

// wholeLength is the length of rows that one kernel transforms.
const wholeLength = 16

// wholeRows transforms rows of that length, some at the same time.
func wholeRows[T floats](run For, y, x []T, groups int, sw swaps, stream bool, scale T) error {
	const per = 1 << 6
	group, roots := 2*wholeLength*lanesOf[T](), wholeRootsOf[T]()
	return run(blocksOf(groups, per), func(b int) {
		lo, hi := b*per, min((b+1)*per, groups)
		wholeFast(y[lo*group:hi*group], x[lo*group:hi*group], roots, hi-lo, sw.in, stream, scale)
	})
}

// wholeRoots are the roots of the first pass of rows of wholeLength elements, in lanes.
type wholeRoots[T floats] struct{ w []T }

func (r *wholeRoots[T]) bytes() int { return 1 << 10 }

func wholeRootsOf[T floats]() []T {
	st := &planOf[T](wholeLength).passes[0]
	if !wholeHasLanes() {
		return st.roots
	}
	return cached[T](wholeLength*kinds+kindWhole, func() *wholeRoots[T] {
		w, l := make([]T, 0, 6*lanesOf[T]()), lanesOf[T]()
		for j := 1; j < st.radix; j++ {
			for part := range 2 {
				for i := range l {
					w = append(w, st.roots[2*(i%st.m*(st.radix-1)+j-1)+part])
				}
			}
		}
		return &wholeRoots[T]{w}
	}).w
}
