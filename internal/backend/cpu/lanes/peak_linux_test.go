//go:build !race

package lanes

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPeakGuard: the first of the largest magnitudes is found, NaN is none, and nothing outside the operand is read.
func TestPeakGuard(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		for round := range 8 {
			x, y := fenced[float64](t, n, round%2 == 0), fenced[float32](t, n, round%2 == 0)
			for i := range x {
				x[i] = float64(r.IntN(7) - 3) // many are equal
				switch {
				case round == 7:
					x[i] = math.NaN()
				case round > 3 && r.IntN(3) == 0:
					x[i] = math.NaN()
				case round == 3:
					x[i] = 0
				}
				y[i] = float32(x[i])
			}
			want, best := 0, -1.0
			for i, v := range x {
				if a := math.Abs(v); a > best {
					best, want = a, i
				}
			}
			if a, b := Peak64(x), Peak32(y); a != want || b != want {
				t.Fatalf("%v: %d and %d, want %d", x, a, b, want)
			}
		}
	}
}

// TestTransposeGuard: all elements arrive, for sizes that are and are not those of whole blocks.
func TestTransposeGuard(t *testing.T) {
	for m := range 20 {
		for n := range 20 {
			x, z := fenced[float64](t, m*n, true), fenced[float64](t, m*n, m%2 == 0)
			for i := range x {
				x[i] = float64(i)
			}
			Transpose(m, n, x, n, z, m)
			for i := range m {
				for j := range n {
					if z[j*m+i] != x[i*n+j] {
						t.Fatalf("%d×%d: element %d, %d is %v, want %v", m, n, i, j, z[j*m+i], x[i*n+j])
					}
				}
			}
		}
	}
}
