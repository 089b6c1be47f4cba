package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
)

type integers interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64
}
type floats interface{ float32 | float64 }
type reals interface{ integers | floats }
type numbers interface {
	reals | complex64 | complex128
}

func elems[T any](p unsafe.Pointer, n int) []T { return unsafe.Slice((*T)(p), n) }

// maker returns the block kernel for dtypes, nil if there is none.
type maker func(out dtype.DType, in []dtype.DType) Block

var makers = map[string]maker{}

// blockFor finds the block kernel of an elementwise op.
func blockFor(op string, out dtype.DType, in []dtype.DType) Block {
	m := makers[op]
	if m == nil {
		return nil
	}
	return m(out, in)
}

// byDType holds one kernel per dtype of the first operand.
type byDType [dtype.N]Block

func (t *byDType) maker() maker {
	return func(_ dtype.DType, in []dtype.DType) Block { return t[in[len(in)-1]] }
}

// addBlocks registers an op's kernels, deriving those of the half types from float32 by widening.
func addBlocks(op string, t byDType) {
	if f := t[dtype.Float32]; f != nil {
		if t[dtype.BFloat16] == nil {
			t[dtype.BFloat16] = halved(f, widenBF16, narrowBF16)
		}
		if t[dtype.Float16] == nil {
			t[dtype.Float16] = halved(f, widenF16, narrowF16)
		}
	}
	makers[op] = t.maker()
}

const halfTile = 256

// halved runs a float32 kernel over half operands, rounding once at the end.
func halved(f Block, widen func(z []float32, x unsafe.Pointer), narrow func(z unsafe.Pointer, x []float32)) Block {
	return func(n int, z, x, y, w unsafe.Pointer, a attr.Attr) {
		var fz, fx, fy, fw [halfTile]float32
		for at := 0; at < n; at += halfTile {
			m := min(halfTile, n-at)
			widen(fx[:m], unsafe.Add(x, 2*at))
			if y != nil {
				widen(fy[:m], unsafe.Add(y, 2*at))
			}
			if w != nil {
				widen(fw[:m], unsafe.Add(w, 2*at))
			}
			f(m, unsafe.Pointer(&fz), unsafe.Pointer(&fx), unsafe.Pointer(&fy), unsafe.Pointer(&fw), a)
			narrow(unsafe.Add(z, 2*at), fz[:m])
		}
	}
}

func widenBF16(z []float32, x unsafe.Pointer) {
	for i, v := range elems[dtype.BF16](x, len(z)) {
		z[i] = v.Float32()
	}
}

func narrowBF16(z unsafe.Pointer, x []float32) {
	out := elems[dtype.BF16](z, len(x))
	for i, v := range x {
		out[i] = dtype.ToBF16(v)
	}
}

func widenF16(z []float32, x unsafe.Pointer) {
	for i, v := range elems[dtype.F16](x, len(z)) {
		z[i] = v.Float32()
	}
}

func narrowF16(z unsafe.Pointer, x []float32) {
	out := elems[dtype.F16](z, len(x))
	for i, v := range x {
		out[i] = dtype.ToF16(v)
	}
}

// real64 makes kernels of a float64 function for the float types.
func real64(f func(float64) float64) byDType {
	var t byDType
	t[dtype.Float32] = func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
		out := elems[float32](z, n)
		for i, v := range elems[float32](x, n) {
			out[i] = float32(f(float64(v)))
		}
	}
	t[dtype.Float64] = func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
		out := elems[float64](z, n)
		for i, v := range elems[float64](x, n) {
			out[i] = f(v)
		}
	}
	return t
}

// complexes adds kernels of a complex128 function.
func (t byDType) complexes(f func(complex128) complex128) byDType {
	t[dtype.Complex64] = func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
		out := elems[complex64](z, n)
		for i, v := range elems[complex64](x, n) {
			out[i] = complex64(f(complex128(v)))
		}
	}
	t[dtype.Complex128] = func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
		out := elems[complex128](z, n)
		for i, v := range elems[complex128](x, n) {
			out[i] = f(v)
		}
	}
	return t
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

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
