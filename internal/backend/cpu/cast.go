package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// castIF converts integers to floats, rounding once.
func castIF[T floats, S integers](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[S](x, n) {
		out[i] = T(v)
	}
}

// castFI converts floats to integers towards zero by whole, which says what becomes of NaN and values out of range.
func castFI[T integers, S floats, W int32 | int64 | uint64](whole func(float64) W) Block {
	return func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
		out := elems[T](z, n)
		for i, v := range elems[S](x, n) {
			out[i] = T(whole(float64(v)))
		}
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
	t(dtype.Float32, castIF[float32, S])
	t(dtype.Float64, castIF[float64, S])
	t(dtype.Bool, castToBool[S])
	t(dtype.Float16, each1(func(v S) dtype.F16 { return dtype.F64ToF16(float64(v)) }))
	t(dtype.BFloat16, each1(func(v S) dtype.BF16 { return dtype.F64ToBF16(float64(v)) }))
	t(dtype.Complex128, each1(func(v S) complex128 { return complex(float64(v), 0) }))
}

func castFromFloat[S floats](from dtype.DType) {
	t := func(to dtype.DType, b Block) { castTable[to][from] = b }
	t(dtype.Uint8, castFI[uint8, S](dtype.TruncInt))
	t(dtype.Uint16, castFI[uint16, S](dtype.TruncInt32))
	t(dtype.Uint32, castFI[uint32, S](dtype.TruncInt))
	t(dtype.Uint64, castFI[uint64, S](dtype.TruncUint))
	t(dtype.Int8, castFI[int8, S](dtype.TruncInt32))
	t(dtype.Int16, castFI[int16, S](dtype.TruncInt32))
	t(dtype.Int32, castFI[int32, S](dtype.TruncInt32))
	t(dtype.Int64, castFI[int64, S](dtype.TruncInt))
	t(dtype.Float32, castFF[float32, S])
	t(dtype.Float64, castFF[float64, S])
	t(dtype.Bool, castToBool[S])
	t(dtype.Float16, each1(func(v S) dtype.F16 { return dtype.F64ToF16(float64(v)) }))
	t(dtype.BFloat16, each1(func(v S) dtype.BF16 { return dtype.F64ToBF16(float64(v)) }))
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
	castToComplex64()
	castFromHalf(dtype.BFloat16, widenBF16)
	castFromHalf(dtype.Float16, widenF16)
	copied := map[int]Block{1: copyB[uint8], 2: copyB[uint16], 4: copyB[uint32], 8: copyB[uint64], 16: copyB[pair]}
	for d := dtype.Bool; d < dtype.N; d++ {
		castTable[d][d] = copied[d.Size()]
	}
	makers["cast"] = func(out dtype.DType, in []dtype.DType) Block { return castTable[out][in[0]] }
}

// castByVectors puts in the conversions that have kernels of vectors; those of half types are composed of them.
func castByVectors() {
	f32, f64, flag := &castTable[dtype.Float32], &castTable[dtype.Float64], &castTable[dtype.Bool]
	f32[dtype.Uint32] = convert(simd.U32ToF32)
	f32[dtype.Bool], f32[dtype.Uint8], f32[dtype.Int32], f32[dtype.Int64] = convert(simd.U8ToF32), convert(simd.U8ToF32),
		convert(simd.I32ToF32), convert(simd.I64ToF32)
	f32[dtype.Float64], f64[dtype.Float32], f64[dtype.Int64] = convert(simd.F64ToF32), convert(simd.F32ToF64), convert(simd.I64ToF64)
	flag[dtype.Float32], flag[dtype.Float64], flag[dtype.Int32], flag[dtype.Int64] = convert(simd.NonzeroF32), convert(simd.NonzeroF64),
		convert(simd.NonzeroI32), convert(simd.NonzeroI64)
	castTable[dtype.Int32][dtype.Float32], castTable[dtype.Int64][dtype.Float32], castTable[dtype.Uint8][dtype.Float32] =
		convert(simd.F32ToI32), convert(simd.F32ToI64), convert(simd.F32ToU8)
	castTable[dtype.Int32][dtype.Float64], castTable[dtype.Int64][dtype.Float64] = convert(simd.F64ToI32), convert(simd.F64ToI64)
	castTable[dtype.BFloat16][dtype.Float32], castTable[dtype.Float16][dtype.Float32] = convert(simd.F32ToBF16), convert(simd.F32ToF16)
	castTable[dtype.Int8][dtype.Float32] = convert(simd.F32ToU8)
	castTable[dtype.Int16][dtype.Float32], castTable[dtype.Uint16][dtype.Float32] = convert(simd.F32ToU16), convert(simd.F32ToU16)
	f32[dtype.Int8], f32[dtype.Int16], f32[dtype.Uint16] = convert(simd.I8ToF32), convert(simd.I16ToF32), convert(simd.U16ToF32)
	f64[dtype.Bool], f64[dtype.Uint8], f64[dtype.Int32] = convert(simd.U8ToF64), convert(simd.U8ToF64), convert(simd.I32ToF64)
	flag[dtype.Uint8], flag[dtype.Int8] = convert(simd.NonzeroU8), convert(simd.NonzeroU8)
	flag[dtype.Int16], flag[dtype.Uint16] = convert(simd.NonzeroU16), convert(simd.NonzeroU16)
	castIntegers()
	// Through another type that is exact: wider integers for those that float64 represents, float32 for 8- and 16-bit
	// integers, from which a half type is rounded once. Wider numbers go through rounding to odd, which has the same property.
	for _, to := range []dtype.DType{dtype.Int8, dtype.Uint16, dtype.Int16} {
		castTable[to][dtype.Float64] = by(dtype.Float64, dtype.Int32, to)
	}
	castTable[dtype.Uint8][dtype.Float64] = by(dtype.Float64, dtype.Int64, dtype.Uint8)
	for _, from := range []dtype.DType{dtype.Float32, dtype.Float64} {
		castTable[dtype.Uint32][from] = by(from, dtype.Int64, dtype.Uint32)
	}
	f64[dtype.Int8], f64[dtype.Int16], f64[dtype.Uint16] = by(dtype.Int8, dtype.Int32, dtype.Float64),
		by(dtype.Int16, dtype.Int32, dtype.Float64), by(dtype.Uint16, dtype.Int32, dtype.Float64)
	odd := convert(simd.F64ToOdd)
	for _, half := range []dtype.DType{dtype.BFloat16, dtype.Float16} {
		for _, from := range []dtype.DType{dtype.Bool, dtype.Uint8, dtype.Int8, dtype.Uint16, dtype.Int16} {
			castTable[half][from] = by(from, dtype.Float32, half)
		}
		castTable[half][dtype.Float64] = through(8, 4, 2, odd, castTable[half][dtype.Float32])
		castTable[half][dtype.Int32] = through(4, 8, 2, f64[dtype.Int32], castTable[half][dtype.Float64])
		castTable[half][dtype.Int64] = int64ToHalf(by(dtype.Int64, dtype.Float64, half), castTable[half][dtype.Int64])
	}
}

// by converts by way of another type.
func by(from, way, to dtype.DType) Block {
	return through(from.Size(), way.Size(), to.Size(), castTable[way][from], castTable[to][way])
}

// through runs two conversions tile by tile; sizes are those of elements before, between and after.
func through(from, way, to int, first, second Block) Block {
	return func(n int, z, x, _, _ unsafe.Pointer, a attr.Attr) {
		t := widenedTiles.Get().(*widened)
		p := unsafe.Pointer(&t.x)
		if way == 8 {
			p = unsafe.Pointer(&t.y) // and w behind it
		}
		for at := 0; at < n; at += tileElems {
			m := min(tileElems, n-at)
			first(m, p, unsafe.Add(x, at*from), nil, nil, a)
			second(m, unsafe.Add(z, at*to), p, nil, nil, a)
		}
		widenedTiles.Put(t)
	}
}

// int64ToHalf goes by float64 where it holds the numbers.
func int64ToHalf(quick, exact Block) Block {
	return func(n int, z, x, _, _ unsafe.Pointer, a attr.Attr) {
		for at := 0; at < n; at += tileElems {
			m := min(tileElems, n-at)
			p, f, all := unsafe.Add(x, 8*at), quick, int64(0)
			for _, v := range elems[int64](p, m) {
				all |= v ^ v>>63
			}
			if all >= 1<<53 {
				f = exact
			}
			f(m, unsafe.Add(z, 2*at), p, nil, nil, a)
		}
	}
}

// castIntegers puts in conversions between integers of different sizes; equal sizes are copies.
func castIntegers() {
	wider := map[dtype.DType][4]Block{ // by the logarithm of the size
		dtype.Uint8:  {nil, convert(simd.U8ToW), convert(simd.U8ToD), convert(simd.U8ToQ)},
		dtype.Int8:   {nil, convert(simd.I8ToW), convert(simd.I8ToD), convert(simd.I8ToQ)},
		dtype.Uint16: {nil, nil, convert(simd.U16ToD), convert(simd.U16ToQ)},
		dtype.Int16:  {nil, nil, convert(simd.I16ToD), convert(simd.I16ToQ)},
		dtype.Uint32: {nil, nil, nil, convert(simd.U32ToQ)},
		dtype.Int32:  {nil, nil, nil, convert(simd.I32ToQ)},
	}
	wider[dtype.Bool] = wider[dtype.Uint8]
	shorter := [4][4]Block{1: {convert(simd.WToB)}, 2: {convert(simd.DToB), convert(simd.DToW)},
		3: {convert(simd.QToB), convert(simd.QToW), convert(simd.QToD)}}
	equal := [4]Block{copyB[uint8], copyB[uint16], copyB[uint32], copyB[uint64]}
	for from := dtype.Bool; from < dtype.N; from++ {
		for to := dtype.Uint8; to < dtype.N; to++ {
			if !to.IsInteger() || !from.IsInteger() && from != dtype.Bool {
				continue
			}
			f, t := bits.Len(uint(from.Size()))-1, bits.Len(uint(to.Size()))-1
			switch {
			case f < t:
				castTable[to][from] = wider[from][t]
			case f > t:
				castTable[to][from] = shorter[f][t]
			default:
				castTable[to][from] = equal[f]
			}
		}
	}
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
}

// castToComplex64 goes by float32: its bits with as many zeros above them are the number with no imaginary part.
func castToComplex64() {
	castTable[dtype.Complex64][dtype.Float32] = convert(simd.U32ToQ)
	for from := dtype.Bool; from < dtype.Complex64; from++ {
		if from != dtype.Float32 && !from.IsHalf() {
			castTable[dtype.Complex64][from] = by(from, dtype.Float32, dtype.Complex64)
		}
	}
}

// castFromComplex drops the imaginary part, except for other complex types and bool.
func castFromComplex[C complex64 | complex128](from dtype.DType) {
	for to := dtype.Bool; to < dtype.Complex64; to++ {
		part := castTable[to][from.Real()]
		castTable[to][from] = func(n int, z, x, _, _ unsafe.Pointer, a attr.Attr) {
			t := widenedTiles.Get().(*widened)
			for at := 0; at < n; at += tileElems / 2 {
				m := min(tileElems/2, n-at)
				re := unsafe.Pointer(&t.x) // floats of either size fit
				takeReal(re, unsafe.Add(x, at*from.Size()), from, m)
				part(m, unsafe.Add(z, at*to.Size()), re, nil, nil, a)
			}
			widenedTiles.Put(t)
		}
	}
	castTable[dtype.Bool][from] = castToBool[C]
	castTable[dtype.Complex64][from] = each1(func(v C) complex64 { return complex64(v) })
	castTable[dtype.Complex128][from] = each1(func(v C) complex128 { return complex128(v) })
}

func takeReal(z, x unsafe.Pointer, from dtype.DType, n int) {
	if from == dtype.Complex64 {
		simd.QToD(elems[int32](z, n), elems[int64](x, n)) // the lower half of the bits
	} else {
		partB[float64](0)(n, z, x, nil, nil, nil)
	}
}
