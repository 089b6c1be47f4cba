package gemm

// The Go twin: the same tiles, without assembly. It is the engine of machines without
// kernels and of the build tag purego, and is compared with the kernels in tests.

const (
	genericRows  = 4
	genericLanes = 4
)

var generic32 = newGeneric(&engine[float32]{jobs: &jobs32, bufs: &bufs32, widen: widenGenerics})
var generic64 = newGeneric(&engine[float64]{jobs: &jobs64, bufs: &bufs64})

func newGeneric[T Float](e *engine[T]) *engine[T] {
	e.rows, e.lanes, e.maxChunk, e.stripPanels, e.partElems = genericRows, genericLanes, maxChunk, stripPanels, partElems
	e.tiles = new([maxVectors + 1][maxRows + 1]tile[T])
	e.edges = e.tiles
	for rows := 1; rows <= genericRows; rows++ {
		f := func(kc int, a []T, ars, acs int, b []T, brs int, c []T, crs, cols int, add bool) {
			tileGeneric(rows, kc, a, ars, acs, b, brs, c, crs, cols, add)
		}
		e.tiles[1][rows], e.tiles[2][rows] = f, f
	}
	e.packT = packTGeneric[T]
	e.strips, e.wholeRows = stripsGeneric[T], true
	e.gaxpy8 = func(n int, y, x []T, xs int, b []T, brs int, zero bool) {
		gaxpyGeneric(gaxpyRows, n, y, x, xs, b, brs, zero)
	}
	e.gaxpy1 = func(n int, y, x []T, xs int, b []T, brs int, zero bool) {
		gaxpyGeneric(1, n, y, x, xs, b, brs, zero)
	}
	return e
}

// tileGeneric goes over the tile in squares of 2 by 2 sums, as many as scalar
// registers hold, and finishes the edges one element at a time.
func tileGeneric[T Float](rows, kc int, a []T, ars, acs int, b []T, brs int, c []T, crs, cols int, add bool) {
	put := func(i, j int, s T) {
		if add {
			s += c[i*crs+j]
		}
		c[i*crs+j] = s
	}
	i := 0
	for ; i+2 <= rows; i += 2 {
		a0, a1 := a[i*ars:], a[(i+1)*ars:]
		j := 0
		for ; j+2 <= cols; j += 2 {
			var s00, s01, s10, s11 T
			x, y := 0, j
			for range kc {
				p, q := a0[x], a1[x]
				u := b[y : y+2]
				s00 += p * u[0]
				s01 += p * u[1]
				s10 += q * u[0]
				s11 += q * u[1]
				x += acs
				y += brs
			}
			put(i, j, s00)
			put(i, j+1, s01)
			put(i+1, j, s10)
			put(i+1, j+1, s11)
		}
		for ; j < cols; j++ {
			put(i, j, dotGeneric(kc, a0, acs, b[j:], brs))
			put(i+1, j, dotGeneric(kc, a1, acs, b[j:], brs))
		}
	}
	for ; i < rows; i++ {
		for j := range cols {
			put(i, j, dotGeneric(kc, a[i*ars:], acs, b[j:], brs))
		}
	}
}

func dotGeneric[T Float](k int, a []T, acs int, b []T, brs int) T {
	var s T
	x, y := 0, 0
	for range k {
		s += a[x] * b[y]
		x += acs
		y += brs
	}
	return s
}

func packTGeneric[T Float](dst []T, drs int, src []T, scs, kc, cols int) {
	for j := range cols {
		col, at := src[j*scs:][:kc], j
		for _, v := range col {
			dst[at] = v
			at += drs
		}
	}
}

// stripsGeneric copies rows of panels. Rows as wide as the panels of AVX2 are moved as arrays: a call for each of them would take longer
// than the move.
func stripsGeneric[T Float](dst []T, drs, dps int, src []T, srs, rows, panels, width int) {
	for p := range rows {
		switch width {
		case 16:
			for q := range panels {
				*(*[16]T)(dst[p*drs+q*dps:]) = *(*[16]T)(src[p*srs+q*width:])
			}
			continue
		case 8:
			for q := range panels {
				*(*[8]T)(dst[p*drs+q*dps:]) = *(*[8]T)(src[p*srs+q*width:])
			}
			continue
		}
		for q := range panels {
			copy(dst[p*drs+q*dps:][:width], src[p*srs+q*width:])
		}
	}
}

func gaxpyGeneric[T Float](rows, n int, y, x []T, xs int, b []T, brs int, zero bool) {
	y = y[:n]
	if zero {
		clear(y)
	}
	for t := range rows {
		f, row := x[t*xs], b[t*brs:][:n]
		for j := range y {
			y[j] += f * row[j]
		}
	}
}
