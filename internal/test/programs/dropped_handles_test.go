package programs

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/testutil"
)

// TestLostHandlesCostNothing: a value whose handle the program dropped is no reason to keep its memory, though it did not call
// Free and the collector did not run by itself.
func TestLostHandlesCostNothing(t *testing.T) {
	if lucid.DefaultDevice() != lucid.CPU {
		t.Skip("counts memory of the CPU")
	}
	const size, layers = 512, 24
	w, x := lucid.Randn(size, size).Mul(0.03).Eval(), lucid.Randn(size, size).Eval()
	undo := exec.AlwaysFindDropped()
	defer undo()
	var first *lucid.Tensor
	forward := func() *lucid.Tensor {
		h := x
		for i := range layers {
			h = h.MatMul(w).Tanh()
			if i == 0 {
				first = h
			}
		}
		return h
	}
	want := x.MatMul(w).Tanh().Eval()
	for range 3 {
		before := lucid.MemoryStats(lucid.CPU).Allocated
		lucid.ResetPeakMemory(lucid.CPU)
		out := forward().Eval()
		if used := (lucid.MemoryStats(lucid.CPU).Peak - before) / (4 * size * size); used > 8 {
			t.Errorf("%d values were there at a time; want the result, one that is held, and what is being computed", used)
		}
		if !lucid.Equal(first, want) {
			t.Error("a value that is held is not what it was")
		}
		out.Free()
	}
}

// TestLostHandlesAreLost runs random programs with a collection before every evaluation, in which every handle is watched.
func TestLostHandlesAreLost(t *testing.T) {
	defer exec.AlwaysFindDropped()()
	n := 80
	switch {
	case testutil.Long():
		n = 300
	case testutil.Raced:
		n = 12
	case testing.Short():
		n = 9
	}
	t.Run("nested", func(t *testing.T) { runNested(t, n) })
	t.Run("donation", func(t *testing.T) { runDonation(t, n) })
	t.Run("hammer", TestHammer)
	if !testing.Short() {
		t.Run("stateful", func(t *testing.T) { runStateful(t, 2*n) })
	}
}
