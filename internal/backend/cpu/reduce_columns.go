package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
)

// columnwise accumulates whole runs of the innermost dimension, which is kept.
func (r *foldRun[T, A, R]) columnwise(c *backend.Ctx) error {
	p := r.p
	cols := p.inner.size
	tile := min(cols, foldCols)
	tiles := (cols + tile - 1) / tile
	perChunk := max(1, 16*foldChunk/tile) // rows: partial sums are double as wide as what they sum, and few
	chunks := (p.count + perChunk - 1) / perChunk
	// Small outputs share a block.
	group := 1
	if chunks == 1 && tiles == 1 {
		group = max(1, 2*foldChunk/(tile*p.count))
	}
	groups := (p.outputs + group - 1) / group
	var part []A
	if chunks > 1 {
		part = make([]A, p.outputs*chunks*cols)
	}
	err := each(c, groups*tiles*chunks, func(b int) {
		ch, t, g := b%chunks, b/chunks%tiles, b/chunks/tiles
		lo, n := t*tile, min(tile, cols-t*tile)
		var scratch []A
		if chunks == 1 {
			scratch = make([]A, n)
		}
		var made foldScratch[T]
		made.start(r.from)
		defer made.stop()
		for o := g * group; o < min((g+1)*group, p.outputs); o++ {
			in, out := p.place(o)
			acc := scratch
			if chunks > 1 {
				acc = part[(o*chunks+ch)*cols+lo:][:n]
			}
			r.column(acc, in+lo*p.inner.in, ch*perChunk, min((ch+1)*perChunk, p.count), &made)
			if chunks == 1 {
				for j, a := range acc {
					r.z[out+(lo+j)*p.inner.out] = r.f.done(a, p.count)
				}
			}
		}
	})
	if err != nil || chunks == 1 {
		return err
	}
	const joined = 512 // columns
	joins := (cols + joined - 1) / joined
	return each(c, p.outputs*joins, func(b int) {
		o, lo := b/joins, b%joins*joined
		_, out := p.place(o)
		n := min(joined, cols-lo)
		row := func(ch int) []A { return part[(o*chunks+ch)*cols+lo:][:n] }
		for m := chunks; m > 1; m = (m + 1) / 2 { // as joinTree, a row at a time
			for i := range m / 2 {
				x, y, z := row(2*i), row(2*i+1), row(i)
				for j := range z {
					z[j] = r.f.join(x[j], y[j])
				}
			}
			if m%2 == 1 {
				copy(row(m/2), row(m-1))
			}
		}
		for j, a := range row(0) {
			r.z[out+(lo+j)*p.inner.out] = r.f.done(a, p.count)
		}
	})
}

// column folds rows lo to hi of a tile of columns that begins at off.
func (r *foldRun[T, A, R]) column(acc []A, off, lo, hi int, made *foldScratch[T]) {
	for j := range acc {
		acc[j] = r.f.zero
	}
	if r.from != nil {
		r.columnMade(acc, off, lo, hi, made)
		return
	}
	if s := r.p.inner.in; s != 1 {
		t := make([]T, len(acc))
		walk(r.p.folded, lo, hi, func(o, n, stride int) {
			for range n {
				for j := range t {
					t[j] = *(*T)(r.at(off + o + j*s))
				}
				r.f.cols(acc, unsafe.Pointer(unsafe.SliceData(t)), 0, 1)
				o += stride
			}
		})
		return
	}
	walk(r.p.folded, lo, hi, func(o, n, stride int) { r.f.cols(acc, r.at(off+o), stride, n) })
}
