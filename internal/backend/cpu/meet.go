package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// rowMeet combines dense rows: z[i] = z[i] ∘ x[i].
type rowMeet func(z, x unsafe.Pointer, n int)

// meetOf gives how rows of a dtype meet. Bools are 0 and 1: adding is the larger, multiplying the smaller.
func meetOf(d dtype.DType, r attr.Reduction) rowMeet {
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
		return meetReal[uint8](r)
	case dtype.Uint16:
		return meetReal[uint16](r)
	case dtype.Uint32:
		return meetReal[uint32](r)
	case dtype.Uint64:
		return meetReal[uint64](r)
	case dtype.Int8:
		return meetReal[int8](r)
	case dtype.Int16:
		return meetReal[int16](r)
	case dtype.Int32:
		return meetReal[int32](r)
	case dtype.Int64:
		return meetReal[int64](r)
	case dtype.Float32:
		return meetReal[float32](r)
	case dtype.Float64:
		return meetReal[float64](r)
	case dtype.Complex64:
		return meetNumber[complex64](r)
	}
	return meetNumber[complex128](r)
}

// addRows adds rows by a kernel of vectors, few elements one by one.
func addRows[T reals](vectors func(z, x, y []T)) rowMeet {
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

func meetNumber[T numbers](r attr.Reduction) rowMeet {
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

func meetReal[T reals](r attr.Reduction) rowMeet {
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
	return meetNumber[T](r)
}

// single writes elements one by one: z[idx[k]·zs + k·zi] = z[…] ∘ x[k] for positions in [r0, r1).
type single func(z, x unsafe.Pointer, idx []int64, zs, zi int, r0, r1 int64)

// singleOf gives the kernel of a reduction, nil where there is none.
func singleOf(d dtype.DType, r attr.Reduction) single {
	if r == attr.ReduceSet {
		switch d.Size() {
		case 1:
			return setSingle[uint8]
		case 2:
			return setSingle[uint16]
		case 4:
			return setSingle[uint32]
		case 8:
			return setSingle[uint64]
		}
		return setSingle[pair]
	}
	switch d {
	case dtype.Bool, dtype.Complex64, dtype.Complex128:
		return nil
	case dtype.Float32:
		return meetSingle[float32](r)
	case dtype.Float64:
		return meetSingle[float64](r)
	case dtype.Uint8:
		return meetSingle[uint8](r)
	case dtype.Int8:
		return meetSingle[int8](r)
	case dtype.Uint16:
		return meetSingle[uint16](r)
	case dtype.Int16:
		return meetSingle[int16](r)
	case dtype.Uint32:
		return meetSingle[uint32](r)
	case dtype.Int32:
		return meetSingle[int32](r)
	case dtype.Uint64:
		return meetSingle[uint64](r)
	}
	return meetSingle[int64](r)
}

// meetSingle has the reductions that people scatter by.
func meetSingle[T reals](r attr.Reduction) single {
	switch r {
	case attr.ReduceAdd:
		return addSingle[T]
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

// at is the place of element i.
func at[T any](p unsafe.Pointer, i int) *T {
	var t T
	return (*T)(unsafe.Add(p, i*int(unsafe.Sizeof(t))))
}

func setSingle[T any](z, x unsafe.Pointer, idx []int64, zs, zi int, r0, r1 int64) {
	in := elems[T](x, len(idx))
	for k, p := range idx {
		if uint64(p-r0) < uint64(r1-r0) {
			*at[T](z, int(p)*zs+k*zi) = in[k]
		}
	}
}

func addSingle[T numbers](z, x unsafe.Pointer, idx []int64, zs, zi int, r0, r1 int64) {
	in := elems[T](x, len(idx))
	for k, p := range idx {
		if uint64(p-r0) < uint64(r1-r0) {
			*at[T](z, int(p)*zs+k*zi) += in[k]
		}
	}
}
