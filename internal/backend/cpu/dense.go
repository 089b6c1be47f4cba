package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// dense returns the first element of a view whose elements follow each other: the view's own memory, or a copy.
func dense(c *backend.Ctx, v backend.View) (unsafe.Pointer, error) {
	size := v.DType.Size()
	if v.Numel() == 0 {
		return v.Base(), nil // an offset may be behind the end
	}
	if v.Contiguous() {
		return unsafe.Add(v.Base(), v.Offset()*size), nil
	}
	buf := newScratch[uint64]((v.Numel()*size + 7) / 8)
	base := unsafe.Pointer(unsafe.SliceData(buf))
	return base, move(c, v.Shape, size, strided{base, v.Shape.Strides()}, stridedOf(v))
}

// denseF32 returns the elements of a float32 or half view as float32, in order; a half view is always copied.
func denseF32(c *backend.Ctx, v backend.View) ([]float32, error) {
	base, err := dense(c, v)
	n := v.Numel()
	if err != nil || v.DType == dtype.Float32 {
		return elems[float32](base, n), err
	}
	z, widen := newScratch[float32](n), widener(v.DType)
	err = c.For((n+blockElems-1)/blockElems, func(b int) {
		at := b * blockElems
		widen(z[at:min(at+blockElems, n)], unsafe.Add(base, 2*at))
	})
	return z, err
}

// storeHalf rounds a result into a contiguous half view.
func storeHalf(c *backend.Ctx, v backend.View, z []float32) error {
	narrow := narrower(v.DType)
	return c.For((len(z)+blockElems-1)/blockElems, func(b int) {
		at := b * blockElems
		narrow(unsafe.Add(v.Base(), 2*(v.Offset()+at)), z[at:min(at+blockElems, len(z))])
	})
}

func widener(d dtype.DType) func(z []float32, x unsafe.Pointer) {
	if d == dtype.BFloat16 {
		return widenBF16
	}
	return widenF16
}

func narrower(d dtype.DType) func(z unsafe.Pointer, x []float32) {
	if d == dtype.BFloat16 {
		return narrowBF16
	}
	return narrowF16
}

// outOf returns the elements of a contiguous output.
func outOf[T any](v backend.View) []T { return backend.Slice[T](v) }
