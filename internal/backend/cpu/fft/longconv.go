package fft

// longConv is a transform of a row of n elements as a convolution; see bluestein. Tables are in packed order: blocks of l elements, the
// real parts of all before the imaginary ones. The filter is in the order in which the matrix of the transform inside is left, so that
// neither its results nor the elements of the one back are put in order.
type longConv[T floats] struct {
	n             int
	inner         *long[T]
	chirp, filter []T
	back          []T // exp(-2πi·j·k/m) by groups of rows k, by j, in lanes
}

func newLongConv[T floats](n int) *longConv[T] {
	m := convLength(max(2*n-1, 1<<10), maxLanes*maxLanes)
	l := lanesOf[T]()
	c := &longConv[T]{n: n, inner: longOf[T](m)}
	chirp := chirpOf(n)
	f := filterOf(chirp, m)
	wide := longOf[float64](m)
	err := wide.withRoom(true, func(r room[float64]) error { return wide.run(inOrder, r, f, f, &row1, &row1, swaps{}, 1) })
	if err != nil {
		panic(err)
	}
	c.chirp = packed[T](chirp, l)
	a, b := c.inner.a, c.inner.b
	c.filter, c.back = make([]T, 2*m), make([]T, 2*m)
	for k := range a {
		for j := range b {
			at := k/l*2*l*b + 2*l*j + k%l
			c.filter[at], c.filter[at+l] = T(f[2*(k+a*j)]), T(f[2*(k+a*j)+1])
		}
	}
	for i := range a / l {
		c.inner.roots(c.back[2*l*b*i:], i*l, b, a)
	}
	return c
}

// packed are pairs in packed order; the last block is filled with zeros.
func packed[T floats](pairs []float64, l int) []T {
	n := len(pairs) / 2
	y := make([]T, (n+l-1)/l*2*l)
	for j := range n {
		y[j/l*2*l+j%l], y[j/l*2*l+l+j%l] = T(pairs[2*j]), T(pairs[2*j+1])
	}
	return y
}

// inOrder runs blocks one after the other.
func inOrder(n int, f func(int)) error {
	for b := range n {
		f(b)
	}
	return nil
}

// run transforms one row of in to one of out, times scale.
func (c *longConv[T]) run(run For, rm room[T], out, in []T, to, from *lanes, sw swaps, scale T) error {
	g, l := c.inner, lanesOf[T]()
	size, buffer := g.sizes()
	x, there, back := rm.matrix[:2*g.n], rm.matrix[2*g.n:][:size], rm.matrix[2*g.n+size:]
	blocks, apart := blocksOf(c.n, l), 2*l*g.a+4*l
	if apart*g.b/l > size {
		apart = 2 * l * g.a // there is no room between groups
	}
	err := pieces(run, g.n/l, func(lo, hi int) {
		end := min(hi, blocks)
		if lo < end {
			packRow(x, in, from, c.n, lo, end)
			twistLanes(x[2*l*lo:], c.chirp[2*l*lo:], end-lo, swaps{in: sw.in})
		}
		clear(x[2*l*max(lo, end) : 2*l*hi])
	})
	if err == nil {
		err = rm.each(run, g.b/l, g.a, buffer, func(i int, u, v []T, yield func()) {
			g.columns(i, end[T]{at: x[2*l*i:], step: g.b / l}, there, u, v, false, yield)
		})
	}
	if err == nil { // the way back has swapped parts and the steps in the opposite order
		err = rm.each(run, g.a/l, g.b, buffer, func(i int, u, v []T, yield func()) {
			z := g.pb.between(end[T]{at: there[i*g.pitch:], step: 1}, end[T]{}, u, v, swaps{}, 1, yield)
			if &z[0] == &v[0] {
				u, v = v, u
			}
			twistLanes(u, c.filter[2*l*g.b*i:], g.b, swaps{out: true})
			z = g.pb.between(end[T]{}, end[T]{}, u, v, swaps{}, 1, yield)
			twistTranspose(back[2*l*l*i:], apart, z, c.back[2*l*g.b*i:], g.b/l)
		})
	}
	if err == nil {
		err = rm.each(run, g.b/l, g.a, buffer, func(i int, u, v []T, yield func()) {
			source, to := end[T]{at: back[i*apart:], step: 1}, end[T]{at: x[2*l*i:], step: g.b / l}
			g.pa.between(source, to, u, v, swaps{out: true}, 1, yield)
		})
	}
	if err != nil {
		return err
	}
	return pieces(run, blocks, func(lo, hi int) {
		twistLanes(x[2*l*lo:], c.chirp[2*l*lo:], hi-lo, swaps{out: sw.out})
		unpackRow(out, x, to, c.n, lo, hi, scale)
	})
}

// packRow copies blocks lo to hi of a row of n elements to packed order.
func packRow[T floats](x, in []T, row *lanes, n, lo, hi int) {
	l := lanesOf[T]()
	whole := min(hi, n/l)
	if lo < whole {
		w := across(&lanes{off: [maxLanes]int{row.off[0] + lo*l*row.stride}, stride: row.stride}, 0, l, l)
		load(x[2*l*lo:], in, &w, whole-lo)
	}
	for b := max(lo, whole); b < hi; b++ {
		clear(x[2*l*b:][:2*l])
		for i := range n - b*l {
			at := 2 * (row.off[0] + (b*l+i)*row.stride)
			x[2*l*b+i], x[2*l*b+l+i] = in[at], in[at+1]
		}
	}
}

// unpackRow is the opposite of packRow, times scale; it may change x.
func unpackRow[T floats](out, x []T, row *lanes, n, lo, hi int, scale T) {
	l := lanesOf[T]()
	whole := min(hi, n/l)
	if lo < whole {
		w := across(&lanes{off: [maxLanes]int{row.off[0] + lo*l*row.stride}, stride: row.stride}, 0, l, l)
		save(out, x[2*l*lo:], &w, whole-lo, scale)
	}
	for b := max(lo, whole); b < hi; b++ {
		for i := range n - b*l {
			at := 2 * (row.off[0] + (b*l+i)*row.stride)
			out[at], out[at+1] = x[2*l*b+i]*scale, x[2*l*b+l+i]*scale
		}
	}
}
