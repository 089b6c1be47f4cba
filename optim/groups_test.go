package optim_test

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/optim"
)

// grouped is an optimizer with AddParamGroup.
type grouped[O any] interface {
	optim.Optimizer
	AddParamGroup(params []*lucid.Tensor, o O)
}

// checkGroups asks that parameters of a group that is added move as in an optimizer of their own with its numbers, and the first ones as
// without it.
func checkGroups[O any, T grouped[O]](t *testing.T, name string, make func(params []*lucid.Tensor, o O) T, one, two O) {
	t.Helper()
	value := func(seed float64) *lucid.Tensor {
		return nn.Parameter(lucid.New([]float64{seed, -seed, 2 * seed, 0.5}, 2, 2))
	}
	run := func(opt optim.Optimizer, params ...*lucid.Tensor) {
		for range 4 {
			opt.ZeroGrad()
			loss := lucid.Scalar(0.0)
			for _, p := range params {
				loss = loss.Add(p.Square().Add(p.Sin()).Sum())
			}
			loss.Backward()
			opt.Step()
		}
	}
	a, b := value(1), value(3)
	opt := make([]*lucid.Tensor{a}, one)
	opt.AddParamGroup([]*lucid.Tensor{b}, two)
	run(opt, a, b)
	for i, alone := range []struct {
		got, p *lucid.Tensor
		o      O
	}{{a, value(1), one}, {b, value(3), two}} {
		run(make([]*lucid.Tensor{alone.p}, alone.o), alone.p)
		if !tensortest.SameBits(alone.got.Detach(), alone.p.Detach()) {
			t.Errorf("%s, group %d: %v; alone %v", name, i, alone.got, alone.p)
		}
	}
	if n := len(opt.ParamGroups()); n != 2 {
		t.Errorf("%s has %d groups", name, n)
	}
}

// TestAddParamGroup adds a group with other numbers to every optimizer that has groups.
func TestAddParamGroup(t *testing.T) {
	checkGroups(t, "sgd", optim.NewSGD, optim.SGDOptions{LR: 0.1}, optim.SGDOptions{LR: 0.02, Momentum: 0.9, Nesterov: true})
	checkGroups(t, "adam", optim.NewAdam, optim.AdamOptions{LR: 0.1}, optim.AdamOptions{LR: 0.02, WeightDecay: 0.1})
	checkGroups(t, "adamw", optim.NewAdamW, optim.AdamWOptions{LR: 0.1}, optim.AdamWOptions{LR: 0.02, AMSGrad: true})
	checkGroups(t, "adamax", optim.NewAdamax, optim.AdamaxOptions{LR: 0.1}, optim.AdamaxOptions{LR: 0.02, Betas: &[2]float64{0.5, 0.9}})
	checkGroups(t, "radam", optim.NewRAdam, optim.RAdamOptions{LR: 0.1}, optim.RAdamOptions{LR: 0.02, WeightDecay: 0.1})
	checkGroups(t, "nadam", optim.NewNAdam, optim.NAdamOptions{LR: 0.1}, optim.NAdamOptions{LR: 0.02, WeightDecay: 0.1})
	checkGroups(t, "lion", optim.NewLion, optim.LionOptions{LR: 0.1}, optim.LionOptions{LR: 0.02, WeightDecay: 0.1})
	checkGroups(t, "rmsprop", optim.NewRMSprop, optim.RMSpropOptions{LR: 0.1},
		optim.RMSpropOptions{LR: 0.02, Momentum: 0.9, Centered: true})
	checkGroups(t, "adagrad", optim.NewAdagrad, optim.AdagradOptions{LR: 0.1}, optim.AdagradOptions{LR: 0.02, LRDecay: 0.1})
	checkGroups(t, "adadelta", optim.NewAdadelta, optim.AdadeltaOptions{LR: 1}, optim.AdadeltaOptions{LR: 0.2, Rho: new(0.5)})
	checkGroups(t, "rprop", optim.NewRprop, optim.RpropOptions{LR: 0.1}, optim.RpropOptions{LR: 0.02, StepSizes: &[2]float64{1e-3, 0.03}})
	checkGroups(t, "asgd", optim.NewASGD, optim.ASGDOptions{LR: 0.1}, optim.ASGDOptions{LR: 0.02, WeightDecay: 0.1})
	checkGroups(t, "adafactor", optim.NewAdafactor, optim.AdafactorOptions{LR: 0.1}, optim.AdafactorOptions{LR: 0.02, WeightDecay: 0.1})
	checkGroups(t, "muon", optim.NewMuon, optim.MuonOptions{LR: 0.1}, optim.MuonOptions{LR: 0.02, WeightDecay: new(0.2)})
	checkGroups(t, "sparse_adam", optim.NewSparseAdam, optim.SparseAdamOptions{LR: 0.1}, optim.SparseAdamOptions{LR: 0.02, Maximize: true})
}
