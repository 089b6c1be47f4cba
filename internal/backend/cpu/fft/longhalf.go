package fft

// wide is how many elements a block of a long row has.
const wide = 1 << 13

// pieces runs f over pieces of n elements.
func pieces(run For, n int, f func(lo, hi int)) error {
	if n <= wide {
		f(0, n)
		return nil
	}
	return run((n+wide-1)/wide, func(b int) { f(b*wide, min((b+1)*wide, n)) })
}

// row1 is a row of complex numbers that begins a buffer.
var row1 = lanes{stride: 1}

// newLongConv makes a transform of n elements as a convolution; see bluestein.
func newLongConv[T floats](n int) *long[T] {
	m := convLength(max(2*n-1, fewLength))
	g := &long[T]{n: n, inner: longOf[T](m), chirp: make([]T, 2*n), filter: make([]T, 2*m)}
	chirp := chirpOf(n)
	for i, v := range chirp {
		g.chirp[i] = T(v)
	}
	f := filterOf(chirp, m)
	serial := func(n int, f func(int)) error {
		for b := range n {
			f(b)
		}
		return nil
	}
	if err := longOf[float64](m).run(serial, f, f, &row1, &row1, false, 1); err != nil {
		panic(err)
	}
	for i, v := range f {
		g.filter[i] = T(v)
	}
	return g
}

// convolve is run of a convolution.
func (g *long[T]) convolve(run For, out, in []T, to, from *lanes, inverse bool, scale T) error {
	m := g.inner.n
	x, back := borrow[T](2 * m)
	defer back()
	re, im := parts(1, inverse)
	err := pieces(run, m, func(lo, hi int) {
		for j := lo; j < min(hi, g.n); j++ {
			at := 2 * (from.off[0] + j*from.stride)
			a, b, c, s := in[at+re], in[at+im], g.chirp[2*j], g.chirp[2*j+1]
			x[2*j], x[2*j+1] = T(a*c)-T(b*s), T(a*s)+T(b*c)
		}
		clear(x[2*max(lo, min(hi, g.n)) : 2*hi])
	})
	if err == nil {
		err = g.inner.run(run, x, x, &row1, &row1, false, 1)
	}
	if err == nil {
		err = pieces(run, m, func(lo, hi int) { scaleLanes(1, x[2*lo:], x[2*lo:], g.filter[2*lo:], hi-lo) })
	}
	if err == nil {
		err = g.inner.run(run, x, x, &row1, &row1, true, 1)
	}
	if err != nil {
		return err
	}
	return pieces(run, g.n, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			at := 2 * (to.off[0] + j*to.stride)
			a, b, c, s := x[2*j], x[2*j+1], g.chirp[2*j]*scale, g.chirp[2*j+1]*scale
			out[at+re], out[at+im] = T(a*c)-T(b*s), T(a*s)+T(b*c)
		}
	})
}

// longToHalf transforms one real row of n elements.
func longToHalf[T floats](run For, out, in []T, to, from *lanes, n int, f factors[T]) error {
	size := n
	if n%2 == 0 {
		size = n / 2
	}
	x, back := borrow[T](2*size + 2*(n/2+1))
	defer back()
	y := x[2*size:]
	err := pieces(run, size, func(lo, hi int) {
		at := from.off[0]
		for j := lo; j < hi; j++ {
			if n%2 == 0 {
				k := at + 2*j*from.stride
				x[2*j], x[2*j+1] = in[k], in[k+from.stride]
			} else {
				x[2*j], x[2*j+1] = in[at+j*from.stride], 0
			}
		}
	})
	if err == nil {
		err = longAny(run, x[:2*size], size, false)
	}
	if err != nil {
		return err
	}
	if n%2 == 0 {
		w := halfRootsOf[T](n)
		err = pieces(run, size/2+1, func(lo, hi int) { unpack(1, y, x, w, size, lo, hi, f) })
	} else {
		bins(1, y, x, n, f)
	}
	if err != nil {
		return err
	}
	return pieces(run, n/2+1, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			at := 2 * (to.off[0] + j*to.stride)
			out[at], out[at+1] = y[2*j], y[2*j+1]
		}
	})
}

// longFromHalf transforms the bins of one real row of n elements.
func longFromHalf[T floats](run For, out, in []T, to, from *lanes, n int, f factors[T]) error {
	size := n
	if n%2 == 0 {
		size = n / 2
	}
	y, back := borrow[T](2*size + 2*(n/2+1))
	defer back()
	x := y[2*size:]
	err := pieces(run, n/2+1, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			at := 2 * (from.off[0] + j*from.stride)
			x[2*j], x[2*j+1] = in[at], in[at+1]
		}
	})
	if err != nil {
		return err
	}
	if n%2 == 0 {
		w := halfRootsOf[T](n)
		err = pieces(run, size/2+1, func(lo, hi int) { pack(1, y, x, w, size, lo, hi, f) })
	} else {
		mirror(1, y, x, n, f)
	}
	if err == nil { // the parts are swapped already, as an inverse transform does
		err = longAny(run, y[:2*size], size, false)
	}
	if err != nil {
		return err
	}
	return pieces(run, size, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			if n%2 == 0 {
				at := to.off[0] + 2*j*to.stride
				out[at], out[at+to.stride] = y[2*j+1], y[2*j]
			} else {
				out[to.off[0]+j*to.stride] = y[2*j+1]
			}
		}
	})
}

// longAny transforms one row in place, in whichever form fits its length.
func longAny[T floats](run For, x []T, n int, inverse bool) error {
	return Complex(run, x, x, Rows{1, 1}, n, inverse, 1)
}
