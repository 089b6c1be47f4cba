//go:build arm64 && !purego

package gemm

import "testing"

func TestKernels(t *testing.T) {
	testKernels(t, "float32/neon", neonF32, floats[float32]())
	testKernels(t, "float64/neon", neonF64, floats[float64]())
}
