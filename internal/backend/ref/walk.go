package ref

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// cursor walks a shape in row-major order and keeps the element offset of a view.
type cursor struct {
	dims, strides []int
	at            []int
	off           int
}

func newCursor(v backend.View) *cursor {
	return &cursor{dims: v.Shape.Dims(), strides: v.Strides(), at: make([]int, v.Shape.Rank()), off: v.Offset()}
}

func (c *cursor) next() {
	for d := len(c.dims) - 1; d >= 0; d-- {
		c.at[d]++
		c.off += c.strides[d]
		if c.at[d] < c.dims[d] {
			return
		}
		c.off -= c.strides[d] * c.dims[d]
		c.at[d] = 0
	}
}

// load reads all elements of a view in row-major order.
func load(v backend.View) []dtype.Scalar {
	out := make([]dtype.Scalar, v.Numel())
	c := newCursor(v)
	for i := range out {
		out[i] = v.DType.Get(v.Buf.Mem, c.off)
		c.next()
	}
	return out
}

// store writes all elements of a contiguous view.
func store(v backend.View, x []dtype.Scalar) {
	o := v.Offset()
	for i, s := range x {
		v.DType.Put(v.Buf.Mem, o+i, s)
	}
}

// rowMajor returns the strides of a shape, for addressing loaded elements.
func rowMajor(s *shape.Shape) []int { return s.Strides() }

// indices calls f for every multi-index of a shape, in row-major order.
func indices(dims []int, f func(at []int)) {
	n := 1
	for _, d := range dims {
		n *= d
	}
	at := make([]int, len(dims))
	for range n {
		f(at)
		for d := len(dims) - 1; d >= 0; d-- {
			if at[d]++; at[d] < dims[d] {
				break
			}
			at[d] = 0
		}
	}
}

// offset is the index of a multi-index.
func offset(at, strides []int) int {
	o := 0
	for i, a := range at {
		o += a * strides[i]
	}
	return o
}

func float(f float64) dtype.Scalar { return dtype.Scalar{Kind: dtype.KindFloat, F: f} }
func integer(i int64) dtype.Scalar { return dtype.Scalar{Kind: dtype.KindInt, I: i} }
func cmplx128(c complex128) dtype.Scalar {
	return dtype.Scalar{Kind: dtype.KindComplex, F: real(c), G: imag(c)}
}

func boolean(b bool) dtype.Scalar {
	if b {
		return dtype.Scalar{Kind: dtype.KindBool, I: 1}
	}
	return dtype.Scalar{Kind: dtype.KindBool}
}

// truth is whether a number counts as true.
func truth(s dtype.Scalar) bool {
	if s.Kind >= dtype.KindFloat {
		return s.F != 0 || s.G != 0
	}
	return s.I != 0
}

// less orders numbers of one real dtype; NaN is not less than anything.
func less(a, b dtype.Scalar) bool {
	switch a.Kind {
	case dtype.KindUint:
		return uint64(a.I) < uint64(b.I)
	case dtype.KindFloat:
		return a.F < b.F
	}
	return a.I < b.I
}

func equal(a, b dtype.Scalar) bool {
	if a.Kind >= dtype.KindFloat {
		return a.F == b.F && a.G == b.G
	}
	return a.I == b.I
}

func isNaN(s dtype.Scalar) bool { return s.F != s.F || s.G != s.G }
