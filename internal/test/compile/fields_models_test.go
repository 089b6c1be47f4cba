package compile

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/nn/utils"
	"github.com/lucid-go/lucid/optim"
)

// lora is a linear layer with an adapter around it, as users write it.
type lora struct {
	nn.Base
	Inner nn.Layer
	A, B  *lucid.Tensor
	Scale float64
}

func (m *lora) Forward(x *lucid.Tensor) *lucid.Tensor {
	return m.Inner.Forward(x).Add(x.MatMul(m.A).MatMul(m.B).Mul(m.Scale))
}

// TestWrappedLayers: layers are wrapped, switched and taken out again while steps run; each call does what the plain one does.
func TestWrappedLayers(t *testing.T) {
	m := nn.NewSequential(nn.NewLinear(4, 4), nn.NewTanh(), nn.NewLinear(4, 4))
	x := lucid.Randn(3, 4)
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		l := m.Forward(x).Square().Sum()
		l.Backward()
		return l.Detach()
	})
	same := func(what string) {
		t.Helper()
		for range 2 {
			nn.ZeroGrad(m)
			got := f(x)
			grads := map[string]*lucid.Tensor{}
			for name, p := range nn.NamedParameters(m) {
				if p.Grad() != nil {
					grads[name] = p.Grad().Clone().Eval()
				}
			}
			nn.ZeroGrad(m)
			want := m.Forward(x).Square().Sum()
			want.Backward()
			if d := got.Sub(want.Detach()).Abs().Item(); d > 1e-5 {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
			for name, p := range nn.NamedParameters(m) {
				if (p.Grad() == nil) != (grads[name] == nil) {
					t.Errorf("%s: %s: has a gradient: %v, compiled %v", what, name, p.Grad() != nil, grads[name] != nil)
				} else if p.Grad() != nil && p.Grad().Sub(grads[name]).Abs().Max().Item() > 1e-4 {
					t.Errorf("%s: the gradient of %s differs", what, name)
				}
			}
		}
	}
	same("plain")
	plain := m.Layers[0]
	w := &lora{Inner: plain, A: nn.Parameter(lucid.Randn(4, 2)), B: nn.Parameter(lucid.Randn(2, 4)), Scale: 0.5}
	m.Layers[0] = w
	same("wrapped")
	w.Scale = 2
	same("scaled")
	w.Inner = nn.NewLinear(4, 4)
	same("another inside")
	m.Layers[0] = plain
	same("taken out")
	m.Layers[2].(*nn.Linear).Weight = plain.(*nn.Linear).Weight
	same("tied")
	m.Layers[2] = plain
	same("one layer twice")
	nn.Freeze(m, "0.weight")
	same("frozen")
	nn.Unfreeze(m)
	utils.WeightNorm(m.Layers[0])
	same("normalised")
}

// TestFunctionalStepSeesFields: the functional way of training depends on fields too.
func TestFunctionalStepSeesFields(t *testing.T) {
	m := newTwoLayers()
	opt := optim.NewSGD(nn.Parameters(m), optim.SGDOptions{LR: 1e-3})
	x := lucid.Randn(4, 3)
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		value, grads := nn.ValueAndGrad(m, func(m *twoLayers) *lucid.Tensor { return m.Forward(x).Sum() })
		opt.Update(m, grads)
		return value
	})
	for i := range 6 {
		m.Scale = float64(i / 2)
		want := m.Forward(x).Sum().Item()
		if got := step(x).Item(); got != want {
			t.Errorf("call %d: %v, want %v", i, got, want)
		}
	}
	counts(t, step, 3, lucid.Explain(step).Plans)
}

// TestModuleMadeInside: modules that the function makes are its own, and no reason to trace again.
func TestModuleMadeInside(t *testing.T) {
	lin := nn.NewLinear(2, 2)
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		return nn.NewSequential(lin, nn.NewTanh()).Forward(nn.Clone(lin).Forward(x)).Detach()
	})
	for i := range 8 {
		x := lucid.Ones(1+i%3, 2)
		if d := f(x).Sub(lin.Forward(lin.Forward(x)).Tanh().Detach()).Abs().Max().Item(); d > 1e-6 {
			t.Errorf("call %d is %v off", i, d)
		}
	}
	if n := lucid.Explain(f).Traces; n != 3 {
		t.Error(lucid.Explain(f))
	}
}

// TestFieldsThatMoveWarn: a field that changes at each call is a warning, once.
func TestFieldsThatMoveWarn(t *testing.T) {
	m := newTwoLayers()
	nn.Eval(m)
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return m.Forward(x).Detach() }, lucid.CompileOptions{Name: "moving"})
	defer func(f func(string, ...any)) { compile.Warn = f }(compile.Warn)
	var said []string
	compile.Warn = func(msg string, args ...any) { said = append(said, fmt.Sprint(append([]any{msg}, args...)...)) }
	for i := range 60 {
		m.Scale = float64(i)
		f(lucid.Ones(1, 3))
	}
	if len(said) != 1 || !strings.Contains(said[0], "field Scale of a module went from 15 to 16") {
		t.Error(said)
	}
	if e := lucid.Explain(f); len(e.Steps) > 4 {
		t.Errorf("%d traces are stored", len(e.Steps))
	}
}

// TestFieldsConcurrently: many goroutines call one compiled model while fields are read, changed between rounds.
func TestFieldsConcurrently(t *testing.T) {
	m := nn.NewSequential(nn.NewLinear(4, 4), nn.NewDropout(0), nn.NewSequential(nn.NewLinear(4, 4)))
	utils.WeightNorm(m.Layers[0])
	nn.Eval(m)
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return m.Forward(x).Detach() })
	for round := range 4 {
		var all sync.WaitGroup
		for k := range 4 {
			all.Go(func() {
				for i := range 6 {
					x := lucid.Full([]int{1 + (k+i)%3, 4}, float64(i))
					got, want := f(x), m.Forward(x).Detach()
					if d := got.Sub(want).Abs().Max().Item(); d > 1e-5 {
						t.Errorf("round %d: %v, want %v", round, got, want)
					}
				}
			})
		}
		all.Wait()
		if round%2 == 0 {
			m.Layers[2].(*nn.Sequential).Append(nn.NewTanh())
		} else {
			m.Layers[1].(*nn.Dropout).P = 0.5
		}
	}
	if n := lucid.Explain(f).Traces; n > 4*3*4 {
		t.Error(lucid.Explain(f))
	}
}
