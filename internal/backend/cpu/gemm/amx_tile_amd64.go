//go:build amd64 && !purego

package gemm

import (
	"math"
	"sync"
)

// amxTile is the tile of nv vectors and a number of rows. Columns past the last are computed in
// scratch memory.
func amxTile(nv, rows int, bufs *sync.Pool) tile[float32] {
	f, full := amxKernels[ceilDiv(rows, 16)][nv], shapeTiles(rows, amxPairs)
	return func(kc int, a []float32, ars, _ int, b []float32, brs int, c []float32, crs, cols int, add bool) {
		steps, rest := kc/amxPairs, kc%amxPairs
		var tail tileShape
		if rest > 0 {
			tail = shapeTiles(rows, rest)
		}
		if cols == nv*16 {
			f(&full, &tail, steps, rest, a, ars, b, brs, c, crs, add)
			return
		}
		buf := bufs.Get().(*buffer[float32])
		defer bufs.Put(buf)
		const width = maxVectors * 16
		buf.edge = grow(buf.edge, rows*width)
		for i := 0; add && i < rows; i++ {
			copy(buf.edge[i*width:][:cols], c[i*crs:])
		}
		f(&full, &tail, steps, rest, a, ars, b, brs, buf.edge, width, add)
		for i := range rows {
			copy(c[i*crs:][:cols], buf.edge[i*width:])
		}
	}
}

// amxWorks multiplies small whole numbers by each kernel, with a tail of k, and compares some elements with
// the sums they must be.
func amxWorks() bool {
	const kc, width = amxPairs + 3, 32
	e := newAMX(engine[float32]{bufs: &bufs32})
	a, b, c := make([]float32, amxRows*kc), make([]float32, kc*width), make([]float32, amxRows*width)
	x, y := halfView(a), halfView(b)
	number := func(i int) float32 { return float32(i*7%13 - 6) }
	for _, h := range [][]uint16{x, y} {
		for i := range h {
			h[i] = uint16(math.Float32bits(number(i)) >> 16) // exact
		}
	}
	for _, rows := range []int{1, 16, 17, amxRows} {
		for nv := 1; nv <= maxVectors; nv++ {
			for _, add := range []bool{false, true} { // the second time everything doubles
				e.tiles[nv][rows](kc, a, kc, 1, b, width, c, width, 16*nv, add)
				for i := 0; i < rows*width; i += 5 {
					r, col := i/width, i%width%(16*nv)
					var want float32
					for q := range kc {
						want += number(2*(r*kc+q))*number(2*(q*width+col)) + number(2*(r*kc+q)+1)*number(2*(q*width+col)+1)
					}
					if add {
						want *= 2
					}
					if c[r*width+col] != want {
						return false
					}
				}
			}
		}
	}
	return true
}
