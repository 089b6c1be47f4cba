package optim_test

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/optim"
)

// Numbers PyTorch refuses are refused, for every optimizer that has them.
func TestNumbersRefused(t *testing.T) {
	wrong := map[string][]any{
		"lr": {-1.0, 0.0}, "weight_decay": {-1.0}, "betas": {[]any{1.0, 0.9}, []any{0.9, 1.0}, []any{-0.1, 0.9}}, "eps": {-1.0},
		"momentum": {-1.0}, "rho": {-0.1, 1.5}, "alpha": {-1.0},
		"lr_decay": {-1.0}, "initial_accumulator_value": {-1.0}, "etas": {[]any{1.5, 1.2}, []any{0.5, 0.9}},
		"momentum_decay": {-1.0}, "lambd": {-1.0},
	}
	has := map[string][]string{
		"SGD": {"lr", "momentum", "weight_decay"}, "Adam": {"lr", "betas", "eps", "weight_decay"},
		"AdamW":    {"lr", "betas", "eps", "weight_decay"},
		"RMSprop":  {"lr", "alpha", "eps", "weight_decay", "momentum"},
		"Adagrad":  {"lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps"},
		"Adadelta": {"lr", "rho", "eps", "weight_decay"}, "Adamax": {"lr", "betas", "eps", "weight_decay"},
		"RAdam": {"lr", "betas", "eps", "weight_decay"},
		"NAdam": {"lr", "betas", "eps", "weight_decay", "momentum_decay"}, "ASGD": {"lr", "lambd", "alpha", "weight_decay"},
		"Rprop":      {"lr", "etas"},
		"SparseAdam": {"lr", "betas", "eps"}, "Adafactor": {"lr", "weight_decay"}, "Muon": {"lr", "weight_decay", "momentum"},
		"Lion": {"lr", "betas", "weight_decay"}, "LBFGS": {"lr"},
	}
	for op := range makers {
		if len(has[op]) == 0 {
			t.Errorf("%s is not in the list", op)
		}
		for _, key := range has[op] {
			for _, v := range wrong[key] {
				o := options{"lr": 0.1}
				o[key] = v
				err := lucid.Try(func() { make1(op, []*lucid.Tensor{lucid.Zeros(2, 2).RequiresGrad_(true)}, o) })
				if !errors.Is(err, lucid.ErrValue) {
					t.Errorf("%s: %s of %v: %v", op, key, v, err)
				}
			}
		}
	}
}

// TestLBFGSInsideCompile refuses a step inside a compiled function; the closure may be one.
func TestLBFGSInsideCompile(t *testing.T) {
	w := lucid.Ones(2).RequiresGrad_(true)
	opt := optim.NewLBFGS([]*lucid.Tensor{w}, optim.LBFGSOptions{LR: 1})
	closure := lucid.Compile(func() *lucid.Tensor {
		opt.ZeroGrad()
		l := w.Sub(3).Square().Sum()
		l.Backward()
		return l
	})
	var err error
	lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { _, err = optim.StepClosure(opt, closure); return x })(lucid.Zeros(1))
	if !errors.Is(err, lucid.ErrNotImplemented) || !lucid.Equal(w.Detach(), lucid.Ones(2)) {
		t.Errorf("inside: %v, %v", err, w.Detach())
	}
	if _, err := optim.StepClosure(opt, closure); err != nil || !lucid.AllClose(w.Detach(), lucid.Full([]int{2}, 3.0)) {
		t.Errorf("outside: %v, %v", err, w.Detach())
	}
}
