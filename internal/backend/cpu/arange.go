package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(backend.Table{"arange": arange}) }

func pointer[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// arange writes start + i·step: in float64 and rounded once if either is a float, in wrapping integers otherwise.
func arange(c *backend.Ctx, a attr.Attr, out, _ []backend.View) error {
	r := a.(attr.Arange)
	if r.N == 0 {
		return nil
	}
	part := arangePart(r, out[0])
	blocks := (r.N + blockElems - 1) / blockElems
	return runBlocks(c, blocks, func(b int) { part(b*blockElems, min((b+1)*blockElems, r.N)) })
}

func arangePart(r attr.Arange, v backend.View) func(lo, hi int) {
	start, step := r.Start.Int(), r.Step.Int()
	if r.Start.Kind == dtype.KindFloat || r.Step.Kind == dtype.KindFloat {
		first, by := r.Start.Float(), r.Step.Float()
		switch v.DType {
		case dtype.Float32:
			return floatRange[float32](v, first, by)
		case dtype.Float64:
			return floatRange[float64](v, first, by)
		}
		return func(lo, hi int) {
			for i := lo; i < hi; i++ {
				v.DType.Put(v.Buf.Mem, v.Offset()+i, dtype.Scalar{Kind: dtype.KindFloat, F: first + float64(float64(i)*by)})
			}
		}
	}
	switch v.DType {
	case dtype.Int64, dtype.Uint64:
		return intRange[int64](v, start, step)
	case dtype.Int32, dtype.Uint32:
		return intRange[int32](v, start, step)
	case dtype.Int16, dtype.Uint16:
		return intRange[int16](v, start, step)
	case dtype.Int8, dtype.Uint8:
		return intRange[int8](v, start, step)
	case dtype.Float32:
		return intRange[float32](v, start, step)
	case dtype.Float64:
		return intRange[float64](v, start, step)
	}
	return func(lo, hi int) {
		for i := lo; i < hi; i++ {
			v.DType.Put(v.Buf.Mem, v.Offset()+i, dtype.Scalar{Kind: dtype.KindInt, I: start + int64(i)*step})
		}
	}
}

func floatRange[T floats](v backend.View, first, by float64) func(lo, hi int) {
	z := backend.Slice[T](v)
	return func(lo, hi int) {
		for i := lo; i < hi; i++ {
			z[i] = T(first + float64(float64(i)*by)) // the conversion keeps the two roundings apart on every machine
		}
	}
}

func intRange[T int8 | int16 | int32 | int64 | float32 | float64](v backend.View, start, step int64) func(lo, hi int) {
	z := backend.Slice[T](v)
	return func(lo, hi int) {
		for i := lo; i < hi; i++ {
			z[i] = T(start + int64(i)*step)
		}
	}
}
