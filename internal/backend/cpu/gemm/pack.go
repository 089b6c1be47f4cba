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
			gather(dst[p*width:][:cols], b[p*brs:], bcs)
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

// packB packs columns of B from col on, for kc of k from pc on.
func (p *problem[T]) packB(e *engine[T], dst []T, pc, kc, col, cols int) {
	at := pc*p.brs + col*p.bcs
	switch {
	case p.b16 == nil:
		packPanels(e, dst, p.b[at:], p.brs, p.bcs, kc, cols)
	case p.paired:
		p.pairPanels(e, dst, pc, kc, col, cols)
	default:
		widenPanels(e, p.half, dst, p.b16[at:], p.brs, p.bcs, kc, cols)
	}
}

// packA packs rows of A from row on, for kc of k from pc on, in the given order; rs is
// the row stride of dst if that is byRows. It is more than kc, so that equal columns
// of several rows do not all fall into the same set of the cache.
func (p *problem[T]) packA(e *engine[T], dst []T, rs int, o order, row, rows, pc, kc int) {
	at := row*p.ars + pc*p.acs
	switch {
	case p.a16 != nil && p.paired:
		p.pairPanelA(e, dst, rs, o, row, rows, pc, kc)
	case p.a16 != nil:
		p.widenPanelA(e, dst, rs, o, row, rows, pc, kc)
	case o == byCols:
		e.strips(dst, rows, 0, p.a[at:], p.acs, kc, 1, rows)
	case p.acs == 1:
		copyRows(e, dst, rs, p.a[at:], p.ars, rows, kc)
	default:
		for i := range rows {
			gather(dst[i*rs:][:kc], p.a[at+i*p.ars:], p.acs)
		}
	}
}

// copyRows copies rows of cols elements.
func copyRows[T Float](e *engine[T], dst []T, drs int, src []T, srs, rows, cols int) {
	if e.wholeRows {
		e.strips(dst, drs, 0, src, srs, rows, 1, cols)
		return
	}
	width := e.cols()
	panels := cols / width
	if panels > 0 {
		e.strips(dst, drs, width, src, srs, rows, panels, width)
	}
	if done := panels * width; done < cols {
		e.strips(dst[done:], drs, 0, src[done:], srs, rows, 1, cols-done)
	}
}

// gather copies elements that are stride apart.
func gather[T Float](dst, src []T, stride int) {
	for i := range dst {
		dst[i] = src[i*stride]
	}
}

// fullStrips gives a kernel the panels of full width, and the others to the Go twin.
func fullStrips[T Float](f func(dst []T, drs, dps int, src []T, srs, rows, panels, width int)) func(dst []T, drs, dps int, src []T, srs,
	rows, panels, width int) {
	full := 64 / sizeOf[T]()
	return func(dst []T, drs, dps int, src []T, srs, rows, panels, width int) {
		if width == full && rows > 0 && panels > 0 {
			f(dst, drs, dps, src, srs, rows, panels, width)
		} else {
			stripsGeneric(dst, drs, dps, src, srs, rows, panels, width)
		}
	}
}
