package nn_test

import (
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// TestBackwardHookTuples asks that a hook sees the gradients of all inputs and of all outputs at once, as PyTorch gives them, and can
// replace those of the inputs.
func TestBackwardHookTuples(t *testing.T) {
	m := nn.NewBilinear(2, 2, 1, nn.LinearOptions{NoBias: true})
	lucid.NoGrad(func() { m.Weight.Fill_(1) })
	calls := 0
	h := nn.RegisterFullBackwardHook(m, func(got nn.Module, in, out []*lucid.Tensor) []*lucid.Tensor {
		calls++
		if got != nn.Module(m) || len(in) != 2 || len(out) != 1 {
			t.Fatalf("%T, %d and %d gradients", got, len(in), len(out))
		}
		if s := fmt.Sprint(lucid.ToSlice[float64](in[0]), lucid.ToSlice[float64](in[1]), out[0].Item()); s != "[14 14] [6 6] 2" {
			t.Errorf("gradients %s", s)
		}
		return []*lucid.Tensor{in[0].Mul(10), nil}
	})
	a, b := lucid.New([]float32{1, 2}, 1, 2).RequiresGrad_(true), lucid.New([]float32{3, 4}, 1, 2).RequiresGrad_(true)
	m.Forward(a, b).Mul(2).Sum().Backward()
	if got := fmt.Sprint(lucid.ToSlice[float64](a.Grad())); got != "[140 140]" || calls != 1 {
		t.Errorf("%s after %d calls", got, calls)
	}
	if g := b.Grad(); g != nil && g.Abs().Sum().Item() != 0 {
		t.Errorf("a gradient that was replaced by nil is %v", g)
	}
	h.Remove()
	// Without a gradient of the input, the hook sees that of the output.
	lin := nn.NewLinear(2, 2)
	seen := ""
	nn.RegisterFullBackwardHook(lin, func(_ nn.Module, in, out []*lucid.Tensor) []*lucid.Tensor {
		seen = fmt.Sprint(in[0] == nil, out[0].Shape())
		return nil
	})
	lin.Forward(lucid.Ones(3, 2)).Sum().Backward()
	if seen != "true [3 2]" || lin.Weight.Grad() == nil {
		t.Errorf("%q", seen)
	}
}
