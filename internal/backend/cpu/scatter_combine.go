package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// rowCombine combines dense rows: z[i] = z[i] ∘ x[i].
type rowCombine func(z, x unsafe.Pointer, n int)

// combineOf gives the scatter combine of rows of a dtype. Bools are 0 and 1: addition is max, multiplication is min.
func combineOf(d dtype.DType, r attr.Reduction) rowCombine {
	size := d.Size()
	switch {
	case r == attr.ReduceSet:
		return func(z, x unsafe.Pointer, n int) { copyBytes(z, x, n*size) }
	case d == dtype.Bool && r == attr.ReduceAdd:
		r = attr.ReduceMax
	case d == dtype.Bool && r == attr.ReduceMul:
		r = attr.ReduceMin
	}
	if r == attr.ReduceAdd {
		switch d {
		case dtype.Float32:
			return addRows(simd.AddF32)
		case dtype.Float64:
			return addRows(simd.AddF64)
		case dtype.Uint8, dtype.Int8: // signed and unsigned integers have the same bits
			return addRows(simd.AddU8)
		case dtype.Uint16, dtype.Int16:
			return addRows(simd.AddU16)
		case dtype.Uint32, dtype.Int32:
			return addRows(simd.AddI32)
		case dtype.Uint64, dtype.Int64:
			return addRows(simd.AddI64)
		}
	}
	switch d {
	case dtype.Bool, dtype.Uint8:
		return combineReal[uint8](r)
	case dtype.Uint16:
		return combineReal[uint16](r)
	case dtype.Uint32:
		return combineReal[uint32](r)
	case dtype.Uint64:
		return combineReal[uint64](r)
	case dtype.Int8:
		return combineReal[int8](r)
	case dtype.Int16:
		return combineReal[int16](r)
	case dtype.Int32:
		return combineReal[int32](r)
	case dtype.Int64:
		return combineReal[int64](r)
	case dtype.Float32:
		return combineReal[float32](r)
	case dtype.Float64:
		return combineReal[float64](r)
	case dtype.Complex64:
		return combineNumber[complex64](r)
	}
	return combineNumber[complex128](r)
}

// addRows adds rows by a vector kernel, short ones in a plain loop.
func addRows[T reals](vectors func(z, x, y []T)) rowCombine {
	return func(z, x unsafe.Pointer, n int) {
		out, in := elems[T](z, n), elems[T](x, n)
		if n < 8 {
			for i, v := range in {
				out[i] += v
			}
			return
		}
		vectors(out, out, in)
	}
}

func combineNumber[T numbers](r attr.Reduction) rowCombine {
	if r == attr.ReduceAdd {
		return func(z, x unsafe.Pointer, n int) {
			out := elems[T](z, n)
			for i, v := range elems[T](x, n) {
				out[i] += v
			}
		}
	}
	return func(z, x unsafe.Pointer, n int) {
		out := elems[T](z, n)
		for i, v := range elems[T](x, n) {
			out[i] *= v
		}
	}
}

func combineReal[T reals](r attr.Reduction) rowCombine {
	switch r {
	case attr.ReduceMax:
		return func(z, x unsafe.Pointer, n int) {
			out := elems[T](z, n)
			for i, v := range elems[T](x, n) {
				if v > out[i] || v != v {
					out[i] = v
				}
			}
		}
	case attr.ReduceMin:
		return func(z, x unsafe.Pointer, n int) {
			out := elems[T](z, n)
			for i, v := range elems[T](x, n) {
				if v < out[i] || v != v {
					out[i] = v
				}
			}
		}
	}
	return combineNumber[T](r)
}

// elementCombine writes elements one by one: z[idx[k]·zs + k·zi] = z[…] ∘ x[k] for positions in [r0, r1).
type elementCombine func(z, x unsafe.Pointer, idx []int64, zs, zi int, r0, r1 int64)

// elementCombineOf gives the kernel of a reduction, nil where there is none.
func elementCombineOf(d dtype.DType, r attr.Reduction) elementCombine {
	if r == attr.ReduceSet {
		switch d.Size() {
		case 1:
			return setElements[uint8]
		case 2:
			return setElements[uint16]
		case 4:
			return setElements[uint32]
		case 8:
			return setElements[uint64]
		}
		return setElements[pair]
	}
	switch d {
	case dtype.Bool, dtype.Complex64, dtype.Complex128:
		return nil
	case dtype.Float32:
		return combineElements[float32](r)
	case dtype.Float64:
		return combineElements[float64](r)
	case dtype.Uint8:
		return combineElements[uint8](r)
	case dtype.Int8:
		return combineElements[int8](r)
	case dtype.Uint16:
		return combineElements[uint16](r)
	case dtype.Int16:
		return combineElements[int16](r)
	case dtype.Uint32:
		return combineElements[uint32](r)
	case dtype.Int32:
		return combineElements[int32](r)
	case dtype.Uint64:
		return combineElements[uint64](r)
	}
	return combineElements[int64](r)
}

// combineElements has the common reductions; nil for the others.
func combineElements[T reals](r attr.Reduction) elementCombine {
	switch r {
	case attr.ReduceAdd:
		return addElements[T]
	case attr.ReduceMax:
		return func(z, x unsafe.Pointer, idx []int64, zs, zi int, r0, r1 int64) {
			in := elems[T](x, len(idx))
			for k, p := range idx {
				if uint64(p-r0) < uint64(r1-r0) {
					if to := at[T](z, int(p)*zs+k*zi); in[k] > *to || in[k] != in[k] {
						*to = in[k]
					}
				}
			}
		}
	case attr.ReduceMin:
		return func(z, x unsafe.Pointer, idx []int64, zs, zi int, r0, r1 int64) {
			in := elems[T](x, len(idx))
			for k, p := range idx {
				if uint64(p-r0) < uint64(r1-r0) {
					if to := at[T](z, int(p)*zs+k*zi); in[k] < *to || in[k] != in[k] {
						*to = in[k]
					}
				}
			}
		}
	}
	return nil
}

// at is the address of element i.
func at[T any](p unsafe.Pointer, i int) *T {
	var t T
	return (*T)(unsafe.Add(p, i*int(unsafe.Sizeof(t))))
}

func setElements[T any](z, x unsafe.Pointer, idx []int64, zs, zi int, r0, r1 int64) {
	in := elems[T](x, len(idx))
	for k, p := range idx {
		if uint64(p-r0) < uint64(r1-r0) {
			*at[T](z, int(p)*zs+k*zi) = in[k]
		}
	}
}

func addElements[T numbers](z, x unsafe.Pointer, idx []int64, zs, zi int, r0, r1 int64) {
	in := elems[T](x, len(idx))
	for k, p := range idx {
		if uint64(p-r0) < uint64(r1-r0) {
			*at[T](z, int(p)*zs+k*zi) += in[k]
		}
	}
}

// rowCombineOf gives the kernel for a row whose elements follow each other, where all positions are in it.
func rowCombineOf(d dtype.DType, r attr.Reduction) elementCombine {
	switch {
	case r == attr.ReduceSet && d.Size() == 4:
		return setRow[uint32]
	case r == attr.ReduceSet && d.Size() == 8:
		return setRow[uint64]
	case r != attr.ReduceAdd:
		return nil
	case d == dtype.Float32:
		return addRow[float32]
	case d == dtype.Float64:
		return addRow[float64]
	case d == dtype.Int32:
		return addRow[int32]
	case d == dtype.Int64:
		return addRow[int64]
	}
	return nil
}

func setRow[T uint32 | uint64](z, x unsafe.Pointer, idx []int64, _, _ int, _, _ int64) {
	in := elems[T](x, len(idx))
	for k, p := range idx {
		*at[T](z, int(p)) = in[k]
	}
}

func addRow[T float32 | float64 | int32 | int64](z, x unsafe.Pointer, idx []int64, _, _ int, _, _ int64) {
	in := elems[T](x, len(idx))
	for k, p := range idx {
		*at[T](z, int(p)) += in[k]
	}
}
