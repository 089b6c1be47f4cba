package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// A complex number is stored as its two parts.

// partB takes part i of every pair.
func partB[T floats](part int) Block {
	return func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
		in, out := elems[T](x, 2*n), elems[T](z, n)
		for i := range out {
			out[i] = in[2*i+part]
		}
	}
}

// parts1 and parts2 make blocks of what is done to the two parts alike.
func parts1[T floats](f func(z, x []T)) Block {
	return func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) { f(elems[T](z, 2*n), elems[T](x, 2*n)) }
}

func parts2[T floats](f func(z, x, y []T)) Block {
	return func(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
		f(elems[T](z, 2*n), elems[T](x, 2*n), elems[T](y, 2*n))
	}
}

// joinB32 writes both parts as one word.
func joinB32(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[uint32](x, n), elems[uint32](y, n), elems[uint64](z, n)
	for i := range out {
		out[i] = uint64(a[i]) | uint64(b[i])<<32
	}
}

func joinB64(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[float64](x, n), elems[float64](y, n), elems[float64](z, 2*n)
	for i := range a {
		out[2*i], out[2*i+1] = a[i], b[i]
	}
}

// conjB64 changes a sign in words of both parts.
func conjB64(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	in, out := elems[uint64](x, n), elems[uint64](z, n)
	for i := range out {
		out[i] = in[i] ^ 1<<63
	}
}

func conjB128(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	in, out := elems[pair](x, n), elems[pair](z, n)
	for i := range out {
		out[i] = pair{in[i].a, in[i].b ^ 1<<63}
	}
}

func init() {
	var re, im, conj byDType
	re[dtype.Complex64], re[dtype.Complex128] = convert(simd.QToD), partB[float64](0) // the lower half of the bits
	im[dtype.Complex64], im[dtype.Complex128] = partB[float32](1), partB[float64](1)
	conj[dtype.Complex64], conj[dtype.Complex128] = conjB64, conjB128
	join := onFloats(joinB32, joinB64)
	makers["real"], makers["imag"], makers["conj"], makers["complex"] = re.maker(), im.maker(), conj.maker(), join.maker()
}
