package fft

// lanes are the transforms that run side by side: where each begins in a tensor, in elements, and how far its elements are apart.
type lanes struct {
	off    [maxLanes]int
	stride int
	count  int  // lanes that are rows; the others repeat the first and are not stored
	near   bool // the offsets follow each other
}

// tensor is rows of some length along one dimension: outer by the length by inner, contiguous.
type tensor struct{ outer, inner int }

func (t tensor) rows() int { return t.outer * t.inner }

// groups is the number of groups of l rows.
func (t tensor) groups(l int) int {
	if t.inner >= l {
		return t.outer * ((t.inner + l - 1) / l)
	}
	return (t.rows() + l - 1) / l
}

// group is the g-th group of l rows of n elements. Rows of a group are neighbours where there are enough.
func (t tensor) group(g, l, n int) (w lanes) {
	first := g * l
	w.stride, w.count = t.inner, min(l, t.rows()-first)
	if t.inner >= l {
		tiles := (t.inner + l - 1) / l
		c := g % tiles * l
		first = g/tiles*t.inner + c
		w.count = min(l, t.inner-c)
		w.near = w.count == l
	}
	for i := range w.off[:l] {
		r := first
		if i < w.count {
			r += i
		}
		w.off[i] = r/t.inner*n*t.inner + r%t.inner
	}
	return w
}

// parts are the positions of the two parts of an element in its 2·l numbers; an inverse transform swaps them.
func parts(l int, swap bool) (re, im int) {
	if swap {
		return l, 0
	}
	return 0, l
}

// load copies n complex elements of each lane to x.
func load[T floats](x, from []T, w *lanes, n int, swap bool) {
	l := lanesOf[T]()
	if loadFast(x, from, w, n, swap) {
		return
	}
	re, im := parts(l, swap)
	for i, off := range w.off[:l] {
		at := 2 * off
		for j := range n {
			x[2*l*j+re+i], x[2*l*j+im+i] = from[at], from[at+1]
			at += 2 * w.stride
		}
	}
}

// save copies n complex elements of each lane from x, times scale.
func save[T floats](to, x []T, w *lanes, n int, swap bool, scale T) {
	l := lanesOf[T]()
	if saveFast(to, x, w, n, swap, scale) {
		return
	}
	re, im := parts(l, swap)
	for i, off := range w.off[:w.count] {
		at := 2 * off
		for j := range n {
			to[at], to[at+1] = x[2*l*j+re+i]*scale, x[2*l*j+im+i]*scale
			at += 2 * w.stride
		}
	}
}

// loadReal copies n real elements of each lane: pairs of neighbours are the parts of n/2 elements of x, or, if n is odd, every one is a
// real part.
func loadReal[T floats](x, from []T, w *lanes, n int) {
	l := lanesOf[T]()
	for i, off := range w.off[:l] {
		at := off
		if n%2 == 0 {
			for j := range n / 2 {
				x[2*l*j+i], x[2*l*j+l+i] = from[at], from[at+w.stride]
				at += 2 * w.stride
			}
			continue
		}
		for j := range n {
			x[2*l*j+i], x[2*l*j+l+i] = from[at], 0
			at += w.stride
		}
	}
}

// saveReal is the opposite of loadReal, for parts that are swapped.
func saveReal[T floats](to, x []T, w *lanes, n int) {
	l := lanesOf[T]()
	for i, off := range w.off[:w.count] {
		at := off
		if n%2 == 0 {
			for j := range n / 2 {
				to[at], to[at+w.stride] = x[2*l*j+l+i], x[2*l*j+i]
				at += 2 * w.stride
			}
			continue
		}
		for j := range n {
			to[at] = x[2*l*j+l+i]
			at += w.stride
		}
	}
}
