package lanes

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkFloat32 times one group of 16 matrices.
func BenchmarkFloat32(b *testing.B) {
	l := New[float32]()
	if l == nil {
		b.Skip("no vectors")
	}
	for _, n := range []int{4, 16, 32} {
		a := make([]float32, 16*n*n)
		for i := range a {
			a[i] = float32(i*7919%1009)/500 - 1
			if i/n%n == i%n {
				a[i] += 2 * float32(n)
			}
		}
		x := matrices(a, 16)
		z, u, v, w := make([]float32, len(a)), make([]float32, len(a)), make([]float32, len(a)), make([]float32, 16*n)
		piv, zero, info := make([]int32, 16*n), make([]int32, 16*n), make([]int32, 16)
		for _, k := range []struct {
			name string
			f    func()
		}{
			{"lu", func() { l.LU(n, n, 16, x, z, piv, info) }},
			{"solve", func() { l.SolveLU(false, n, 1, 16, x, zero, matrices(w, 16), w) }},
			{"cholesky", func() { l.Cholesky(n, 16, x, z, info) }},
			{"qr", func() { l.QR(n, n, 16, x, z, n, u, n) }},
			{"eigh", func() { l.Eigh(n, 16, x, w, z, info) }},
			{"svd", func() { l.SVD(n, n, 16, x, w, u, v, info) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", k.name, n), func(b *testing.B) {
				best := time.Hour
				for b.Loop() {
					begin := time.Now()
					for range 4 {
						k.f()
					}
					best = min(best, time.Since(begin)/4)
				}
				b.ReportMetric(float64(best), "best-ns")
			})
		}
	}
}
