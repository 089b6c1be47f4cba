package gemm

import (
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// Tiles give the bits of a product, whose k is one chunk, from panels and in place, and leave the rest of C alone.
func TestTileDoors(t *testing.T) {
	asmvariant.ForEach(t, "gemm", func(name string) {
		r := rand.New(rand.NewPCG(5, 6))
		random := func(n int) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = r.Float32() - 0.5
			}
			return x
		}
		tl := Tiles32()
		for _, k := range []int{1, 3, 64, 130} {
			for _, n := range []int{1, 7, 16, 31, 32, 33, 100} {
				for m := 1; m <= tl.Rows(); m++ {
					a, b := random(m*(k+3)), random(n*(k+2)) // b holds columns
					want, got := random(m*(n+1)), make([]float32, m*(n+1))
					copy(got, want)
					Float32(m, n, k, a, k+3, 1, b, 1, k+2, want, n+1, Accumulate, nil, nil)
					panels := make([]float32, tl.PanelLen(n, k))
					tl.PackColumns(panels, b, k+2, k, n)
					old := append([]float32(nil), got...)
					tl.Panels(m, n, k, a, k+3, 1, panels, got, n+1, true)
					rows := make([]float32, k*n)
					for p := range k {
						for j := range n {
							rows[p*n+j] = b[j*(k+2)+p]
						}
					}
					tl.InPlace(m, n, k, a, k+3, 1, rows, n, old, n+1, true)
					for i := range want {
						if got[i] != want[i] || old[i] != want[i] {
							t.Fatalf("%s, %d by %d by %d: element %d: panels %v, in place %v, product %v", name, m, n, k, i, got[i],
								old[i], want[i])
						}
					}
				}
			}
		}
	})
}
