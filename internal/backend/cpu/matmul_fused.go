package cpu

import (
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// A product or a convolution at the start of a fused program: what follows it, such as a bias and an activation, runs
// over each part of the result while that is in the cache.

func canLead(op string, a attr.Attr, _ dtype.DType) bool {
	return op == "matmul" || op == "conv" || fastBlocks(op, a)
}

// headRun is what follows one head. Small products are called so often that its function is made once.
type headRun struct {
	r     *runState
	width int // columns of the product, output positions of the convolution
	dst   int // register of the head
	then  finished
	at    func(part unsafe.Pointer, pitch, row, col, rows, cols int)
}

var headRuns = sync.Pool{New: func() any {
	h := new(headRun)
	h.then, h.at = h.part, h.partAt
	return h
}}

// staysApart reports whether the head goes to no memory: the program alone sees its parts. Small products are in the cache as
// a whole anyway.
func staysApart(p *backend.Fused) bool {
	if p.Producer.Op != "matmul" || p.Producer.Stored || p.Shape.Numel() <= plainWork {
		return false
	}
	switch p.DTypes[p.Producer.Dst] {
	case dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16:
		return true
	}
	return false
}

// isPlain reports whether the head is a product so small that it is in the cache as a whole when it is done.
func isPlain(h *backend.Producer, in []backend.View) bool {
	if h.Op != "matmul" || in[0].Shape.Rank() != 2 || in[1].Shape.Rank() != 2 {
		return false
	}
	return in[0].Numel() <= plainWork && in[0].Numel()*in[1].Shape.Dim(1) <= plainWork
}

// runHead runs a head whose first operand has number first among the launch's inputs, and the program behind it.
func runHead(c *backend.Ctx, r *runState, head *backend.Producer, first int, out backend.View, in []backend.View) error {
	if out.Numel() == 0 {
		return nil
	}
	h := headRuns.Get().(*headRun)
	defer func() {
		h.r = nil
		headRuns.Put(h)
	}()
	h.r, h.width = r, 1 // a product with a vector has one column
	if head.Op == "conv" {
		h.width = volume(out.Shape.Dims()[2:])
		return convolutions.Run(c, head.Attr.(attr.Conv), out, in, h.then)
	}
	if in[1].Shape.Rank() > 1 {
		h.width = out.Shape.Dim(out.Shape.Rank() - 1)
	}
	h.dst = head.Dst
	then := ending{then: h.then}
	if head.Unwritten {
		r.in[h.dst].apart = true
		then = ending{at: h.at, size: out.Numel()}
	}
	return weightsOf(c).productThen(c, first, out, in, then)
}

// part runs the program over a finished part of the product.
func (h *headRun) part(row, col, rows, cols int) {
	var w workspace
	h.r.open(&w)
	if cols == h.width {
		h.r.tiles(&w, row*h.width, (row+rows)*h.width, nil)
	} else {
		for i := row; i < row+rows; i++ {
			h.r.tiles(&w, i*h.width+col, i*h.width+col+cols, nil)
		}
	}
	w.close()
	h.soon(row+rows, col, rows, cols)
}

// partAt runs the program over a part in memory of its own, its rows pitch elements from each other.
func (h *headRun) partAt(part unsafe.Pointer, pitch, row, col, rows, cols int) {
	var w workspace
	h.r.open(&w)
	runs, each := rows, cols
	if cols == h.width && pitch == cols {
		runs, each = 1, rows*cols
	}
	size := h.r.p.size[h.dst]
	for i := range runs {
		at := (row+i)*h.width + col
		h.r.tiles(&w, at, at+each, []made{{h.dst, unsafe.Add(part, i*pitch*size)}})
	}
	w.close()
	h.soon(row+rows, col, rows, cols)
}

// aheadElems is from how many elements on the program's other operands are not in a cache.
const aheadElems = 256 << 10

// soon prefetches what the program will read with the part below, while the product computes.
func (h *headRun) soon(row, col, rows, cols int) {
	if h.r.n < aheadElems {
		return
	}
	if rows = min(rows, h.r.n/h.width-row); rows <= 0 {
		return
	}
	for i := range h.r.in {
		if o := &h.r.in[i]; o.direct && i != h.dst {
			simd.PrefetchRows(unsafe.Add(o.base, (row*h.width+col-o.first)*o.size), h.width*o.size, rows, cols*o.size)
		}
	}
}

// row returns the address of elements at to at+n if they are contiguous in one row; else nil.
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
