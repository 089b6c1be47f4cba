package nn_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	nninit "github.com/lucid-go/lucid/nn/init"
	"github.com/lucid-go/lucid/nn/utils"
	"github.com/lucid-go/lucid/nn/utils/prune"
	"github.com/lucid-go/lucid/optim"
)

// elsewhere is a device that is not the default.
var elsewhere = lucid.Device{Type: "ref"}

// Starting values stay where the tensor is.
func TestInitElsewhere(t *testing.T) {
	for name, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
		"orthogonal":     func(x *lucid.Tensor) *lucid.Tensor { return nninit.Orthogonal_(x) },
		"sparse":         func(x *lucid.Tensor) *lucid.Tensor { return nninit.Sparse_(x, 0.3, 1) },
		"kaiming_normal": func(x *lucid.Tensor) *lucid.Tensor { return nninit.KaimingNormal_(x) },
		"xavier_uniform": func(x *lucid.Tensor) *lucid.Tensor { return nninit.XavierUniform_(x) },
		"eye":            nninit.Eye_, "zeros": nninit.Zeros_, "ones": nninit.Ones_,
		"trunc_normal": func(x *lucid.Tensor) *lucid.Tensor { return nninit.TruncNormal_(x, 0, 1, -2, 2) },
		"dirac":        func(x *lucid.Tensor) *lucid.Tensor { return nninit.Dirac_(x.Reshape(2, 2, 3), 1) },
	} {
		if x := f(lucid.With{Device: elsewhere}.Zeros(4, 3)); x.Device() != elsewhere {
			t.Errorf("%s is on %v", name, x.Device())
		}
	}
}

// The option Device, and To, put parameters, gradients, what an optimizer keeps and what utilities compute on a device.
func TestModulesElsewhere(t *testing.T) {
	w := lucid.With{Device: elsewhere}
	l := nn.NewLinear(4, 4, nn.LinearOptions{Device: elsewhere})
	moved := nn.NewSequential(nn.NewLinear(4, 4), nn.NewBatchNorm1d(4))
	nn.To(moved, elsewhere)
	for _, m := range []nn.Layer{l, moved} {
		m.Forward(w.Randn(2, 4)).Square().Sum().Backward()
		opt := optim.NewAdamW(nn.Parameters(m), optim.AdamWOptions{LR: 0.1})
		opt.ParamGroups()[0].SetLR(0.2)
		utils.ClipGradNorm(nn.Parameters(m), 1)
		mean := optim.NewEMA(nn.Parameters(m), optim.EMAOptions{})
		if err := opt.TryStep(); err != nil {
			t.Fatal(err)
		}
		if err := mean.TryUpdate(); err != nil {
			t.Fatal(err)
		}
		if err := opt.LoadStateDict(opt.StateDict()); err != nil {
			t.Fatal(err)
		}
		if err := nn.LoadStateDict(m, nn.StateDict(nn.NewSequential(m)).Prefix("0.")); err != nil {
			t.Fatal(err)
		}
		for i, p := range nn.Parameters(m) {
			if p.Device() != elsewhere || p.Grad().Device() != elsewhere || mean.Mean()[i].Device() != elsewhere {
				t.Errorf("a parameter is on %v, its gradient on %v, its mean on %v", p.Device(), p.Grad().Device(), mean.Mean()[i].Device())
			}
		}
	}
	for name, put := range map[string]func(){
		"orthogonal": func() { utils.Orthogonal(l) }, "spectral norm": func() { utils.SpectralNorm(l) },
		"weight norm": func() { utils.WeightNorm(l) },
		"pruned":      func() { prune.L1Unstructured(l, "weight", prune.Share(0.5)) },
	} {
		put()
		if y := l.Forward(w.Ones(2, 4)); y.Device() != elsewhere || lucid.Eval(y) != nil {
			t.Errorf("%s: on %v", name, y.Device())
		}
		if name == "pruned" {
			prune.Remove(l, "weight")
		} else {
			nn.RemoveParametrizations(l, "weight")
		}
	}
	m := nn.NewLSTM(2, 3, nn.RNNOptions{Device: elsewhere})
	y, _, _ := m.ForwardPacked(nn.PackSequence([]*lucid.Tensor{w.Ones(3, 2), w.Ones(2, 2)}), nil, nil)
	if x, _ := nn.PadPackedSequence(y); x.Device() != elsewhere || lucid.Eval(x) != nil {
		t.Errorf("packed sequences are on %v", x.Device())
	}
	a := nn.NewMultiheadAttention(4, 2, nn.MultiheadAttentionOptions{Device: elsewhere})
	if y, _ := a.Forward(w.Ones(3, 2, 4), w.Ones(3, 2, 4), w.Ones(3, 2, 4),
		nn.AttentionOptions{IsCausal: true}); y.Device() != elsewhere || lucid.Eval(y) != nil {
		t.Errorf("attention is on %v", y.Device())
	}
}

// Every kind of module computes on another device than the default.
func TestEveryModuleElsewhere(t *testing.T) {
	for _, file := range []string{"modules", "sequences", "losses"} {
		seen := map[string]bool{}
		for _, c := range readParity(t, file) {
			if seen[c.Op] || modules[c.Op] == nil {
				continue
			}
			seen[c.Op] = true
			d := *c
			d.inputs = slices.Clone(c.inputs)
			for i, x := range d.inputs {
				d.inputs[i] = x.Detach().To(elsewhere)
			}
			err := lucid.Try(func() {
				got, err := d.call(reflect.ValueOf(modules[c.Op]), d.Args, d.Kwargs)
				if err != nil {
					t.Fatal(err)
				}
				m := got[0].Interface().(nn.Module)
				nn.To(m, elsewhere)
				for _, y := range d.forward(t, m)() {
					if err := lucid.Eval(y); err != nil || y.Device() != elsewhere {
						t.Errorf("%s: on %v, %v", c.Op, y.Device(), err)
					}
				}
			})
			if err != nil && !strings.Contains(err.Error(), "no kernel") {
				t.Errorf("%s: %v", c.Op, err)
			}
		}
	}
}
