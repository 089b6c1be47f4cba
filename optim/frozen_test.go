package optim_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// TestFrozenParts: parameters that are frozen and set free, and groups that are added, give the same steps whichever part of them is
// compiled, and nothing that a check would find.
func TestFrozenParts(t *testing.T) {
	run := func(mode string) *lucid.StateDict {
		lucid.Seed(1)
		net := nn.NewSequential(nn.NewLinear(3, 3), nn.NewTanh(), nn.NewLinear(3, 2))
		all := nn.Parameters(net)
		opt := optim.NewAdam(all[:3], optim.AdamOptions{LR: 0.1})
		back := func(x, y *lucid.Tensor) *lucid.Tensor {
			opt.ZeroGrad()
			l := F.MSELoss(net.Forward(x), y)
			l.Backward()
			return l.Detach()
		}
		step := func(x *lucid.Tensor) *lucid.Tensor { opt.Step(); return x }
		both := func(x, y *lucid.Tensor) *lucid.Tensor { return step(back(x, y)) }
		switch mode {
		case "backward":
			back = lucid.Compile(back)
		case "step":
			step = lucid.Compile(step)
		case "all", "checked":
			both = lucid.Compile(both, lucid.CompileOptions{Check: mode == "checked"})
		}
		w := lucid.With{Generator: lucid.NewGenerator(5)}
		for i := range 8 {
			switch i {
			case 2:
				nn.Freeze(net, "0")
			case 4:
				nn.Unfreeze(net)
			case 5:
				opt.AddParamGroup(all[3:], optim.AdamOptions{LR: 0.1})
			case 6:
				nn.Freeze(net, "**.bias")
			}
			both(w.Randn(4, 3), w.Randn(4, 2))
		}
		d := opt.StateDict()
		d.Merge("model.", nn.StateDict(net))
		return d
	}
	want := run("eager")
	if got := fmt.Sprint(want.Get("state.0.step").Item(), want.Get("state.1.step").Item(), want.Get("state.2.step").Item(),
		want.Get("state.3.step").Item()); got != "6 4 8 1" {
		t.Error("steps", got)
	}
	for _, mode := range []string{"backward", "step", "all", "checked"} {
		sameState(t, mode, want, run(mode))
	}
}

// TestFrozenExport: a step in a file counts also if some parameters have no gradient.
func TestFrozenExport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "step.lucid")
	w, b := lucid.Ones(2).RequiresGrad_(true), lucid.Ones(2)
	opt := optim.NewAdam([]*lucid.Tensor{w, b}, optim.AdamOptions{LR: 0.1})
	step := func(x *lucid.Tensor) (*lucid.Tensor, error) {
		opt.ZeroGrad()
		loss := x.Mul(w).Add(b).Square().Sum()
		loss.Backward()
		return loss.Detach(), opt.TryStep()
	}
	e := lucid.NewExporter(path)
	if err := errors.Join(e.Add(step, lucid.Ones(2)), e.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := lucid.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		x := lucid.Full([]int{2}, 1+float64(i))
		got, err := f.Call(x)
		want, err2 := step(x)
		if err := errors.Join(err, err2); err != nil || !lucid.Equal(got[0], want) {
			t.Errorf("step %d: %v, in the file %v: %v", i, want, got, err)
		}
	}
}
