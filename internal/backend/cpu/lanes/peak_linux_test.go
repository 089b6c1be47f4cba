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
		for n := range 24 {
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

// TestEliminateGuard: the column is scaled, the others lose their part of it, and the peak is that of the first of them, for all numbers of
// columns and rows; NaN is no peak, and nothing behind the last whole vector is read or written.
func TestEliminateGuard(t *testing.T) {
	testEliminate(t, Eliminate64, Peak64)
	testEliminate(t, Eliminate32, Peak32)
}

func testEliminate[T Float](t *testing.T, eliminate func(x []T, ld, rows int, f []T) (int, bool), peak func(x []T) int) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, rows := range []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 70, eliminateRows, eliminateRows + 3, 3*eliminateRows + 1} {
		for others := range MostOthers + 1 {
			ld := (rows + 15) &^ 15
			x := fenced[T](t, (others+1)*ld, rows%2 == 0)
			f := make([]T, others+1)
			for i := range f {
				f[i] = T(r.IntN(7) - 3)
			}
			clear(x)
			for c := range others + 1 {
				for i := range rows {
					x[c*ld+i] = T(r.IntN(9) - 4) // small integers: no sum rounds
					if others == 3 && r.IntN(3) == 0 || others == 4 && c == 1 {
						x[c*ld+i] = T(math.NaN())
					}
				}
			}
			want := append([]T(nil), x...)
			for i := range ld {
				want[i] *= f[0]
				for c := range others {
					want[(c+1)*ld+i] -= f[c+1] * want[i]
				}
			}
			at, ok := eliminate(x, ld, rows, f)
			if !ok {
				t.Skip("no vectors for it")
			}
			for i, v := range x {
				if v != want[i] && (v == v || want[i] == want[i]) {
					t.Fatalf("%d rows, %d others: element %d is %v, want %v", rows, others, i, v, want[i])
				}
			}
			if others > 0 {
				if first := peak(x[ld:][:rows]); at != first {
					t.Fatalf("%d rows, %d others: peak %d, want %d", rows, others, at, first)
				}
			}
		}
	}
}
