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

func init() {
	floor := bothFloats2(simd.FloorDivideF32, simd.FloorDivideF64)
	rem, mod := bothFloats2(simd.RemainderF32, simd.RemainderF64), bothFloats2(simd.FmodF32, simd.FmodF64)
	trunc := bothFloats2(func(z, x, y []float32) { simd.DivF32(z, x, y); simd.TruncF32(z, z) },
		func(z, x, y []float64) { simd.DivF64(z, x, y); simd.TruncF64(z, z) })
	onIntegers(&floor, floorDivB[uint8], floorDivB[uint16], floorDivB[uint32], floorDivB[uint64], floorDivB[int8], floorDivB[int16],
		floorDivB[int32], floorDivB[int64])
	onIntegers(&trunc, truncDivB[uint8], truncDivB[uint16], truncDivB[uint32], truncDivB[uint64], truncDivB[int8], truncDivB[int16],
		truncDivB[int32], truncDivB[int64])
	onIntegers(&rem, remainderB[uint8], remainderB[uint16], remainderB[uint32], remainderB[uint64], remainderB[int8], remainderB[int16],
		remainderB[int32], remainderB[int64])
	onIntegers(&mod, fmodB[uint8], fmodB[uint16], fmodB[uint32], fmodB[uint64], fmodB[int8], fmodB[int16], fmodB[int32], fmodB[int64])
	for name, t := range map[string]byDType{"floor_divide": floor, "trunc_divide": trunc, "remainder": rem, "fmod": mod} {
		addBlocks(name, t)
	}
}
