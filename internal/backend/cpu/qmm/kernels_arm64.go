//go:build arm64 && !purego

package qmm

import (
	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/cpuid"
	"github.com/lucid-go/lucid/internal/ggml"
)

const useVNNI, useAMX, useAVX2, useRows512 = false, false, false, false

var useDot = cpuid.ARM64.DotProd

func quantizeAVX512(blocks int, dst *byte, x *float32, offset, groups int) {}

func quantizeAVX2(blocks int, dst *byte, x *float32, offset, groups int, mins bool) {}

func fetchLines(from *byte, lines int) {}

func init() {
	asmvariant.Register("qmm", "qmm/neon", &useDot)
	for t, k := range map[ggml.Type]*kernels{
		ggml.Q8_0: &kernelsQ80, ggml.Q4_0: &kernelsQ40, ggml.Q4_1: &kernelsQ41, ggml.Q5_0: &kernelsQ50, ggml.Q5_1: &kernelsQ51,
		ggml.Q4_K: &kernelsQ4K, ggml.Q5_K: &kernelsQ5K, ggml.Q6_K: &kernelsQ6K, ggml.Q2_K: &kernelsQ2K, ggml.Q3_K: &kernelsQ3K,
		ggml.IQ4NL: &kernelsIQ4NL, ggml.IQ4XS: &kernelsIQ4XS, ggml.MXFP4: &kernelsMXFP4,
	} {
		layouts[t].kernels = k
	}
}

var rowsKernels map[ggml.Type]*[rowsWide]rowsKernel
