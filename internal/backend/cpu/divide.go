package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// byZero refuses what no integer is.
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

// fmod is math.Mod, the short way where the quotient is small and exact.
func fmod(x, y float64) float64 {
	if ax, ay := math.Abs(x), math.Abs(y); ax < ay && ay <= math.MaxFloat64 {
		return x
	}
	return math.Mod(x, y)
}

// floorDivFloat is Python's floor division: exact where x/y rounds up to a whole number.
func floorDivFloat(x, y float64) float64 {
	if y == 0 {
		return x / y
	}
	mod := fmod(x, y)
	div := (x - mod) / y
	if mod != 0 && (y < 0) != (mod < 0) {
		div--
	}
	if div == 0 {
		return math.Copysign(0, x/y)
	}
	f := math.Floor(div)
	if div-f > 0.5 {
		f++
	}
	return f
}

func remainderFloat(x, y float64) float64 {
	mod := fmod(x, y)
	if mod != 0 && (y < 0) != (mod < 0) {
		mod += y
	}
	return mod
}

func init() {
	floor, rem, mod := binary64(floorDivFloat), binary64(remainderFloat), binary64(fmod)
	trunc := binary64(func(x, y float64) float64 { return math.Trunc(x / y) })
	trunc[dtype.Float32] = each2(func(x, y float32) float32 { return float32(math.Trunc(float64(x / y))) })
	onIntegers(&floor, floorDivB[uint8], floorDivB[uint16], floorDivB[uint32], floorDivB[uint64], floorDivB[int8], floorDivB[int16], floorDivB[int32], floorDivB[int64])
	onIntegers(&trunc, truncDivB[uint8], truncDivB[uint16], truncDivB[uint32], truncDivB[uint64], truncDivB[int8], truncDivB[int16], truncDivB[int32], truncDivB[int64])
	onIntegers(&rem, remainderB[uint8], remainderB[uint16], remainderB[uint32], remainderB[uint64], remainderB[int8], remainderB[int16], remainderB[int32], remainderB[int64])
	onIntegers(&mod, fmodB[uint8], fmodB[uint16], fmodB[uint32], fmodB[uint64], fmodB[int8], fmodB[int16], fmodB[int32], fmodB[int64])
	for name, t := range map[string]byDType{"floor_divide": floor, "trunc_divide": trunc, "remainder": rem, "fmod": mod} {
		addBlocks(name, t)
	}
}
