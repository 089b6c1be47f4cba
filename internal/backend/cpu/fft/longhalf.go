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
		err = Complex(run, x[:2*size], x[:2*size], Rows{Outer: 1, Inner: 1}, size, false, 1)
	}
	if err != nil {
		return err
	}
	if n%2 == 0 {
		w := halfRootsOf[T](n)
		err = pieces(run, size/2+1, func(lo, hi int) { halfRow(false, y, x, w, size, lo, hi, f) })
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
		err = pieces(run, size/2+1, func(lo, hi int) { halfRow(true, y, x, w, size, lo, hi, f) })
	} else {
		mirror(1, y, x, n, f)
	}
	if err == nil { // the parts are swapped already, as an inverse transform does
		err = Complex(run, y[:2*size], y[:2*size], Rows{Outer: 1, Inner: 1}, size, false, 1)
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

// halfBlock has elements k and h-k, their results and the roots: of each the real parts in lanes, then the imaginary ones.
type halfBlock[T floats] [5 * 2 * maxLanes]T

// halfRow is unpack or pack of a row for k in [lo, hi) and h-k, with l values of k in the lanes of a vector.
func halfRow[T floats](pk bool, y, x, w []T, h, lo, hi int, f factors[T]) {
	l := lanesOf[T]()
	single := func(lo, hi int) {
		if pk {
			pack(1, y, x, w, h, lo, hi, f)
		} else {
			unpack(1, y, x, w, h, lo, hi, f)
		}
	}
	if !hasRows() {
		single(lo, hi)
		return
	}
	if lo == 0 && hi > 0 {
		single(0, 1)
		lo = 1
	}
	re, im := f.middle, f.middle*f.sign
	if !pk {
		re, im = f.middle/2, f.middle/2*f.sign
	}
	var block halfBlock[T]
	part := func(i int) []T { return block[2*l*i:][:2*l] }
	p, q, yp, yq, roots := part(0), part(1), part(2), part(3), part(4)
	for k := lo; k < hi; k += l {
		n := min(l, hi-k)
		for i := range n {
			a, b := 2*(k+i), 2*(h-k-i)
			p[i], p[l+i], q[i], q[l+i], roots[i], roots[l+i] = x[a], x[a+1], x[b], x[b+1], w[a], w[a+1]
		}
		halfRowFast(pk, &block, re, im)
		for i := range n {
			a, b := 2*(k+i), 2*(h-k-i)
			y[a], y[a+1] = yp[i], yp[l+i]
			y[b], y[b+1] = yq[i], yq[l+i]
		}
	}
}
