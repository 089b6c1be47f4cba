//go:build amd64 && !purego

package gemm

import (
	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/cpuid"
)

// All kernels of an instruction set are switched together: they share one flag.
var (
	useAVX512 = cpuid.X86.AVX512
	useAVX2   = cpuid.X86.AVX2 && cpuid.X86.FMA
	useBF16   = cpuid.X86.AVX512BF16 // and AVX-512 for the rest
	useAMX    = cpuid.X86.AMXBF16 && cpuid.X86.AVX512 && askForTiles() == nil && checkAMXBF16() == nil

	useVNNI    = cpuid.X86.AVX512VNNI
	useAMXInt8 = cpuid.X86.AMXInt8 && cpuid.X86.AVX512 && askForTiles() == nil && checkAMXInt8() == nil
)

func init() {
	if !cpuid.X86.F16C {
		avx2F32.widen[float16] = widenGenerics[float16]
	}
	asmvariant.Register("gemm", "gemm/amx", &useAMX)
	asmvariant.Register("gemm", "gemm/avx512bf16", &useBF16)
	asmvariant.Register("gemm", "gemm/avx512", &useAVX512)
	asmvariant.Register("gemm", "gemm/avx2", &useAVX2)
	asmvariant.Register("gemm", "bytes/amx", &useAMXInt8)
	asmvariant.Register("gemm", "bytes/avx512vnni", &useVNNI)
}

var avx512F32 = engine[float32]{
	rows: 14, lanes: 16, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesF32AVX512,
	edges: &tilesF32AVX512m,
	fetch: &fetchF32AVX512, dots: dotsF32AVX512, dotsWide: &dotsWideF32AVX512, tilesWide: &tilesWideF32AVX512,
	packT: packTF32AVX512, strips: stripsF32AVX512, gaxpy8: gaxpy8F32AVX512, gaxpy1: gaxpy1F32AVX512,
	widen:      [halfTypes]func([]float32, int, []uint16, int, int, int){widenBF16AVX512, widenF16AVX512},
	dotsHalf:   [halfTypes][]tileHalf[float32]{dotsBF16AVX512, dotsF16AVX512},
	gaxpy8Half: [halfTypes]gaxpyHalf[float32]{gaxpy8BF16AVX512, gaxpy8F16AVX512},
	gaxpy1Half: [halfTypes]gaxpyHalf[float32]{gaxpy1BF16AVX512, gaxpy1F16AVX512},
	jobs:       &jobs32, bufs: &bufs32,
}

var avx512BF16 = engine[float32]{
	rows: 14, lanes: 16, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesBF16PairAVX512,
	edges: &tilesBF16PairAVX512m,
	fetch: &fetchBF16PairAVX512, stream: &streamBF16PairAVX512,
	dots: dotsBF16PairAVX512, dotsWide: &dotsWideBF16PairAVX512, tilesWide: &tilesWideBF16PairAVX512,
	packT: packTF32AVX512, strips: stripsF32AVX512,
	zip: zipAVX512, gaxpy4BF16: gaxpy4BF16PairAVX512, gaxpy1BF16: gaxpy1BF16PairAVX512,
	jobs: &jobs32, bufs: &bufs32,
}

var amxBF16Engine = newAMX(&amxBF16Type, engine[float32]{
	packT: packTF32AVX512, strips: stripsF32AVX512, zip: zipAVX512, jobs: &jobs32, bufs: &bufs32,
})

var avx512VNNI = engine[float32]{
	rows: 14, lanes: 16, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesVNNIAVX512,
	edges: &tilesVNNIAVX512m,
	packT: packTF32AVX512, strips: stripsF32AVX512, jobs: &jobs32, bufs: &bufs32,
}

var amxInt8Engine = newAMX(&amxInt8Type, engine[float32]{
	packT: packTF32AVX512, strips: stripsF32AVX512, jobs: &jobs32, bufs: &bufs32,
})

// The kernels of whole numbers are handed float32 and float64 that no code computes with: see ints.go.
var (
	avx512I32 = engine[float32]{
		rows: 12, lanes: 16, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesI32AVX512m,
		edges: &tilesI32AVX512m,
		packT: packTF32AVX512, strips: stripsF32AVX512, jobs: &jobs32, bufs: &bufs32,
	}
	avx512I64 = engine[float64]{
		rows: 12, lanes: 8, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesI64AVX512m,
		edges: &tilesI64AVX512m,
		packT: packTF64AVX512, strips: stripsF64AVX512, jobs: &jobs64, bufs: &bufs64,
	}
	avx2I32 = engine[float32]{
		rows: 4, lanes: 8, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesI32AVX2, edges: &tilesI32AVX2m,
		packT: packTF32AVX2, strips: fullStrips(stripsF32AVX2), wholeRows: true, jobs: &jobs32, bufs: &bufs32,
	}
)

var avx512F64 = engine[float64]{
	rows: 14, lanes: 8, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesF64AVX512, edges: &tilesF64AVX512m,
	dots: dotsF64AVX512, dotsWide: &dotsWideF64AVX512, tilesWide: &tilesWideF64AVX512,
	packT: packTF64AVX512, strips: stripsF64AVX512, gaxpy8: gaxpy8F64AVX512, gaxpy1: gaxpy1F64AVX512,
	jobs: &jobs64, bufs: &bufs64,
}

var avx2F32 = engine[float32]{
	rows: 6, lanes: 8, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesF32AVX2, edges: &tilesF32AVX2m,
	dots: dotsF32AVX2, dotsWide: &dotsWideF32AVX2, tilesWide: &tilesWideF32AVX2,
	packT: packTF32AVX2, strips: fullStrips(stripsF32AVX2), wholeRows: true, gaxpy8: gaxpy8F32AVX2, gaxpy1: gaxpy1F32AVX2,
	widen: [halfTypes]func([]float32, int, []uint16, int, int, int){widenBF16AVX2, widenF16AVX2},
	jobs:  &jobs32, bufs: &bufs32,
}

var avx2F64 = engine[float64]{
	rows: 6, lanes: 4, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesF64AVX2, edges: &tilesF64AVX2m,
	dots: dotsF64AVX2, dotsWide: &dotsWideF64AVX2, tilesWide: &tilesWideF64AVX2,
	packT: packTF64AVX2, strips: fullStrips(stripsF64AVX2), wholeRows: true, gaxpy8: gaxpy8F64AVX2, gaxpy1: gaxpy1F64AVX2,
	jobs: &jobs64, bufs: &bufs64,
}

// ISA is the instruction set of float32 and float64 that is switched on.
func ISA() InstructionSet {
	switch {
	case useAVX512 || useBF16 || useAMX:
		return AVX512
	case useAVX2:
		return AVX2
	}
	return Generic
}

func engine32() *engine[float32] {
	switch ISA() {
	case AVX512:
		return &avx512F32
	case AVX2:
		return &avx2F32
	}
	return generic32
}

func engine64() *engine[float64] {
	switch ISA() {
	case AVX512:
		return &avx512F64
	case AVX2:
		return &avx2F64
	}
	return generic64
}

// engineBF16 is the engine of bfloat16 in pairs, nil if there is none.
func engineBF16() *engine[float32] {
	switch {
	case useAMX:
		return amxBF16Engine
	case useBF16:
		return &avx512BF16
	}
	return nil
}

// enginePairRows is the engine of BFloat16Rows, nil if there is none.
func enginePairRows() *engine[float32] {
	if useBF16 {
		return &avx512BF16
	}
	return nil
}

// engineInt32 and engineInt64 are the engines of whole numbers, nil if there are none.
func engineInt32() *engine[float32] {
	switch ISA() {
	case AVX512:
		return &avx512I32
	case AVX2:
		return &avx2I32
	}
	return nil
}

func engineInt64() *engine[float64] {
	if ISA() == AVX512 {
		return &avx512I64
	}
	return nil
}

// engineInt8 is the engine of int8 in VNNI layout, nil if there is none.
func engineInt8() *engine[float32] {
	switch {
	case useAMXInt8:
		return amxInt8Engine
	case useVNNI:
		return &avx512VNNI
	}
	return nil
}

// HasTiles reports whether the system lets this process use the tiles of AMX.
func HasTiles() bool { return cpuid.X86.AMXTile && askForTiles() == nil }
