//go:build amd64 && !purego

package kernel

import "github.com/lucid-go/lucid/internal/backend/cpu/gemm"

var avx512F32 = engine[float32]{
	rows: 14, lanes: 16, direct: directF32AVX512, directTo: directToF32AVX512,
	positions: positionsF32AVX512, nhwc: nhwcF32AVX512, depthwise: &depthwiseF32AVX512,
}

// Sums of float64 are not scattered: see scatters in asmgen.
var avx512F64 = engine[float64]{
	rows: 14, lanes: 8, direct: directF64AVX512,
	positions: positionsF64AVX512, nhwc: nhwcF64AVX512, depthwise: &depthwiseF64AVX512,
}

var avx2F32 = engine[float32]{
	rows: 6, lanes: 8, direct: directF32AVX2,
	positions: positionsF32AVX2, nhwc: nhwcF32AVX2, depthwise: &depthwiseF32AVX2,
}

var avx2F64 = engine[float64]{
	rows: 6, lanes: 4, direct: directF64AVX2,
	positions: positionsF64AVX2, nhwc: nhwcF64AVX2, depthwise: &depthwiseF64AVX2,
}

func engine32() *engine[float32] {
	switch gemm.ISA() {
	case gemm.AVX512:
		return &avx512F32
	case gemm.AVX2:
		return &avx2F32
	}
	return generic32
}

func engine64() *engine[float64] {
	switch gemm.ISA() {
	case gemm.AVX512:
		return &avx512F64
	case gemm.AVX2:
		return &avx2F64
	}
	return generic64
}
