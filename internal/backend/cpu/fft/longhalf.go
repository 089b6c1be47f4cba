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

// longToHalf transforms one real row of n elements. Where its elements are next to each other, a row of an even number of them is read as
// complex numbers where it is, and so are bins written.
func longToHalf[T floats](run For, out, in []T, to, from *lanes, n int, f factors[T]) (err error) {
	size, odd := complexSize(n), n%2 == 1
	direct, written := !odd && from.stride == 1, !odd && to.stride == 1
	buf, back := borrow[T](4*size + 2)
	defer back()
	z, x, y := buf[:2*size], in[from.off[0]:], buf[2*size:]
	if !direct {
		err = pieces(run, size, func(lo, hi int) {
			at := from.off[0]
			for j := lo; j < hi; j++ {
				if odd {
					z[2*j], z[2*j+1] = in[at+j*from.stride], 0
				} else {
					k := at + 2*j*from.stride
					z[2*j], z[2*j+1] = in[k], in[k+from.stride]
				}
			}
		})
		x = z
	}
	if written {
		y = out[2*to.off[0]:]
	}
	if err == nil {
		err = complexes(run, z, x[:2*size], Rows{Outer: 1, Inner: 1}, size, swaps{}, 1)
	}
	switch {
	case err != nil:
	case odd:
		bins(1, y, z, n, f)
	default:
		err = halfRow(run, false, y, z, size, f)
	}
	if err != nil || written {
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
func longFromHalf[T floats](run For, out, in []T, to, from *lanes, n int, f factors[T]) (err error) {
	size, odd := complexSize(n), n%2 == 1
	direct, written := from.stride == 1, !odd && to.stride == 1
	buf, back := borrow[T](4*size + 2)
	defer back()
	y, x, z := buf[:2*size], buf[2*size:], buf[:2*size]
	if direct {
		x = in[2*from.off[0]:]
	} else {
		err = pieces(run, n/2+1, func(lo, hi int) {
			for j := lo; j < hi; j++ {
				at := 2 * (from.off[0] + j*from.stride)
				x[2*j], x[2*j+1] = in[at], in[at+1]
			}
		})
	}
	if written {
		z = out[to.off[0]:][:2*size]
	}
	switch {
	case err != nil:
	case odd:
		mirror(1, y, x, n, f)
	default:
		err = halfRow(run, true, y, x, size, f)
	}
	if err == nil { // the parts are swapped already, as an inverse transform does
		err = complexes(run, z, y, Rows{Outer: 1, Inner: 1}, size, swaps{out: true}, 1)
	}
	if err != nil || written {
		return err
	}
	return pieces(run, size, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			if odd {
				out[to.off[0]+j*to.stride] = z[2*j]
			} else {
				at := to.off[0] + 2*j*to.stride
				out[at], out[at+to.stride] = z[2*j], z[2*j+1]
			}
		}
	})
}

// halfRow is unpack or pack of a row of h elements: whole blocks of values of k by a kernel for rows, if there is one, and what is left.
func halfRow[T floats](run For, pk bool, y, x []T, h int, f factors[T]) error {
	l, w, blocks := lanesOf[T](), halfRootsOf[T](2*h), 0
	if hasTensors[T]() {
		blocks = h / 2 / l
		halfBlocks, re, im := halfBlocksOf[T](2*h), f.middle, f.middle*f.sign
		if !pk {
			re, im = re/2, im/2
		}
		err := pieces(run, blocks*l, func(lo, hi int) {
			halfPairs(pk, y, x, halfBlocks, h, lo/l, (hi-lo)/l, again{}, re, im)
		})
		if err != nil {
			return err
		}
	}
	halfRest(pk, y, x, w, h, 0, 1, f)
	return pieces(run, h/2-blocks*l, func(lo, hi int) { halfRest(pk, y, x, w, h, blocks*l+1+lo, blocks*l+1+hi, f) })
}

// halfBlock has elements k and h-k, their results and the roots: of each the real parts in lanes, then the imaginary ones.
type halfBlock[T floats] [5 * 2 * maxLanes]T

// halfRest is unpack or pack of a row for k in [lo, hi) and h-k, with l values of k in the lanes of a vector.
func halfRest[T floats](pk bool, y, x, w []T, h, lo, hi int, f factors[T]) {
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
