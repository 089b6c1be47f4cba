package cpu

import (
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(backend.Table{"isin": isin}) }

// isin looks every element up among the members of a set: by a walk if they are few, else by a hash. Go's equality is
// the wanted one: zeros of either sign are equal and NaN is none.
func isin(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	switch in[0].DType {
	case dtype.Bool, dtype.Uint8, dtype.Int8:
		return isinT[uint8](c, out[0], in)
	case dtype.Uint16, dtype.Int16:
		return isinT[uint16](c, out[0], in)
	case dtype.Uint32, dtype.Int32:
		return isinT[uint32](c, out[0], in)
	case dtype.Uint64, dtype.Int64:
		return isinT[uint64](c, out[0], in)
	case dtype.Float32:
		return isinT[float32](c, out[0], in)
	case dtype.Float64:
		return isinT[float64](c, out[0], in)
	case dtype.Complex64:
		return isinT[complex64](c, out[0], in)
	}
	return isinT[complex128](c, out[0], in)
}

const (
	walkedSet = 16
	isinBlock = 4 * tileElems
)

func isinT[T comparable](c *backend.Ctx, out backend.View, in []backend.View) error {
	n, m := in[0].Numel(), in[1].Numel()
	if n == 0 {
		return nil
	}
	x, s := operandOf(in[0]), operandOf(in[1])
	set := newScratch[T](m)
	if m > 0 {
		s.read(unsafe.Pointer(unsafe.SliceData(set)), 0, m)
	}
	var hash map[T]struct{}
	if m > walkedSet {
		hash = make(map[T]struct{}, m)
		for _, v := range set {
			hash[v] = struct{}{}
		}
	}
	res := backend.Slice[bool](out)
	return c.For((n+isinBlock-1)/isinBlock, func(b int) {
		lo := b * isinBlock
		tile := make([]T, min(isinBlock, n-lo))
		x.read(unsafe.Pointer(unsafe.SliceData(tile)), lo, len(tile))
		for i, v := range tile {
			if hash == nil {
				res[lo+i] = slices.Contains(set, v)
			} else {
				_, res[lo+i] = hash[v]
			}
		}
	})
}

// read copies elements at to at+n, counted in row-major order, for any layout.
func (o *operand) read(dst unsafe.Pointer, at, n int) {
	switch {
	case o.direct:
		copyBytes(dst, unsafe.Add(o.base, at*o.size), n*o.size)
	case o.scalar:
		fill(dst, o.base, o.size, n)
	default:
		gatherTile(dst, o, at, n)
	}
}
