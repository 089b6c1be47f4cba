package gemm

// packPanel copies kc rows by cols columns of B into a panel whose rows are
// e.cols() apart. Columns past cols are left as they are: what a kernel computes from
// them is not stored.
func packPanel[T Float](e *engine[T], dst []T, b []T, brs, bcs, kc, cols int) {
	width := e.cols()
	switch {
	case bcs == 1:
		for p := range kc {
			copy(dst[p*width:p*width+cols], b[p*brs:])
		}
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

// layout says where the elements of a packed tile of A lie.
type layout struct{ rs, cs int }

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

// packCols copies rows by kc elements of A that lie column by column, into a
// panel of the same order: element (i, p) goes to p*rows+i.
func packCols[T Float](dst []T, a []T, acs, rows, kc int) {
	for p := range kc {
		copy(dst[p*rows:(p+1)*rows], a[p*acs:])
	}
}
