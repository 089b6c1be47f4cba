package fft

import "unsafe"

// HalfImage transforms a real image x of rows of h.N numbers along both dimensions, to the first h.N/2+1 bins of each row, around the
// cache. What is read next is asked for. It does nothing where there is no kernel that stores such rows, of a number of lines of the cache
// and one bin more.
//
// Rows are transformed first, in scratch, where the last bins are a row of their own: groups of columns are whole vectors. Of these all
// passes but the last are in place, one group after the other; the last takes all groups, row by row.
func HalfImage[T floats](y, x []T, rows int, h Half, next []T) bool {
	n, l := h.N, lanesOf[T]()
	if !ReadsFrames[T](n) || isLong(rows) || !smooth(rows) {
		return false
	}
	p := planOf[T](rows)
	last := len(p.passes) - 1
	if last < 2 || !p.passes[0].hasPairs(true) || !p.passes[last].hasTight() || uintptr(unsafe.Pointer(&y[0]))%64 != 0 {
		return false
	}
	groups := n / 2 / l
	pitch := (groups + 1) * 2 * l // rows do not begin in the same set of the cache
	_ = y[rows*(n+2)-1]           // what the kernel writes
	buf, back := borrow[T](rows*pitch + 2*rows + maxTight*maxLanes + 2*p.scratch(l) + 5*l)
	defer back()
	cut := func(n int) (part []T) {
		part, buf = buf[:n], buf[n:]
		return part
	}
	z, u, _, v := cut(rows*pitch), cut(p.scratch(l)), cut(5*l), cut(p.scratch(l))
	work, ends := cut(maxTight*maxLanes), buf
	f, s := halfFactors[T](h), straightOf[T](n/2)
	_ = s.each(inOrder, rows, false, func(i, c int, u, v, w []T) { // in order nothing is cancelled
		s.toHalf(z[i*pitch:], x[i*n:][:c*n], c, n, pitch, ends[2*i:], 2, u, v, w, f)
	})
	sw := swaps{h.Inverse, h.Inverse}
	_ = Complex(inOrder, ends[:2*rows], ends[:2*rows], Rows{Outer: 1, Inner: 1}, rows, h.Inverse, 1)
	ahead := int(uintptr(unsafe.Pointer(&next[0])) - uintptr(unsafe.Pointer(&z[0])))
	for g := range groups {
		column := z[2*l*g:]
		p.passes[0].fromPairs(u, column, pitch/2, ahead, sw.in, nil)
		a, b := u, v
		for i := 1; i < last; i++ {
			to, by := b, once
			if i == last-1 {
				to, by.out = column, groups+1
			}
			p.passes[i].run(l, to, a, by, swaps{}, nil)
			a, b = b, a
		}
	}
	tightFast(&p.passes[last], y, z, ends, work, groups, pitch, sw.out)
	return true
}

// maxTight is the largest radix of a pass for tightFast, which needs a line of the cache of scratch for each.
const maxTight = 8
