package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// Runs of 8-byte elements are reduced by vectors: element i goes to lane i%runLanes in the order of i, then the upper half of
// the lanes is combined with the lower until eight are left. The order depends on the length alone. Each reduction is written
// out, because with a function argument the lanes would escape to the heap.
const (
	runLanes = 128
	runFrom  = 2 * runLanes // shorter runs are folded one by one
)

// treeFrom is from how many elements on extremes are found by vectors; in which order makes a difference to the sign of a zero alone.
const treeFrom = 32

// sumRunI64 adds at least runFrom elements.
func sumRunI64(x []int64) int64 {
	var t [runLanes]int64
	simd.AddI64(t[:], x[:runLanes], x[runLanes:runFrom])
	for x = x[runFrom:]; len(x) > 0; {
		n := min(len(x), runLanes)
		simd.AddI64(t[:n], t[:n], x[:n])
		x = x[n:]
	}
	for h := runLanes / 2; h >= 8; h /= 2 {
		simd.AddI64(t[:h], t[:h], t[h:2*h])
	}
	return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]))
}

// treeFold starts the tree reduction of x, of at least treeFrom elements, to its extremum: a vector kernel combines the two
// parts of x, then those of the result, and so on. For an extremum neither the order matters, but for the sign of a zero, nor
// whether an element counts twice, so the two may overlap. The caller reduces what is left in t, at most treeFrom/2 elements.
func treeFold[T any](t, x []T, two func(z, x, y []T)) []T {
	const lanes = treeFrom / 2
	n := len(x)
	h := ((n+1)/2 + lanes - 1) / lanes * lanes // not more than n
	two(t[:h], x[:h], x[n-h:])
	for n = h; n > lanes; n = h {
		h = (n/2 + lanes - 1) / lanes * lanes
		two(t[:h], t[:h], t[n-h:n])
	}
	return t[:n]
}

// treeExtremum finds the extremum of runs by a tree reduction with a vector kernel; short runs go to one.
func treeExtremum[T any](one func(a T, x []T) T, two func(z, x, y []T)) func(a T, x []T) T {
	const lanes = 1024 // that long runs pass by
	return func(a T, x []T) T {
		n := len(x)
		if n < treeFrom {
			return one(a, x)
		}
		buf := floatTiles.Get().(*floatTile)
		t := elems[T](unsafe.Pointer(buf), lanes)
		if n > 2*lanes {
			two(t, x[:lanes], x[n-lanes:])
			for i := lanes; i+lanes <= n; i += lanes {
				two(t, t, x[i:i+lanes])
			}
			x = t
		}
		a = one(a, treeFold(t, x, two))
		floatTiles.Put(buf)
		return a
	}
}

// extremaOf finds the extremes of short rows that follow each other, many at a time: of each element and the next, of each two and
// the two behind them, until as many elements as a row has are seen from its first. Which of two zeros is the larger the order decides
// there, so zeros with a sign are found again one row at a time, as elsewhere, from none on.
//
// Longer rows of elements of 8 and 16 bits are folded to rows of one vector first.
func extremaOf[T comparable](none T, run func(a T, x []T) T, two func(z, x, y []T)) func(z, x unsafe.Pointer, rows, n int) {
	const wide = 2048
	var zero T
	signed := false
	switch any(zero).(type) {
	case float32, float64:
		signed = true
	}
	lanes, narrow := 64/int(unsafe.Sizeof(zero)), unsafe.Sizeof(zero) <= 2
	return func(z, x unsafe.Pointer, rows, n int) {
		out, in := elems[T](z, rows), elems[T](x, rows*n)
		if n == 1 || n >= treeFrom && !narrow {
			for r := range out {
				out[r] = run(none, in[r*n:(r+1)*n])
			}
			return
		}
		buf := floatTiles.Get().(*floatTile)
		t, u := elems[T](unsafe.Pointer(buf), wide), elems[T](unsafe.Pointer(&buf[len(buf)/2]), wide)
		w, each := n, wide/n
		if n > 2*lanes {
			w, each = lanes, wide/lanes
		}
		for r := 0; r < rows; r += each {
			m := min(each, rows-r)
			from, left, span := in[r*n:(r+m)*n], m*w, 1
			if w < n {
				part := elems[T](unsafe.Pointer(&buf[len(buf)/4]), tileElems)
				for i := range m {
					row := from[i*n : (i+1)*n]
					if len(row) > 2*tileElems {
						two(part, row[:tileElems], row[n-tileElems:])
						for k := tileElems; k+tileElems <= n; k += tileElems {
							two(part, part, row[k:k+tileElems])
						}
						row = part
					}
					for len(row) > 2*w {
						h := ((len(row)+1)/2 + w - 1) / w * w
						two(part[:h], row[:h], row[len(row)-h:])
						row = part[:h]
					}
					two(u[i*w:(i+1)*w], row[:w], row[len(row)-w:])
				}
				from = u
			}
			for span < w {
				by := min(span, w-span)
				left -= by
				two(t[:left], from[:left], from[by:by+left])
				from, span = t, span+by
				t, u = u, t
			}
			for i := range out[r : r+m] {
				if out[r+i] = from[i*w]; signed && out[r+i] == zero {
					at := (r + i) * n
					out[r+i] = run(none, in[at:at+n])
				}
			}
		}
		floatTiles.Put(buf)
	}
}

// extremumCols folds rows column by column. Few columns that follow each other are seen as wide rows of several.
func extremumCols[T any](two func(z, x, y []T)) func(acc []T, p unsafe.Pointer, stride, rows int) {
	const wide = 1024
	plain := colsOf(func(acc, x []T) { two(acc, acc, x) })
	return func(acc []T, p unsafe.Pointer, stride, rows int) {
		n := len(acc)
		if stride != n || n >= wide/8 || rows*n < 2*wide {
			plain(acc, p, stride, rows)
			return
		}
		buf := floatTiles.Get().(*floatTile)
		x, w := elems[T](p, rows*n), wide/n*n
		t := elems[T](unsafe.Pointer(buf), w)
		copy(t, x)
		for x = x[w:]; len(x) > 0; {
			m := min(w, len(x))
			two(t[:m], t[:m], x[:m])
			x = x[m:]
		}
		for r := 0; r < w; r += n {
			two(acc, acc, t[r:r+n])
		}
		floatTiles.Put(buf)
	}
}
