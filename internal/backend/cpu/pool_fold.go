package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// step is a window that covers an element: window o has it as its element k.
type step struct{ o, k int }

// kernelOf is the size of the windows, with 1 for missing dimensions.
func (g *grid) kernelOf() [3]int {
	k, n := [3]int{1, 1, 1}, g.w.In.Len()
	for d := range n {
		k[3-n+d] = g.w.Kernel.At(d)
	}
	return k
}

// covering lists, for every element along a dimension, the windows that hold it and where.
func (g *grid) covering(d int) [][]step {
	c, n := newScratch[[]step](g.in[d]), g.w.In.Len()
	if d < 3-n {
		return [][]step{{{0, 0}}}
	}
	e := d - (3 - n)
	for o := range g.out[d] {
		for k := range g.w.Kernel.At(e) {
			if i := o*g.w.Stride.At(e) - g.w.Pad.At(e) + k*g.w.Dilation.At(e); i >= 0 && i < g.in[d] {
				c[i] = append(c[i], step{o, k})
			}
		}
	}
	return c
}

// poolFold adds, for every row of the image, the rows of windows that cover it.
func poolFold[T numbers](c *backend.Ctx, g *grid, z, x []T) error {
	md, mh, kern := g.covering(0), g.covering(1), g.kernelOf()
	plane := kern[0] * kern[1] * kern[2] * g.outSize()
	n := g.w.In.Len() - 1
	stride, pad, dilation := g.w.Stride.At(n), g.w.Pad.At(n), g.w.Dilation.At(n)
	return overRows(c, len(z)/g.inSize(), g.in, kern[0]*kern[1]*kern[2], func(p, d, h int) {
		row := z[((p*g.in[0]+d)*g.in[1]+h)*g.in[2]:][:g.in[2]]
		clear(row)
		for _, a := range md[d] {
			for _, b := range mh[h] {
				for k := range kern[2] {
					window := (a.k*kern[1]+b.k)*kern[2] + k
					from := x[p*plane+window*g.outSize()+(a.o*g.out[1]+b.o)*g.out[2]:][:g.out[2]]
					at := k*dilation - pad
					for _, v := range from {
						if uint(at) < uint(len(row)) {
							row[at] += v
						}
						at += stride
					}
				}
			}
		}
	})
}

func foldOf[T numbers](c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	base, err := dense(c, in[0])
	if err != nil || out[0].Numel() == 0 {
		return err
	}
	return poolFold(c, newGrid(a.(attr.Pool)), outOf[T](out[0]), elems[T](base, in[0].Numel()))
}

// foldAny sums windows of any numbers.
func foldAny(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if f, ok := framesOf(a.(attr.Pool), in[0]); ok && in[0].Numel() > 0 {
		switch in[0].DType {
		case dtype.Float32:
			return addFrames(c, f, outOf[float32](out[0]), simd.AddF32)
		case dtype.Float64:
			return addFrames(c, f, outOf[float64](out[0]), simd.AddF64)
		}
	}
	switch in[0].DType {
	case dtype.Complex64:
		return foldOf[complex64](c, a, out, in)
	case dtype.Complex128:
		return foldOf[complex128](c, a, out, in)
	case dtype.Uint8, dtype.Int8: // sums wrap alike
		return foldOf[uint8](c, a, out, in)
	case dtype.Uint16, dtype.Int16:
		return foldOf[uint16](c, a, out, in)
	case dtype.Uint32, dtype.Int32:
		return foldOf[uint32](c, a, out, in)
	case dtype.Uint64, dtype.Int64:
		return foldOf[uint64](c, a, out, in)
	}
	return floatPool(poolFold[float32], poolFold[float64])(c, a, out, in)
}

// poolUnfold copies elements of any size into the layout of windows; elements in the padding are 0.
func poolUnfold(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if out[0].Numel() == 0 {
		return nil
	}
	base, err := dense(c, in[0])
	if err != nil {
		return err
	}
	g, z := newGrid(a.(attr.Pool)), unsafe.Pointer(unsafe.SliceData(out[0].Bytes()))
	switch in[0].DType.Size() {
	case 1:
		return unfold(c, g, elems[uint8](z, out[0].Numel()), elems[uint8](base, in[0].Numel()))
	case 2:
		return unfold(c, g, elems[uint16](z, out[0].Numel()), elems[uint16](base, in[0].Numel()))
	case 4:
		return unfold(c, g, elems[uint32](z, out[0].Numel()), elems[uint32](base, in[0].Numel()))
	case 8:
		return unfold(c, g, elems[uint64](z, out[0].Numel()), elems[uint64](base, in[0].Numel()))
	}
	return unfold(c, g, elems[pair](z, out[0].Numel()), elems[pair](base, in[0].Numel()))
}

func unfold[T any](c *backend.Ctx, g *grid, z, x []T) error {
	kern, n := g.kernelOf(), g.w.In.Len()
	at := func(d, o, k int) (int, bool) { // the index of element k of window o, and whether it is inside the input
		e := d - (3 - n)
		if e < 0 {
			return 0, true
		}
		i := o*g.w.Stride.At(e) - g.w.Pad.At(e) + k*g.w.Dilation.At(e)
		return i, i >= 0 && i < g.in[d]
	}
	indices := make([][]int, kern[2]) // along a row, -1 in the padding
	for k := range indices {
		indices[k] = make([]int, g.out[2])
		for o := range indices[k] {
			i, ok := at(2, o, k)
			if !ok {
				i = -1
			}
			indices[k][o] = i
		}
	}
	size := kern[0] * kern[1] * kern[2]
	return overRows(c, len(x)/g.inSize()*size, g.out, 1, func(p, d, h int) {
		window := p % size
		row := z[((p*g.out[0]+d)*g.out[1]+h)*g.out[2]:][:g.out[2]]
		i, okD := at(0, d, window/(kern[1]*kern[2]))
		j, okH := at(1, h, window/kern[2]%kern[1])
		var zero T
		if !okD || !okH {
			for o := range row {
				row[o] = zero
			}
			return
		}
		from := x[((p/size*g.in[0]+i)*g.in[1]+j)*g.in[2]:][:g.in[2]]
		for o, k := range indices[window%kern[2]] {
			if k >= 0 {
				row[o] = from[k]
			} else {
				row[o] = zero
			}
		}
	})
}
