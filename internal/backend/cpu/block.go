package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/qmm"
	"github.com/lucid-go/lucid/internal/ggml"
)

// blockScratch is how many dequantised elements a thread works on at a time: they stay in its L2 cache until the product is done.
const blockScratch = 1 << 15

func init() {
	register(backend.Table{"block_dequantize": blockDequantize, "block_matmul": blockMatmul})
}

func blockDequantize(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	w, err := blockRowsOf(c, a, in[0])
	if err != nil || w.rows == 0 || w.elems == 0 {
		return err
	}
	z, each := backend.Slice[float32](out[0]), w.each()
	return c.For(ceil(w.rows, each), func(b int) {
		from, to := b*each, min((b+1)*each, w.rows)
		w.dequantize(z[from*w.elems:to*w.elems], from, to)
	})
}

// blockMatmul dequantises some rows of w and multiplies them, some at the same time. How rows are cut depends on sizes alone, so
// results do not depend on the number of threads.
func blockMatmul(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	x, err := denseF32(c, in[0])
	if err != nil {
		return err
	}
	w, err := blockRowsOf(c, a, in[1])
	if err != nil {
		return err
	}
	z, m, k := backend.Slice[float32](out[0]), in[0].Shape.Dim(0), w.elems
	switch {
	case len(z) == 0:
		return nil
	case k == 0:
		clear(z)
		return nil
	case qmm.Supported(w.t) && a.(attr.Block).Fast && qmm.HasFast():
		return w.fastMatmul(c, x, m, z, in[1])
	case qmm.Supported(w.t) && qmm.HasExpand():
		return w.exactMatmul(c, x, m, z, in[1])
	}
	each := w.each()
	return c.For(ceil(w.rows, each), func(b int) {
		from, to := b*each, min((b+1)*each, w.rows)
		rows, free := borrow[float32]((to - from) * k)
		defer free()
		w.dequantize(rows, from, to)
		gemm.Float32(m, to-from, k, x, k, 1, rows, 1, k, z[from:], w.rows, gemm.Overwrite, nil, oneThread)
	})
}

// oneThread runs the blocks of a product that is itself a block of work.
func oneThread(blocks int, f func(block int)) {
	for b := range blocks {
		f(b)
	}
}

// blockRows are rows in a block format.
type blockRows struct {
	t                  ggml.Type
	data               []byte
	rows, bytes, elems int
}

func blockRowsOf(c *backend.Ctx, a attr.Attr, v backend.View) (w blockRows, err error) {
	base, err := dense(c, v)
	if err != nil {
		return w, err
	}
	w = blockRows{t: ggml.Type(a.(attr.Block).Type), data: elems[byte](base, v.Numel()), rows: v.Shape.Dim(0), bytes: v.Shape.Dim(1)}
	w.elems = w.bytes / w.t.BlockBytes() * w.t.BlockSize()
	return w, nil
}

// each is how many rows are worked on together.
func (w *blockRows) each() int { return max(1, blockScratch/max(1, w.elems)) }

func (w *blockRows) dequantize(z []float32, from, to int) {
	ggml.Dequantize(w.t, z, w.data[from*w.bytes:to*w.bytes])
}
