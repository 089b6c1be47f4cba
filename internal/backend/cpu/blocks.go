package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
)

type integers interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64
}
type floats interface{ float32 | float64 }
type reals interface{ integers | floats }
type numbers interface {
	reals | complex64 | complex128
}

func elems[T any](p unsafe.Pointer, n int) []T { return unsafe.Slice((*T)(p), n) }

// maker returns the block kernel for dtypes, nil if there is none.
type maker func(out dtype.DType, in []dtype.DType) Block

var makers = map[string]maker{}

// blockFor finds the block kernel of an elementwise op.
func blockFor(op string, out dtype.DType, in []dtype.DType) Block {
	m := makers[op]
	if m == nil {
		return nil
	}
	return m(out, in)
}

// byDType holds one kernel per dtype of the first operand.
type byDType [dtype.N]Block

func (t *byDType) maker() maker {
	return func(_ dtype.DType, in []dtype.DType) Block { return t[in[len(in)-1]] }
}

// vec1 and vec2 make blocks of kernels over slices, unary and binary.
func vec1[T any](f func(z, x []T)) Block {
	return func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) { f(elems[T](z, n), elems[T](x, n)) }
}

func vec2[T any](f func(z, x, y []T)) Block {
	return func(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) { f(elems[T](z, n), elems[T](x, n), elems[T](y, n)) }
}

// vec2Swapped is vec2 with the operands exchanged.
func vec2Swapped[T any](f func(z, x, y []T)) Block {
	return func(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) { f(elems[T](z, n), elems[T](y, n), elems[T](x, n)) }
}

// each1 and each2 make blocks of functions of one element, for ops that cost more than the call.
func each1[T, S any](f func(S) T) Block {
	return func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
		out := elems[T](z, n)
		for i, v := range elems[S](x, n) {
			out[i] = f(v)
		}
	}
}

func each2[T, S any](f func(x, y S) T) Block {
	return func(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
		a, b, out := elems[S](x, n), elems[S](y, n), elems[T](z, n)
		for i := range out {
			out[i] = f(a[i], b[i])
		}
	}
}

// addBlocks registers an op's kernels, deriving those of the half types from float32 by widening.
func addBlocks(op string, t byDType) {
	if f := t[dtype.Float32]; f != nil {
		if t[dtype.BFloat16] == nil {
			t[dtype.BFloat16] = halved(f, widenBF16, narrowBF16)
		}
		if t[dtype.Float16] == nil {
			t[dtype.Float16] = halved(f, widenF16, narrowF16)
		}
	}
	makers[op] = t.maker()
}

// real64 makes kernels of a float64 function for the float types.
func real64(f func(float64) float64) byDType {
	var t byDType
	t[dtype.Float32] = each1(func(v float32) float32 { return float32(f(float64(v))) })
	t[dtype.Float64] = each1(f)
	return t
}

// binary64 makes kernels of a float64 function of two operands.
func binary64(f func(x, y float64) float64) byDType {
	var t byDType
	t[dtype.Float32] = each2(func(x, y float32) float32 { return float32(f(float64(x), float64(y))) })
	t[dtype.Float64] = each2(f)
	return t
}

// bothFloats makes kernels of routines over slices, bothFloats2 of those with two operands.
func bothFloats(f32 func(z, x []float32), f64 func(z, x []float64)) (t byDType) {
	t[dtype.Float32], t[dtype.Float64] = vec1(f32), vec1(f64)
	return t
}

func bothFloats2(f32 func(z, x, y []float32), f64 func(z, x, y []float64)) (t byDType) {
	t[dtype.Float32], t[dtype.Float64] = vec2(f32), vec2(f64)
	return t
}

// complexes adds kernels of a complex128 function.
func (t byDType) complexes(f func(complex128) complex128) byDType {
	t[dtype.Complex64] = each1(func(v complex64) complex64 { return complex64(f(complex128(v))) })
	t[dtype.Complex128] = each1(f)
	return t
}

// complexes2 adds kernels of a complex128 function of two operands.
func (t byDType) complexes2(f func(x, y complex128) complex128) byDType {
	t[dtype.Complex64] = each2(func(x, y complex64) complex64 { return complex64(f(complex128(x), complex128(y))) })
	t[dtype.Complex128] = each2(f)
	return t
}

// onIntegers fills in the integer types.
func onIntegers(t *byDType, u8, u16, u32, u64, i8, i16, i32, i64 Block) {
	t[dtype.Uint8], t[dtype.Uint16], t[dtype.Uint32], t[dtype.Uint64] = u8, u16, u32, u64
	t[dtype.Int8], t[dtype.Int16], t[dtype.Int32], t[dtype.Int64] = i8, i16, i32, i64
}

// onInexact fills in the native float and complex types.
func onInexact(t *byDType, f32, f64, c64, c128 Block) {
	t[dtype.Float32], t[dtype.Float64], t[dtype.Complex64], t[dtype.Complex128] = f32, f64, c64, c128
}
