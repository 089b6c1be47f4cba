package cpu

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/qmm"
	"github.com/lucid-go/lucid/internal/ggml"
)

// Products of activations rounded to int8 with rows of blocks. Weights that a program reads again and again are packed into the
// tiles of package qmm once and stored with their buffer, for all programs that read it. Others are packed tile by tile as they
// are used. Blocks of work are tiles, and no sum is cut, so that bits do not depend on the number of threads.

const (
	tileWork     = 64 << 10 // bytes of tiles in a block of work: tens of microseconds from memory
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
	if c.StableInputs>>input&1 == 0 || v.Buf.ReadOnly || !v.Contiguous() {
		return nil
	}
	size := qmm.TileBytes(w.t, w.elems)
	key := packedKey{w.t, v.Offset(), w.rows, w.bytes}
	tiles, err := v.Buf.Derive(key, Device.Pool, w.tiles()*size, func(dst []byte) error {
		each := max(1, tileWork/size)
		return c.For(ceil(w.tiles(), each), func(b int) {
			w.pack(dst[b*each*size:], b*each, min((b+1)*each, w.tiles()))
		})
	})
	if err != nil {
		return nil
	}
	return tiles
}

// fastMatmul is x·wᵀ with x rounded to int8.
func (w *blockRows) fastMatmul(c *backend.Ctx, x []float32, m int, z []float32, v backend.View) error {
	k, n := w.elems, w.rows
	if len(z) == 0 {
		return nil
	}
	if k == 0 {
		clear(z)
		return nil
	}
	xs := qmm.RecordBytes(k)
	records, free := borrow[byte](m * xs)
	defer free()
	some := max(1, quantizeWork/k)
	err := c.For(ceil(m, some), func(b int) {
		from, to := b*some, min((b+1)*some, m)
		qmm.QuantizeRows(w.t, records[from*xs:to*xs], x[from*k:to*k], k)
	})
	if err != nil {
		return err
	}
	stored, size := w.packed(c, v, 1), qmm.TileBytes(w.t, k)
	each := max(1, tileWork/size)
	if m > qmm.FewRows {
		each = qmm.PanelTiles
	}
	return c.For(ceil(w.tiles(), each), func(b int) {
		from, to := b*each, min((b+1)*each, w.tiles())
		tiles := stored
		if stored == nil {
			made, free := borrow[byte]((to - from) * size)
			defer free()
			w.pack(made, from, to)
			tiles = made
		} else {
			tiles = stored[from*size : to*size]
		}
		if m > qmm.FewRows {
			panel, free := borrow[byte](qmm.PanelBytes(w.t))
			defer free()
			qmm.Many(w.t, tiles, k, m, records, z[from*qmm.Rows:], n, min(to*qmm.Rows, n)-from*qmm.Rows, panel)
			return
		}
		for j := from; j < to; j++ {
			qmm.Few(w.t, tiles[(j-from)*size:], k, m, records, z[j*qmm.Rows:], n, min(qmm.Rows, n-j*qmm.Rows))
		}
	})
}
