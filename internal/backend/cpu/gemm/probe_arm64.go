//go:build arm64 && !purego

package gemm

const neonChains = 28

func probe32() (probe func(iterations int), flops int) {
	if useNEON {
		return probeF32NEON, neonChains * 4 * 2
	}
	return probeGeneric[float32], probeGenericFlops
}

func probe64() (probe func(iterations int), flops int) {
	if useNEON {
		return probeF64NEON, neonChains * 2 * 2
	}
	return probeGeneric[float64], probeGenericFlops
}

// PeakBF16Probe is PeakFMAProbe32: there are no products of pairs.
func PeakBF16Probe(iterations int) (flops float64) { return PeakFMAProbe32(iterations) }
