package optim_test

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/nn/utils"
	"github.com/lucid-go/lucid/optim"
)

func TestMulti(t *testing.T) {
	make2 := func(compiled bool) (*net, *optim.Multi, func(x, y *lucid.Tensor) *lucid.Tensor) {
		m := newNet()
		opt := optim.NewMulti(optim.NewMuon(nn.Parameters(m.A), optim.MuonOptions{LR: 0.02}),
			optim.NewAdamW(nn.Parameters(m.B), optim.AdamWOptions{LR: 0.01}))
		step := stepFor(m, opt)
		if compiled {
			step = lucid.Compile(step)
		}
		return m, opt, step
	}
	m, opt, step := make2(false)
	n, other, compiled := make2(true)
	for i := range 4 {
		step(batchOf(uint64(i)))
		compiled(batchOf(uint64(i)))
	}
	sameState(t, "parameters", nn.StateDict(m), nn.StateDict(n))
	sameState(t, "optimizers", opt.StateDict(), other.StateDict())
	if len(opt.ParamGroups()) != 2 || opt.ParamGroups()[1].LR() != 0.01 {
		t.Error("groups")
	}
	alone := newNet()
	one := optim.NewAdamW(nn.Parameters(alone.B), optim.AdamWOptions{LR: 0.01})
	if err := one.LoadStateDict(opt.StateDict().Prefix("optimizers.1.")); err != nil {
		t.Error(err)
	}
	k, again, next := make2(false)
	if err := errors.Join(nn.LoadStateDict(k, nn.StateDict(m)), again.LoadStateDict(opt.StateDict())); err != nil {
		t.Fatal(err)
	}
	step(batchOf(8))
	next(batchOf(8))
	sameState(t, "continued", nn.StateDict(m), nn.StateDict(k))
	d := opt.StateDict()
	d.Set("more", lucid.Zeros(1))
	if err := again.LoadStateDict(d); !errors.Is(err, lucid.ErrFormat) {
		t.Errorf("an unknown tensor: %v", err)
	}
	if lucid.Try(func() { optim.NewMulti(one, one) }) == nil || lucid.Try(func() { optim.NewMulti() }) == nil {
		t.Error("accepted")
	}
}

// Hooks run around the step, in compiled steps too: gradients are clipped before, weights averaged after.
func TestStepHooks(t *testing.T) {
	run := func(compiled bool) *lucid.StateDict {
		m := newNet()
		ps := nn.Parameters(m)
		e := optim.NewEMA(ps, optim.EMAOptions{Decay: new(0.5)})
		opt := optim.WithHooks(optim.NewSGD(ps, optim.SGDOptions{LR: 1}), optim.Hooks{
			Before: func() { utils.ClipGradNorm(ps, 0.1) }, After: func() { e.Update() }})
		step := stepFor(m, opt)
		if compiled {
			step = lucid.Compile(step)
		}
		before := utils.ParametersToVector(ps).Detach().Clone()
		step(batchOf(1))
		if d := utils.ParametersToVector(ps).Detach().Sub(before).Norm().Item(); d > 0.1001 || d < 0.0999 {
			t.Errorf("compiled %v: a step of length %v; want 0.1", compiled, d)
		}
		step(batchOf(2))
		return e.StateDict()
	}
	sameState(t, "averages", run(false), run(true))
}
