package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// A product or a convolution at the start of a fused program: what follows it, such as a bias and an activation, runs
// over each part of the result while that is in the cache.

func canLead(op string, _ dtype.DType) bool { return op == "matmul" || op == "conv" }

func runHead(c *backend.Ctx, r *runState, h *backend.Head, out backend.View, in []backend.View) error {
	if out.Numel() == 0 {
		return nil
	}
	width := 1 // a product with a vector has one column
	switch {
	case h.Op == "conv":
		width = volume(out.Shape.Dims()[2:])
	case in[1].Shape.Rank() > 1:
		width = out.Shape.Dim(out.Shape.Rank() - 1)
	}
	then := func(row, col, rows, cols int) {
		var w workspace
		r.open(&w)
		if cols == width {
			r.tiles(&w, row*width, (row+rows)*width, -1, nil)
		} else {
			for i := row; i < row+rows; i++ {
				r.tiles(&w, i*width+col, i*width+col+cols, -1, nil)
			}
		}
		w.close()
	}
	if h.Op == "conv" {
		return convThen(c, h.Attr.(attr.Conv), out, in, then)
	}
	return matmulThen(c, out, in, then)
}

// row returns where elements at to at+n lie, if they do so one after the other in one row; else nil.
func (o *operand) row(at, n int) unsafe.Pointer {
	last := len(o.dims) - 1
	if o.strides[last] != 1 || n > o.dims[last] {
		return nil
	}
	j := at % o.dims[last]
	if j+n > o.dims[last] {
		return nil
	}
	off, rest := j, at/o.dims[last]
	for d := last - 1; d >= 0; d-- {
		off += rest % o.dims[d] * o.strides[d]
		rest /= o.dims[d]
	}
	return unsafe.Add(o.base, off*o.size)
}
