package ggml

import (
	"encoding/binary"
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
)

// half reads a float16 scale.
func half(b []byte) float32 { return dtype.F16(binary.LittleEndian.Uint16(b)).Float32() }

// putHalf writes a float16 scale.
func putHalf(b []byte, v float32) { binary.LittleEndian.PutUint16(b, uint16(dtype.ToF16(v))) }

func float(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

func deqF32(dst []float32, src []byte) { dst[0] = float(src) }

func quantF32(dst []byte, src []float32) {
	binary.LittleEndian.PutUint32(dst, math.Float32bits(src[0]))
}

func deqF16(dst []float32, src []byte) { dst[0] = half(src) }

func quantF16(dst []byte, src []float32) { putHalf(dst, src[0]) }

func deqF64(dst []float32, src []byte) {
	dst[0] = float32(math.Float64frombits(binary.LittleEndian.Uint64(src)))
}

func deqBF16(dst []float32, src []byte) {
	dst[0] = dtype.BF16(binary.LittleEndian.Uint16(src)).Float32()
}

func quantBF16(dst []byte, src []float32) {
	binary.LittleEndian.PutUint16(dst, uint16(dtype.ToBF16(src[0])))
}
