package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// castII converts between integers, cutting to size.
func castII[T, S integers](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[S](x, n) {
		out[i] = T(v)
	}
}

// castIF converts integers to floats, rounding once.
func castIF[T floats, S integers](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[S](x, n) {
		out[i] = T(v)
	}
}

// castFI converts floats to integers towards zero; NaN and what is out of range go through int64's minimum.
func castFI[T integers, S floats](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[S](x, n) {
		out[i] = T(dtype.TruncUint(float64(v)))
	}
}

func castFF[T, S floats](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[S](x, n) {
		out[i] = T(v)
	}
}

func castToBool[S numbers](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[bool](z, n)
	for i, v := range elems[S](x, n) {
		out[i] = v != 0
	}
}

// castTable holds every conversion.
var castTable [dtype.N][dtype.N]Block // [to][from]

func castFrom[S integers](from dtype.DType) {
	t := func(to dtype.DType, b Block) { castTable[to][from] = b }
	t(dtype.Uint8, castII[uint8, S])
	t(dtype.Uint16, castII[uint16, S])
	t(dtype.Uint32, castII[uint32, S])
	t(dtype.Uint64, castII[uint64, S])
	t(dtype.Int8, castII[int8, S])
	t(dtype.Int16, castII[int16, S])
	t(dtype.Int32, castII[int32, S])
	t(dtype.Int64, castII[int64, S])
	t(dtype.Float32, castIF[float32, S])
	t(dtype.Float64, castIF[float64, S])
	t(dtype.Bool, castToBool[S])
	t(dtype.Float16, each1(func(v S) dtype.F16 { return dtype.F64ToF16(float64(v)) }))
	t(dtype.BFloat16, each1(func(v S) dtype.BF16 { return dtype.F64ToBF16(float64(v)) }))
	t(dtype.Complex64, each1(func(v S) complex64 { return complex(float32(v), 0) }))
	t(dtype.Complex128, each1(func(v S) complex128 { return complex(float64(v), 0) }))
}

func castFromFloat[S floats](from dtype.DType) {
	t := func(to dtype.DType, b Block) { castTable[to][from] = b }
	t(dtype.Uint8, castFI[uint8, S])
	t(dtype.Uint16, castFI[uint16, S])
	t(dtype.Uint32, castFI[uint32, S])
	t(dtype.Uint64, castFI[uint64, S])
	t(dtype.Int8, castFI[int8, S])
	t(dtype.Int16, castFI[int16, S])
	t(dtype.Int32, castFI[int32, S])
	t(dtype.Int64, castFI[int64, S])
	t(dtype.Float32, castFF[float32, S])
	t(dtype.Float64, castFF[float64, S])
	t(dtype.Bool, castToBool[S])
	t(dtype.Float16, each1(func(v S) dtype.F16 { return dtype.F64ToF16(float64(v)) }))
	t(dtype.BFloat16, each1(func(v S) dtype.BF16 { return dtype.F64ToBF16(float64(v)) }))
	t(dtype.Complex64, each1(func(v S) complex64 { return complex(float32(v), 0) }))
	t(dtype.Complex128, each1(func(v S) complex128 { return complex(float64(v), 0) }))
}

func init() {
	castFrom[uint8](dtype.Bool)
	castFrom[uint8](dtype.Uint8)
	castFrom[uint16](dtype.Uint16)
	castFrom[uint32](dtype.Uint32)
	castFrom[uint64](dtype.Uint64)
	castFrom[int8](dtype.Int8)
	castFrom[int16](dtype.Int16)
	castFrom[int32](dtype.Int32)
	castFrom[int64](dtype.Int64)
	castFromFloat[float32](dtype.Float32)
	castFromFloat[float64](dtype.Float64)
	castFromComplex[complex64](dtype.Complex64)
	castFromComplex[complex128](dtype.Complex128)
	castByVectors()
	castFromHalf(dtype.BFloat16, widenBF16)
	castFromHalf(dtype.Float16, widenF16)
	copied := map[int]Block{1: copyB[uint8], 2: copyB[uint16], 4: copyB[uint32], 8: copyB[uint64], 16: copyB[pair]}
	for d := dtype.Bool; d < dtype.N; d++ {
		castTable[d][d] = copied[d.Size()]
	}
	makers["cast"] = func(out dtype.DType, in []dtype.DType) Block { return castTable[out][in[0]] }
}

// castByVectors puts in the conversions that have kernels of vectors; those of halves are made of them.
func castByVectors() {
	f32, f64, flag := &castTable[dtype.Float32], &castTable[dtype.Float64], &castTable[dtype.Bool]
	f32[dtype.Bool], f32[dtype.Uint8], f32[dtype.Int32], f32[dtype.Int64] = convert(simd.U8ToF32), convert(simd.U8ToF32), convert(simd.I32ToF32), convert(simd.I64ToF32)
	f32[dtype.Float64], f64[dtype.Float32], f64[dtype.Int64] = convert(simd.F64ToF32), convert(simd.F32ToF64), convert(simd.I64ToF64)
	flag[dtype.Float32], flag[dtype.Float64], flag[dtype.Int32], flag[dtype.Int64] = convert(simd.NonzeroF32), convert(simd.NonzeroF64), convert(simd.NonzeroI32), convert(simd.NonzeroI64)
	castTable[dtype.Int32][dtype.Float32], castTable[dtype.Int64][dtype.Float32], castTable[dtype.Uint8][dtype.Float32] = convert(simd.F32ToI32), convert(simd.F32ToI64), convert(simd.F32ToU8)
	castTable[dtype.Int32][dtype.Float64], castTable[dtype.Int64][dtype.Float64] = convert(simd.F64ToI32), convert(simd.F64ToI64)
	castTable[dtype.BFloat16][dtype.Float32], castTable[dtype.Float16][dtype.Float32] = convert(simd.F32ToBF16), convert(simd.F32ToF16)
}

func convert[T, S any](f func(z []T, x []S)) Block {
	return func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) { f(elems[T](z, n), elems[S](x, n)) }
}

func copyB[T any](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	copy(elems[T](z, n), elems[T](x, n))
}

// castFromHalf converts by way of float32, which holds every half.
func castFromHalf(from dtype.DType, widen widening) {
	for to := dtype.Bool; to < dtype.N; to++ {
		if f := castTable[to][dtype.Float32]; f != nil {
			castTable[to][from] = halvedTo(to.Size(), f, widen)
		}
	}
	castTable[dtype.Float32][from] = func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) { widen(elems[float32](z, n), x) }
	// Between the halves float32 rounds once more.
	if from == dtype.BFloat16 {
		castTable[dtype.Float16][from] = each1(func(v dtype.BF16) dtype.F16 { return dtype.ToF16(v.Float32()) })
	} else {
		castTable[dtype.BFloat16][from] = each1(func(v dtype.F16) dtype.BF16 { return dtype.ToBF16(v.Float32()) })
	}
}

// castFromComplex drops the imaginary part, except for other complex types and bool.
func castFromComplex[C complex64 | complex128](from dtype.DType) {
	for to := dtype.Bool; to < dtype.Complex64; to++ {
		part := castTable[to][from.Real()]
		castTable[to][from] = func(n int, z, x, _, _ unsafe.Pointer, a attr.Attr) {
			t := wides.Get().(*wide)
			for at := 0; at < n; at += tileElems / 2 {
				m := min(tileElems/2, n-at)
				re := unsafe.Pointer(&t.x) // floats of either size fit
				takeReal(re, unsafe.Add(x, at*from.Size()), from, m)
				part(m, unsafe.Add(z, at*to.Size()), re, nil, nil, a)
			}
			wides.Put(t)
		}
	}
	castTable[dtype.Bool][from] = castToBool[C]
	castTable[dtype.Complex64][from] = each1(func(v C) complex64 { return complex64(v) })
	castTable[dtype.Complex128][from] = each1(func(v C) complex128 { return complex128(v) })
}

func takeReal(z, x unsafe.Pointer, from dtype.DType, n int) {
	if from == dtype.Complex64 {
		partB[float32](0)(n, z, x, nil, nil, nil)
	} else {
		partB[float64](0)(n, z, x, nil, nil, nil)
	}
}
