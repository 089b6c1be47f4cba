package latency

import (
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
	F "github.com/lucid-go/lucid/nn/functional"
)

// best is the shortest of some evaluations.
func best(f func() *lucid.Tensor) time.Duration {
	f().Eval()
	shortest := time.Hour
	for range 7 {
		start := time.Now()
		f().Eval()
		shortest = min(shortest, time.Since(start))
	}
	return shortest
}

// TestHalfMaskRatio: an additive mask costs attention in bfloat16 about what a bool mask does. It took ten times as long once, when
// only bool masks had a kernel; the bound leaves room for a busy machine.
func TestHalfMaskRatio(t *testing.T) {
	if testutil.Raced {
		t.Skip("with the race detector pools forget a part of what they hold, which is what rows of the mask are widened in")
	}
	q := lucid.Randn(1, 4, 256, 64).To(lucid.BFloat16).Eval()
	keep := lucid.Rand(256, 256).Gt(0.2).Eval()
	added := lucid.Where(keep, 0.0, -1e9).To(lucid.BFloat16).Eval()
	run := func(mask *lucid.Tensor) time.Duration {
		return best(func() *lucid.Tensor {
			return F.ScaledDotProductAttention(q, q, q, F.ScaledDotProductAttentionOptions{AttnMask: mask})
		})
	}
	if b, a := run(keep), run(added); a > 5*b {
		t.Errorf("%v with an additive mask, %v with a bool one", a, b)
	}
}

// TestWinogradSmallPlanes: the scope never makes a convolution much slower. It took ten times as long for 512 channels of 4×4 once.
func TestWinogradSmallPlanes(t *testing.T) {
	x, w := lucid.Randn(2, 512, 4, 4).Eval(), lucid.Randn(512, 512, 3, 3).Eval()
	f := func() *lucid.Tensor { return F.Conv2d(x, w, F.ConvOptions{Padding: 1}) }
	plain := best(f)
	var fast time.Duration
	lucid.Winograd(func() { fast = best(f) })
	if fast > 4*plain {
		t.Errorf("%v with Winograd, %v without", fast, plain)
	}
}
