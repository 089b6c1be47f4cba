package optim_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/optim"
)

// TestNameState exports a step of two optimizers: everything it changes has a name that says what it is.
func TestNameState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "step.lucid")
	w, b, c := lucid.Ones(2, 2).RequiresGrad_(true), lucid.Zeros(2).RequiresGrad_(true), lucid.Zeros(2).RequiresGrad_(true)
	adam := optim.NewAdamW([]*lucid.Tensor{w, b}, optim.AdamWOptions{LR: 0.1})
	sgd := optim.NewSGD([]*lucid.Tensor{c}, optim.SGDOptions{LR: 0.1, Momentum: 0.9})
	opt := optim.WithHooks(optim.NewMulti(adam, sgd), optim.Hooks{})
	step := func(x *lucid.Tensor) (*lucid.Tensor, error) {
		loss := x.MatMul(w).Add(b).Mul(c.Add(1)).Square().Mean()
		loss.Backward()
		err := opt.TryStep()
		opt.ZeroGrad()
		return loss.Detach(), err
	}
	e := lucid.NewExporter(path)
	e.Name("body.weight", w)
	e.Name("body.bias", b)
	optim.NameState(e, opt)
	if err := errors.Join(e.Add(step, lucid.Ones(3, 2)), e.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := lucid.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	names := f.State().Names()
	for _, want := range []string{
		"body.weight", "body.weight.exp_avg", "body.weight.exp_avg_sq", "body.bias.exp_avg", "body.bias.exp_avg_sq",
		"optimizers.0.param_groups.0.lr", "optimizers.0.param_groups.0.step", "optimizers.1.state.0.momentum_buffer",
		"optimizers.1.param_groups.0.lr",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("no tensor is called %s: %v", want, names)
		}
	}
	var first, last float64
	for i := range 20 {
		out, err := f.Call(lucid.Ones(3, 2))
		if err != nil {
			t.Fatal(err)
		}
		if last = out[0].Item(); i == 0 {
			first = last
		}
	}
	if steps := f.State().Get("optimizers.0.param_groups.0.step").Item(); steps != 20 || last >= first {
		t.Errorf("%v steps, the loss went from %v to %v", steps, first, last)
	}
	if got := fmt.Sprint(f.State().Get("body.weight.exp_avg").Shape()); got != "[2 2]" {
		t.Errorf("a moment of shape %s", got)
	}
	if err := lucid.Try(func() { optim.NameState(e, optim.NewLBFGS([]*lucid.Tensor{w}, optim.LBFGSOptions{LR: 1})) }); !errors.Is(err,
		lucid.ErrNotImplemented) {
		t.Errorf("an optimizer of Go code: %v", err)
	}
}
