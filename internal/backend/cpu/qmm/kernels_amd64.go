//go:build amd64 && !purego

package qmm

import (
	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/cpuid"
	"github.com/lucid-go/lucid/internal/ggml"
)

var (
	useVNNI = cpuid.X86.AVX512VNNI && cpuid.X86.AVX512
	useAMX  = useVNNI && cpuid.X86.AMXInt8 && gemm.HasTiles()
	useAVX2 = cpuid.X86.AVX2 && cpuid.X86.FMA && cpuid.X86.F16C

	useRows512 = cpuid.X86.AVX512 // in addition to AVX2
)

const useDot = false

var rowsKernels = map[ggml.Type]*[rowsWide]rowsKernel{ggml.BF16: &rowsBF16, ggml.F16: &rowsF16}

func init() {
	asmvariant.Register("qmm", "qmm/amx", &useAMX)
	asmvariant.Register("qmm", "qmm/avx512vnni", &useVNNI)
	asmvariant.Register("qmm", "qmm/avx2", &useAVX2)
	asmvariant.Register("qmm", "rows/avx512", &useRows512)
	for t, k := range map[ggml.Type]*kernels{
		ggml.Q8_0: &kernelsQ80, ggml.Q4_0: &kernelsQ40, ggml.Q4_1: &kernelsQ41, ggml.Q5_0: &kernelsQ50, ggml.Q5_1: &kernelsQ51,
		ggml.Q4_K: &kernelsQ4K, ggml.Q5_K: &kernelsQ5K, ggml.Q6_K: &kernelsQ6K, ggml.Q2_K: &kernelsQ2K, ggml.Q3_K: &kernelsQ3K,
		affine + 2: &kernelsA2, affine + 3: &kernelsA3, affine + 4: &kernelsA4, affine + 5: &kernelsA5, affine + 6: &kernelsA6,
		affine + 8: &kernelsA8, ggml.IQ4NL: &kernelsIQ4NL, ggml.IQ4XS: &kernelsIQ4XS, ggml.MXFP4: &kernelsMXFP4,
	} {
		layouts[t].kernels = k
	}
}
