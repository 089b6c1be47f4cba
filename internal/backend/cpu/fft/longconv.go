package fft

// longConv is a transform of a row of n elements as a convolution; see bluestein. Tables are in packed order: blocks of l elements, the
// real parts of all before the imaginary ones.
type longConv[T floats] struct {
	n             int
	inner         *long[T]
	chirp, filter []T
}

func newLongConv[T floats](n int) *longConv[T] {
	m := convLength(max(2*n-1, 1<<10), maxLanes*maxLanes)
	l := lanesOf[T]()
	c := &longConv[T]{n: n, inner: longOf[T](m)}
	chirp := chirpOf(n)
	f := filterOf(chirp, m)
	if err := longOf[float64](m).run(inOrder, f, f, &row1, &row1, false, 1); err != nil {
		panic(err)
	}
	c.chirp, c.filter = packed[T](chirp, l), packed[T](f, l)
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

// packedRow is a row in packed order.
var packedRow = lanes{packed: true}

// run transforms one row of in to one of out, times scale.
func (c *longConv[T]) run(run For, out, in []T, to, from *lanes, inverse bool, scale T) error {
	m, l := c.inner.n, lanesOf[T]()
	x, back := borrow[T](2 * m)
	defer back()
	blocks := (c.n + l - 1) / l
	err := pieces(run, m/l, func(lo, hi int) {
		end := min(hi, blocks)
		if lo < end {
			packRow(x, in, from, c.n, lo, end)
			twistLanes(x[2*l*lo:], c.chirp[2*l*lo:], end-lo, swaps{in: inverse})
		}
		clear(x[2*l*max(lo, end) : 2*l*hi])
	})
	if err == nil {
		err = c.inner.run(run, x, x, &packedRow, &packedRow, false, 1)
	}
	if err == nil {
		err = pieces(run, m/l, func(lo, hi int) { twistLanes(x[2*l*lo:], c.filter[2*l*lo:], hi-lo, swaps{}) })
	}
	if err == nil {
		err = c.inner.run(run, x, x, &packedRow, &packedRow, true, 1)
	}
	if err != nil {
		return err
	}
	return pieces(run, blocks, func(lo, hi int) {
		twistLanes(x[2*l*lo:], c.chirp[2*l*lo:], hi-lo, swaps{out: inverse})
		unpackRow(out, x, to, c.n, lo, hi, scale)
	})
}

// packRow copies blocks lo to hi of a row of n elements to packed order.
func packRow[T floats](x, in []T, row *lanes, n, lo, hi int) {
	l := lanesOf[T]()
	if row.packed {
		copy(x[2*l*lo:2*l*hi], in[2*l*lo:])
		return
	}
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
	if row.packed {
		if scale != 1 {
			scaleFast(x[2*l*lo:2*l*hi], scale)
		}
		copy(out[2*l*lo:2*l*hi], x[2*l*lo:])
		return
	}
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
