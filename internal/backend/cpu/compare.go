package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

func eqB[T comparable](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[bool](z, n)
	for i := range out {
		out[i] = a[i] == b[i]
	}
}

func neB[T comparable](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[bool](z, n)
	for i := range out {
		out[i] = a[i] != b[i]
	}
}

func ltB[T reals](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[bool](z, n)
	for i := range out {
		out[i] = a[i] < b[i]
	}
}

func leB[T reals](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[bool](z, n)
	for i := range out {
		out[i] = a[i] <= b[i]
	}
}

func andB[T numbers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[bool](z, n)
	for i := range out {
		out[i] = a[i] != 0 && b[i] != 0
	}
}

func orB[T numbers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[bool](z, n)
	for i := range out {
		out[i] = a[i] != 0 || b[i] != 0
	}
}

func xorB[T numbers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[bool](z, n)
	for i := range out {
		out[i] = (a[i] != 0) != (b[i] != 0)
	}
}

func notB[T numbers](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[bool](z, n)
	for i, v := range elems[T](x, n) {
		out[i] = v == 0
	}
}

func whereB[T any](n int, z, c, x, y unsafe.Pointer, _ attr.Attr) {
	m, a, b, out := elems[bool](c, n), elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		if m[i] {
			out[i] = a[i]
		} else {
			out[i] = b[i]
		}
	}
}

// choose moves elements of a size, whatever their dtype.
func choose[T any](f func(z []T, m []uint8, x, y []T)) Block {
	return func(n int, z, c, x, y unsafe.Pointer, _ attr.Attr) {
		f(elems[T](z, n), elems[uint8](c, n), elems[T](x, n), elems[T](y, n))
	}
}

// swapped exchanges the operands: x > y is y < x.
func swapped(f Block) Block {
	return func(n int, z, x, y, w unsafe.Pointer, a attr.Attr) { f(n, z, y, x, w, a) }
}

func addTests(op string, t byDType) {
	if f := t[dtype.Float32]; f != nil {
		t[dtype.BFloat16], t[dtype.Float16] = halvedTo(1, f, widenBF16), halvedTo(1, f, widenF16)
	}
	makers[op] = t.maker()
}

// test1 and test2 make blocks of tests of one and of two slices.
func test1[T any](f func(z []uint8, x []T)) Block {
	return func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) { f(elems[uint8](z, n), elems[T](x, n)) }
}

func test2[T any](f func(z []uint8, x, y []T)) Block {
	return func(n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
		f(elems[uint8](z, n), elems[T](x, n), elems[T](y, n))
	}
}

func isNaN[T floats](v, _ T) bool    { return v != v }
func isInf[T floats](v, d T) bool    { return v == v && d != d }
func isFinite[T floats](_, d T) bool { return d == 0 }

// isC tests the two parts of complex numbers: all of them must pass, or one.
func isC[C complex64 | complex128](test func(v, d float64) bool, all bool) Block {
	return each1(func(c C) bool {
		re, im := real(complex128(c)), imag(complex128(c))
		a, b := test(re, re-re), test(im, im-im)
		return a && b || !all && (a || b)
	})
}

// signbitB tests integers; unsigned ones are never negative.
func signbitB[T integers](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[bool](z, n)
	for i, v := range elems[T](x, n) {
		out[i] = v < 0
	}
}

func init() {
	var lt, le, eq, ne, and, or, xor, not, sign byDType
	onIntegers(&lt, test2(simd.LtU8), test2(simd.LtU16), ltB[uint32], ltB[uint64], test2(simd.LtI8), test2(simd.LtI16), test2(simd.LtI32),
		test2(simd.LtI64))
	onIntegers(&le, test2(simd.LeU8), test2(simd.LeU16), leB[uint32], leB[uint64], test2(simd.LeI8), test2(simd.LeI16), test2(simd.LeI32),
		test2(simd.LeI64))
	onIntegers(&eq, test2(simd.EqU8), test2(simd.EqU16), eqB[uint32], eqB[uint64], test2(simd.EqU8), test2(simd.EqU16), test2(simd.EqI32),
		test2(simd.EqI64))
	onIntegers(&ne, test2(simd.NeU8), test2(simd.NeU16), neB[uint32], neB[uint64], test2(simd.NeU8), test2(simd.NeU16), test2(simd.NeI32),
		test2(simd.NeI64))
	onIntegers(&and, test2(simd.BothU8), test2(simd.BothU16), andB[uint32], andB[uint64], test2(simd.BothU8), test2(simd.BothU16),
		test2(simd.BothI32), test2(simd.BothI64))
	onIntegers(&or, test2(simd.EitherU8), test2(simd.EitherU16), orB[uint32], orB[uint64], test2(simd.EitherU8), test2(simd.EitherU16),
		test2(simd.EitherI32), test2(simd.EitherI64))
	onIntegers(&xor, test2(simd.OneU8), test2(simd.OneU16), xorB[uint32], xorB[uint64], test2(simd.OneU8), test2(simd.OneU16),
		xorB[int32], xorB[int64])
	onIntegers(&not, vec1(simd.ZeroU8), test1(simd.ZeroU16), notB[uint32], notB[uint64], vec1(simd.ZeroU8), test1(simd.ZeroU16),
		test1(simd.ZeroI32), test1(simd.ZeroI64))
	onIntegers(&sign, signbitB[uint8], signbitB[uint16], signbitB[uint32], signbitB[uint64], signbitB[int8], signbitB[int16],
		signbitB[int32], signbitB[int64])
	for _, t := range []struct {
		to *byDType
		b  Block
	}{{&lt, lt[dtype.Uint8]}, {&le, le[dtype.Uint8]}, {&eq, eq[dtype.Uint8]}, {&ne, ne[dtype.Uint8]}, {&and, and[dtype.Uint8]},
		{&or, or[dtype.Uint8]}, {&xor, xor[dtype.Uint8]}, {&not, not[dtype.Uint8]}, {&sign, signbitB[uint8]}} {
		t.to[dtype.Bool] = t.b
	}
	onInexact(&lt, test2(simd.LtF32), test2(simd.LtF64), nil, nil)
	onInexact(&le, test2(simd.LeF32), test2(simd.LeF64), nil, nil)
	onInexact(&eq, test2(simd.EqF32), test2(simd.EqF64), eqB[complex64], eqB[complex128])
	onInexact(&ne, test2(simd.NeF32), test2(simd.NeF64), neB[complex64], neB[complex128])
	onInexact(&and, test2(simd.BothF32), test2(simd.BothF64), andB[complex64], andB[complex128])
	onInexact(&or, test2(simd.EitherF32), test2(simd.EitherF64), orB[complex64], orB[complex128])
	onInexact(&xor, xorB[float32], xorB[float64], xorB[complex64], xorB[complex128])
	onInexact(&not, test1(simd.ZeroF32), test1(simd.ZeroF64), notB[complex64], notB[complex128])
	sign[dtype.Float32] = each1(func(v float32) bool { return math.Float32bits(v)>>31 != 0 })
	sign[dtype.Float64] = each1(math.Signbit)
	gt, ge := lt, le
	for d := range gt {
		if gt[d] != nil {
			gt[d], ge[d] = swapped(lt[d]), swapped(le[d])
		}
	}
	gt[dtype.Float32], ge[dtype.Float32] = test2(simd.GtF32), test2(simd.GeF32)
	var isnan, isinf, isfin byDType
	onInexact(&isnan, test1(simd.IsNaNF32), test1(simd.IsNaNF64), isC[complex64](isNaN[float64], false),
		isC[complex128](isNaN[float64], false))
	onInexact(&isinf, test1(simd.IsInfF32), test1(simd.IsInfF64), isC[complex64](isInf[float64], false),
		isC[complex128](isInf[float64], false))
	onInexact(&isfin, test1(simd.IsFiniteF32), test1(simd.IsFiniteF64), isC[complex64](isFinite[float64], true),
		isC[complex128](isFinite[float64], true))
	for name, t := range map[string]byDType{"lt": lt, "le": le, "gt": gt, "ge": ge, "eq": eq, "ne": ne,
		"logical_and": and, "logical_or": or, "logical_xor": xor, "logical_not": not, "isnan": isnan, "isinf": isinf, "isfinite": isfin,
		"signbit": sign} {
		addTests(name, t)
	}
	bySize := map[int]Block{1: choose(simd.WhereU8), 2: choose(simd.WhereU16), 4: choose(simd.WhereF32), 8: choose(simd.WhereF64),
		16: whereB[pair]}
	makers["where"] = func(out dtype.DType, _ []dtype.DType) Block { return bySize[out.Size()] }
}
