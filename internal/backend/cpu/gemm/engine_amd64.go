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
	usePairs  = cpuid.X86.AVX512BF16 // and AVX-512 for the rest
	useAMX    = cpuid.X86.AMXBF16 && cpuid.X86.AVX512 && askForTiles() == nil && checkAMXPairs() == nil

	useVNNI     = cpuid.X86.AVX512VNNI
	useAMXBytes = cpuid.X86.AMXInt8 && cpuid.X86.AVX512 && askForTiles() == nil && checkAMXFours() == nil
)

func init() {
	if !cpuid.X86.F16C {
		avx2F32.widen[float16] = widenGenerics[float16]
	}
	asmvariant.Register("gemm", "gemm/amx", &useAMX)
	asmvariant.Register("gemm", "gemm/avx512bf16", &usePairs)
	asmvariant.Register("gemm", "gemm/avx512", &useAVX512)
	asmvariant.Register("gemm", "gemm/avx2", &useAVX2)
	asmvariant.Register("gemm", "bytes/amx", &useAMXBytes)
	asmvariant.Register("gemm", "bytes/avx512vnni", &useVNNI)
}

var avx512F32 = engine[float32]{
	rows: 14, lanes: 16, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesF32AVX512, edges: &tilesF32AVX512m,
	dots: dotsF32AVX512, dotsWide: &dotsWideF32AVX512, tilesWide: &tilesWideF32AVX512, taps: tapsF32AVX512, tapsTo: tapsToF32AVX512, places: placesF32AVX512, abreast: abreastF32AVX512, window: &windowF32AVX512, packT: packTF32AVX512, strips: stripsF32AVX512, gaxpy8: gaxpy8F32AVX512, gaxpy1: gaxpy1F32AVX512,
	widen:      [halfTypes]func([]float32, int, []uint16, int, int, int){widenBF16AVX512, widenF16AVX512},
	dotsHalf:   [halfTypes][]tileHalf[float32]{dotsBF16AVX512, dotsF16AVX512},
	gaxpy8Half: [halfTypes]gaxpyHalf[float32]{gaxpy8BF16AVX512, gaxpy8F16AVX512},
	gaxpy1Half: [halfTypes]gaxpyHalf[float32]{gaxpy1BF16AVX512, gaxpy1F16AVX512},
	jobs:       &jobs32, bufs: &bufs32,
}

var avx512Pairs = engine[float32]{
	rows: 14, lanes: 16, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesPairsAVX512, edges: &tilesPairsAVX512m,
	dots: dotsPairsAVX512, packT: packTF32AVX512, strips: stripsF32AVX512,
	zip: zipAVX512, gaxpy4Pairs: gaxpy4PairsAVX512, gaxpy1Pairs: gaxpy1PairsAVX512,
	jobs: &jobs32, bufs: &bufs32,
}

var amxPairsEngine = newAMX(&amxPairsType, engine[float32]{
	packT: packTF32AVX512, strips: stripsF32AVX512, zip: zipAVX512, jobs: &jobs32, bufs: &bufs32,
})

var avx512Fours = engine[float32]{
	rows: 14, lanes: 16, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesFoursAVX512, edges: &tilesFoursAVX512m,
	packT: packTF32AVX512, strips: stripsF32AVX512, jobs: &jobs32, bufs: &bufs32,
}

var amxFoursEngine = newAMX(&amxFoursType, engine[float32]{
	packT: packTF32AVX512, strips: stripsF32AVX512, jobs: &jobs32, bufs: &bufs32,
})

// The kernels of whole numbers are handed float32 and float64 that nobody computes with: see ints.go.
var (
	avx512I32 = engine[float32]{
		rows: 12, lanes: 16, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesI32AVX512, edges: &tilesI32AVX512m,
		packT: packTF32AVX512, strips: stripsF32AVX512, jobs: &jobs32, bufs: &bufs32,
	}
	avx512I64 = engine[float64]{
		rows: 12, lanes: 8, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesI64AVX512, edges: &tilesI64AVX512m,
		packT: packTF64AVX512, strips: stripsF64AVX512, jobs: &jobs64, bufs: &bufs64,
	}
	avx2I32 = engine[float32]{
		rows: 4, lanes: 8, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesI32AVX2, edges: &tilesI32AVX2m,
		packT: packTF32AVX2, strips: stripsGeneric[float32], jobs: &jobs32, bufs: &bufs32,
	}
)

var avx512F64 = engine[float64]{
	rows: 14, lanes: 8, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesF64AVX512, edges: &tilesF64AVX512m,
	dots: dotsF64AVX512, dotsWide: &dotsWideF64AVX512, tilesWide: &tilesWideF64AVX512, taps: tapsF64AVX512, tapsTo: tapsToF64AVX512, places: placesF64AVX512, abreast: abreastF64AVX512, window: &windowF64AVX512, packT: packTF64AVX512, strips: stripsF64AVX512, gaxpy8: gaxpy8F64AVX512, gaxpy1: gaxpy1F64AVX512,
	jobs: &jobs64, bufs: &bufs64,
}

var avx2F32 = engine[float32]{
	rows: 6, lanes: 8, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesF32AVX2, edges: &tilesF32AVX2m,
	dots: dotsF32AVX2, dotsWide: &dotsWideF32AVX2, tilesWide: &tilesWideF32AVX2, taps: tapsF32AVX2, places: placesF32AVX2, abreast: abreastF32AVX2, window: &windowF32AVX2, packT: packTF32AVX2, strips: stripsGeneric[float32], gaxpy8: gaxpy8F32AVX2, gaxpy1: gaxpy1F32AVX2,
	widen: [halfTypes]func([]float32, int, []uint16, int, int, int){widenBF16AVX2, widenF16AVX2},
	jobs:  &jobs32, bufs: &bufs32,
}

var avx2F64 = engine[float64]{
	rows: 6, lanes: 4, maxChunk: maxChunk, stripPanels: stripPanels, partElems: partElems, tiles: &tilesF64AVX2, edges: &tilesF64AVX2m,
	dots: dotsF64AVX2, dotsWide: &dotsWideF64AVX2, tilesWide: &tilesWideF64AVX2, taps: tapsF64AVX2, places: placesF64AVX2, abreast: abreastF64AVX2, window: &windowF64AVX2, packT: packTF64AVX2, strips: stripsGeneric[float64], gaxpy8: gaxpy8F64AVX2, gaxpy1: gaxpy1F64AVX2,
	jobs: &jobs64, bufs: &bufs64,
}

func engine32() *engine[float32] {
	switch {
	case useAVX512 || usePairs || useAMX:
		return &avx512F32
	case useAVX2:
		return &avx2F32
	}
	return generic32
}

func engine64() *engine[float64] {
	switch {
	case useAVX512 || usePairs || useAMX:
		return &avx512F64
	case useAVX2:
		return &avx2F64
	}
	return generic64
}

// enginePairs is the engine of bfloat16 in pairs, nil if there is none.
func enginePairs() *engine[float32] {
	switch {
	case useAMX:
		return amxPairsEngine
	case usePairs:
		return &avx512Pairs
	}
	return nil
}

// engineInt32 and engineInt64 are the engines of whole numbers, nil if there are none.
func engineInt32() *engine[float32] {
	switch {
	case useAVX512 || usePairs || useAMX:
		return &avx512I32
	case useAVX2:
		return &avx2I32
	}
	return nil
}

func engineInt64() *engine[float64] {
	if useAVX512 || usePairs || useAMX {
		return &avx512I64
	}
	return nil
}

// engineFours is the engine of bytes in fours, nil if there is none.
func engineFours() *engine[float32] {
	switch {
	case useAMXBytes:
		return amxFoursEngine
	case useVNNI:
		return &avx512Fours
	}
	return nil
}
