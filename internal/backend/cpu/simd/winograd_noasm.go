//go:build purego || (!amd64 && !arm64)

package simd

func winogradInput(v []float32, vs int, x []float32, plane, pitch, tiles int) bool { return false }

func winogradOutput(z []float32, plane int, m []float32, ms, tiles int) bool { return false }

func winogradRows(dst []float32, plane, pitch, width int, src []float32, srs, first, last, from, to int) bool {
	return false
}

func winogradTaps(u []float32, us int, w []float32, at *[9]int, step, n int) bool { return false }

func hasWinograd() bool { return false }
