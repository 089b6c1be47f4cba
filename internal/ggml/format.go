package ggml

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid/internal/fault"
)

// Type is an element type by its number in a GGUF file.
type Type uint32

// The types. Numbers that are missing belonged to formats that no longer exist.
const (
	F32    Type = 0
	F16    Type = 1
	Q4_0   Type = 2
	Q4_1   Type = 3
	Q5_0   Type = 6
	Q5_1   Type = 7
	Q8_0   Type = 8
	Q8_1   Type = 9
	Q2_K   Type = 10
	Q3_K   Type = 11
	Q4_K   Type = 12
	Q5_K   Type = 13
	Q6_K   Type = 14
	Q8_K   Type = 15
	IQ2XXS Type = 16
	IQ2XS  Type = 17
	IQ3XXS Type = 18
	IQ1S   Type = 19
	IQ4NL  Type = 20
	IQ3S   Type = 21
	IQ2S   Type = 22
	IQ4XS  Type = 23
	I8     Type = 24
	I16    Type = 25
	I32    Type = 26
	I64    Type = 27
	F64    Type = 28
	IQ1M   Type = 29
	BF16   Type = 30
	TQ1_0  Type = 34
	TQ2_0  Type = 35
	MXFP4  Type = 39
	NVFP4  Type = 40
	Q1_0   Type = 41
)

// superBlock is the number of elements in a block of the K, IQ and TQ types.
const superBlock = 256

type format struct {
	name  string
	size  int // elements in a block
	bytes int
	deq   func(dst []float32, src []byte) // one block; nil: no conversion
	quant func(dst []byte, src []float32) // one block; nil: no conversion
}

var formats map[Type]format

func init() { // not an initialiser: the converters refer to the table
	formats = map[Type]format{
		F32:    {"F32", 1, 4, deqF32, quantF32},
		F16:    {"F16", 1, 2, deqF16, quantF16},
		BF16:   {"BF16", 1, 2, deqBF16, quantBF16},
		F64:    {"F64", 1, 8, deqF64, nil},
		I8:     {"I8", 1, 1, nil, nil},
		I16:    {"I16", 1, 2, nil, nil},
		I32:    {"I32", 1, 4, nil, nil},
		I64:    {"I64", 1, 8, nil, nil},
		Q4_0:   {"Q4_0", 32, 18, deqQ4_0, quantQ4_0},
		Q4_1:   {"Q4_1", 32, 20, deqQ4_1, quantQ4_1},
		Q5_0:   {"Q5_0", 32, 22, deqQ5_0, quantQ5_0},
		Q5_1:   {"Q5_1", 32, 24, deqQ5_1, quantQ5_1},
		Q8_0:   {"Q8_0", 32, 34, deqQ8_0, quantQ8_0},
		Q8_1:   {"Q8_1", 32, 36, deqQ8_1, quantQ8_1},
		Q2_K:   {"Q2_K", superBlock, 84, deqQ2K, nil},
		Q3_K:   {"Q3_K", superBlock, 110, deqQ3K, nil},
		Q4_K:   {"Q4_K", superBlock, 144, deqQ4K, quantQ4K},
		Q5_K:   {"Q5_K", superBlock, 176, deqQ5K, quantQ5K},
		Q6_K:   {"Q6_K", superBlock, 210, deqQ6K, quantQ6K},
		Q8_K:   {"Q8_K", superBlock, 292, deqQ8K, quantQ8K},
		IQ4NL:  {"IQ4_NL", 32, 18, deqIQ4NL, nil},
		IQ4XS:  {"IQ4_XS", superBlock, 136, deqIQ4XS, nil},
		MXFP4:  {"MXFP4", 32, 17, deqMXFP4, nil},
		NVFP4:  {"NVFP4", 64, 36, deqNVFP4, nil},
		TQ1_0:  {"TQ1_0", superBlock, 54, deqTQ1, quantTQ1},
		TQ2_0:  {"TQ2_0", superBlock, 66, deqTQ2, quantTQ2},
		IQ2XXS: {"IQ2_XXS", superBlock, 66, deqIQ2XXS, nil},
		IQ2XS:  {"IQ2_XS", superBlock, 74, deqIQ2XS, nil},
		IQ2S:   {"IQ2_S", superBlock, 82, deqIQ2S, nil},
		IQ3XXS: {"IQ3_XXS", superBlock, 98, deqIQ3XXS, nil},
		IQ3S:   {"IQ3_S", superBlock, 110, deqIQ3S, nil},
		IQ1S:   {"IQ1_S", superBlock, 50, deqIQ1S, nil},
		IQ1M:   {"IQ1_M", superBlock, 56, deqIQ1M, nil},
		Q1_0:   {"Q1_0", 128, 18, nil, nil},
	}
}

// Known reports whether the type has a row in the table.
func (t Type) Known() bool { _, ok := formats[t]; return ok }

// String is the type's name in the format's documents.
func (t Type) String() string {
	if f, ok := formats[t]; ok {
		return f.name
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// Parse returns the type of that name.
func Parse(name string) (Type, bool) {
	for t, f := range formats {
		if f.name == name {
			return t, true
		}
	}
	return 0, false
}

// All lists the known types by their numbers.
func All() (all []Type) {
	for t := Type(0); t < 64; t++ {
		if t.Known() {
			all = append(all, t)
		}
	}
	return all
}

// BlockSize is the number of elements in a block, 0 for an unknown type.
func (t Type) BlockSize() int { return formats[t].size }

// BlockBytes is the number of bytes in a block, 0 for an unknown type.
func (t Type) BlockBytes() int { return formats[t].bytes }

// RowBytes is the number of bytes of a row of n elements; ok is false when the row is not a whole number of blocks, n is
// negative, or the result does not fit.
func (t Type) RowBytes(n int) (bytes int, ok bool) {
	f, known := formats[t]
	if !known || n < 0 || n%f.size != 0 || n/f.size > math.MaxInt/f.bytes {
		return 0, false
	}
	return n / f.size * f.bytes, true
}

// CanDequantize reports whether Dequantize knows the type.
func (t Type) CanDequantize() bool { return formats[t].deq != nil }

// CanQuantize reports whether Quantize knows the type.
func (t Type) CanQuantize() bool { return formats[t].quant != nil }

// Dequantize converts rows of blocks to float32. len(dst) must be the number of elements in src.
func Dequantize(t Type, dst []float32, src []byte) {
	f := formats[t]
	if f.deq == nil {
		fault.Throw(fault.DType, "dequantize", "no conversion from %s to float32", t)
	}
	checkRow("dequantize", t, len(dst), len(src))
	for len(dst) > 0 {
		f.deq(dst[:f.size:f.size], src[:f.bytes:f.bytes])
		dst, src = dst[f.size:], src[f.bytes:]
	}
}

// Quantize converts float32 to rows of blocks. len(src) must be the number of elements in dst.
func Quantize(t Type, dst []byte, src []float32) {
	f := formats[t]
	if f.quant == nil {
		fault.Throw(fault.DType, "quantize", "no conversion from float32 to %s; try Q8_0, Q4_0, Q4_K or Q6_K", t)
	}
	checkRow("quantize", t, len(src), len(dst))
	for len(src) > 0 {
		f.quant(dst[:f.bytes:f.bytes], src[:f.size:f.size])
		dst, src = dst[f.bytes:], src[f.size:]
	}
}

func checkRow(op string, t Type, elements, bytes int) {
	if want, ok := t.RowBytes(elements); !ok || want != bytes {
		fault.Throw(fault.Shape, op, "%d elements of %s in %d bytes; a block has %d elements in %d bytes", elements, t, bytes,
			t.BlockSize(), t.BlockBytes())
	}
}
