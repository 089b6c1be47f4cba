package gemm

import (
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/cpuid"
)

// TestCacheSetConflict: rows of A whole pages apart give the same bits in place, copied, in tiles of fewer rows, and as rows elsewhere.
func TestCacheSetConflict(t *testing.T) {
	defer func(ways int) { cpuid.L1Ways = ways }(cpuid.L1Ways)
	testCacheSet(t, 70, 600, 530)
	testCacheSet(t, 70, 96, 40)
}

func testCacheSet(t *testing.T, m, n, k int) {
	const far = 1024
	p := newProduct[float32](m, n, k)
	apart := make([]float32, m*far)
	for i := range m {
		copy(apart[i*far:], p.a[i*k:][:k])
	}
	forVariants(t, func(t *testing.T) {
		want := p.run(t, Float32, rowMajor, rowMajor, Overwrite, nil)
		for _, ways := range []int{6, 8, 12, 16} {
			cpuid.L1Ways = ways
			for _, r := range []Runner{nil, goRun} {
				got := make([]float32, m*n)
				Float32(m, n, k, apart, far, 1, p.b, n, 1, got, n, Overwrite, nil, r)
				if !slices.Equal(got, want) {
					t.Errorf("%d ways: bits depend on how far apart rows are", ways)
				}
			}
		}
	})
}
