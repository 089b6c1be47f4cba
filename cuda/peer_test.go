package cuda

import (
	"testing"

	"github.com/lucid-go/lucid"
)

// TestPeer copies values between two GPUs while both compute, where there are two.
func TestPeer(t *testing.T) {
	gpu(t)
	if n, err := Count(); err != nil || n < 2 {
		t.Skipf("SKIP: %d devices (%v)", n, err)
	}
	one, two := lucid.CUDA(0), lucid.CUDA(1)
	for _, n := range []int{0, 1, 1000, 1 << 20} {
		x := lucid.Rand(n + 3).Eval()
		there := x.To(one).Eval()
		for range 5 {
			there = there.Add(1).Eval()
			back := there.To(two).Eval()
			there = back.Mul(0.5).Eval().To(one).Eval()
			x = x.Add(1).Mul(0.5)
		}
		if got := there.Narrow(0, 3, n).To(two).To(lucid.CPU).Eval(); !lucid.Equal(got, x.Narrow(0, 3, n)) {
			t.Errorf("%d elements: other bits", n)
		}
	}
}
