//go:build amd64 && !purego

package gemm

// The probes use four registers less than there are: see internal/backend/cpu/asmgen.
const (
	avx512Chains = 28
	avx2Chains   = 12
)

func probe32() (probe func(iterations int), flops int) {
	switch {
	case useAVX512 || useBF16 || useAMX:
		return probeF32AVX512, avx512Chains * 16 * 2
	case useAVX2:
		return probeF32AVX2, avx2Chains * 8 * 2
	}
	return probeGeneric[float32], probeGenericFlops
}

func probe64() (probe func(iterations int), flops int) {
	switch {
	case useAVX512 || useBF16 || useAMX:
		return probeF64AVX512, avx512Chains * 8 * 2
	case useAVX2:
		return probeF64AVX2, avx2Chains * 4 * 2
	}
	return probeGeneric[float64], probeGenericFlops
}

// PeakBF16Probe is PeakFMAProbe32 for the products of bfloat16 that BFloat16 uses; without pairs it is that of float32.
func PeakBF16Probe(iterations int) (flops float64) {
	switch {
	case useAMX:
		shape := shapeTiles(amxRows, amxPairs)
		return runProbe(func(n int) { amxBF16Type.probe(&shape, n) }, 4*amxBF16Type.flops, iterations/4)
	case useBF16:
		return runProbe(probeBF16PairAVX512, avx512Chains*16*4, iterations)
	}
	return PeakFMAProbe32(iterations)
}
