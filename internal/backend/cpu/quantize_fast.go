package cpu

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/qmm"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/quantize"
)

// tileType says which tiles a quantized matrix has; ok is false if there are none, or no kernels for them.
func (w *quantizedRows) tileType() (t ggml.Type, ok bool) {
	switch f := w.f; {
	case f.Mode == quantize.Affine:
		t = qmm.Affine(f.Bits)
	case f.Mode == quantize.MXFP4:
		t = ggml.MXFP4
	default:
		return 0, false
	}
	return t, qmm.HasGroups(t)
}

// groupTilesKey says which matrix is packed, and how: levels are in the buffer that has the tiles, scales and biases in others.
type groupTilesKey struct {
	t              ggml.Type
	at, rows, k    int
	group          int
	scales, biases *mem.Buffer
	from, and      int // where those begin
}

// pack makes tiles of the rows from tile j on.
func (w *quantizedRows) pack(t ggml.Type, dst []byte, from, to int) {
	size, words, groups := qmm.TileBytes(t, w.k), w.f.Words(w.k), w.k/w.f.Group
	for j := from; j < to; j++ {
		r := j * qmm.Rows
		qmm.PackGroups(t, dst[(j-from)*size:], w.packed[r*words:], w.scales[r*groups:], w.biases[r*groups:], min(qmm.Rows, w.rows-r),
			w.k, w.f.Group)
	}
}

// stored returns all tiles of a matrix that a program reads again and again; nil if it may change.
func (w *quantizedRows) stored(c *backend.Ctx, t ggml.Type) []byte {
	in := w.in
	key := groupTilesKey{t: t, at: in[0].Offset(), rows: w.rows, k: w.k, group: w.f.Group, scales: in[1].Buf, from: in[1].Offset()}
	if len(in) > 2 {
		key.biases, key.and = in[2].Buf, in[2].Offset()
	}
	for i, v := range in {
		// Tiles follow the versions of the first operand: the others must not have had another value.
		if c.StableInputs>>(1+i)&1 == 0 || v.Buf.ReadOnly || !v.Contiguous() || i > 0 && v.Buf.Version() > 0 {
			return nil
		}
	}
	size, tiles := qmm.TileBytes(t, w.k), ceil(w.rows, qmm.Rows)
	all, err := in[0].Buf.Derive(key, Device.Pool, tiles*size, func(dst []byte) error {
		if err := w.load(c); err != nil {
			return err
		}
		each := max(1, packWork/size)
		return c.For(ceil(tiles, each), func(b int) { w.pack(t, dst[b*each*size:], b*each, min((b+1)*each, tiles)) })
	})
	if err != nil {
		return nil // no memory: they are packed as they are used
	}
	return all
}

// fastMatmul is x·wᵀ with x rounded to int8.
func (w *quantizedRows) fastMatmul(c *backend.Ctx, t ggml.Type, x []float32, m int, z []float32) error {
	size, all := qmm.TileBytes(t, w.k), w.stored(c, t)
	if all == nil {
		if err := w.load(c); err != nil {
			return err
		}
	}
	p := tileProduct{t: t, k: w.k, rows: w.rows, tiles: func(from, to int) ([]byte, func()) {
		if all != nil {
			return all[from*size : to*size], func() {}
		}
		tiles, free := borrow[byte]((to - from) * size)
		w.pack(t, tiles, from, to)
		return tiles, free
	}}
	return p.run(c, x, m, z)
}
