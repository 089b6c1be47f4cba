package gemm

import (
	"math/rand/v2"
	"testing"
)

// TestInts: products of whole numbers are exact, modulo the size of their type, on every path.
func TestInts(t *testing.T) {
	forVariants(t, func(t *testing.T) {
		if HasInt32() {
			testInts(t, Int32[int32])
			testInts(t, Int32[uint32])
		}
		if HasInt64() {
			testInts(t, Int64[int64])
		}
	})
}

func testInts[I int32 | uint32 | int64](t *testing.T, f func(m, n, k int, a []I, ars, acs int, b []I, brs, bcs int, c []I, crs int,
	mode Mode, ep func(row, col, rows, cols int), run Runner)) {
	r := rand.New(rand.NewPCG(5, 6))
	shapes := [][3]int{{1, 40, 50}, {3, 3, 3}, {12, 32, 64}, {13, 33, 17}, {70, 3, 200}, {5, 300, 530}, {40, 70, 1100}, {230, 170, 75},
		{256, 256, 150}}
	for n := 1; n <= 34; n++ {
		shapes = append(shapes, [3]int{1 + n%13, n, 7})
	}
	for _, s := range shapes {
		m, n, k := s[0], s[1], s[2]
		a, b, old := make([]I, m*k), make([]I, k*n), make([]I, m*n)
		for _, x := range [][]I{a, b, old} {
			for i := range x {
				x[i] = I(r.Uint64())
			}
		}
		want := make([]I, m*n)
		for i := range m {
			for p := range k {
				for j := range n {
					want[i*n+j] += a[i*k+p] * b[p*n+j]
				}
			}
		}
		for o := range storages * storages {
			x, y := store(a, o%storages, m, k), store(b, o/storages, k, n)
			for _, mode := range []Mode{Overwrite, Accumulate} {
				c, told := make([]I, m*n), make([]uint8, m*n)
				copy(c, old)
				f(m, n, k, x.data, x.rs, x.cs, y.data, y.rs, y.cs, c, n, mode, func(row, col, rows, cols int) {
					for i := row; i < row+rows; i++ {
						for j := col; j < col+cols; j++ {
							told[i*n+j]++
						}
					}
				}, goRun)
				for i, v := range c {
					w := want[i]
					if mode == Accumulate {
						w += old[i]
					}
					if v != w || told[i] != 1 {
						t.Fatalf("%v a=%v b=%v mode %v: c[%d,%d] = %d, want %d; told of %d times", s, o%storages, o/storages, mode, i/n,
							i%n, v, w, told[i])
					}
				}
			}
		}
	}
}
