package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/half"
	"github.com/lucid-go/lucid/internal/backend/cpu/qmm"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/ggml"
)

// rowsWork is how many bytes of weights a block of work has: they stay in L2 while all rows of x pass.
const rowsWork = 128 << 10

// rowsMatmul is x·wᵀ for weights of a half type, which are widened in registers.
func (w *blockRows) rowsMatmul(c *backend.Ctx, x []float32, m int, z []float32) error {
	each := max(1, rowsWork/w.bytes/qmm.ColumnsByRows) * qmm.ColumnsByRows
	return c.For(ceil(w.rows, each), func(b int) {
		from, to := b*each, min((b+1)*each, w.rows)
		qmm.ByRows(w.t, m, to-from, w.elems, x, w.data[from*w.bytes:to*w.bytes], z[from:], w.rows)
	})
}

// roundedPad is how many elements rounded rows are apart from each other: where they were whole pages apart, they would share sets of L1.
const roundedPad = 64

// pairsMatmul is x·wᵀ for weights of bfloat16 and x rounded to it. Weights that a program reads again and again are stored in panels.
func (w *blockRows) pairsMatmul(c *backend.Ctx, x []float32, m int, z []float32, v backend.View) (err error) {
	k := w.elems
	step := k + k%2 + roundedPad
	rounded, free := borrow[uint16](m * step)
	defer free()
	some := max(1, quantizeWork/k)
	if err := c.For(ceil(m, some), func(b int) {
		for i := b * some; i < min((b+1)*some, m); i++ {
			half.Narrow(dtype.BFloat16, rounded[i*step:][:k], x[i*k:][:k])
		}
	}); err != nil {
		return err
	}
	if panels := w.panels(c, v, 1); panels != nil {
		gemm.BFloat16Stored(m, w.rows, k, rounded, step, panels, z, w.rows, gemmRunner(c, &err))
		return err
	}
	gemm.BFloat16Rows(m, w.rows, k, rounded, step, bits16(w.data, w.rows*k), z, w.rows, gemmRunner(c, &err))
	return err
}

// panels returns stored panels of weights of bfloat16, nil if there are none: see packed.
func (w *blockRows) panels(c *backend.Ctx, v backend.View, input int) []float32 {
	if !gemm.StoresPairs(w.elems) {
		return nil
	}
	rows := gemm.PairsWidth()
	src := bits16(w.data, w.rows*w.elems)
	return dtype.Slice[float32](w.derived(c, v, input, rows, 4*gemm.PairsLen(w.elems, 1), func(all []byte, from, to int) {
		gemm.StorePairs(dtype.Slice[float32](all), src, w.elems, w.rows, from, to)
	}))
}

// halfType is the dtype that rows of numbers of 16 bits have.
func halfType(t ggml.Type) (d dtype.DType, ok bool) {
	switch t {
	case ggml.BF16:
		return dtype.BFloat16, true
	case ggml.F16:
		return dtype.Float16, true
	}
	return 0, false
}

// widenBytes converts numbers of 16 bits.
func widenBytes(d dtype.DType, z []float32, data []byte) {
	half.Widen(d, z, bits16(data, len(z)))
}

// bits16 shows bytes as n numbers of 16 bits.
func bits16(data []byte, n int) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(data[:2*n]))), n)
}
