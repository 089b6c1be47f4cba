package ops_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestTrueIndices compares the positions of nonzero elements with a walk, for masks of several blocks, some of them empty or full.
func TestTrueIndices(t *testing.T) {
	const block = 1 << 15 // truth values that are looked at together
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 9, block, block + 1, 5*block - 3} {
		mask := make([]bool, n)
		for i := range mask {
			switch b := i / block; {
			case b == 1:
			case b == 2:
				mask[i] = true
			default:
				mask[i] = r.IntN(2) == 1
			}
		}
		var want []int64
		for i, v := range mask {
			if v {
				want = append(want, int64(i))
			}
		}
		if got := lucid.ToSlice[int64](lucid.New(mask, n).Nonzero()); !slices.Equal(got, want) {
			t.Errorf("%d truth values: %d indices, want %d", n, len(got), len(want))
		}
	}
}
