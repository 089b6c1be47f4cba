//go:build amd64 && !purego

package gemm

// The probes use four registers less than there are: see internal/gen/asm/gemm.
const (
	avx512Chains = 28
	avx2Chains   = 12
)

func probe32() (probe func(iterations int), flops int) {
	switch {
	case useAVX512 || usePairs || useAMX:
		return probeF32AVX512, avx512Chains * 16 * 2
	case useAVX2:
		return probeF32AVX2, avx2Chains * 8 * 2
	}
	return probeGeneric[float32], probeGenericFlops
}

func probe64() (probe func(iterations int), flops int) {
	switch {
	case useAVX512 || usePairs || useAMX:
		return probeF64AVX512, avx512Chains * 8 * 2
	case useAVX2:
		return probeF64AVX2, avx2Chains * 4 * 2
	}
	return probeGeneric[float64], probeGenericFlops
}
