package cpu

import (
	"math"
	"math/cmplx"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/special"
	"github.com/lucid-go/lucid/internal/dtype"
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

// twice multiplies elements by themselves.
func twice[T any](mul func(z, x, y []T)) Block { return vec1(func(z, x []T) { mul(z, x, x) }) }

func gradMulB[T floats | complex64 | complex128](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		if a[i] == 0 {
			out[i] = 0
		} else {
			out[i] = a[i] * b[i]
		}
	}
}

func divC128B(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[complex128](x, n), elems[complex128](y, n), elems[complex128](z, n)
	for i := range out {
		out[i] = special.DivC(a[i], b[i])
	}
}

// divC64B divides in float64, where squares of parts cannot overflow.
func divC64B(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[complex64](x, n), elems[complex64](y, n), elems[complex64](z, n)
	for i := range out {
		p, q, c, d := float64(real(a[i])), float64(imag(a[i])), float64(real(b[i])), float64(imag(b[i]))
		n := float64(c*c) + float64(d*d)
		if !(n > 0 && n <= math.MaxFloat64) {
			out[i] = complex64(special.DivC(complex128(a[i]), complex128(b[i])))
			continue
		}
		r := 1 / n
		out[i] = complex(float32((float64(p*c)+float64(q*d))*r), float32((float64(q*c)-float64(p*d))*r))
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

// powIntB multiplies modulo 2^bits; a negative power is 0 but for ±1.
func powIntB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = powInt(a[i], b[i])
	}
}

func powInt[T integers](x, y T) T {
	if y < 0 {
		switch {
		case x == 1:
			return 1
		case x+1 == 0:
			if y&1 == 0 {
				return 1
			}
			return x
		}
		return 0
	}
	r := T(1)
	for ; y > 0; y >>= 1 {
		if y&1 == 1 {
			r *= x
		}
		x *= x
	}
	return r
}

func init() {
	var add, sub, mul, gmul, div, neg, sq, abs, sign byDType
	onIntegers(&add, vec2(simd.AddU8), vec2(simd.AddU16), addB[uint32], addB[uint64], vec2(simd.AddU8), vec2(simd.AddU16),
		vec2(simd.AddI32), vec2(simd.AddI64))
	onIntegers(&sub, vec2(simd.SubU8), vec2(simd.SubU16), subB[uint32], subB[uint64], vec2(simd.SubU8), vec2(simd.SubU16),
		vec2(simd.SubI32), vec2(simd.SubI64))
	onIntegers(&mul, vec2(simd.MulU8), vec2(simd.MulU16), mulB[uint32], mulB[uint64], vec2(simd.MulU8), vec2(simd.MulU16),
		vec2(simd.MulI32), vec2(simd.MulI64))
	onIntegers(&neg, vec1(simd.NegU8), vec1(simd.NegU16), negB[uint32], negB[uint64], vec1(simd.NegU8), vec1(simd.NegU16),
		vec1(simd.NegI32), vec1(simd.NegI64))
	onIntegers(&sq, twice(simd.MulU8), twice(simd.MulU16), squareB[uint32], squareB[uint64], twice(simd.MulU8), twice(simd.MulU16),
		twice(simd.MulI32), twice(simd.MulI64))
	onIntegers(&abs, copyB[uint8], copyB[uint16], copyB[uint32], copyB[uint64], vec1(simd.AbsI8), vec1(simd.AbsI16), vec1(simd.AbsI32),
		vec1(simd.AbsI64))
	onIntegers(&sign, vec1(simd.SignU8), vec1(simd.SignU16), signB[uint32], signB[uint64], vec1(simd.SignI8), vec1(simd.SignI16),
		vec1(simd.SignI32), vec1(simd.SignI64))
	add[dtype.Bool], mul[dtype.Bool], sign[dtype.Bool] = vec2(simd.EitherU8), vec2(simd.BothU8), vec1(simd.SignU8)
	onInexact(&add, vec2(simd.AddF32), vec2(simd.AddF64), parts2(simd.AddF32), parts2(simd.AddF64))
	onInexact(&sub, vec2(simd.SubF32), vec2(simd.SubF64), parts2(simd.SubF32), parts2(simd.SubF64))
	onInexact(&mul, vec2(simd.MulF32), vec2(simd.MulF64), vec2(simd.MulC64), mulB[complex128])
	onInexact(&gmul, gradMulB[float32], gradMulB[float64], gradMulB[complex64], gradMulB[complex128])
	onInexact(&div, vec2(simd.DivF32), vec2(simd.DivF64), divC64B, divC128B)
	onInexact(&neg, vec1(simd.NegF32), vec1(simd.NegF64), parts1(simd.NegF32), parts1(simd.NegF64))
	onInexact(&sq, vec1(simd.SquareF32), vec1(simd.SquareF64), twice(simd.MulC64), squareB[complex128])
	onInexact(&abs, vec1(simd.AbsF32), vec1(simd.AbsF64),
		each1(func(v complex64) float32 { return float32(math.Hypot(float64(real(v)), float64(imag(v)))) }), each1(cmplx.Abs))
	onInexact(&sign, vec1(simd.SignF32), vec1(simd.SignF64), nil, nil)
	pow := binary64(special.Pow).complexes2(special.PowC)
	pow[dtype.Float32], pow[dtype.Float64] = vec2(simd.PowF32), vec2(simd.PowF64)
	onIntegers(&pow, powIntB[uint8], powIntB[uint16], powIntB[uint32], powIntB[uint64], powIntB[int8], powIntB[int16], powIntB[int32],
		powIntB[int64])
	var wrap byDType
	wrap[dtype.Int64] = wrapIndex
	require := byDType{dtype.Float32: requireB[float32], dtype.Float64: requireB[float64]}
	for _, d := range []dtype.DType{dtype.BFloat16, dtype.Float16} {
		neg[d], abs[d] = vec1(simd.NegHalfU16), vec1(simd.AbsHalfU16)
	}
	for name, t := range map[string]byDType{"add": add, "sub": sub, "mul": mul, "grad_mul": gmul, "div": div, "pow": pow,
		"neg": neg, "square": sq, "abs": abs, "sign": sign, "wrap_index": wrap, "require": require} {
		addBlocks(name, t)
	}
}

func wrapIndex(n int, z, x, _, _ unsafe.Pointer, a attr.Attr) {
	b := a.(attr.Bound)
	size, least := int64(b.Size), backend.LeastIndex(b)
	in := elems[int64](x, n)
	out := elems[int64](z, n)[:len(in)]
	if backend.AllWithin(in, size) {
		copy(out, in)
		return
	}
	for i, v := range in {
		if uint64(v) >= uint64(size) {
			if v < least || v >= size {
				backend.RefuseIndex(b, v)
			}
			v += size
		}
		out[i] = v
	}
}

// requireB copies x if all values of y follow a rule.
func requireB[T float32 | float64](n int, z, x, y, _ unsafe.Pointer, a attr.Attr) {
	d := a.(attr.Domain)
	low, high := d.Rule.Bounds()
	for _, v := range elems[T](y, n) {
		if !(float64(v) >= low && float64(v) <= high) {
			backend.Require(d, float64(v))
		}
	}
	copy(elems[T](z, n), elems[T](x, n))
}
