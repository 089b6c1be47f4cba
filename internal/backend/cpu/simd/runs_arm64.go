//go:build !purego

package simd

//go:noescape
func repeatRunsNEON(z, x *float32, step, run, count int)

// repeatRuns takes runs of at least a vector: the last of a run overlaps the one before it.
func repeatRuns(z, x []float32, step, run, count int) bool {
	if !useNEON || run < 4 {
		return false
	}
	repeatRunsNEON(&z[0], &x[0], step, run, count)
	return true
}
