package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// rowSet is a tensor seen as rows along one axis: outer by n by inner, contiguous.
type rowSet struct {
	base            unsafe.Pointer
	outer, n, inner int
	hold            []uint64 // keeps a copy alive
}

// rowsAlong shows a view as rows along an axis, copying it first if it is not contiguous.
func rowsAlong(c *backend.Ctx, v backend.View, axis int) (rowSet, error) {
	r := rowSet{outer: 1, n: 1, inner: 1}
	for i, d := range v.Shape.Dims() {
		switch {
		case i < axis:
			r.outer *= d
		case i == axis:
			r.n = d
		default:
			r.inner *= d
		}
	}
	if v.Contiguous() {
		r.base = unsafe.Add(v.Base(), v.Offset()*v.DType.Size())
		return r, nil
	}
	size := v.DType.Size()
	r.hold = newScratch[uint64]((v.Numel()*size + 7) / 8)
	r.base = unsafe.Pointer(unsafe.SliceData(r.hold))
	dims, strides := collapse(v)
	o := &operand{size: size, base: unsafe.Add(v.Base(), v.Offset()*size), dims: dims, strides: strides}
	n := v.Numel()
	err := each(c, (n+blockElems-1)/blockElems, func(b int) {
		lo := b * blockElems
		gatherTile(unsafe.Add(r.base, lo*size), o, lo, min(blockElems, n-lo))
	})
	return r, err
}

// count is the number of rows.
func (r *rowSet) count() int { return r.outer * r.inner }

// start is the offset, in elements, of row i's first element in a set whose rows have n elements.
func (r *rowSet) start(i, n int) int { return i/r.inner*n*r.inner + i%r.inner }

// groups cuts the rows into groups of about size elements and runs them.
func (r *rowSet) groups(c *backend.Ctx, size int, f func(lo, hi int)) error {
	g := max(1, size/max(1, r.n))
	return each(c, (r.count()+g-1)/g, func(b int) { f(b*g, min((b+1)*g, r.count())) })
}

// hostView shows Go memory as a contiguous operand.
func hostView(x []float32, s *shape.Shape) backend.View {
	return backend.View{Buf: mem.FromGo(dtype.Bytes(x)), DType: dtype.Float32, Shape: s}
}
