package cpu

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
)

// Cached packed weights. A layer's weights are stored transposed, and products of a few rows spend most of their time on packing
// them. A program that runs again with the same weights caches small ones in row-major order. The order of the sums, and so
// every bit, is the same (see package gemm).

const (
	cachedElems = 64 << 10 // most elements of cached weights: they must fit in L2
	cacheAfter  = 2        // runs with the same weights before they are cached
	fewRows     = 8        // most rows that are multiplied with them
)

// cachedWeights is the second operand of a product by rows, while it has one value.
type cachedWeights struct {
	buf   *mem.Buffer
	value uint32
	at    int // where in the buffer it begins
	runs  int
	rows  []float32 // nil: not packed yet
}

// product is matmul of operands, of which the first has number first among the launch's inputs.
func (w *cachedWeights) product(c *backend.Ctx, first int, out backend.View, in []backend.View) error {
	rows := w.transposed(c, first, in)
	if rows == nil {
		return matmulThen(c, out, in, ending{})
	}
	m, k, n := in[0].Shape.Dim(0), in[0].Shape.Dim(1), in[1].Shape.Dim(1)
	gemm.Float32(m, n, k, backend.Slice[float32](in[0]), k, 1, rows, n, 1, backend.Slice[float32](out), n, gemm.Overwrite, nil, nil)
	return nil
}

// transposed returns the second operand by rows, nil if it is not cached.
func (w *cachedWeights) transposed(c *backend.Ctx, first int, in []backend.View) []float32 {
	b := &in[1]
	if c.StableInputs>>(first+1)&1 == 0 || b.Buf.ReadOnly {
		*w = cachedWeights{}
		return nil
	}
	if now := (cachedWeights{buf: b.Buf, value: b.Buf.Version(), at: b.Offset()}); w.buf != now.buf || w.value != now.value ||
		w.at != now.at {
		*w = now
	}
	if w.runs >= cacheAfter {
		if w.rows == nil && cacheable(in) {
			w.rows = transposedRows(b)
		}
		return w.rows
	}
	w.runs++
	return nil
}

// cacheable reports whether the operands are a few rows and small weights that are stored transposed.
func cacheable(in []backend.View) bool {
	a, b := &in[0], &in[1]
	return b.DType == dtype.Float32 && a.Shape.Rank() == 2 && b.Shape.Rank() == 2 && a.Contiguous() && a.Shape.Dim(0) <= fewRows &&
		b.Lay != nil && b.Lay.Strides[0] == 1 && b.Lay.Strides[1] > 1 && a.Numel() > 0 && b.Shape.Dim(1) > 1 && b.Numel() <= cachedElems
}

func transposedRows(b *backend.View) []float32 {
	k, n, step := b.Shape.Dim(0), b.Shape.Dim(1), b.Lay.Strides[1]
	src, rows := backend.Whole[float32](*b), make([]float32, k*n)
	for j := range n {
		for p, x := range src[j*step : j*step+k] {
			rows[p*n+j] = x
		}
	}
	return rows
}
