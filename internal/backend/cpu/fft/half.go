package fft

import "unsafe"

// A real signal of an even number n of elements is a complex one of h = n/2: the elements with even numbers are the real parts. Its
// transform Z holds those of both: E[k] = (Z[k] + conj Z[h-k])/2 of the even, O[k] = (Z[k] - conj Z[h-k])/2i of the odd ones, and the
// spectrum is E[k] + w^k·O[k], w = exp(-2πi/n). The functions here go that way and back, two elements at a time, for elements
// of l lanes: l is 1 for complex numbers as tensors store them.

// halfRoots are exp(-2πi·k/n) for k up to n/4.
type halfRoots[T floats] struct{ w []T }

func (r *halfRoots[T]) bytes() int {
	var z T
	return len(r.w)*int(unsafe.Sizeof(z)) + 64
}

func halfRootsOf[T floats](n int) []T {
	return cached[T](n*kinds+kindHalf, func() *halfRoots[T] {
		r := &halfRoots[T]{w: make([]T, 2*(n/4+1))}
		for k := range n/4 + 1 {
			re, im := root(k, n)
			r.w[2*k], r.w[2*k+1] = T(re), T(im)
		}
		return r
	}).w
}

// halfBlocksOf are the same from k = 1 on, in packed order: whole blocks only.
func halfBlocksOf[T floats](n int) []T {
	return cached[T](n*kinds+kindHalfBlocks, func() *halfRoots[T] {
		l := lanesOf[T]()
		return &halfRoots[T]{packPairs(halfRootsOf[T](n)[2:][:n/4/l*l*2], l)}
	}).w
}

// factors of the bins of half a spectrum: ends for the first and the one at n/2, middle for the others; sign is that of
// the imaginary parts.
type factors[T floats] struct{ ends, middle, sign T }

// unpack makes the h+1 bins y of a real signal from the transform x of its pairs, for k in [from, to) and h-k; to is at most h/2+1.
func unpack[T floats](l int, y, x, w []T, h, from, to int, f factors[T]) {
	scale := f.middle / 2
	if lo := max(from, 1); l > 1 && halfFast(false, y, x, w, h, lo, to-lo, scale, scale*f.sign) {
		to = min(to, 1)
	}
	for k := from; k < to; k++ {
		m := (h - k) % h
		p, q := x[2*l*k:][:2*l], x[2*l*m:][:2*l]
		yp, yq := y[2*l*k:][:2*l], y[2*l*(h-k):][:2*l]
		if k == 0 {
			for i := range l {
				a, b := p[i], p[l+i]
				yp[i], yp[l+i] = (a+b)*f.ends, 0
				yq[i], yq[l+i] = (a-b)*f.ends, 0
			}
			continue
		}
		c, s := w[2*k], w[2*k+1]
		sign := scale * f.sign
		for i := range l {
			er, ei := p[i]+q[i], p[l+i]-q[l+i]
			or, oi := p[l+i]+q[l+i], q[i]-p[i]
			tr, ti := T(or*c)-T(oi*s), T(or*s)+T(oi*c)
			yp[i], yp[l+i] = (er+tr)*scale, (ei+ti)*sign
			yq[i], yq[l+i] = (er-tr)*scale, (ti-ei)*sign
		}
	}
}

// pack makes the transform y, of h elements with swapped parts, of the pairs of a real signal from its h+1 bins x, for k in [from, to)
// and h-k; to is at most h/2+1.
func pack[T floats](l int, y, x, w []T, h, from, to int, f factors[T]) {
	if lo := max(from, 1); l > 1 && halfFast(true, y, x, w, h, lo, to-lo, f.middle, f.middle*f.sign) {
		to = min(to, 1)
	}
	for k := from; k < to; k++ {
		p, q := x[2*l*k:][:2*l], x[2*l*(h-k):][:2*l]
		yp := y[2*l*k:][:2*l]
		if k == 0 {
			for i := range l {
				a, c := p[i]*f.ends, q[i]*f.ends
				yp[l+i], yp[i] = a+c, a-c
			}
			continue
		}
		yq := y[2*l*(h-k):][:2*l]
		c, s := w[2*k], w[2*k+1]
		sign := f.middle * f.sign
		for i := range l {
			er, ei := (p[i]+q[i])*f.middle, (p[l+i]-q[l+i])*sign
			dr, di := (p[i]-q[i])*f.middle, (p[l+i]+q[l+i])*sign
			or, oi := T(dr*c)+T(di*s), T(di*c)-T(dr*s)
			yp[l+i], yp[i] = er-oi, ei+or
			yq[l+i], yq[i] = er+oi, or-ei
		}
	}
}

// bins scales the first n/2+1 elements of the transform x of a real signal of an odd number n of elements.
func bins[T floats](l int, y, x []T, n int, f factors[T]) {
	for k := range n/2 + 1 {
		p, yp := x[2*l*k:][:2*l], y[2*l*k:][:2*l]
		if k == 0 {
			for i := range l {
				yp[i], yp[l+i] = p[i]*f.ends, 0
			}
			continue
		}
		for i := range l {
			yp[i], yp[l+i] = p[i]*f.middle, p[l+i]*(f.middle*f.sign)
		}
	}
}

// mirror makes the whole spectrum y of a real signal of an odd number n of elements, with swapped parts, from its first bins x.
func mirror[T floats](l int, y, x []T, n int, f factors[T]) {
	for k := range n/2 + 1 {
		p, yp := x[2*l*k:][:2*l], y[2*l*k:][:2*l]
		if k == 0 {
			for i := range l {
				yp[l+i], yp[i] = p[i]*f.ends, 0
			}
			continue
		}
		yq := y[2*l*(n-k):][:2*l]
		for i := range l {
			a, b := p[i]*f.middle, p[l+i]*(f.middle*f.sign)
			yp[l+i], yp[i] = a, b
			yq[l+i], yq[i] = a, -b
		}
	}
}
