package ops

import (
	"errors"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestPositionsInRange reads by positions that are in range, whose check is their result, and by some that are not, in a plan and without
// one; the positions stay as they are.
func TestPositionsInRange(t *testing.T) {
	for _, n := range []int{5, 200_000} { // a single op, and a plan
		x := lucid.Arange(0, 7, 1).To(lucid.Float32).Eval()
		want, at := make([]float32, n), make([]int64, n)
		for i := range at {
			at[i] = int64(i * i % 7)
			want[i] = float32(at[i])
		}
		idx := lucid.FromSlice(slices.Clone(at), n).Eval()
		check := func(name string, y *lucid.Tensor) {
			t.Helper()
			if got := lucid.ToSlice[float32](y); !slices.Equal(got, want) {
				t.Errorf("%d positions: %s is wrong", n, name)
			}
			if !slices.Equal(lucid.ToSlice[int64](idx), at) {
				t.Errorf("%d positions: %s changed them", n, name)
			}
		}
		check("gather", x.Gather(0, idx))
		check("index_select", x.IndexSelect(0, idx))
		check("gather of a temporary", x.Gather(0, idx.Add(1).Sub(1))) // its memory is for others once it is checked
		check("two reads", x.Gather(0, idx).Add(x.IndexSelect(0, idx)).Mul(0.5))
		counts := lucid.ToSlice[float32](lucid.Zeros(7).ScatterAdd(0, idx, lucid.Ones(n)))
		sum := float32(0)
		for _, c := range counts {
			sum += c
		}
		if sum != float32(n) {
			t.Errorf("scatter_add adds %v ones of %d", sum, n)
		}
		below, above := slices.Clone(at), slices.Clone(at)
		for i := range below {
			below[i] -= 7
		}
		check("index_select of negative positions", x.IndexSelect(0, lucid.FromSlice(below, n)))
		above[n-1] = 7
		err := lucid.Try(func() { x.IndexSelect(0, lucid.FromSlice(above, n)).Eval() })
		if !errors.Is(err, lucid.ErrIndex) {
			t.Errorf("%d positions, the last one out of range: %v", n, err)
		}
	}
}
