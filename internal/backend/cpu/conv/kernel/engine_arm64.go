//go:build arm64 && !purego

package kernel

import "github.com/lucid-go/lucid/internal/backend/cpu/gemm"

// A vector is two registers, as in package gemm.
var (
	neonF32 = engine[float32]{rows: 6, lanes: 8, direct: directF32NEON, positions: positionsF32NEON, nhwc: nhwcF32NEON}
	neonF64 = engine[float64]{rows: 6, lanes: 4, direct: directF64NEON, positions: positionsF64NEON, nhwc: nhwcF64NEON}
)

func engine32() *engine[float32] {
	if gemm.ISA() == gemm.NEON {
		return &neonF32
	}
	return generic32
}

func engine64() *engine[float64] {
	if gemm.ISA() == gemm.NEON {
		return &neonF64
	}
	return generic64
}
