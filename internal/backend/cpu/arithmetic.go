package cpu

import (
	"math"
	"math/cmplx"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

func addB[T numbers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = a[i] + b[i]
	}
}

func subB[T numbers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = a[i] - b[i]
	}
}

func mulB[T numbers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = a[i] * b[i]
	}
}

func gradMulB[T numbers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		if a[i] == 0 {
			out[i] = 0
		} else {
			out[i] = a[i] * b[i]
		}
	}
}

func divB[T floats | complex64 | complex128](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = a[i] / b[i]
	}
}

func maxB[T reals](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i, v := range a {
		if u := b[i]; u > v || u != u {
			if v == v {
				v = u
			}
		}
		out[i] = v
	}
}

func minB[T reals](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i, v := range a {
		if u := b[i]; u < v || u != u {
			if v == v {
				v = u
			}
		}
		out[i] = v
	}
}

func negB[T numbers](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[T](x, n) {
		out[i] = -v
	}
}

func squareB[T numbers](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[T](x, n) {
		out[i] = v * v
	}
}

func absB[T reals](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[T](x, n) {
		if v < 0 {
			v = -v
		}
		out[i] = v
	}
}

func signB[T reals](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[T](x, n) {
		switch {
		case v > 0:
			out[i] = 1
		case v < 0:
			out[i] = T(0) - 1
		default:
			out[i] = 0
		}
	}
}

func powIntB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = powInt(a[i], b[i])
	}
}

func boolAdd(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[bool](x, n), elems[bool](y, n), elems[bool](z, n)
	for i := range out {
		out[i] = a[i] || b[i]
	}
}

func boolMul(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[bool](x, n), elems[bool](y, n), elems[bool](z, n)
	for i := range out {
		out[i] = a[i] && b[i]
	}
}

func onIntegers(t *byDType, u8, u16, u32, u64, i8, i16, i32, i64 Block) {
	t[dtype.Uint8], t[dtype.Uint16], t[dtype.Uint32], t[dtype.Uint64] = u8, u16, u32, u64
	t[dtype.Int8], t[dtype.Int16], t[dtype.Int32], t[dtype.Int64] = i8, i16, i32, i64
}

// binary64 makes kernels of a float64 function of two operands.
func binary64(f func(x, y float64) float64) byDType {
	var t byDType
	t[dtype.Float32] = func(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
		a, b, out := elems[float32](x, n), elems[float32](y, n), elems[float32](z, n)
		for i := range out {
			out[i] = float32(f(float64(a[i]), float64(b[i])))
		}
	}
	t[dtype.Float64] = func(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
		a, b, out := elems[float64](x, n), elems[float64](y, n), elems[float64](z, n)
		for i := range out {
			out[i] = f(a[i], b[i])
		}
	}
	return t
}

func (t byDType) complexes2(f func(x, y complex128) complex128) byDType {
	t[dtype.Complex64] = func(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
		a, b, out := elems[complex64](x, n), elems[complex64](y, n), elems[complex64](z, n)
		for i := range out {
			out[i] = complex64(f(complex128(a[i]), complex128(b[i])))
		}
	}
	t[dtype.Complex128] = func(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
		a, b, out := elems[complex128](x, n), elems[complex128](y, n), elems[complex128](z, n)
		for i := range out {
			out[i] = f(a[i], b[i])
		}
	}
	return t
}

func init() {
	var add, sub, mul, gmul, div, maxi, mini, neg, sq, abs, sign byDType
	onIntegers(&add, addB[uint8], addB[uint16], addB[uint32], addB[uint64], addB[int8], addB[int16], addB[int32], addB[int64])
	onIntegers(&sub, subB[uint8], subB[uint16], subB[uint32], subB[uint64], subB[int8], subB[int16], subB[int32], subB[int64])
	onIntegers(&mul, mulB[uint8], mulB[uint16], mulB[uint32], mulB[uint64], mulB[int8], mulB[int16], mulB[int32], mulB[int64])
	onIntegers(&maxi, maxB[uint8], maxB[uint16], maxB[uint32], maxB[uint64], maxB[int8], maxB[int16], maxB[int32], maxB[int64])
	onIntegers(&mini, minB[uint8], minB[uint16], minB[uint32], minB[uint64], minB[int8], minB[int16], minB[int32], minB[int64])
	onIntegers(&neg, negB[uint8], negB[uint16], negB[uint32], negB[uint64], negB[int8], negB[int16], negB[int32], negB[int64])
	onIntegers(&sq, squareB[uint8], squareB[uint16], squareB[uint32], squareB[uint64], squareB[int8], squareB[int16], squareB[int32], squareB[int64])
	onIntegers(&abs, absB[uint8], absB[uint16], absB[uint32], absB[uint64], absB[int8], absB[int16], absB[int32], absB[int64])
	onIntegers(&sign, signB[uint8], signB[uint16], signB[uint32], signB[uint64], signB[int8], signB[int16], signB[int32], signB[int64])
	add[dtype.Bool], mul[dtype.Bool] = boolAdd, boolMul
	add[dtype.Float32], add[dtype.Float64], add[dtype.Complex64], add[dtype.Complex128] = addB[float32], addB[float64], addB[complex64], addB[complex128]
	sub[dtype.Float32], sub[dtype.Float64], sub[dtype.Complex64], sub[dtype.Complex128] = subB[float32], subB[float64], subB[complex64], subB[complex128]
	mul[dtype.Float32], mul[dtype.Float64], mul[dtype.Complex64], mul[dtype.Complex128] = mulB[float32], mulB[float64], mulB[complex64], mulB[complex128]
	gmul[dtype.Float32], gmul[dtype.Float64], gmul[dtype.Complex64], gmul[dtype.Complex128] = gradMulB[float32], gradMulB[float64], gradMulB[complex64], gradMulB[complex128]
	div[dtype.Float32], div[dtype.Float64], div[dtype.Complex64], div[dtype.Complex128] = divB[float32], divB[float64], divB[complex64], divB[complex128]
	neg[dtype.Float32], neg[dtype.Float64], neg[dtype.Complex64], neg[dtype.Complex128] = negB[float32], negB[float64], negB[complex64], negB[complex128]
	sq[dtype.Float32], sq[dtype.Float64], sq[dtype.Complex64], sq[dtype.Complex128] = squareB[float32], squareB[float64], squareB[complex64], squareB[complex128]
	maxi[dtype.Float32], maxi[dtype.Float64] = maxB[float32], maxB[float64]
	mini[dtype.Float32], mini[dtype.Float64] = minB[float32], minB[float64]
	sign[dtype.Float32], sign[dtype.Float64] = signB[float32], signB[float64]
	fabs := real64(math.Abs)
	abs[dtype.Float32], abs[dtype.Float64] = fabs[dtype.Float32], fabs[dtype.Float64]
	for name, t := range map[string]byDType{"add": add, "sub": sub, "mul": mul, "grad_mul": gmul, "div": div, "maximum": maxi, "minimum": mini,
		"neg": neg, "square": sq, "abs": abs, "sign": sign} {
		addBlocks(name, t)
	}
	pow := binary64(math.Pow).complexes2(cmplx.Pow)
	onIntegers(&pow, powIntB[uint8], powIntB[uint16], powIntB[uint32], powIntB[uint64], powIntB[int8], powIntB[int16], powIntB[int32], powIntB[int64])
	addBlocks("pow", pow)
	var wrap byDType
	wrap[dtype.Int64] = wrapIndex
	addBlocks("wrap_index", wrap)
}

func wrapIndex(n int, z, x, _, _ unsafe.Pointer, a attr.Attr) {
	size := int64(a.(attr.Bound).Size)
	out := elems[int64](z, n)
	for i, v := range elems[int64](x, n) {
		if v < -size || v >= size {
			fault.Throw(fault.Index, "index", "position %d is out of range for size %d", v, size)
		}
		if v < 0 {
			v += size
		}
		out[i] = v
	}
}
