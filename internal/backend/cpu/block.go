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
	w, err := blockRowsOf(c, ggml.Type(a.(attr.Block).Type), in[0])
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
	w, err := blockRowsOf(c, ggml.Type(a.(attr.Block).Type), in[1])
	if err != nil {
		return err
	}
	return w.matmul(c, x, in[0].Shape.Dim(0), backend.Slice[float32](out[0]), in[1], a.(attr.Block).Fast)
}

// matmul is x·wᵀ for m rows; v is the view that the rows of w are in.
func (w *blockRows) matmul(c *backend.Ctx, x []float32, m int, z []float32, v backend.View, fast bool) error {
	k := w.elems
	switch {
	case len(z) == 0:
		return nil
	case k == 0:
		clear(z)
		return nil
	case qmm.Supported(w.t) && fast && qmm.HasFast():
		return w.fastMatmul(c, x, m, z, v)
	case qmm.Supported(w.t) && qmm.HasExpand():
		return w.exactMatmul(c, x, m, z, v)
	case fast && w.t == ggml.BF16 && gemm.HasBF16Rows():
		return w.pairsMatmul(c, x, m, z, v)
	case qmm.HasRows(w.t):
		return w.rowsMatmul(c, x, m, z)
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
	at                 int // bytes of the view before them
}

func blockRowsOf(c *backend.Ctx, t ggml.Type, v backend.View) (w blockRows, err error) {
	base, err := dense(c, v)
	if err != nil {
		return w, err
	}
	w = blockRows{t: t, data: elems[byte](base, v.Numel()), rows: v.Shape.Dim(0), bytes: v.Shape.Dim(1)}
	w.elems = w.bytes / w.t.BlockBytes() * w.t.BlockSize()
	return w, nil
}

// each is how many rows are worked on together.
func (w *blockRows) each() int { return max(1, blockScratch/max(1, w.elems)) }

func (w *blockRows) dequantize(z []float32, from, to int) {
	if d, ok := halfType(w.t); ok {
		widenBytes(d, z, w.data[from*w.bytes:to*w.bytes])
		return
	}
	ggml.Dequantize(w.t, z, w.data[from*w.bytes:to*w.bytes])
}
