package simd

import (
	"math"
	"testing"
	"unsafe"
)

func TestShifts(t *testing.T) {
	testBinary(t, "ShlU8", ShlU8, shlU8Generic)
	testBinary(t, "ShlI8", ShlI8, shlI8Generic)
	testBinary(t, "ShlU16", ShlU16, shlU16Generic)
	testBinary(t, "ShlI16", ShlI16, shlI16Generic)
	testBinary(t, "ShlI32", ShlI32, shlI32Generic)
	testBinary(t, "ShlI64", ShlI64, shlI64Generic)
	testBinary(t, "ShrU8", ShrU8, shrU8Generic)
	testBinary(t, "ShrI8", ShrI8, shrI8Generic)
	testBinary(t, "ShrU16", ShrU16, shrU16Generic)
	testBinary(t, "ShrI16", ShrI16, shrI16Generic)
	testBinary(t, "ShrU32", ShrU32, shrU32Generic)
	testBinary(t, "ShrI32", ShrI32, shrI32Generic)
	testBinary(t, "ShrU64", ShrU64, shrU64Generic)
	testBinary(t, "ShrI64", ShrI64, shrI64Generic)
}

// testQuotient leaves zeros out of the divisors.
func testQuotient[Z, X number](t *testing.T, name string, f, twin func(z []Z, x, y []X)) {
	without := func(f func(z []Z, x, y []X)) func(z []Z, x, y []X) {
		return func(z []Z, x, y []X) {
			for i, v := range y {
				if v == 0 {
					y[i] = 1
				}
			}
			f(z, x, y)
		}
	}
	testBinary(t, name, without(f), without(twin))
}

func TestQuotients(t *testing.T) {
	testQuotient(t, "FloorDivU8", FloorDivU8, floorDivU8Generic)
	testQuotient(t, "FloorDivI8", FloorDivI8, floorDivI8Generic)
	testQuotient(t, "FloorDivU16", FloorDivU16, floorDivU16Generic)
	testQuotient(t, "FloorDivI16", FloorDivI16, floorDivI16Generic)
	testQuotient(t, "FloorDivI32", FloorDivI32, floorDivI32Generic)
	testQuotient(t, "ModU8", ModU8, modU8Generic)
	testQuotient(t, "ModI8", ModI8, modI8Generic)
	testQuotient(t, "ModU16", ModU16, modU16Generic)
	testQuotient(t, "ModI16", ModI16, modI16Generic)
	testQuotient(t, "ModI32", ModI32, modI32Generic)
}

// TestQuotientsExact compares quotients by way of floats with those of integers.
func TestQuotientsExact(t *testing.T) {
	edges := []int32{-1 << 31, -1<<31 + 1, -65536, -65535, -3, -2, -1, 1, 2, 3, 7, 255, 65535, 65536, 1<<31 - 2, 1<<31 - 1}
	z := make([]int32, 1)
	for _, x := range edges {
		for _, y := range edges {
			q := x / y
			if q*y != x && (x < 0) != (y < 0) {
				q--
			}
			FloorDivI32(z, []int32{x}, []int32{y})
			if z[0] != q {
				t.Fatalf("%d / %d is %d, not %d", x, y, z[0], q)
			}
			if ModI32(z, []int32{x}, []int32{y}); z[0] != x-q*y {
				t.Fatalf("%d %% %d is %d, not %d", x, y, z[0], x-q*y)
			}
		}
	}
	const n = 1 << 16
	x, y, short := make([]uint16, n), make([]uint16, n), make([]uint16, n)
	for d := 1; d < n; d += 251 {
		for i := range x {
			x[i], y[i] = uint16(i), uint16(d)
		}
		FloorDivU16(short, x, y)
		for i, v := range short {
			if int(v) != i/d {
				t.Fatalf("%d / %d is %d, not %d", i, d, v, i/d)
			}
		}
	}
}

func TestComplexProduct(t *testing.T) {
	pairs := func(x []int64) []complex64 {
		return unsafe.Slice((*complex64)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
	}
	nan := float32(math.NaN())
	of := func(f func(z, x, y []complex64)) func(z, x, y []int64) {
		return func(z, x, y []int64) {
			f(pairs(z), pairs(x), pairs(y))
			for i, v := range pairs(z) { // which NaN it is does not matter
				re, im := real(v), imag(v)
				if re != re {
					re = nan
				}
				if im != im {
					im = nan
				}
				pairs(z)[i] = complex(re, im)
			}
		}
	}
	testBinary(t, "MulC64", of(MulC64), of(mulC64Generic))
}

func TestNext(t *testing.T) {
	testBinary(t, "NextF32", NextF32, nextF32Generic)
	testBinary(t, "NextF64", NextF64, nextF64Generic)
}
