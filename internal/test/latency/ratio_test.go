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

// within reports whether f takes at most so many times what g does, in one round of several: another program may take the processor in a
// round, but code that is that much slower is so in all of them.
func within(times time.Duration, f, g func() *lucid.Tensor) (ok bool, a, b time.Duration) {
	for range 5 {
		if b, a = best(g), best(f); a <= times*b {
			return true, a, b
		}
	}
	return false, a, b
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
	with := func(mask *lucid.Tensor) func() *lucid.Tensor {
		return func() *lucid.Tensor {
			return F.ScaledDotProductAttention(q, q, q, F.ScaledDotProductAttentionOptions{AttnMask: mask})
		}
	}
	if ok, a, b := within(5, with(added), with(keep)); !ok {
		t.Errorf("%v with an additive mask, %v with a bool one", a, b)
	}
}

// TestWinogradSmallPlanes: the scope never makes a convolution much slower. It took ten times as long for 512 channels of 4×4 once.
func TestWinogradSmallPlanes(t *testing.T) {
	x, w := lucid.Randn(2, 512, 4, 4).Eval(), lucid.Randn(512, 512, 3, 3).Eval()
	plain := func() *lucid.Tensor { return F.Conv2d(x, w, F.ConvOptions{Padding: 1}) }
	fast := func() (y *lucid.Tensor) {
		lucid.Winograd(func() { y = plain().Eval() })
		return y
	}
	if ok, a, b := within(4, fast, plain); !ok {
		t.Errorf("%v with Winograd, %v without", a, b)
	}
}
