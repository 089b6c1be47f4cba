package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// rowSet is a tensor seen as rows along one axis: outer by n by inner, contiguous.
type rowSet struct {
	base            unsafe.Pointer
	outer, n, inner int
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
	base, err := dense(c, v)
	r.base = base
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

// scattered are rows along the last dimension of a view that is not contiguous: so many in all, and in a tile.
type scattered struct {
	operand
	rows, n, per int
}

// scatteredRows shows a view as such rows, if a tile of some is little memory and there are several tiles.
func scatteredRows(v backend.View, axis int) (s scattered, ok bool) {
	const elements, unit = 1 << 15, 16 // of a tile, and rows that are transformed together
	last := v.Shape.Rank() - 1
	if axis != last || v.Contiguous() || v.Numel() == 0 {
		return s, false
	}
	n, size := v.Shape.Dim(last), v.DType.Size()
	s = scattered{rows: v.Numel() / n, n: n, per: elements / n / unit * unit}
	s.operand = operand{size: size, base: unsafe.Add(v.Base(), v.Offset()*size)}
	s.dims, s.strides = collapse(v)
	return s, s.per > 0 && s.rows > s.per
}

// eachTile runs f for rows from lo on, copied one behind the other.
func eachTile[T floats](c *backend.Ctx, s scattered, f func(lo, count int, x []T)) error {
	numbers, n, last := s.size/int(unsafe.Sizeof(T(0))), s.n, len(s.dims)-1
	across := last > 0 && s.dims[last] == n && s.strides[last] > 1 && s.strides[last-1] == 1 // a tile is to be transposed
	return each(c, ceil(s.rows, s.per), func(b int) {
		lo := b * s.per
		hi := min(lo+s.per, s.rows)
		buf, back := bufpool.Borrow[T]((hi - lo) * n * numbers)
		defer back()
		for at := lo; at < hi; {
			to := unsafe.Pointer(&buf[(at-lo)*n*numbers])
			count := hi - at
			if across {
				off, rest := 0, at
				for d := last - 1; d >= 0; d-- {
					off, rest = off+rest%s.dims[d]*s.strides[d], rest/s.dims[d]
				}
				count = min(count, s.dims[last-1]-at%s.dims[last-1])
				transposer(s.size)(to, n, unsafe.Add(s.base, off*s.size), s.strides[last], n, count)
			} else {
				gatherTile(to, &s.operand, at*n, count*n)
			}
			at += count
		}
		f(lo, hi-lo, buf)
	})
}
