package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// bitwise makes a block of an operation on single bits: words of four bytes, whatever the dtype, and the bytes that are left.
func bitwise(d dtype.DType, f func(z, x, y []int32), rest func(z, x, y []uint8)) Block {
	size := d.Size()
	return func(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
		if y == nil {
			y = x
		}
		n *= size
		f(elems[int32](z, n/4), elems[int32](x, n/4), elems[int32](y, n/4))
		if at := n &^ 3; at < n {
			rest(elems[uint8](unsafe.Add(z, at), n-at), elems[uint8](unsafe.Add(x, at), n-at), elems[uint8](unsafe.Add(y, at), n-at))
		}
	}
}

func andBytes(z, x, y []uint8) {
	for i := range z {
		z[i] = x[i] & y[i]
	}
}

func orBytes(z, x, y []uint8) {
	for i := range z {
		z[i] = x[i] | y[i]
	}
}

func xorBytes(z, x, y []uint8) {
	for i := range z {
		z[i] = x[i] ^ y[i]
	}
}

func notWords(z, x, _ []int32) { simd.NotI32(z, x) }

func notBytes(z, x, _ []uint8) {
	for i := range z {
		z[i] = ^x[i]
	}
}

// shlB and shrB take a negative count for a huge one: everything is shifted out but the sign. Where all counts are equal, as those
// of a Go number are, words of eight bytes are shifted, and what came from a neighbour is masked out.
func shlB[T integers](n int, z, x, y unsafe.Pointer, each func(z, x, y unsafe.Pointer, n int)) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	in, to, by := wordsOf(a), wordsOf(out), oneCount(b)
	if by < 0 {
		each(z, x, y, n)
		return
	}
	keep := lanesOf(^T(0) << by)
	for i, w := range in {
		to[i] = w << by & keep
	}
	for i := n - n%(8/int(unsafe.Sizeof(a[0]))); i < n; i++ {
		out[i] = a[i] << by
	}
}

func shrB[T integers](n int, z, x, y unsafe.Pointer, each func(z, x, y unsafe.Pointer, n int)) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	in, to, by := wordsOf(a), wordsOf(out), oneCount(b)
	if by < 0 {
		each(z, x, y, n)
		return
	}
	bits, sign := 8*unsafe.Sizeof(a[0]), uint64(0)
	keep := lanesOf(T(^uint64(0) >> (64 - bits) >> by))
	if top := T(1) << (bits - 1); top < 0 {
		sign = lanesOf(top)
	}
	for i, w := range in {
		s := w & sign
		to[i] = w>>by&keep | (s - s>>by) | s // the sign, and as many copies of it below
	}
	for i := n - n%(8/int(unsafe.Sizeof(a[0]))); i < n; i++ {
		out[i] = a[i] >> by
	}
}

// shiftOf makes a block of a shift, with a vector kernel for counts that differ: it has the elements of Z and X, of as many bits.
func shiftOf[Z, X any](shift func(n int, z, x, y unsafe.Pointer, each func(z, x, y unsafe.Pointer, n int)),
	kernel func(z []Z, x, y []X)) Block {
	each := func(z, x, y unsafe.Pointer, n int) { kernel(elems[Z](z, n), elems[X](x, n), elems[X](y, n)) }
	return func(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) { shift(n, z, x, y, each) }
}

// oneCount is the count if all are equal and less than the bits of an element, else -1.
func oneCount[T integers](b []T) int {
	if len(b) == 0 || uint64(b[0]) >= 8*uint64(unsafe.Sizeof(b[0])) || b[0] != b[len(b)-1] {
		return -1
	}
	want, differ := lanesOf(b[0]), uint64(0)
	for _, w := range wordsOf(b) {
		differ |= w ^ want
	}
	for _, v := range b[len(b)&^7:] {
		differ |= uint64(v ^ b[0])
	}
	if differ != 0 {
		return -1
	}
	return int(b[0])
}

// lanesOf is a word full of v.
func lanesOf[T integers](v T) uint64 {
	switch unsafe.Sizeof(v) {
	case 1:
		return uint64(uint8(v)) * 0x0101010101010101
	case 2:
		return uint64(uint16(v)) * 0x0001000100010001
	case 4:
		return uint64(uint32(v)) * 0x0000000100000001
	}
	return uint64(v)
}

// wordsOf shows elements as words, the last ones left out that do not fill one.
func wordsOf[T integers](x []T) []uint64 {
	if len(x) == 0 {
		return nil
	}
	return elems[uint64](unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(x[0]))/8)
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
		// Magnitudes are combined in 64 bits, so that overflow wraps once.
		if g := gcd(a[i], b[i]); g != 0 {
			v := T(magnitude(a[i]) / magnitude(g) * magnitude(b[i]))
			if v < 0 && unsafe.Sizeof(v) >= 4 { // as PyTorch's kernel: the magnitude of what wrapped
				v = -v
			}
			out[i] = v
		} else {
			out[i] = 0
		}
	}
}

func init() {
	var and, or, xor, not, shl, shr, gcds, lcms byDType
	for d := dtype.Uint8; d < dtype.N; d++ {
		if d.IsInteger() {
			and[d], or[d], xor[d], not[d] = bitwise(d, simd.AndI32, andBytes), bitwise(d, simd.OrI32, orBytes),
				bitwise(d, simd.XorI32, xorBytes), bitwise(d, notWords, notBytes)
		}
	}
	onIntegers(&shl, shiftOf(shlB[uint8], simd.ShlU8), shiftOf(shlB[uint16], simd.ShlU16),
		shiftOf(shlB[uint32], simd.ShlI32), shiftOf(shlB[uint64], simd.ShlI64), shiftOf(shlB[int8], simd.ShlI8),
		shiftOf(shlB[int16], simd.ShlI16), shiftOf(shlB[int32], simd.ShlI32), shiftOf(shlB[int64], simd.ShlI64))
	onIntegers(&shr, shiftOf(shrB[uint8], simd.ShrU8), shiftOf(shrB[uint16], simd.ShrU16),
		shiftOf(shrB[uint32], simd.ShrU32), shiftOf(shrB[uint64], simd.ShrU64), shiftOf(shrB[int8], simd.ShrI8),
		shiftOf(shrB[int16], simd.ShrI16), shiftOf(shrB[int32], simd.ShrI32), shiftOf(shrB[int64], simd.ShrI64))
	onIntegers(&gcds, gcdB[uint8], gcdB[uint16], gcdB[uint32], gcdB[uint64], gcdB[int8], gcdB[int16], gcdB[int32], gcdB[int64])
	onIntegers(&lcms, lcmB[uint8], lcmB[uint16], lcmB[uint32], lcmB[uint64], lcmB[int8], lcmB[int16], lcmB[int32], lcmB[int64])
	and[dtype.Bool], or[dtype.Bool], xor[dtype.Bool], not[dtype.Bool] = vec2(simd.BothU8), vec2(simd.EitherU8), vec2(simd.OneU8),
		vec1(simd.ZeroU8)
	for name, t := range map[string]byDType{"bitwise_and": and, "bitwise_or": or, "bitwise_xor": xor, "bitwise_not": not,
		"bitwise_left_shift": shl, "bitwise_right_shift": shr, "gcd": gcds, "lcm": lcms} {
		addBlocks(name, t)
	}
}
