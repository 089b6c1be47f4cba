package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
)

func bitAndB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = a[i] & b[i]
	}
}

func bitOrB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = a[i] | b[i]
	}
}

func bitXorB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = a[i] ^ b[i]
	}
}

func bitNotB[T integers](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[T](x, n) {
		out[i] = ^v
	}
}

// shlB and shrB take a negative count for a huge one: everything is shifted out but the sign.
func shlB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = a[i] << uint64(b[i])
	}
}

func shrB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = a[i] >> uint64(b[i])
	}
}

// gcd is Euclid's algorithm; the remainders' signs do not matter until the end.
func gcd[T integers](x, y T) T {
	for y != 0 {
		x, y = y, x%y
	}
	if x < 0 {
		return -x
	}
	return x
}

func gcdB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = gcd(a[i], b[i])
	}
}

func magnitude[T integers](x T) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func lcmB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		// Magnitudes meet in 64 bits, so that what does not fit wraps once.
		if g := gcd(a[i], b[i]); g != 0 {
			out[i] = T(magnitude(a[i]) / magnitude(g) * magnitude(b[i]))
		} else {
			out[i] = 0
		}
	}
}

func init() {
	var and, or, xor, not, shl, shr, gcds, lcms byDType
	onIntegers(&and, bitAndB[uint8], bitAndB[uint16], bitAndB[uint32], bitAndB[uint64], bitAndB[int8], bitAndB[int16], bitAndB[int32], bitAndB[int64])
	onIntegers(&or, bitOrB[uint8], bitOrB[uint16], bitOrB[uint32], bitOrB[uint64], bitOrB[int8], bitOrB[int16], bitOrB[int32], bitOrB[int64])
	onIntegers(&xor, bitXorB[uint8], bitXorB[uint16], bitXorB[uint32], bitXorB[uint64], bitXorB[int8], bitXorB[int16], bitXorB[int32], bitXorB[int64])
	onIntegers(&not, bitNotB[uint8], bitNotB[uint16], bitNotB[uint32], bitNotB[uint64], bitNotB[int8], bitNotB[int16], bitNotB[int32], bitNotB[int64])
	onIntegers(&shl, shlB[uint8], shlB[uint16], shlB[uint32], shlB[uint64], shlB[int8], shlB[int16], shlB[int32], shlB[int64])
	onIntegers(&shr, shrB[uint8], shrB[uint16], shrB[uint32], shrB[uint64], shrB[int8], shrB[int16], shrB[int32], shrB[int64])
	onIntegers(&gcds, gcdB[uint8], gcdB[uint16], gcdB[uint32], gcdB[uint64], gcdB[int8], gcdB[int16], gcdB[int32], gcdB[int64])
	onIntegers(&lcms, lcmB[uint8], lcmB[uint16], lcmB[uint32], lcmB[uint64], lcmB[int8], lcmB[int16], lcmB[int32], lcmB[int64])
	and[dtype.Bool], or[dtype.Bool], xor[dtype.Bool], not[dtype.Bool] = boolAnd, boolOr, bitXorB[uint8], notB[uint8]
	for name, t := range map[string]byDType{"bitwise_and": and, "bitwise_or": or, "bitwise_xor": xor, "bitwise_not": not,
		"bitwise_left_shift": shl, "bitwise_right_shift": shr, "gcd": gcds, "lcm": lcms} {
		addBlocks(name, t)
	}
}
