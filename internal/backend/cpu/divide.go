package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/fault"
)

// byZero refuses a division of integers by zero.
func byZero(op string) {
	fault.Throw(fault.Value, op, "an integer is divided by zero")
}

func floorDivB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i, d := range b {
		if d == 0 {
			byZero("floor_divide")
		}
		v := a[i]
		q := v / d
		if q*d != v && (v < 0) != (d < 0) {
			q--
		}
		out[i] = q
	}
}

func truncDivB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i, d := range b {
		if d == 0 {
			byZero("div")
		}
		out[i] = a[i] / d
	}
}

func remainderB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i, d := range b {
		if d == 0 {
			byZero("remainder")
		}
		m := a[i] % d
		if m != 0 && (m < 0) != (d < 0) {
			m += d
		}
		out[i] = m
	}
}

func fmodB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i, d := range b {
		if d == 0 {
			byZero("fmod")
		}
		out[i] = a[i] % d
	}
}

// quotientOf makes a block of a vector kernel for divisors that are not zero.
func quotientOf[T integers, Z, X any](op string, kernel func(z []Z, x, y []X)) Block {
	return func(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
		zero := false
		for _, d := range elems[T](y, n) {
			zero = zero || d == 0
		}
		if zero {
			byZero(op)
		}
		kernel(elems[Z](z, n), elems[X](x, n), elems[X](y, n))
	}
}

func init() {
	floor := bothFloats2(simd.FloorDivideF32, simd.FloorDivideF64)
	rem, fmod := bothFloats2(simd.RemainderF32, simd.RemainderF64), bothFloats2(simd.FmodF32, simd.FmodF64)
	trunc := bothFloats2(func(z, x, y []float32) { simd.DivF32(z, x, y); simd.TruncF32(z, z) },
		func(z, x, y []float64) { simd.DivF64(z, x, y); simd.TruncF64(z, z) })
	const div, mod = "floor_divide", "remainder"
	onIntegers(&floor, quotientOf[uint8](div, simd.FloorDivU8), quotientOf[uint16](div, simd.FloorDivU16), floorDivB[uint32],
		floorDivB[uint64], quotientOf[int8](div, simd.FloorDivI8), quotientOf[int16](div, simd.FloorDivI16),
		quotientOf[int32](div, simd.FloorDivI32), floorDivB[int64])
	onIntegers(&trunc, truncDivB[uint8], truncDivB[uint16], truncDivB[uint32], truncDivB[uint64], truncDivB[int8], truncDivB[int16],
		truncDivB[int32], truncDivB[int64])
	onIntegers(&rem, quotientOf[uint8](mod, simd.ModU8), quotientOf[uint16](mod, simd.ModU16), remainderB[uint32], remainderB[uint64],
		quotientOf[int8](mod, simd.ModI8), quotientOf[int16](mod, simd.ModI16), quotientOf[int32](mod, simd.ModI32), remainderB[int64])
	onIntegers(&fmod, fmodB[uint8], fmodB[uint16], fmodB[uint32], fmodB[uint64], fmodB[int8], fmodB[int16], fmodB[int32], fmodB[int64])
	for name, t := range map[string]byDType{div: floor, "trunc_divide": trunc, mod: rem, "fmod": fmod} {
		addBlocks(name, t)
	}
}
