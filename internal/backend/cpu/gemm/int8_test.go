package gemm

import (
	"math/rand/v2"
	"testing"
)

// TestBytes: the low bytes of every path, for operands that are in any way.
func TestBytes(t *testing.T) { forRoutine(t, "bytes/", func(t *testing.T) { testBytes(t, 1) }) }

// testBytes takes each step-th pair of storages.
func testBytes(t *testing.T, step int) {
	if !HasInt8() {
		return
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range append(halfShapes, [3]int{64, 64, 4}, [3]int{33, 65, 3}, [3]int{100, 100, 400}) {
		m, n, k := s[0], s[1], s[2]
		if k > 5000 {
			continue
		}
		a, b := make([]uint8, m*k), make([]uint8, k*n)
		for _, x := range [][]uint8{a, b} {
			for i := range x {
				x[i] = uint8(r.Uint32())
			}
		}
		want := make([]uint8, m*n)
		for i := range m {
			for p := range k {
				x, row, z := a[i*k+p], b[p*n:][:n], want[i*n:][:n]
				for j, y := range row {
					z[j] += x * y
				}
			}
		}
		for i := k % step; i < int(storages*storages); i += step {
			x, y := store(a, storage(i)%storages, m, k), store(b, storage(i)/storages, k, n)
			c, done := make([]int32, m*n), make([]uint8, m*n)
			Int8(m, n, k, x.data, x.rs, x.cs, y.data, y.rs, y.cs, c, n, func(row, col, rows, cols int) {
				for i := row; i < row+rows; i++ {
					for j := col; j < col+cols; j++ {
						done[i*n+j]++
					}
				}
			}, goRun)
			for j, v := range c {
				if uint8(v) != want[j] || done[j] != 1 {
					t.Fatalf("%v a=%v b=%v: c[%d,%d] = %d, want %d; told of %d times", s, storage(i)%storages, storage(i)/storages, j/n,
						j%n, uint8(v), want[j], done[j])
				}
			}
		}
	}
}

// BenchmarkBytes measures against the float32 peak.
func BenchmarkBytes(b *testing.B) {
	if !HasInt8() {
		b.Skip("no kernels")
	}
	for _, n := range []int{64, 256, 1024} {
		s := benchShape{n, n, n, false, false}
		b.Run(s.String(), func(b *testing.B) {
			benchProduct(b, func(m, n, k int, x []float32, ars, acs int, y []float32, brs, bcs int, c []float32, crs int, mode Mode,
				ep Epilogue[float32], run Runner) {
				Int8(m, n, k, byteView(x), ars, acs, byteView(y), brs, bcs, intsOf(c), crs, nil, run)
			}, PeakFMAProbe32, s, nil)
		})
	}
}
