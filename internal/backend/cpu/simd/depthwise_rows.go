//go:build !purego && (amd64 || arm64)

package simd

// Depthwise convolution for instruction sets without masks: vectors do the columns whose taps are all inside the input, and
// Go those at the edges.

// inside returns the columns for which every tap is inside the input.
func (w *Window3x3) inside() (from, to int) {
	from = min(max(0, -w.Col), w.Cols)
	return from, max(from, min(w.Cols, w.InCols-2-w.Col))
}

// depthwiseRows computes z with a kernel for one row: n columns, a multiple of lanes, by one to three rows of taps, which lie
// xs apart in x. It reports whether there are enough columns for it.
func depthwiseRows(z, x []float32, taps *[9]float32, w *Window3x3, lanes int, row func(z, x, taps *float32, n, rows, xs int)) bool {
	from, to := w.inside()
	if to-from < lanes {
		return false
	}
	for r := range w.Rows {
		first, last := max(0, -w.Row-r), min(3, w.InRows-w.Row-r) // rows of taps inside the input
		out := z[r*w.ZStride:][:w.Cols]
		if first >= last {
			clear(out)
			continue
		}
		for c := range from {
			out[c] = w.sum(x, taps, r, c)
		}
		at := (w.Row+r+first)*w.XStride + w.Col
		n := (to - from) / lanes * lanes
		row(&out[from], &x[at+from], &taps[3*first], n, last-first, w.XStride)
		if from+n < to { // the last columns, some of them again
			row(&out[to-lanes], &x[at+to-lanes], &taps[3*first], lanes, last-first, w.XStride)
		}
		for c := to; c < w.Cols; c++ {
			out[c] = w.sum(x, taps, r, c)
		}
	}
	return true
}

// correlateRows adds to sums with kernels for three taps and a row: of n columns, a multiple of 16, and of four.
func correlateRows(sums *[9][16]float32, g, x []float32, w *Window3x3, row func(sums *[16]float32, cot, x *float32, n int), four func(sums, cot, x *float32)) bool {
	from, to := w.inside()
	from = (from + 3) &^ 3
	if to-from < 4 {
		return false
	}
	for u := range 3 {
		for r := range w.Rows {
			i := w.Row + r + u
			if uint(i) >= uint(w.InRows) {
				continue
			}
			at, c, g := i*w.XStride+w.Col, 0, g[r*w.ZStride:][:w.Cols]
			c = w.correlateEach(sums, g, x, u, i, c, from)
			for c+4 <= to {
				if n := (to - c) &^ 15; c%16 == 0 && n > 0 {
					row(&sums[3*u], &g[c], &x[at+c], n)
					c += n
					continue
				}
				four(&sums[3*u][c%16], &g[c], &x[at+c])
				c += 4
			}
			w.correlateEach(sums, g, x, u, i, c, len(g))
		}
	}
	return true
}

// correlateEach does columns from c to end one by one, and returns end.
func (w *Window3x3) correlateEach(sums *[9][16]float32, g, x []float32, u, i, c, end int) int {
	for ; c < end; c++ {
		for v := range 3 {
			s := &sums[u*3+v][c%16]
			*s = fma(w.at(x, i, w.Col+c+v), g[c], *s)
		}
	}
	return end
}
