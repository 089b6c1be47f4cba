package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
)

// forVariants runs f once for each instruction set: the variants of products that share one differ in no kernel here.
func forVariants(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	seen := map[gemm.InstructionSet]bool{}
	asmvariant.ForEach(t, "gemm", func(name string) {
		if set := gemm.ISA(); !seen[set] {
			seen[set] = true
			t.Run(name, f)
		}
	})
}

func random[T Float](r *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.Float64()*2 - 1)
	}
	return x
}
