package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/quantize"
)

func init() {
	register(backend.Table{"quantize_groups": quantizeGroups, "dequantize_groups": dequantizeGroups, "quantized_matmul": quantizedMatmul})
}

// quantizedRows are rows of MLX's quantized matrices. Scales are codes in the modes of floats.
type quantizedRows struct {
	f              quantize.Format
	round          func(float32) float32 // nil: none, values are float32
	packed         []uint32
	scales, biases []float32
	rows, k        int
	in             []backend.View
}

// rounding is the precision of a dtype.
func rounding(d dtype.DType) func(float32) float32 {
	switch d {
	case dtype.BFloat16:
		return func(v float32) float32 { return dtype.ToBF16(v).Float32() }
	case dtype.Float16:
		return func(v float32) float32 { return dtype.ToF16(v).Float32() }
	}
	return func(v float32) float32 { return v }
}

func quantizedFormat(a attr.Quantized) quantize.Format {
	return quantize.Format{Mode: quantize.Mode(a.Mode), Bits: a.Bits, Group: a.Group}
}

// quantizedRowsOf are the rows of the operands of a quantized matrix, before load.
func quantizedRowsOf(a attr.Quantized, in []backend.View) *quantizedRows {
	w := &quantizedRows{f: quantizedFormat(a), rows: in[0].Shape.Dim(0), in: in}
	if a.To != dtype.Float32 {
		w.round = rounding(a.To)
	}
	w.k = w.f.Elements(in[0].Shape.Dim(1))
	return w
}

// load reads the operands. Tiles that are stored need none of them.
func (w *quantizedRows) load(c *backend.Ctx) error {
	base, err := dense(c, w.in[0])
	if err != nil {
		return err
	}
	w.packed = elems[uint32](base, w.in[0].Numel())
	if w.f.Mode == quantize.Affine {
		if w.scales, err = denseF32(c, w.in[1]); err == nil {
			w.biases, err = denseF32(c, w.in[2])
		}
		return err
	}
	codes, err := dense(c, w.in[1])
	if err != nil {
		return err
	}
	w.scales = make([]float32, w.in[1].Numel())
	for i, code := range elems[byte](codes, len(w.scales)) {
		w.scales[i] = float32(code)
	}
	w.biases = w.scales
	return nil
}

// values writes those of some rows.
func (w *quantizedRows) values(dst []float32, from, to int) {
	words, groups := w.f.Words(w.k), w.k/w.f.Group
	for r := from; r < to; r++ {
		w.f.Dequantize(dst[(r-from)*w.k:][:w.k], w.packed[r*words:][:words], w.scales[r*groups:], w.biases[r*groups:], w.round)
	}
}

// each is how many rows are worked on together.
func (w *quantizedRows) each() int { return max(1, blockScratch/max(1, w.k)) }

func quantizeGroups(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	f := quantizedFormat(a.(attr.Quantized))
	w, err := denseF32(c, in[0])
	if err != nil {
		return err
	}
	rows, cols := in[0].Shape.Dim(0), in[0].Shape.Dim(1)
	words, groups := f.Words(cols), cols/f.Group
	packed, round := backend.Slice[uint32](out[0]), rounding(in[0].DType)
	scales, biases := make([]float32, rows*groups), make([]float32, rows*groups)
	each := max(1, blockScratch/max(1, cols))
	err = c.For(ceil(rows, each), func(b int) {
		for r := b * each; r < min((b+1)*each, rows); r++ {
			f.Quantize(w[r*cols:][:cols], packed[r*words:][:words], scales[r*groups:], biases[r*groups:], round)
		}
	})
	for i, list := range [][]float32{scales, biases} {
		switch {
		case err != nil || i+1 >= len(out):
		case f.Mode != quantize.Affine:
			for j, v := range list {
				backend.Slice[byte](out[1])[j] = byte(v)
			}
		case out[i+1].DType == dtype.Float32:
			copy(backend.Slice[float32](out[i+1]), list)
		default:
			err = storeHalf(c, out[i+1], list)
		}
	}
	return err
}

func dequantizeGroups(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	w := quantizedRowsOf(a.(attr.Quantized), in)
	if out[0].Numel() == 0 {
		return nil
	}
	if err := w.load(c); err != nil {
		return err
	}
	z, half := []float32(nil), out[0].DType != dtype.Float32
	if half {
		z = newScratch[float32](out[0].Numel())
	} else {
		z = backend.Slice[float32](out[0])
	}
	each := w.each()
	err := c.For(ceil(w.rows, each), func(b int) {
		from, to := b*each, min((b+1)*each, w.rows)
		w.values(z[from*w.k:], from, to)
	})
	if err != nil || !half {
		return err
	}
	return storeHalf(c, out[0], z)
}

// quantizedMatmul gives the values of some rows and multiplies them, some at the same time: the whole matrix is never in memory. How
// rows are cut depends on sizes alone.
func quantizedMatmul(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	w := quantizedRowsOf(a.(attr.Quantized), in[1:])
	if out[0].Numel() == 0 {
		return nil
	}
	x, err := denseF32(c, in[0])
	if err != nil {
		return err
	}
	m, n, half := in[0].Shape.Dim(0), w.rows, out[0].DType != dtype.Float32
	t, fast := w.tileType()
	fast = fast && a.(attr.Quantized).Fast && w.k > 0
	z := []float32(nil)
	if half {
		z = newScratch[float32](m * n)
	} else {
		z = backend.Slice[float32](out[0])
	}
	switch {
	case w.k == 0:
		clear(z)
	case fast:
		err = w.fastMatmul(c, t, x, m, z)
	default:
		if err := w.load(c); err != nil {
			return err
		}
		each := w.each()
		err = c.For(ceil(n, each), func(b int) {
			from, to := b*each, min((b+1)*each, n)
			rows, free := borrow[float32]((to - from) * w.k)
			defer free()
			w.values(rows, from, to)
			gemm.Float32(m, to-from, w.k, x, w.k, 1, rows, 1, w.k, z[from:], n, gemm.Overwrite, nil, oneThread)
		})
	}
	if err != nil || !half {
		return err
	}
	return storeHalf(c, out[0], z)
}
