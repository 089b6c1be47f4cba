package simd

// PadRowsF32 copies rows with zeros around them: for r < rows, from dst[r*drs] on, lo zeros, then n elements of src that
// are step apart, the first of them src[r*srs], then hi zeros. It
// prefetches ahead elements behind what it reads; that need not be inside src.
func PadRowsF32(dst []float32, drs int, src []float32, srs, step, rows, lo, n, hi, ahead int) {
	if rows <= 0 {
		return
	}
	dst = dst[:(rows-1)*drs+lo+n+hi]
	if n > 0 {
		src = src[:(rows-1)*srs+(n-1)*step+1]
	}
	if !padRows(dst, drs, src, srs, step, rows, lo, n, hi, ahead) {
		padRowsGeneric(dst, drs, src, srs, step, rows, lo, n, hi)
	}
}

func padRowsGeneric(dst []float32, drs int, src []float32, srs, step, rows, lo, n, hi int) {
	for r := range rows {
		row := dst[r*drs:][:lo+n+hi]
		clear(row[:lo])
		clear(row[lo+n:])
		row = row[lo : lo+n]
		if n == 0 {
			continue
		}
		from := src[r*srs:]
		if step == 1 {
			copy(row, from)
			continue
		}
		for i := range row {
			row[i] = from[i*step]
		}
	}
}
