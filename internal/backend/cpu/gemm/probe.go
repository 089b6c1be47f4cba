package gemm

// PeakFMAProbe32 runs independent float32 multiply-adds in registers, without
// memory, on one core, with the kernels that Float32 uses. It returns the number of
// floating-point operations done: divided by the time taken, the peak that a product
// can be measured against.
func PeakFMAProbe32(iterations int) (flops float64) {
	probe, each := probe32()
	return runProbe(probe, each, iterations)
}

// PeakFMAProbe64 is PeakFMAProbe32 for float64.
func PeakFMAProbe64(iterations int) (flops float64) {
	probe, each := probe64()
	return runProbe(probe, each, iterations)
}

// runProbe cuts the loop into calls of a few tens of microseconds, so that the
// collector does not wait.
func runProbe(probe func(int), each, iterations int) (flops float64) {
	const most = 4096
	for left := iterations; left > 0; left -= most {
		probe(min(left, most))
	}
	return float64(iterations) * float64(each)
}

// probeSink keeps the compiler from dropping the loop.
var probeSink float64

// probeGeneric is the loop in Go: eight chains of multiply and add.
func probeGeneric[T Float](iterations int) {
	var s0, s1, s2, s3, s4, s5, s6, s7 T
	x, y := T(1), T(iterations)
	for range iterations {
		s0 += x * y
		s1 += x * y
		s2 += x * y
		s3 += x * y
		s4 += x * y
		s5 += x * y
		s6 += x * y
		s7 += x * y
	}
	probeSink = float64(s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7)
}

const probeGenericFlops = 8 * 2
