//go:build !purego

package simd

//go:noescape
func repeatRunsAVX512(z, x *float32, step, run, count int)

//go:noescape
func repeatRunsAVX2(z, x *float32, step, run, count int)

// repeatRuns takes runs of at least a vector: the last of a run overlaps the one before it.
func repeatRuns(z, x []float32, step, run, count int) bool {
	switch {
	case useAVX512 && run >= 16:
		repeatRunsAVX512(&z[0], &x[0], step, run, count)
	case (useAVX512 || useAVX2) && run >= 8:
		repeatRunsAVX2(&z[0], &x[0], step, run, count)
	default:
		return false
	}
	return true
}
