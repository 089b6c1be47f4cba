//go:build !amd64 || purego

package lanes

func kernelsOf[T Float]() *kernelSet[T] { return nil }

func rotate(_ []float64, _, _, _, _ int, _, _ []float64) bool { return false }

func triples(_ []float64, _, _ int, _ []float64) bool { return false }

func poles(_, _ []float64, _ float64, _ *[16]float64) int { return 0 }

func peak32(_ []float32, _ *[8]float32, _ *[8]int32) int { return 0 }

func peak64(_ []float64, _ *[4]float64, _ *[4]int64) int { return 0 }

func eliminate32(_ []float32, _, _ int, _ []float32, _ *[16]float32, _ *[16]int32) int { return 0 }

func eliminate64(_ []float64, _, _ int, _ []float64, _ *[8]float64, _ *[8]int64) int { return 0 }

func givensRows(_ []complex128, _, _ int, _ []float64) int { return 0 }

func givensGroups(_ []complex128, _, _ int, _ []float64) int { return 0 }

func symmetric[T Float](_ []T, _ int, _, _ []T) bool { return false }

func transpose64(z []float64, ldz int, x []float64, ldx, rows, cols int) {
	transposeRest(z, ldz, x, ldx, rows, cols, 0, 0)
}
