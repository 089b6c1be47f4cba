package gemm

// packPanel copies kc rows by cols columns of B into a panel whose rows are
// e.cols() apart. Columns past cols are left as they are: what a kernel computes from
// them is not stored.
func packPanel[T Float](e *engine[T], dst []T, b []T, brs, bcs, kc, cols int) {
	width := e.cols()
	switch {
	case bcs == 1:
		e.strips(dst, width, 0, b, brs, kc, 1, cols)
	case brs == 1:
		for j := 0; j < cols; j += e.lanes {
			e.packT(dst[j:], width, b[j*bcs:], bcs, kc, min(e.lanes, cols-j))
		}
	default:
		for p := range kc {
			row := dst[p*width:][:cols]
			src := b[p*brs:]
			for j := range row {
				row[j] = src[j*bcs]
			}
		}
	}
}

// packPanels packs any number of columns into panels that follow each other. Rows of B
// are read from end to end, since panel by panel each row would cost a page.
func packPanels[T Float](e *engine[T], dst []T, b []T, brs, bcs, kc, cols int) {
	width := e.cols()
	if bcs != 1 {
		for j := 0; j < cols; j += width {
			packPanel(e, dst[j*kc:], b[j*bcs:], brs, bcs, kc, min(width, cols-j))
		}
		return
	}
	panels := cols / width
	if panels > 0 {
		e.strips(dst, width, kc*width, b, brs, kc, panels, width)
	}
	if done := panels * width; done < cols {
		e.strips(dst[done*kc:], width, 0, b[done:], brs, kc, 1, cols-done)
	}
}

// packRows copies rows by kc elements of A, keeping rows contiguous in k. Rows are rs
// apart: more than kc, so that equal columns of several rows do not all fall into the
// same set of the cache.
func packRows[T Float](dst []T, rs int, a []T, ars, acs, rows, kc int) {
	for i := range rows {
		row, src := dst[i*rs:][:kc], a[i*ars:]
		if acs == 1 {
			copy(row, src)
			continue
		}
		for p := range row {
			row[p] = src[p*acs]
		}
	}
}
