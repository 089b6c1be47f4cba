package gemm

import (
	"math"
	"testing"
)

// TestStored: products with stored panels have the bits of those that pack B themselves, and many rows do not read B at all.
func TestStored(t *testing.T) {
	shapes := append([][3]int{{40, 100, 1100}, {130, 384, 70}, {9, 65, 600}, {300, 33, 513}, {64, 80, 0}, {130, 390, 400}, {101, 303, 1100},
		{260, 520, 390}}, pathShapes...)
	forVariants(t, func(t *testing.T) {
		for _, s := range shapes {
			m, n, k := s[0], s[1], s[2]
			p := newProduct[float32](m, n, k)
			a, b := store(p.a, rowMajorPadded, m, k), store(p.b, colMajorPadded, k, n)
			panels := make([]float32, StoredLen(k, n))
			last := StoredLen(1, n) / StoredWidth()
			Store(panels, b.data, b.rs, b.cs, k, n, last/2, last)
			Store(panels, b.data, b.rs, b.cs, k, n, 0, last/2)
			want, got, seen := make([]float32, m*n), make([]float32, m*n), make([]float32, m*n)
			Float32(m, n, k, a.data, a.rs, a.cs, b.data, b.rs, b.cs, want, n, Overwrite, nil, nil)
			if m > 32 && n > 32 {
				for i := range b.data {
					b.data[i] = float32(math.NaN())
				}
			}
			Float32Stored(m, n, k, a.data, a.rs, a.cs, b.data, b.rs, b.cs, panels, got, n, nil, goRun)
			ep := func(c []float32, crs, row, col, rows, cols int) {
				for i := range rows {
					copy(seen[(row+i)*n+col:][:cols], c[i*crs:])
				}
			}
			Float32Stored(m, n, k, a.data, a.rs, a.cs, b.data, b.rs, b.cs, panels, nil, 0, ep, goRun)
			for i, w := range want {
				if got[i] != w || seen[i] != w {
					t.Fatalf("%v: element %d is %v stored, %v for the epilogue; want %v", s, i, got[i], seen[i], w)
				}
			}
		}
	})
}
