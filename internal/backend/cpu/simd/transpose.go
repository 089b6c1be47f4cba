package simd

// TransposeBlockF32 sets dst[j*ldd+i] = src[i*lds+j] for i < rows and j < cols. The
// two must not overlap. Blocks that fit the first cache, say 64 by 64, are fastest.
func TransposeBlockF32(dst []float32, ldd int, src []float32, lds, rows, cols int) {
	transposeBlock(dst, ldd, src, lds, rows, cols, false)
}

// TransposeStreamF32 is TransposeBlockF32 with non-temporal stores where dst begins with a cache line and ldd
// is a multiple of one. Call Fence before others read dst.
func TransposeStreamF32(dst []float32, ldd int, src []float32, lds, rows, cols int) {
	transposeBlock(dst, ldd, src, lds, rows, cols, true)
}

func transposeBlock(dst []float32, ldd int, src []float32, lds, rows, cols int, stream bool) {
	if rows <= 0 || cols <= 0 {
		return
	}
	dst = dst[:(cols-1)*ldd+rows]
	src = src[:(rows-1)*lds+cols]
	n := transposeVector()
	r, c := 0, 0
	if rows*cols >= transposeLeast && ldd >= rows && lds >= cols && transposeEdges(dst, ldd, src, lds, rows, cols, stream) {
		return
	}
	if n > 0 && rows >= n && cols >= n && ldd >= rows && lds >= cols {
		r, c = rows-rows%n, cols-cols%n
		strip := transposeStrip
		if stream && lineAligned(&dst[0], ldd) {
			strip = transposeStripStream
		}
		for j := 0; j < c; j += n {
			strip(&dst[j*ldd], &src[j], ldd, lds, r/n)
		}
	}
	// What the vectors left: the columns beyond c, and the rows beyond r.
	transposeGeneric(dst[min(c*ldd, len(dst)):], ldd, src[c:], lds, r, cols-c)
	if r < rows {
		transposeGeneric(dst[r:], ldd, src[r*lds:], lds, rows-r, cols)
	}
}

// transposeLeast is how many elements are worth a cut block of vectors.
const transposeLeast = 16

func transposeGeneric(dst []float32, ldd int, src []float32, lds, rows, cols int) {
	for j := range cols {
		for i := range rows {
			dst[j*ldd+i] = src[i*lds+j]
		}
	}
}
