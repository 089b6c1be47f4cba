//go:build amd64 && !purego

package gemm

import (
	"fmt"
	"math"
	"sync"
)

// amxTile is the tile of nv vectors and a number of rows. Columns past the last are computed in
// scratch memory.
func amxTile(t *amxType, nv, rows int, bufs *sync.Pool) tile[float32] {
	f, full := t.kernels[ceilDiv(rows, 16)][nv], shapeTiles(rows, amxPairs)
	return func(kc int, a []float32, ars, _ int, b []float32, brs int, c []float32, crs, cols int, add bool) {
		steps, rest := kc/amxPairs, kc%amxPairs
		var tail tileShape
		if rest > 0 {
			tail = shapeTiles(rows, rest)
		}
		if cols == nv*16 {
			f(&full, &tail, steps, rest, a, ars, b, brs, 0, c, crs, 1, add)
			return
		}
		buf := bufs.Get().(*buffer[float32])
		defer bufs.Put(buf)
		const width = maxVectors * 16
		buf.edge = grow(buf.edge, rows*width)
		for i := 0; add && i < rows; i++ {
			copy(buf.edge[i*width:][:cols], c[i*crs:])
		}
		f(&full, &tail, steps, rest, a, ars, b, brs, 0, buf.edge, width, 1, add)
		for i := range rows {
			copy(c[i*crs:][:cols], buf.edge[i*width:])
		}
	}
}

// amxRow is the row of an engine: all panels in one call.
func amxRow(t *amxType) func(rows, kc int, a []float32, ars int, b []float32, panels int, c []float32, crs int, add bool) {
	var full [amxRows + 1]tileShape
	for rows := 1; rows <= amxRows; rows++ {
		full[rows] = shapeTiles(rows, amxPairs)
	}
	return func(rows, kc int, a []float32, ars int, b []float32, panels int, c []float32, crs int, add bool) {
		const width = maxVectors * 16
		rest := kc % amxPairs
		var tail tileShape
		if rest > 0 {
			tail = shapeTiles(rows, rest)
		}
		t.kernels[ceilDiv(rows, 16)][maxVectors](&full[rows], &tail, kc/amxPairs, rest, a, ars, b, width, width*kc, c, crs, panels, add)
	}
}

// amxCheck multiplies small whole numbers by each kernel, with a tail of k and several panels, and compares what it finds
// with the sums that must be. put writes element i of an operand, sum reads one of C.
func amxCheck(t *amxType, put func(words []float32, i int, v int), perWord int, sum func(float32) int) error {
	const kc, width, panels = amxPairs + 3, 32, 2
	e := newAMX(t, engine[float32]{bufs: &bufs32})
	a, b, c := make([]float32, amxRows*kc), make([]float32, panels*kc*width), make([]float32, amxRows*panels*width)
	number := func(n int) []int {
		v := make([]int, n)
		for i := range v {
			v[i] = i * 7 % 13
		}
		return v
	}
	av, bv := number(len(a)*perWord), number(len(b)*perWord)
	for i, v := range av {
		put(a, i, v)
	}
	for i, v := range bv {
		put(b, i, v)
	}
	want := make([]int, len(c)) // once for all kernels: this runs at the start of every program
	for r := range amxRows {
		for i := range panels * width {
			panel, col := i/width, i%width
			for q := range kc {
				x, y := av[perWord*(r*kc+q):], bv[perWord*(panel*kc*width+q*width+col):]
				for h := range perWord {
					want[r*panels*width+i] += x[h] * y[h]
				}
			}
		}
	}
	check := func(vectors, rows, cols, panel int, add bool) error {
		for r := range rows {
			for col := range cols {
				i := r*panels*width + panel*width + col
				w := want[i]
				if add { // the second time everything doubles
					w *= 2
				}
				if got := sum(c[i]); got != w {
					return fmt.Errorf("%d vectors (0: a strip) of %d rows, add %v: panel %d, row %d, column %d is %d, want %d", vectors,
						rows,
						add, panel, r, col, got, w)
				}
			}
		}
		return nil
	}
	for _, rows := range []int{1, 16, 17, amxRows} {
		for _, add := range []bool{false, true} {
			for nv := 1; nv <= maxVectors; nv++ {
				clear(c)
				if add {
					e.tiles[nv][rows](kc, a, kc, 1, b, width, c, panels*width, 16*nv, false)
				}
				e.tiles[nv][rows](kc, a, kc, 1, b, width, c, panels*width, 16*nv, add)
				if err := check(nv, rows, 16*nv, 0, add); err != nil {
					return err
				}
			}
			e.row(rows, kc, a, kc, b, panels, c, panels*width, false)
			if add {
				e.row(rows, kc, a, kc, b, panels, c, panels*width, true)
			}
			for panel := range panels {
				if err := check(0, rows, width, panel, add); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkAMXBF16 and checkAMXInt8 are nil if the kernels can be relied on.
func checkAMXBF16() error {
	return amxCheck(&amxBF16Type, func(words []float32, i, v int) {
		halfView(words)[i] = uint16(math.Float32bits(float32(v)) >> 16) // exact
	}, 2, func(s float32) int { return int(s) })
}

func checkAMXInt8() error {
	return amxCheck(&amxInt8Type, func(words []float32, i, v int) { byteView(words)[i] = uint8(v) }, 4,
		func(s float32) int { return int(int32(math.Float32bits(s))) })
}
