package nn_test

import (
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// scaler is a module that knows nothing of hooks and parametrizations.
type scaler struct {
	nn.Base
	Weight *lucid.Tensor
}

func (m *scaler) Forward(x *lucid.Tensor) *lucid.Tensor { return x.Mul(m.Weight) }

// entering is a module that runs its hooks itself.
type entering struct {
	nn.Base
	Weight *lucid.Tensor
}

func (m *entering) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = nn.Enter(m, x)
	return nn.Leave(m, x, x.Mul(nn.Use(m, m.Weight)))
}

// doubled is twice its original.
type doubled struct{ nn.Base }

func (d *doubled) Forward(o ...*lucid.Tensor) *lucid.Tensor { return o[0].Mul(2) }

// TestCall: hooks run once and parametrizations are seen, however the module is run; gradients reach the original.
func TestCall(t *testing.T) {
	for name, m := range map[string]nn.Layer{
		"plain":    &scaler{Weight: nn.Parameter(lucid.New([]float32{3}, 1))},
		"entering": &entering{Weight: nn.Parameter(lucid.New([]float32{3}, 1))},
		"built in": func() nn.Layer {
			l := nn.NewLinear(1, 1, nn.LinearOptions{NoBias: true})
			lucid.NoGrad(func() { l.Weight.Assign(lucid.New([]float32{3}, 1, 1)) })
			return l
		}(),
	} {
		log := ""
		nn.RegisterForwardPreHook(m, func(_ nn.Module, in []*lucid.Tensor) []*lucid.Tensor { log += "<"; return nil })
		nn.RegisterForwardHook(m, func(_ nn.Module, in, out []*lucid.Tensor) []*lucid.Tensor {
			log += ">"
			return []*lucid.Tensor{out[0].Add(1)}
		})
		x := lucid.New([]float32{5}, 1)
		for what, got := range map[string]*lucid.Tensor{"Call": nn.Call(m, x), "Sequential": nn.NewSequential(m).Forward(x)} {
			if got.Item() != 16 {
				t.Errorf("%s: %s gives %v, want 16", name, what, got)
			}
		}
		if log != "<><>" {
			t.Errorf("%s: hooks ran %q, want each once a call", name, log)
		}
		nn.RegisterParametrization(m, "weight", &doubled{})
		y := nn.Call(m, x)
		if y.Item() != 31 {
			t.Errorf("%s: with a parametrization %v, want 31", name, y)
		}
		y.Backward()
		if g := nn.Originals(m, "weight")[0].Grad(); g == nil || g.Item() != 10 {
			t.Errorf("%s: the gradient of the original is %v, want 10", name, g)
		}
		if n := fmt.Sprint(nn.StateDict(m).Names()); n != "[parametrizations.weight.original]" {
			t.Errorf("%s: after the call the state has %s", name, n)
		}
		step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return nn.Call(m, x) })
		if v := step(x).Item(); v != 31 {
			t.Errorf("%s: compiled %v, want 31", name, v)
		}
	}
}

// TestCallN: a module with two inputs.
func TestCallN(t *testing.T) {
	m := &scaler{Weight: nn.Parameter(lucid.New([]float32{3}, 1))}
	ran := 0
	nn.RegisterForwardHook(m, func(_ nn.Module, in, out []*lucid.Tensor) []*lucid.Tensor { ran += len(in); return nil })
	both := func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{in[0].Add(in[1]).Mul(m.Weight)} }
	out := nn.CallN(m, both, lucid.Ones(1), lucid.Ones(1))
	if out[0].Item() != 6 || ran != 2 {
		t.Errorf("%v, a hook that saw %d inputs", out[0], ran)
	}
}
