package gemm

import (
	"slices"
	"testing"
)

// TestFitsL2: a product whose B stays in the second-level cache runs in place, with the bits it has from panels.
func TestFitsL2(t *testing.T) {
	const n = 240
	p := newProduct[float32](n, n, n)
	transposed := make([]float32, n*n)
	for i := range n {
		for j := range n {
			transposed[j*n+i] = p.b[i*n+j]
		}
	}
	forVariants(t, func(t *testing.T) {
		e := engine32()
		q := problem[float32]{m: n, n: n, k: n, ars: n, acs: 1, brs: n, bcs: 1, crs: n, ccs: 1}
		apart := q
		apart.brs, apart.bcs = 1, n
		if !e.squares && !q.isDirect(e) || apart.isDirect(e) {
			t.Errorf("by rows direct: %v, by columns: %v", q.isDirect(e), apart.isDirect(e))
		}
		want, got := make([]float32, n*n), make([]float32, n*n)
		Float32(n, n, n, p.a, n, 1, p.b, n, 1, want, n, Overwrite, nil, goRun)
		Float32(n, n, n, p.a, n, 1, transposed, 1, n, got, n, Overwrite, nil, goRun)
		if !slices.Equal(got, want) {
			t.Error("bits depend on whether B is copied")
		}
	})
}
