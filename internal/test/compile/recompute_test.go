package compile

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/exec"
)

// TestEagerStepRecomputesNothing: forward, backward and update are one plan.
func TestEagerStepRecomputesNothing(t *testing.T) {
	lucid.Seed(0)
	x, y := lucid.Randn(32, 8).Eval(), lucid.Randn(32, 4).Eval()
	w1, w2 := lucid.Randn(8, 16).RequiresGrad_(true), lucid.Randn(16, 4).RequiresGrad_(true)
	for range 3 {
		before := exec.Count.Recomputed.Load()
		w1.ZeroGrad()
		w2.ZeroGrad()
		loss := x.MatMul(w1).Tanh().MatMul(w2).Sub(y).Square().Mean()
		loss.Item()
		loss.Backward()
		lucid.NoGrad(func() {
			w1.Sub_(w1.Grad().Mul(0.01))
			w2.Sub_(w2.Grad().Mul(0.01))
		})
		if err := lucid.Eval(loss, w1, w2); err != nil {
			t.Fatal(err)
		}
		if got := exec.Count.Recomputed.Load() - before; got != 0 {
			t.Errorf("%d values were computed again", got)
		}
	}
}

// TestCompiledStepRecomputesNothing: nor does a step inside Compile, or one whose forward pass is a checkpoint: what that
// computes again are nodes of their own.
func TestCompiledStepRecomputesNothing(t *testing.T) {
	lucid.Seed(0)
	x, y := lucid.Randn(32, 8).Eval(), lucid.Randn(32, 4).Eval()
	w1, w2 := lucid.Randn(8, 16).RequiresGrad_(true), lucid.Randn(16, 4).RequiresGrad_(true)
	forward := func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w1).Tanh().MatMul(w2) }
	for name, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{"plain": forward, "checkpoint": lucid.Checkpoint(forward)} {
		step := func(x *lucid.Tensor) *lucid.Tensor {
			w1.ZeroGrad()
			w2.ZeroGrad()
			loss := f(x).Sub(y).Square().Mean()
			loss.Backward()
			lucid.NoGrad(func() {
				w1.Sub_(w1.Grad().Mul(0.01))
				w2.Sub_(w2.Grad().Mul(0.01))
			})
			return loss
		}
		for way, run := range map[string]func(x *lucid.Tensor) *lucid.Tensor{"eager": step, "compiled": lucid.Compile(step)} {
			before, last := exec.Count.Recomputed.Load(), 0.0
			for i := range 4 {
				l := run(x)
				if err := lucid.Eval(l, w1, w2); err != nil {
					t.Fatal(err)
				}
				if v := l.Item(); i > 0 && v >= last {
					t.Errorf("%s, %s: the loss went from %v to %v", name, way, last, v)
				} else {
					last = v
				}
			}
			if got := exec.Count.Recomputed.Load() - before; got != 0 {
				t.Errorf("%s, %s: %d values were computed again", name, way, got)
			}
		}
	}
}
