package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
)

// castII converts between integers, cutting to size.
func castII[T, S integers](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[S](x, n) {
		out[i] = T(v)
	}
}

// castIF converts integers to floats, rounding once.
func castIF[T floats, S integers](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[S](x, n) {
		out[i] = T(v)
	}
}

// castFI converts floats to integers towards zero; NaN and what is out of range go through int64's minimum.
func castFI[T integers, S floats](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[S](x, n) {
		out[i] = T(dtype.TruncUint(float64(v)))
	}
}

func castFF[T, S floats](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[T](z, n)
	for i, v := range elems[S](x, n) {
		out[i] = T(v)
	}
}

func castToBool[S numbers](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[bool](z, n)
	for i, v := range elems[S](x, n) {
		out[i] = v != 0
	}
}

// castTable holds the conversions between native types; the others go element by element.
var castTable [dtype.N][dtype.N]Block // [to][from]

func castFrom[S integers](from dtype.DType) {
	t := func(to dtype.DType, b Block) { castTable[to][from] = b }
	t(dtype.Uint8, castII[uint8, S])
	t(dtype.Uint16, castII[uint16, S])
	t(dtype.Uint32, castII[uint32, S])
	t(dtype.Uint64, castII[uint64, S])
	t(dtype.Int8, castII[int8, S])
	t(dtype.Int16, castII[int16, S])
	t(dtype.Int32, castII[int32, S])
	t(dtype.Int64, castII[int64, S])
	t(dtype.Float32, castIF[float32, S])
	t(dtype.Float64, castIF[float64, S])
	if from != dtype.Bool {
		t(dtype.Bool, castToBool[S])
	}
}

func castFromFloat[S floats](from dtype.DType) {
	t := func(to dtype.DType, b Block) { castTable[to][from] = b }
	t(dtype.Uint8, castFI[uint8, S])
	t(dtype.Uint16, castFI[uint16, S])
	t(dtype.Uint32, castFI[uint32, S])
	t(dtype.Uint64, castFI[uint64, S])
	t(dtype.Int8, castFI[int8, S])
	t(dtype.Int16, castFI[int16, S])
	t(dtype.Int32, castFI[int32, S])
	t(dtype.Int64, castFI[int64, S])
	t(dtype.Float32, castFF[float32, S])
	t(dtype.Float64, castFF[float64, S])
	t(dtype.Bool, castToBool[S])
}

// castSlow converts any pair through a wide number.
func castSlow(to, from dtype.DType) Block {
	return func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
		out, in := elems[byte](z, n*to.Size()), elems[byte](x, n*from.Size())
		for i := range n {
			to.Put(out, i, from.Get(in, i))
		}
	}
}

func init() {
	castFrom[uint8](dtype.Bool)
	castFrom[uint8](dtype.Uint8)
	castFrom[uint16](dtype.Uint16)
	castFrom[uint32](dtype.Uint32)
	castFrom[uint64](dtype.Uint64)
	castFrom[int8](dtype.Int8)
	castFrom[int16](dtype.Int16)
	castFrom[int32](dtype.Int32)
	castFrom[int64](dtype.Int64)
	castFromFloat[float32](dtype.Float32)
	castFromFloat[float64](dtype.Float64)
	half := func(d dtype.DType, widen func([]float32, unsafe.Pointer), narrow func(unsafe.Pointer, []float32)) {
		castTable[dtype.Float32][d] = func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) { widen(elems[float32](z, n), x) }
		castTable[d][dtype.Float32] = func(n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) { narrow(z, elems[float32](x, n)) }
	}
	half(dtype.BFloat16, widenBF16, narrowBF16)
	half(dtype.Float16, widenF16, narrowF16)
	for to := dtype.Bool; to < dtype.N; to++ {
		for from := dtype.Bool; from < dtype.N; from++ {
			if castTable[to][from] == nil {
				castTable[to][from] = castSlow(to, from)
			}
		}
	}
	makers["cast"] = func(out dtype.DType, in []dtype.DType) Block { return castTable[out][in[0]] }
}
