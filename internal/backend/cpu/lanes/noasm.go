//go:build !amd64 || purego

package lanes

func kernelsOf[T Float]() *kernelSet[T] { return nil }

func (b *Batch[T]) transpose(_ []T, _ int, _ []T, _, _, _ int) {}

func rotate(_ []float64, _, _, _, _ int, _, _ []float64) bool { return false }

func triples(_ []float64, _, _ int, _ []float64) bool { return false }

func poles(_, _ []float64, _ float64, _ *[16]float64) bool { return false }

func symmetric[T Float](_ []T, _ int, _, _ []T) bool { return false }
