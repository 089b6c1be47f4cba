//go:build !purego

package simd

func hasDepthwise() bool { return useNEON }

// inside returns the columns for which every tap is inside the input.
func (w *Window3x3) inside() (from, to int) {
	from = min(max(0, -w.Col), w.Cols)
	return from, max(from, min(w.Cols, w.InCols-2-w.Col))
}

func depthwise3x3(z, x []float32, taps *[9]float32, w *Window3x3) bool {
	if !useNEON {
		return false
	}
	from, to := w.inside()
	if to-from < 4 {
		return false
	}
	for r := range w.Rows {
		first, last := max(0, -w.Row-r), min(3, w.InRows-w.Row-r) // rows of taps inside the input
		row := z[r*w.ZStride:][:w.Cols]
		if first >= last {
			clear(row)
			continue
		}
		for c := range from {
			row[c] = w.sum(x, taps, r, c)
		}
		at := (w.Row+r+first)*w.XStride + w.Col
		n := (to - from) &^ 3
		depthwiseRowNEON(&row[from], &x[at+from], &taps[3*first], n, last-first, w.XStride)
		if from+n < to { // the last four, some of them again
			depthwiseRowNEON(&row[to-4], &x[at+to-4], &taps[3*first], 4, last-first, w.XStride)
		}
		for c := to; c < w.Cols; c++ {
			row[c] = w.sum(x, taps, r, c)
		}
	}
	return true
}

func correlate3x3(sums *[9][16]float32, g, x []float32, w *Window3x3) bool {
	if !useNEON {
		return false
	}
	from, to := w.inside()
	from = (from + 3) &^ 3
	if to-from < 4 {
		return false
	}
	for u := range 3 {
		for r := range w.Rows {
			if i := w.Row + r + u; uint(i) < uint(w.InRows) {
				w.correlateRow(sums, g[r*w.ZStride:][:w.Cols], x, u, i, from, to)
			}
		}
	}
	return true
}

// correlateRow adds the products of a row of cotangents with row i of the input, for three taps. Columns from from to to
// see the input alone; from is a multiple of four.
func (w *Window3x3) correlateRow(sums *[9][16]float32, g, x []float32, u, i, from, to int) {
	at, c := i*w.XStride+w.Col, 0
	single := func(to int) {
		for ; c < to; c++ {
			for v := range 3 {
				s := &sums[u*3+v][c%16]
				*s = fma(w.at(x, i, w.Col+c+v), g[c], *s)
			}
		}
	}
	single(from)
	for c+4 <= to {
		if n := (to - c) &^ 15; c%16 == 0 && n > 0 {
			correlateRowNEON(&sums[3*u], &g[c], &x[at+c], n)
			c += n
			continue
		}
		correlateFourNEON(&sums[3*u][c%16], &g[c], &x[at+c])
		c += 4
	}
	single(len(g))
}

//go:noescape
func depthwiseRowNEON(z, x, taps *float32, n, rows, xs int)

//go:noescape
func correlateRowNEON(sums *[16]float32, cot, x *float32, n int)

//go:noescape
func correlateFourNEON(sums, cot, x *float32)

func (w *Window3x3) prepareVectors() {}
