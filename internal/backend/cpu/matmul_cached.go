package cpu

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
)

// Cached packed weights. A layer's weights are stored transposed, and products of a few rows spend most of their time on packing
// them, those of a hundred rows a tenth. A program that runs again with the same weights caches small ones: in row-major order for a
// few rows, with the launch; else in the panels that kernels read, with their buffer, for all programs that read it. The order of the
// sums, and so every bit, is the same (see package gemm).

const (
	cachedElems = 64 << 10 // most elements of cached weights for a few rows: they must fit in L2
	cacheAfter  = 2        // runs with the same weights before they are cached
	fewRows     = 8        // most rows that are multiplied with them

	storedElems = 3 << 20 // most elements of weights that have their panels stored in addition: layers of encoders, not of large models
	storedCols  = 64      // least columns of them
	storedRows  = 512     // most rows that are multiplied with them: for more, packing counts little
)

// cachedWeights is the second operand of a product, while it has one value.
type cachedWeights struct {
	buf   *mem.Buffer
	value uint32
	at    int // where in the buffer it begins
	runs  int
	rows  []float32 // nil: not packed yet
}

// weightsOf are those of a launch; nil if nothing is cached with it.
func weightsOf(c *backend.Ctx) *cachedWeights {
	if c.LaunchCache == nil {
		return nil
	}
	w, ok := (*c.LaunchCache).(*cachedWeights)
	if !ok {
		w = new(cachedWeights)
		*c.LaunchCache = w
	}
	return w
}

// product is matmul of operands, of which the first has number first among the launch's inputs; w may be nil.
func (w *cachedWeights) product(c *backend.Ctx, first int, out backend.View, in []backend.View) error {
	if w == nil || !cacheable(in) {
		return w.productThen(c, first, out, in, ending{})
	}
	rows := w.transposed(c, first, in)
	if rows == nil {
		return matmulThen(c, out, in, ending{})
	}
	m, k, n := in[0].Shape.Dim(0), in[0].Shape.Dim(1), in[1].Shape.Dim(1)
	gemm.Float32(m, n, k, backend.Slice[float32](in[0]), k, 1, rows, n, 1, backend.Slice[float32](out), n, gemm.Overwrite, nil, nil)
	return nil
}

// productThen is matmulThen with stored panels, if there are any; w may be nil.
func (w *cachedWeights) productThen(c *backend.Ctx, first int, out backend.View, in []backend.View, then ending) error {
	panels := w.panels(c, first, in)
	if panels == nil {
		return matmulThen(c, out, in, then)
	}
	stored := func(m, n, k int, a []float32, ars, acs int, b []float32, brs, bcs int, z []float32, crs int,
		ep func(z []float32, crs, row, col, rows, cols int), run gemm.Runner) {
		gemm.Float32Stored(m, n, k, a, ars, acs, b, brs, bcs, panels, z, crs, ep, run)
	}
	return stacks(c, out, in, stored, then)
}

// known reports whether the weights had the same value for some runs.
func (w *cachedWeights) known(c *backend.Ctx, first int, b *backend.View) bool {
	if c.StableInputs>>(first+1)&1 == 0 || b.Buf.ReadOnly && !b.Buf.Mapped {
		*w = cachedWeights{}
		return false
	}
	if now := (cachedWeights{buf: b.Buf, value: b.Buf.Version(), at: b.Offset()}); w.buf != now.buf || w.value != now.value ||
		w.at != now.at {
		*w = now
	}
	if w.runs >= cacheAfter {
		return true
	}
	w.runs++
	return false
}

// transposed returns the second operand by rows, nil if it is not cached.
func (w *cachedWeights) transposed(c *backend.Ctx, first int, in []backend.View) []float32 {
	if !w.known(c, first, &in[1]) {
		return nil
	}
	if w.rows == nil {
		w.rows = transposedRows(&in[1])
	}
	return w.rows
}

// panelKey says which part of a buffer is packed, and how.
type panelKey struct{ width, at, k, n, step int }

// panels returns the stored panels of the second operand, nil if it has none.
func (w *cachedWeights) panels(c *backend.Ctx, first int, in []backend.View) []float32 {
	if c.StableInputs>>(first+1)&1 == 0 || !storable(in) {
		return nil
	}
	b, width := &in[1], gemm.StoredWidth()
	k, n, step := b.Shape.Dim(0), b.Shape.Dim(1), b.Lay.Strides[1]
	key := panelKey{width, b.Offset(), k, n, step}
	if again := b.Buf.Fixed && b.Buf.Wanted(key) || !b.Buf.Fixed && w != nil && w.known(c, first, b); !again {
		return nil
	}
	all, err := b.Buf.Derive(key, Device.Pool, 4*gemm.StoredLen(k, n), func(dst []byte) error {
		z, src := dtype.Slice[float32](dst), backend.Whole[float32](*b)
		return c.For((n+width-1)/width, func(i int) { gemm.Store(z, src, 1, step, k, n, i, i+1) })
	})
	if err != nil { // no memory: they are packed as the product runs
		return nil
	}
	return dtype.Slice[float32](all)
}

// storable reports whether the operands are some rows and weights that are stored transposed.
func storable(in []backend.View) bool {
	a, b := &in[0], &in[1]
	if b.DType != dtype.Float32 || b.Shape.Rank() != 2 || a.Shape.Rank() < 2 || a.Numel() == 0 || b.Lay == nil {
		return false
	}
	rows := a.Numel() / b.Shape.Dim(0)
	return rows > fewRows && rows <= storedRows && b.Shape.Dim(1) >= storedCols && b.Numel() <= storedElems &&
		b.Lay.Strides[0] == 1 && b.Lay.Strides[1] >= b.Shape.Dim(0)
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
