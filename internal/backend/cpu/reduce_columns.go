package cpu

import (
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
)

// columnPlan cuts the columns into tiles, what is folded into chunks, and small outputs into groups that share a block.
type columnPlan struct{ tile, tiles, perChunk, chunks, group, groups int }

func (p *foldPlan) columns() (q columnPlan) {
	cols := p.inner.size
	q.tile = min(cols, foldCols)
	q.tiles = (cols + q.tile - 1) / q.tile
	q.perChunk = max(1, 16*foldChunk/q.tile) // rows: partial sums are double as wide as what they sum, and few
	q.chunks = (p.count + q.perChunk - 1) / q.perChunk
	q.group = 1
	if q.chunks == 1 && q.tiles == 1 {
		q.group = max(1, 2*foldChunk/(q.tile*p.count))
	}
	q.groups = (p.outputs + q.group - 1) / q.group
	return q
}

func (q *columnPlan) blocks() int { return q.groups * q.tiles * q.chunks }

// block calls f for every output of a block: its number, the chunk, and n columns from lo on.
func (q *columnPlan) block(p *foldPlan, b int, f func(o, ch, lo, n int)) {
	ch, t, g := b%q.chunks, b/q.chunks%q.tiles, b/q.chunks/q.tiles
	lo := t * q.tile
	for o := g * q.group; o < min((g+1)*q.group, p.outputs); o++ {
		f(o, ch, lo, min(q.tile, p.inner.size-lo))
	}
}

// columnwise accumulates whole runs of the innermost dimension, which is not reduced.
func (r *foldRun[T, A, R]) columnwise(c *backend.Ctx) error {
	p, q := r.p, r.p.columns()
	if q.chunks == 1 {
		return r.foldColumns(c, &q)
	}
	if !slices.ContainsFunc(p.folded, func(d foldDim) bool { return d.in != 0 }) {
		return r.sameRows(c, &q)
	}
	var a A
	n := p.outputs * q.chunks * p.inner.size
	var err error
	withScratch((n*int(unsafe.Sizeof(a))+3)/4, func(t []float32) {
		r.part = elems[A](unsafe.Pointer(unsafe.SliceData(t)), n)
		if err = r.foldColumns(c, &q); err == nil {
			err = r.joinColumns(c, q.chunks)
		}
	})
	return err
}

// foldColumns makes the results, or those of the chunks.
func (r *foldRun[T, A, R]) foldColumns(c *backend.Ctx, q *columnPlan) error {
	p := r.p
	return each(c, q.blocks(), func(b int) {
		t := floatTiles.Get().(*floatTile)
		defer floatTiles.Put(t)
		q.block(p, b, func(o, ch, lo, n int) {
			in, out := p.offsets(o)
			if q.chunks > 1 {
				r.column(r.part[(o*q.chunks+ch)*p.inner.size+lo:][:n], in+lo*p.inner.in, ch*q.perChunk, min((ch+1)*q.perChunk, p.count))
				return
			}
			scratch := elems[A](unsafe.Pointer(t), n) // of at most foldCols
			r.column(scratch, in+lo*p.inner.in, 0, p.count)
			r.end(scratch, out+lo*p.inner.out, p.inner.out)
		})
	})
}

// sameRows is foldRun.one for columns: one row is shown again and again.
func (r *foldRun[T, A, R]) sameRows(c *backend.Ctx, q *columnPlan) error {
	p := r.p
	return each(c, p.outputs*q.tiles, func(b int) {
		lo := b % q.tiles * q.tile
		n := min(q.tile, p.inner.size-lo)
		in, out := p.offsets(b / q.tiles)
		acc := make([]A, 3*n)
		same, last, next := acc[:n], acc[n:2*n], acc[2*n:]
		r.column(same, in+lo*p.inner.in, 0, q.perChunk)
		r.column(last, in+lo*p.inner.in, 0, p.count-(q.chunks-1)*q.perChunk)
		for chunks := q.chunks; chunks > 1; chunks = (chunks + 1) / 2 {
			if chunks%2 == 0 {
				r.f.joinAll(next, same, last)
				last, next = next, last
			}
			r.f.joinAll(next, same, same)
			same, next = next, same
		}
		r.end(last, out+lo*p.inner.out, p.inner.out)
	})
}

// column folds rows lo to hi of a tile of columns that begins at off.
func (r *foldRun[T, A, R]) column(acc []A, off, lo, hi int) {
	for j := range acc {
		acc[j] = r.f.zero
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
