package fft

import "github.com/lucid-go/lucid/internal/backend/cpu/simd"

// lanes are the transforms that run side by side: where each begins in a tensor, in elements, and how far its elements are apart.
type lanes struct {
	off    [maxLanes]int
	stride int
	count  int  // lanes that are rows; what the others hold is not read
	near   bool // the offsets follow each other
	stream bool // results go around the cache, if they can
	whole  bool // rows are one behind the other, with their elements next to each other
}

// tensor is rows of some length along one dimension: outer by the length by inner, contiguous.
type tensor struct{ outer, inner int }

func (t tensor) rows() int { return t.outer * t.inner }

// groups is the number of groups of l rows.
func (t tensor) groups(l int) int {
	if t.inner >= l {
		return t.outer*(t.inner/l) + (t.outer*(t.inner%l)+l-1)/l
	}
	return (t.rows() + l - 1) / l
}

// group is the g-th group of l rows of n elements. Rows of a group are neighbours where there are enough; what is left of a line of
// neighbours shares groups with what is left of others.
func (t tensor) group(g, l, n int) (w lanes) {
	w.stride = t.inner
	if t.inner == 1 {
		w.count, w.whole = min(l, t.outer-g*l), true
		for i, at := 0, g*l*n; i < w.count; i, at = i+1, at+n {
			w.off[i] = at
		}
		return w
	}
	outer, col, begin := 0, 0, 0
	switch tiles := t.inner / l; {
	case tiles > 0 && g < t.outer*tiles:
		w.count, w.near = l, true
		outer, col = g/tiles, g%tiles*l
	case tiles > 0:
		begin = tiles * l
		rest, first := t.inner-begin, (g-t.outer*tiles)*l
		w.count = min(l, t.outer*rest-first)
		outer, col = first/rest, begin+first%rest
	default:
		w.count = min(l, t.rows()-g*l)
		outer, col = g*l/t.inner, g*l%t.inner
	}
	for i := range w.off[:l] {
		if i == w.count {
			break
		}
		w.off[i] = outer*n*t.inner + col
		if col++; col == t.inner {
			outer, col = outer+1, begin
		}
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
func load[T floats](x, from []T, w *lanes, n int) {
	l := lanesOf[T]()
	switch {
	case w.near && splitFast(x, from[2*w.off[0]:], 2*w.stride, n):
		return
	case w.even() && w.count == l && fromRows(x, 1, from[2*w.off[0]:], w.apart(2), 2*n):
		return
	case w.even() && transposeFast(x, l, from[2*w.off[0]:], w.apart(2), w.count, 2*n):
		return
	}
	for i, off := range w.off[:w.count] {
		at := 2 * off
		for j := range n {
			x[2*l*j+i], x[2*l*j+l+i] = from[at], from[at+1]
			at += 2 * w.stride
		}
	}
}

// even reports whether rows have their elements next to each other and are equally far apart.
func (w *lanes) even() bool {
	if w.whole || w.stride != 1 {
		return w.whole
	}
	for i := 2; i < w.count; i++ {
		if w.off[i]-w.off[i-1] != w.off[1]-w.off[0] {
			return false
		}
	}
	return true
}

// apart is how many numbers the rows are apart, with so many to an element.
func (w *lanes) apart(numbers int) int { return numbers * (w.off[1] - w.off[0]) }

// save copies n complex elements of each lane from x, which it may change, times scale.
func save[T floats](to, x []T, w *lanes, n int, scale T) {
	l := lanesOf[T]()
	if scale != 1 && scaleFast(x[:2*l*n], scale) {
		scale = 1
	}
	if scale == 1 {
		switch {
		case w.near && joinFast(to[2*w.off[0]:], x, 2*w.stride, n):
			return
		case w.even() && w.count == l && toRows(to[2*w.off[0]:], w.apart(2), x, 1, 2*n):
			return
		case w.even() && transposeFast(to[2*w.off[0]:], max(w.apart(2), 2*n), x, l, 2*n, w.count):
			return
		}
	}
	for i, off := range w.off[:w.count] {
		at := 2 * off
		for j := range n {
			to[at], to[at+1] = x[2*l*j+i]*scale, x[2*l*j+l+i]*scale
			at += 2 * w.stride
		}
	}
}

// loadReal copies n real elements of each lane: pairs of neighbours are the parts of n/2 elements of x, or, if n is odd, every one is a
// real part.
func loadReal[T floats](x, from []T, w *lanes, n int) {
	l := lanesOf[T]()
	switch {
	case n%2 == 0 && w.near:
		for j := range n {
			copy(x[l*j:][:l], from[w.off[0]+j*w.stride:])
		}
		return
	case n%2 == 0 && w.even() && w.count == l && fromRows(x, 1, from[w.off[0]:], w.apart(1), n):
		return
	case n%2 == 0 && w.even() && transposeFast(x, l, from[w.off[0]:], max(w.apart(1), n), w.count, n):
		return
	}
	for i, off := range w.off[:w.count] {
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

// saveReal is the opposite of loadReal.
func saveReal[T floats](to, x []T, w *lanes, n int) {
	l := lanesOf[T]()
	switch {
	case n%2 == 0 && w.near:
		for j := range n {
			copy(to[w.off[0]+j*w.stride:][:l], x[l*j:])
		}
		return
	case n%2 == 0 && w.even() && w.count == l && toRows(to[w.off[0]:], w.apart(1), x, 1, n):
		return
	case n%2 == 0 && w.even() && transposeFast(to[w.off[0]:], max(w.apart(1), n), x, l, n, w.count):
		return
	}
	for i, off := range w.off[:w.count] {
		at := off
		if n%2 == 0 {
			for j := range n / 2 {
				to[at], to[at+w.stride] = x[2*l*j+i], x[2*l*j+l+i]
				at += 2 * w.stride
			}
			continue
		}
		for j := range n {
			to[at] = x[2*l*j+i]
			at += w.stride
		}
	}
}

// split copies n elements of neighbouring rows, which are stride numbers apart in from, to lanes.
func split[T floats](x, from []T, stride, n int) {
	if splitFast(x, from, stride, n) {
		return
	}
	l := lanesOf[T]()
	for j := range n {
		for i := range l {
			x[2*l*j+i], x[2*l*j+l+i] = from[stride*j+2*i], from[stride*j+2*i+1]
		}
	}
}

// join is the opposite of split.
func join[T floats](to, x []T, stride, n int) {
	if joinFast(to, x, stride, n) {
		return
	}
	l := lanesOf[T]()
	for j := range n {
		for i := range l {
			to[stride*j+2*i], to[stride*j+2*i+1] = x[2*l*j+i], x[2*l*j+l+i]
		}
	}
}

// fromRows copies n numbers of each of as many rows as there are lanes, apart numbers apart, to lanes, in pairs that are the parts of
// elements; these are wide elements apart. It reports whether there is assembly for it.
func fromRows[T floats](x []T, wide int, from []T, apart, n int) bool {
	l := lanesOf[T]()
	whole := n - n%l
	if !fromRowsFast(x, wide, from, apart, whole/l) {
		return false
	}
	for i := range l {
		for j := whole; j < n; j++ {
			x[2*l*wide*(j/2)+j%2*l+i] = from[i*apart+j]
		}
	}
	return true
}

// toRows is the opposite of fromRows.
func toRows[T floats](to []T, apart int, x []T, wide, n int) bool {
	l := lanesOf[T]()
	whole := n - n%l
	if !toRowsFast(to, apart, x, wide, whole/l) {
		return false
	}
	for i := range l {
		for j := whole; j < n; j++ {
			to[i*apart+j] = x[2*l*wide*(j/2)+j%2*l+i]
		}
	}
	return true
}

// transposeFast is a transposition of rows by cols numbers with vectors, if there is one for T.
func transposeFast[T floats](dst []T, ldd int, src []T, lds, rows, cols int) bool {
	switch d := any(dst).(type) {
	case []float32:
		simd.TransposeBlockF32(d, ldd, any(src).([]float32), max(lds, cols), rows, cols)
	case []float64:
		transpose(d, ldd, any(src).([]float64), max(lds, cols), rows, cols)
	}
	return true
}

// transpose sets dst[j*ldd+i] = src[i*lds+j] for i < rows and j < cols.
func transpose(dst []float64, ldd int, src []float64, lds, rows, cols int) {
	n := transposeVector()
	r, c := 0, 0
	if n > 0 {
		r, c = rows-rows%n, cols-cols%n
	}
	for i := 0; i < r && c > 0; i += n {
		// The bounds of what the kernel reads and writes.
		_, _ = dst[(c-1)*ldd+i+n-1], src[(i+n-1)*lds+c-1]
		transposeFast64(dst[i:], ldd, src[i*lds:], lds, c/n)
	}
	for i := range rows {
		from := 0
		if i < r {
			from = c
		}
		for j := from; j < cols; j++ {
			dst[j*ldd+i] = src[i*lds+j]
		}
	}
}

// scaleFast multiplies in place with vectors.
func scaleFast[T floats](x []T, by T) bool {
	switch x := any(x).(type) {
	case []float32:
		simd.ScaleF32(x, x, float32(by))
	case []float64:
		simd.ScaleF64(x, x, float64(by))
	}
	return true
}
