//go:build purego || !(amd64 || arm64)

package gemm

func probe32() (probe func(iterations int), flops int) {
	return probeGeneric[float32], probeGenericFlops
}
func probe64() (probe func(iterations int), flops int) {
	return probeGeneric[float64], probeGenericFlops
}

// PeakBF16Probe is PeakFMAProbe32: there are no products of pairs.
func PeakBF16Probe(iterations int) (flops float64) { return PeakFMAProbe32(iterations) }
