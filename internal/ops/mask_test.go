package ops

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPlaces compares with a walk, for masks of several blocks, some of them empty or full.
func TestPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 9, placeBlock, placeBlock + 1, 5*placeBlock - 3} {
		mask := make([]byte, n)
		for i := range mask {
			switch b := i / placeBlock; {
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
		if got := places(mask); !slices.Equal(got, want) {
			t.Errorf("%d truth values: %d places, want %d", n, len(got), len(want))
		}
	}
}
