//go:build !purego

package simd

import (
	"github.com/lucid-go/lucid/internal/cpuid"
	"github.com/lucid-go/lucid/internal/impl"
)

// One flag for all routines: a machine that has one of them has them all.
var (
	useAVX2   = cpuid.X86.AVX2 && cpuid.X86.FMA && cpuid.X86.F16C
	useAVX512 = cpuid.X86.AVX512
)

func init() {
	impl.Register("simd", "block/avx2", &useAVX2)
	impl.Register("simd", "block/avx512", &useAVX512)
}
