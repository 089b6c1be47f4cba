package lanes

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkFloat32 times one group of matrices.
func BenchmarkFloat32(b *testing.B) {
	l := New[float32]()
	if l == nil {
		b.Skip("no vectors")
	}
	c := l.Lanes()
	for _, n := range []int{4, 16, 32} {
		a := make([]float32, c*n*n)
		for i := range a {
			a[i] = float32(i*7919%1009)/500 - 1
			if i/n%n == i%n {
				a[i] += 2 * float32(n)
			}
		}
		x := matrices(a, c)
		any := make([]float32, len(a)) // without a large diagonal, which singular values converge to at once
		r := rand.New(rand.NewPCG(1, 2))
		for i := range any {
			any[i] = float32(r.NormFloat64())
		}
		z, u, v, w := make([]float32, len(a)), make([]float32, len(a)), make([]float32, len(a)), make([]float32, c*n)
		piv, own, info := make([]int32, c*n), make([]int32, c*n), make([]int32, c)
		for i := range own {
			own[i] = int32(i%n + 1)
		}
		for _, k := range []struct {
			name string
			f    func()
		}{
			{"lu", func() { l.LU(n, n, c, x, z, piv, info) }},
			{"solve", func() { l.SolveLU(false, n, 1, c, x, own, matrices(w, c), w) }},
			{"cholesky", func() { l.Cholesky(n, c, x, z, info) }},
			{"qr", func() { l.QR(n, n, c, x, z, n, u, n) }},
			{"eigh", func() { l.Eigh(n, c, x, w, z, info) }},
			{"svd", func() { l.SVD(n, n, c, matrices(any, c), w, u, v, info) }},
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
