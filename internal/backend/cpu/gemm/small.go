package gemm

const (
	smallWork = 64 << 10 // multiply-adds up to which choosing a path would take a good part of the time
	leastWork = 512      // the same for few columns, which fill vectors badly
)

// small computes small products of the common forms, one chunk of k and rows of B contiguous, or columns of it and a few
// rows of A, with as little overhead as possible. It reports whether it did.
func small[T Float](e *engine[T], m, n, k int, a []T, ars, acs int, b []T, brs, bcs int,
	c []T, crs int, mode Mode, ep Epilogue[T]) bool {
	size := work(m, n, k)
	if size > smallWork || n <= skinnyCols && size > leastWork || uint(k-1) >= maxChunk || m <= 0 || n <= 0 {
		return false
	}
	add := mode == Accumulate
	if bcs != 1 {
		if brs != 1 || m >= len(e.dots) || n < m {
			return false
		}
		e.dot(m, k, a, ars, acs, b, bcs, c, crs, n, add)
		if ep != nil {
			ep(c, crs, 0, 0, m, n)
		}
		return true
	}
	panels := 1
	if m > e.rows {
		panels = ceilDiv(m, e.rows)
	}
	width, j := e.cols(), 0
	if m <= wideRows && e.tilesWide != nil {
		for w := &e.tilesWide[m]; j+w.cols <= n; j += w.cols {
			w.f(k, a, ars, acs, b[j:], brs, c[j:], crs, w.cols, add)
		}
	}
	for ; j < n; j += width {
		cols := min(width, n-j)
		nv, tiles := maxVectors, e.tiles
		if cols <= e.lanes {
			nv = 1
		}
		if cols != nv*e.lanes {
			tiles = e.edges
		}
		if panels == 1 {
			tiles[nv][m](k, a, ars, acs, b[j:], brs, c[j:], crs, cols, add)
			continue
		}
		for i := range panels {
			from, to := part(i, panels, m)
			tiles[nv][to-from](k, a[from*ars:], ars, acs, b[j:], brs, c[from*crs+j:], crs, cols, add)
		}
	}
	if ep != nil {
		ep(c, crs, 0, 0, m, n)
	}
	return true
}
