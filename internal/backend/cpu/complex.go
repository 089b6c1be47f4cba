package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
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

func joinB[T floats](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, 2*n)
	for i := range a {
		out[2*i], out[2*i+1] = a[i], b[i]
	}
}

func conjB[T floats](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	in, out := elems[T](x, 2*n), elems[T](z, 2*n)
	for i := 0; i < len(in); i += 2 {
		out[i], out[i+1] = in[i], -in[i+1]
	}
}

func init() {
	var re, im, conj byDType
	re[dtype.Complex64], re[dtype.Complex128] = partB[float32](0), partB[float64](0)
	im[dtype.Complex64], im[dtype.Complex128] = partB[float32](1), partB[float64](1)
	conj[dtype.Complex64], conj[dtype.Complex128] = conjB[float32], conjB[float64]
	join := onFloats(joinB[float32], joinB[float64])
	makers["real"], makers["imag"], makers["conj"], makers["complex"] = re.maker(), im.maker(), conj.maker(), join.maker()
}
