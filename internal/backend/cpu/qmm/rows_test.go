package qmm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/testutil/fence"
)

func randomHalf(rng *rand.Rand, t ggml.Type, n int) []byte {
	data := make([]byte, 2*n)
	ggml.Quantize(t, data, randomRows(rng, n))
	return data
}

// TestByRows asserts that a product is near that in float64, that a row has the same bits whatever rows come with it, and that the
// kernels have those of the Go version and touch nothing behind their operands.
func TestByRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	floats, bytes := fence.Slices[float32](t, 1<<15), fence.Slices[byte](t, 1<<16)
	for _, f := range []ggml.Type{ggml.BF16, ggml.F16} {
		for _, s := range [][3]int{{1, 1, 8}, {1, 4, 64}, {2, 5, 40}, {3, 7, 104}, {5, 9, 33}, {7, 16, 7}, {4, 4, 256},
			{6, 6, 72}, {8, 9, 136}, {11, 4, 40}} {
			m, n, k := s[0], s[1], s[2]
			w, x := bytes(0, 2*n*k), floats(0, m*k)
			copy(w, randomHalf(rng, f, n*k))
			copy(x, randomRows(rng, m*k))
			values := make([]float32, n*k)
			ggml.Dequantize(f, values, w)
			var first []float32
			forVariants(t, func(t *testing.T) {
				y := floats(1, m*n)
				ByRows(f, m, n, k, x, w, y, n)
				if first == nil {
					first = append(first, y...)
				}
				for i := range m {
					one := floats(2, n)
					ByRows(f, 1, n, k, x[i*k:], w, one, n)
					if j := equalBits(one, y[i*n:][:n]); j >= 0 {
						t.Fatalf("%v %v row %d: column %d is %v alone, %v with others", f, s, i, j, one[j], y[i*n+j])
					}
					for j := range n {
						sum, size := 0.0, 0.0
						for p := range k {
							v := float64(x[i*k+p]) * float64(values[j*k+p])
							sum, size = sum+v, size+math.Abs(v)
						}
						if e := math.Abs(float64(y[i*n+j]) - sum); !(e <= 1e-6*size) {
							t.Fatalf("%v %v: element %d, %d is %v, want %v", f, s, i, j, y[i*n+j], sum)
						}
					}
				}
				if i := equalBits(y, first); i >= 0 {
					t.Fatalf("%v %v: element %d is %v, was %v", f, s, i, y[i], first[i])
				}
			})
		}
	}
}

// BenchmarkByRows streams 64 MB of weights with few rows, and 256 rows of them with many.
func BenchmarkByRows(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const k, rows = 2048, 16 << 10
	for _, f := range []ggml.Type{ggml.BF16, ggml.F16} {
		w := randomHalf(rng, f, rows*k)
		x, y := randomRows(rng, 512*k), make([]float32, 512*256)
		for _, m := range []int{1, 4, 8} {
			b.Run(fmt.Sprintf("%v/m%d", f, m), func(b *testing.B) {
				at := 0
				best(b, 256*k*2, "GB/s", func() {
					ByRows(f, m, 256, k, x, w[2*at*k:], y, 256)
					at = (at + 256) % rows
				})
			})
		}
		b.Run(fmt.Sprintf("%v/m512", f), func(b *testing.B) {
			best(b, 2*32*k*512, "GFLOP/s", func() { ByRows(f, 512, 32, k, x, w, y, 256) })
		})
	}
}
