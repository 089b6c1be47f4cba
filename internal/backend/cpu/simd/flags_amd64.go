//go:build !purego

package simd

import (
	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/cpuid"
)

// One flag for all routines: a machine that has one of them has them all.
var (
	useAVX2   = cpuid.X86.AVX2 && cpuid.X86.FMA && cpuid.X86.F16C
	useAVX512 = cpuid.X86.AVX512
)

func init() {
	asmvariant.Register("simd", "block/avx2", &useAVX2)
	asmvariant.Register("simd", "block/avx512", &useAVX512)
}
