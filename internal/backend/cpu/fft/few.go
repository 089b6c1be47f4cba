package fft

import "unsafe"

// fewLeast is the length from which on rows that would leave half of the lanes empty are transformed one by one.
const fewLeast = 64

// isFew reports whether rows that are not long are transformed one by one all the same; their bits are those of rows in lanes.
func isFew[T floats](n, rows int) bool { return n >= fewLeast && rows < lanesOf[T]()/2 }

// few is a plan for single rows, with the arithmetic of the plan in lanes. Numbers are planar: the real parts of a row, then the imaginary
// ones. A vector has neighbouring elements of the row: of a pass whose s is at least a vector, values of q, which share a root; of
// the passes before, values of q + s·p, which have roots of their own.
type few[T floats] struct {
	p      *plan[T]
	roots  [][]T // by pass: for j from 1 on, for blocks of q + s·p, in packed order; nil where all would be 1 or are shared
	chirp  []T   // of a convolution, as its filter, in packed order
	filter []T
	inner  *few[T]
}

func (f *few[T]) bytes() int {
	var z T
	size := len(f.chirp) + len(f.filter)
	for _, r := range f.roots {
		size += len(r)
	}
	return size*int(unsafe.Sizeof(z)) + 256
}

func fewOf[T floats](n int) *few[T] {
	return cached[T](n*kinds+kindFew, func() *few[T] { return newFew(planOf[T](n)) })
}

func newFew[T floats](p *plan[T]) *few[T] {
	f, l := &few[T]{p: p}, lanesOf[T]()
	if c := p.conv; c != nil {
		f.inner, f.chirp, f.filter = fewOf[T](c.inner.n), packPairs(c.chirp, l), packPairs(c.filter, l)
		return f
	}
	f.roots = make([][]T, len(p.passes))
	for i := range p.passes {
		st := &p.passes[i]
		if st.s >= l || st.roots == nil {
			continue
		}
		blocks := blocksOf(st.s*st.m, l)
		r := make([]T, 0, (st.radix-1)*blocks*2*l)
		for j := 1; j < st.radix; j++ {
			for b := range blocks {
				for part := range 2 {
					for t := b * l; t < (b+1)*l; t++ {
						p := min(t, st.s*st.m-1) / st.s
						r = append(r, st.roots[2*(p*(st.radix-1)+j-1)+part])
					}
				}
			}
		}
		f.roots[i] = r
	}
	return f
}

// packPairs are pairs in packed order; the last block is filled with zeros.
func packPairs[T floats](pairs []T, l int) []T {
	n := len(pairs) / 2
	y := make([]T, blocksOf(n, l)*2*l)
	for j := range n {
		y[j/l*2*l+j%l], y[j/l*2*l+l+j%l] = pairs[2*j], pairs[2*j+1]
	}
	return y
}

func blocksOf(n, l int) int { return (n + l - 1) / l }

// most is the length of the longest transform inside.
func (f *few[T]) most() int {
	if f.inner != nil {
		return f.inner.p.n
	}
	return f.p.n
}

// row transforms one row of in to one of out, times scale.
func (f *few[T]) row(out, in []T, to, from *lanes, sw swaps, scale T) {
	n := f.p.n
	if !hasRows() {
		x, back := borrow[T](2 * f.p.scratch(1))
		defer back()
		for j := range n {
			at := 2 * (from.off[0] + j*from.stride)
			x[2*j], x[2*j+1] = in[at], in[at+1]
		}
		x = f.p.run(1, x[:f.p.scratch(1)], x[f.p.scratch(1):], sw, nil)
		for j := range n {
			at := 2 * (to.off[0] + j*to.stride)
			out[at], out[at+1] = x[2*j]*scale, x[2*j+1]*scale
		}
		return
	}
	// Kernels read and write whole vectors, so that parts of rows are followed by as much as one; planes of a pass end with whole ones.
	d := f.most() + 13*lanesOf[T]()
	buf, back := borrow[T](6 * d)
	defer back()
	x, y, tmp := buf[:2*d], buf[2*d:4*d], buf[4*d:]
	for j := range n {
		at := 2 * (from.off[0] + j*from.stride)
		x[j], x[d+j] = in[at], in[at+1]
	}
	x = f.run(x, y, tmp, d, sw)
	for j := range n {
		at := 2 * (to.off[0] + j*to.stride)
		out[at], out[at+1] = x[j]*scale, x[d+j]*scale
	}
}

// run transforms the planar x and returns x or y, whichever has the result; the imaginary parts begin at d.
func (f *few[T]) run(x, y, tmp []T, d int, sw swaps) []T {
	l := lanesOf[T]()
	if f.inner != nil {
		n, m := f.p.n, f.inner.p.n
		clear(x[n:d])
		clear(x[d+n:])
		mulRow(x, f.chirp, blocksOf(n, l), d, swaps{in: sw.in})
		z := f.inner.run(x, y, tmp, d, swaps{})
		if &z[0] == &y[0] {
			x, y = y, x
		}
		mulRow(x, f.filter, blocksOf(m, l), d, swaps{})
		z = f.inner.run(x, y, tmp, d, swaps{true, true})
		mulRow(z, f.chirp, blocksOf(n, l), d, swaps{out: sw.out})
		return z
	}
	last := len(f.p.passes) - 1
	for i := range f.p.passes {
		st, sw := &f.p.passes[i], swaps{sw.in && i == 0, sw.out && i == last}
		if st.s < l {
			st.planes(y, x, tmp, d, f.roots[i], sw)
		} else {
			st.vectors(y, x, d, sw)
		}
		x, y = y, x
	}
	return x
}

// planes does a pass whose s is less than a vector: the j-th results of all butterflies are a plane of tmp, which is multiplied by its
// roots; then they get their order.
func (st *pass[T]) planes(y, x, tmp []T, d int, roots []T, sw swaps) {
	l := lanesOf[T]()
	t := st.s * st.m
	plane := blocksOf(t, l) * l
	planesFast(st, tmp, x, d, plane/l, swaps{in: sw.in})
	if roots != nil {
		mulRow(tmp[plane:], roots, (st.radix-1)*plane/l, d, swaps{})
	}
	for part := range 2 {
		from, to := tmp[part*d:], y[part*d:]
		if sw.out {
			to = y[(1-part)*d:]
		}
		if st.s == 1 {
			transposeFast(to, st.radix, from, plane, st.radix, st.m)
			continue
		}
		for p := range st.m {
			for j := range st.radix {
				copy(to[st.s*(st.radix*p+j):][:st.s], from[j*plane+st.s*p:])
			}
		}
	}
}
