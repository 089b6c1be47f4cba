package simd

// RepeatRunsF32 repeats elements: for i < count and j < run, z[i*run+j] = x[i*step]. It moves bits, so any element of 32
// bits may be seen as a float32.
func RepeatRunsF32(z, x []float32, step, run, count int) {
	if run <= 0 || count <= 0 {
		return
	}
	z, x = z[:run*count], x[:(count-1)*step+1]
	if !repeatRuns(z, x, step, run, count) {
		repeatRunsGeneric(z, x, step, run, count)
	}
}

func repeatRunsGeneric(z, x []float32, step, run, count int) {
	for i := range count {
		v := x[i*step]
		for j := range z[i*run:][:run] {
			z[i*run+j] = v
		}
	}
}
