package cpu

import (
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/qmm"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/par"
)

// Products of activations rounded to int8 with rows of blocks. Weights that a program reads again and again are packed into the
// tiles of package qmm once and stored with their buffer, for all programs that read it. Others are packed tile by tile as they
// are used. Blocks of work are tiles, and no sum is cut, so that bits do not depend on the number of threads.

const (
	tileWork     = 64 << 10 // bytes of tiles in a block of work, at most, where blocks are few: some microseconds from memory
	tileMost     = 4        // times as many where each thread has shareBlocks of them: a block has costs of its own
	shareBlocks  = 16
	panelsWork   = 256      // rows times panels in a block of work, at most
	tileBlocks   = 8        // blocks of work of a small product, so that threads end at about the same time
	packWork     = 1 << 20  // bytes of tiles that are packed in a block of work
	quantizeWork = 16 << 10 // elements of activations in a block of work
)

// packedKey says which part of a buffer is packed, and how.
type packedKey struct {
	t         ggml.Type
	at        int
	rows, len int
}

func (w *blockRows) tiles() int { return ceil(w.rows, qmm.Rows) }

// pack makes tiles of the rows from tile j on.
func (w *blockRows) pack(dst []byte, from, to int) {
	size, k := qmm.TileBytes(w.t, w.elems), w.elems
	for j := from; j < to; j++ {
		rows := w.data[j*qmm.Rows*w.bytes : min((j+1)*qmm.Rows, w.rows)*w.bytes]
		qmm.Pack(w.t, dst[(j-from)*size:], rows, k)
	}
}

// packed returns all tiles if the weights are worth to be stored so: nil if they may change, or if there is no memory.
func (w *blockRows) packed(c *backend.Ctx, v backend.View, input int) []byte {
	size := qmm.TileBytes(w.t, w.elems)
	return w.derived(c, v, input, qmm.Rows, size, func(dst []byte, from, to int) { w.pack(dst[from*size:], from, to) })
}

// derived returns what pack makes of the weights, tile by tile of some rows and size bytes each.
func (w *blockRows) derived(c *backend.Ctx, v backend.View, input, rows, size int, pack func(all []byte, from, to int)) []byte {
	if c.StableInputs>>input&1 == 0 || v.Buf.ReadOnly && !v.Buf.Mapped || !v.Contiguous() {
		return nil
	}
	at := v.Offset() + w.at
	key := packedKey{w.t, at, w.rows, w.bytes}
	if v.Buf.Mapped && !v.Buf.Wanted(key) {
		return nil // the first product after loading reads the file: memory for tiles takes longer than the product
	}
	count := ceil(w.rows, rows)
	tiles, err := v.Buf.Derive(key, Device.Pool, count*size, func(dst []byte) error {
		each := max(1, packWork/size)
		return c.For(ceil(count, each), func(b int) {
			from, to := b*each, min((b+1)*each, count)
			pack(dst, from, to)
			// Products read the tiles from now on: the blocks in the file need no memory any more.
			v.Buf.Evict(at+from*rows*w.bytes, at+min(to*rows, w.rows)*w.bytes)
		})
	})
	if err != nil {
		return nil
	}
	return tiles
}

// exactTiles is how many tiles are expanded to float32 together: 64 columns are rows of whole vectors for the product, and of 2048
// elements they stay in L2.
const exactTiles = 4

// exactMatmul is x·wᵀ with float32 x: some tiles are expanded, and multiplied as any matrix.
func (w *blockRows) exactMatmul(c *backend.Ctx, x []float32, m int, z []float32, v backend.View) error {
	k, n, size := w.elems, w.rows, qmm.TileBytes(w.t, w.elems)
	stored := w.packed(c, v, 1)
	return c.For(ceil(w.tiles(), exactTiles), func(b int) {
		from, to := b*exactTiles, min((b+1)*exactTiles, w.tiles())
		tiles, free := w.tilesFrom(stored, from, to)
		defer free()
		values, free2 := borrow[float32]((to - from) * qmm.Rows * k)
		defer free2()
		ds := (to - from) * qmm.Rows
		for j := range to - from {
			qmm.Expand(w.t, tiles[j*size:], k, values[j*qmm.Rows:], ds)
		}
		cols := min(to*qmm.Rows, n) - from*qmm.Rows
		gemm.Float32(m, cols, k, x, k, 1, values, ds, 1, z[from*qmm.Rows:], n, gemm.Overwrite, nil, oneThread)
	})
}

// tilesFrom returns some tiles: of all that are stored, or packed now.
func (w *blockRows) tilesFrom(stored []byte, from, to int) (tiles []byte, free func()) {
	size := qmm.TileBytes(w.t, w.elems)
	if stored != nil {
		return stored[from*size : to*size], func() {}
	}
	tiles, free = borrow[byte]((to - from) * size)
	w.pack(tiles, from, to)
	return tiles, free
}

// fastMatmul is x·wᵀ with x rounded to int8.
func (w *blockRows) fastMatmul(c *backend.Ctx, x []float32, m int, z []float32, v backend.View) error {
	p := w.product(c, v, 1)
	return p.run(c, x, m, z)
}

// product is a product with the rows, which are input number input of the launch.
func (w *blockRows) product(c *backend.Ctx, v backend.View, input int) tileProduct {
	stored := w.packed(c, v, input)
	tiles := func(from, to int) ([]byte, func()) { return w.tilesFrom(stored, from, to) }
	return tileProduct{t: w.t, k: w.elems, rows: w.rows, tiles: tiles}
}

// tileProduct is a product of rows rounded to int8 with rows of k elements, in tiles.
type tileProduct struct {
	t       ggml.Type
	k, rows int
	tiles   func(from, to int) (tiles []byte, free func()) // some of them

	z    []float32
	then finished // what follows finished columns of a few rows; nil: nothing

	// What runProducts finds out.
	records []byte // the rows of x
	each    int    // tiles of a block of work
	side    int    // products behind this one of as many rows: a block of work is of all of them
	end     int    // blocks of work of this product and of those before it
}

func (p *tileProduct) run(c *backend.Ctx, x []float32, m int, z []float32) error {
	p.z = z
	list := [1]tileProduct{*p}
	return runProducts(c, x, m, list[:])
}

// runProducts multiplies the same m rows with several matrices, whose results are their z.
func runProducts(c *backend.Ctx, x []float32, m int, list []tileProduct) error {
	k, all, bytes := list[0].k, 0, 0
	xs := qmm.RecordBytes(k)
	for i := range list {
		p := &list[i]
		if j := slices.IndexFunc(list[:i], func(q tileProduct) bool { return q.t == p.t }); j >= 0 {
			p.records = list[j].records
		} else {
			records, free := borrow[byte](m * xs)
			defer free()
			if err := roundRows(c, p.t, records, x, m, k); err != nil {
				return err
			}
			p.records = records
		}
		all += ceil(p.rows, qmm.Rows)
		bytes += ceil(p.rows, qmm.Rows) * qmm.TileBytes(p.t, k)
	}
	blocks, work := 0, min(max(tileWork, bytes/(shareBlocks*par.Threads())), tileMost*tileWork)
	for i := 0; i < len(list); {
		p := &list[i]
		for i+p.side+1 < len(list) && list[i+p.side+1].rows == p.rows {
			p.side++
		}
		if p.each = max(1, min(work/qmm.TileBytes(p.t, k), all/tileBlocks)/(1+p.side)); m > qmm.FewRows {
			// Several panels where they take little time: tiles of the next one are fetched.
			p.each = qmm.PanelTiles * max(1, min(panelsWork/m, all/qmm.PanelTiles/tileBlocks/2)/(1+p.side))
		}
		blocks += ceil(ceil(p.rows, qmm.Rows), p.each)
		for last := i + p.side; i <= last; i++ {
			list[i].each, list[i].end = p.each, blocks
		}
	}
	return c.For(blocks, func(b int) {
		i, first := 0, 0
		for b >= list[i].end {
			first = list[i].end
			i++
		}
		some := list[i : i+list[i].side+1]
		for j := range some {
			some[j].block(b-first, m)
		}
		for j := range some {
			if p := &some[j]; p.then != nil {
				from := (b - first) * p.each * qmm.Rows
				p.then(0, from, m, min(p.rows-from, p.each*qmm.Rows))
			}
		}
	})
}

// roundRows makes the records of m rows for products with weights of a format.
func roundRows(c *backend.Ctx, t ggml.Type, records []byte, x []float32, m, k int) error {
	some, xs := max(1, quantizeWork/k), qmm.RecordBytes(k)
	if m <= some {
		qmm.QuantizeRows(t, records, x[:m*k], k)
		return nil
	}
	return c.For(ceil(m, some), func(b int) {
		from, to := b*some, min((b+1)*some, m)
		qmm.QuantizeRows(t, records[from*xs:to*xs], x[from*k:to*k], k)
	})
}

// block multiplies m rows with the tiles of a block of work.
func (p *tileProduct) block(b, m int) {
	k, n, size := p.k, p.rows, qmm.TileBytes(p.t, p.k)
	from, to := b*p.each, min((b+1)*p.each, ceil(n, qmm.Rows))
	tiles, free := p.tiles(from, to)
	defer free()
	if m > qmm.FewRows {
		panel, free := borrow[byte](qmm.PanelBytes(p.t))
		defer free()
		for j := from; j < to; j += qmm.PanelTiles {
			cols := min(n-j*qmm.Rows, qmm.PanelTiles*qmm.Rows)
			qmm.Many(p.t, tiles[(j-from)*size:], k, m, p.records, p.z[j*qmm.Rows:], n, cols, panel)
		}
		return
	}
	for j := from; j < to; j++ {
		qmm.Few(p.t, tiles[(j-from)*size:], k, m, p.records, p.z[j*qmm.Rows:], n, min(qmm.Rows, n-j*qmm.Rows))
	}
}
