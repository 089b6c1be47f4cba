package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
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

// swapped exchanges the operands: x > y is y < x.
func swapped(f Block) Block {
	return func(n int, z, x, y, w unsafe.Pointer, a attr.Attr) { f(n, z, y, x, w, a) }
}

// halvedTest runs a float32 test over half operands.
func halvedTest(f Block, widen func(z []float32, x unsafe.Pointer)) Block {
	return func(n int, z, x, y, w unsafe.Pointer, a attr.Attr) {
		var fx, fy [halfTile]float32
		for at := 0; at < n; at += halfTile {
			m := min(halfTile, n-at)
			widen(fx[:m], unsafe.Add(x, 2*at))
			if y != nil {
				widen(fy[:m], unsafe.Add(y, 2*at))
			}
			f(m, unsafe.Add(z, at), unsafe.Pointer(&fx), unsafe.Pointer(&fy), nil, a)
		}
	}
}

func addTests(op string, t byDType) {
	if f := t[dtype.Float32]; f != nil {
		t[dtype.BFloat16], t[dtype.Float16] = halvedTest(f, widenBF16), halvedTest(f, widenF16)
	}
	makers[op] = t.maker()
}

// isB tests floats by their distance from themselves: x-x is 0 exactly for finite numbers.
func isB[T floats](test func(v, d T) bool) Block {
	return func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
		out := elems[bool](z, n)
		for i, v := range elems[T](x, n) {
			out[i] = test(v, v-v)
		}
	}
}

func init() {
	var lt, le, eq, ne, and, or, xor, not byDType
	onIntegers(&lt, ltB[uint8], ltB[uint16], ltB[uint32], ltB[uint64], ltB[int8], ltB[int16], ltB[int32], ltB[int64])
	onIntegers(&le, leB[uint8], leB[uint16], leB[uint32], leB[uint64], leB[int8], leB[int16], leB[int32], leB[int64])
	onIntegers(&eq, eqB[uint8], eqB[uint16], eqB[uint32], eqB[uint64], eqB[int8], eqB[int16], eqB[int32], eqB[int64])
	onIntegers(&ne, neB[uint8], neB[uint16], neB[uint32], neB[uint64], neB[int8], neB[int16], neB[int32], neB[int64])
	onIntegers(&and, andB[uint8], andB[uint16], andB[uint32], andB[uint64], andB[int8], andB[int16], andB[int32], andB[int64])
	onIntegers(&or, orB[uint8], orB[uint16], orB[uint32], orB[uint64], orB[int8], orB[int16], orB[int32], orB[int64])
	onIntegers(&xor, xorB[uint8], xorB[uint16], xorB[uint32], xorB[uint64], xorB[int8], xorB[int16], xorB[int32], xorB[int64])
	onIntegers(&not, notB[uint8], notB[uint16], notB[uint32], notB[uint64], notB[int8], notB[int16], notB[int32], notB[int64])
	lt[dtype.Float32], lt[dtype.Float64], lt[dtype.Bool] = ltB[float32], ltB[float64], ltB[uint8]
	le[dtype.Float32], le[dtype.Float64], le[dtype.Bool] = leB[float32], leB[float64], leB[uint8]
	eq[dtype.Float32], eq[dtype.Float64], eq[dtype.Complex64], eq[dtype.Complex128], eq[dtype.Bool] = eqB[float32], eqB[float64], eqB[complex64], eqB[complex128], eqB[uint8]
	ne[dtype.Float32], ne[dtype.Float64], ne[dtype.Complex64], ne[dtype.Complex128], ne[dtype.Bool] = neB[float32], neB[float64], neB[complex64], neB[complex128], neB[uint8]
	and[dtype.Float32], and[dtype.Float64], and[dtype.Complex64], and[dtype.Complex128], and[dtype.Bool] = andB[float32], andB[float64], andB[complex64], andB[complex128], andB[uint8]
	or[dtype.Float32], or[dtype.Float64], or[dtype.Complex64], or[dtype.Complex128], or[dtype.Bool] = orB[float32], orB[float64], orB[complex64], orB[complex128], orB[uint8]
	xor[dtype.Float32], xor[dtype.Float64], xor[dtype.Complex64], xor[dtype.Complex128], xor[dtype.Bool] = xorB[float32], xorB[float64], xorB[complex64], xorB[complex128], xorB[uint8]
	not[dtype.Float32], not[dtype.Float64], not[dtype.Complex64], not[dtype.Complex128], not[dtype.Bool] = notB[float32], notB[float64], notB[complex64], notB[complex128], notB[uint8]
	gt, ge := lt, le
	for d := range gt {
		if gt[d] != nil {
			gt[d], ge[d] = swapped(lt[d]), swapped(le[d])
		}
	}
	var isnan, isinf, isfin byDType
	isnan[dtype.Float32], isnan[dtype.Float64] = isB(func(v, _ float32) bool { return v != v }), isB(func(v, _ float64) bool { return v != v })
	isinf[dtype.Float32], isinf[dtype.Float64] = isB(func(v, d float32) bool { return v == v && d != d }), isB(func(v, d float64) bool { return v == v && d != d })
	isfin[dtype.Float32], isfin[dtype.Float64] = isB(func(_, d float32) bool { return d == 0 }), isB(func(_, d float64) bool { return d == 0 })
	for name, t := range map[string]byDType{"lt": lt, "le": le, "gt": gt, "ge": ge, "eq": eq, "ne": ne,
		"logical_and": and, "logical_or": or, "logical_xor": xor, "logical_not": not, "isnan": isnan, "isinf": isinf, "isfinite": isfin} {
		addTests(name, t)
	}
	bySize := map[int]Block{1: whereB[uint8], 2: whereB[uint16], 4: whereB[uint32], 8: whereB[uint64], 16: whereB[pair]}
	makers["where"] = func(out dtype.DType, _ []dtype.DType) Block { return bySize[out.Size()] }
}
