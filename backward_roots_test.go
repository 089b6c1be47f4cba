package lucid_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// TestBackwardOfSeveral asks that one pass over several roots gives the sum of their gradients, and frees the graph of all.
func TestBackwardOfSeveral(t *testing.T) {
	x := lucid.New([]float32{1, 2}, 2).RequiresGrad_(true)
	square := x.Square()
	a, b := square.Sum(), square.Mul(x)
	lucid.Backward([]*lucid.Tensor{a, b}, []*lucid.Tensor{nil, lucid.New([]float32{10, 100}, 2)})
	if got := fmt.Sprint(lucid.ToSlice[float64](x.Grad())); got != "[32 1204]" { // 2x + 3x²·g
		t.Error(got)
	}
	for _, r := range []*lucid.Tensor{a, b} {
		err := lucid.Try(func() { r.Backward(lucid.BackwardOptions{Gradient: lucid.OnesLike(r)}) })
		if !errors.Is(err, lucid.ErrGradient) || !strings.Contains(err.Error(), "freed") {
			t.Errorf("a second time: %v", err)
		}
	}
	y := x.Exp().Sum()
	x.ZeroGrad()
	lucid.Backward([]*lucid.Tensor{y, y}, nil, lucid.BackwardOptions{RetainGraph: true})
	once := x.Grad().Detach().Clone()
	x.ZeroGrad()
	y.Backward()
	if !lucid.AllClose(once, x.Grad().Mul(2)) {
		t.Errorf("%v for a root that is there twice, %v for once", once, x.Grad())
	}
	for want, f := range map[string]func(){
		"no tensors":                 func() { lucid.Backward(nil, nil) },
		"1 tensors and 2 gradients":  func() { lucid.Backward([]*lucid.Tensor{x.Sum()}, []*lucid.Tensor{nil, nil}) },
		"the loss has shape [2]":     func() { lucid.Backward([]*lucid.Tensor{x.Sum(), x.Exp()}, nil) },
		"both gradients and the opt": func() { lucid.Backward([]*lucid.Tensor{x.Sum()}, nil, lucid.BackwardOptions{Gradient: x}) },
	} {
		if err := lucid.Try(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// logs is a module of a user that takes a logarithm of what may be 0.
type logs struct {
	nn.Base
	Weight *lucid.Tensor
}

func (m *logs) Forward(x *lucid.Tensor) *lucid.Tensor {
	return x.Mul(m.Weight).Log()
}

// TestForwardAnomaly asks that the first op that gives NaN or an infinity is named, with its line and module.
func TestForwardAnomaly(t *testing.T) {
	m := &logs{Weight: lucid.New([]float32{1, 0}, 2).RequiresGrad_(true)}
	for what, x := range map[string]*lucid.Tensor{"an infinity": lucid.Ones(2), "NaN": lucid.New([]float32{-1, 1}, 2)} {
		err := lucid.Try(func() {
			lucid.DetectAnomaly(func() {
				m.Forward(x).Mul(2).Sub(1).Sum().Backward()
			})
		})
		var e *lucid.Error
		if !errors.As(err, &e) || e.Op != "log" || e.ModuleTypes != "logs" || !strings.Contains(err.Error(), what) ||
			!strings.HasSuffix(err.Error(), ", in Forward of logs (at backward_roots_test.go:56)") {
			t.Errorf("%s: %v, module %q", what, err, e.ModuleTypes)
		}
		if m.Weight.Grad() != nil {
			t.Errorf("%s left a gradient", what)
		}
	}
	err := lucid.Try(func() {
		lucid.DetectAnomaly(func() {
			nn.ValueAndGrad(m, func(m *logs) *lucid.Tensor { return m.Forward(lucid.Ones(2)).Sum() })
		})
	})
	if e, ok := errors.AsType[*lucid.Error](err); !ok || e.Op != "log" || e.ModuleTypes != "logs" {
		t.Errorf("as a function: %v", err)
	}
	m.Weight = lucid.New([]float32{1, 2}, 2).RequiresGrad_(true)
	lucid.DetectAnomaly(func() { m.Forward(lucid.Ones(2)).Sum().Backward() })
	if got := fmt.Sprint(lucid.ToSlice[float64](m.Weight.Grad())); got != "[1 0.5]" {
		t.Error(got)
	}
}
