package ops

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTrueIndices compares with a walk, for masks of several blocks, some of them empty or full.
func TestTrueIndices(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 9, maskBlock, maskBlock + 1, 5*maskBlock - 3} {
		mask := make([]byte, n)
		for i := range mask {
			switch b := i / maskBlock; {
			case b == 1:
			case b == 2:
				mask[i] = 1
			default:
				mask[i] = byte(r.IntN(2))
			}
		}
		var want []int64
		for i, v := range mask {
			if v != 0 {
				want = append(want, int64(i))
			}
		}
		if got := trueIndices(mask); !slices.Equal(got, want) {
			t.Errorf("%d truth values: %d indices, want %d", n, len(got), len(want))
		}
	}
}
