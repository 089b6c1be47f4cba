package nn_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	nninit "github.com/lucid-go/lucid/nn/init"
)

type inner struct {
	nn.Base
	Gamma *lucid.Tensor `nn:"weight"`
	Count *lucid.Tensor `nn:",buffer"`
	Cache *lucid.Tensor `nn:",buffer,transient"`
	Skip  *nn.Linear    `nn:"-"`
	step  *lucid.Tensor
}

type extra struct{ Scale *lucid.Tensor }

type outer struct {
	nn.Base
	FC1     *nn.Linear
	InProj  *lucid.Tensor
	Blocks  []*inner
	ByName  map[string]nn.Layer
	Value   inner
	Plain   extra
	Any     any
	Nothing *nn.Linear
	Shared  *nn.Linear
	LSTM    nn.LSTM
	IDs     *lucid.Tensor
}

func newInner() *inner {
	return &inner{Gamma: nn.Parameter(lucid.Ones(2)), Count: lucid.Zeros(1), Cache: lucid.Zeros(1),
		Skip: nn.NewLinear(1, 1), step: lucid.Zeros(1)}
}

func newOuter() *outer {
	o := &outer{FC1: nn.NewLinear(2, 3), InProj: nn.Parameter(lucid.Ones(1)), Blocks: []*inner{newInner(), newInner()},
		ByName: map[string]nn.Layer{"b": nn.NewLinear(1, 1, nn.LinearOptions{NoBias: true}), "a": nn.NewPReLU()},
		Plain:  extra{nn.Parameter(lucid.Ones(1))}, Any: nn.NewBatchNorm1d(2), IDs: lucid.New([]int64{1}, 1)}
	o.Value.Gamma = nn.Parameter(lucid.Ones(1))
	o.Shared = o.FC1
	return o
}

func TestNames(t *testing.T) {
	var names []string
	for name := range nn.NamedParameters(newOuter()) {
		names = append(names, name)
	}
	want := "[fc1.weight fc1.bias in_proj blocks.0.weight blocks.1.weight by_name.a.weight by_name.b.weight value.weight plain.scale " +
		"any.weight any.bias]"
	if fmt.Sprint(names) != want {
		t.Errorf("parameters %v; want %v", names, want)
	}
	sd := nn.StateDict(newOuter()).Names()
	want = "[fc1.weight fc1.bias in_proj blocks.0.weight blocks.0.count blocks.1.weight blocks.1.count by_name.a.weight by_name.b.weight " +
		"value.weight plain.scale " +
		"any.weight any.bias any.running_mean any.running_var any.num_batches_tracked shared.weight shared.bias ids]"
	if fmt.Sprint(sd) != want {
		t.Errorf("state %v; want %v", sd, want)
	}
	var mods []string
	for name := range nn.NamedModules(newOuter()) {
		mods = append(mods, name)
	}
	if fmt.Sprint(mods) != "[ fc1 blocks.0 blocks.1 by_name.a by_name.b value any lstm]" {
		t.Errorf("modules %v", mods)
	}
	if o := newOuter(); len(nn.Children(o)) != 8 || nn.GetModule(o, "blocks.1") != nn.Module(o.Blocks[1]) ||
		nn.GetParameter(o, "in_proj") != o.InProj {
		t.Errorf("children %d", len(nn.Children(newOuter())))
	}
}

type wide struct {
	nn.LSTM
	Extra *lucid.Tensor
}

func TestEmbeddedModule(t *testing.T) {
	w := &wide{Extra: nn.Parameter(lucid.Ones(1))} // what LSTM names itself does not hide the fields around it
	if n := nn.StateDict(w).Names(); fmt.Sprint(n) != "[extra]" {
		t.Errorf("%v", n)
	}
}

func TestFreeze(t *testing.T) {
	o := newOuter()
	if n := nn.Freeze(o, "blocks", "*.bias"); n != 4 || o.Blocks[1].Gamma.RequiresGrad() || o.FC1.Bias.RequiresGrad() ||
		!o.FC1.Weight.RequiresGrad() {
		t.Errorf("froze %d", n)
	}
	if n := nn.Unfreeze(o, "**.weight"); n != 7 || !o.Blocks[1].Gamma.RequiresGrad() || o.FC1.Bias.RequiresGrad() {
		t.Errorf("unfroze %d", n)
	}
	if nn.Freeze(o); slices.ContainsFunc(nn.Parameters(o), (*lucid.Tensor).RequiresGrad) {
		t.Error("not all frozen")
	}
	if len(nn.Parameters(o)) != 11 {
		t.Error("a frozen parameter is no parameter any more")
	}
}

func TestLoadErrors(t *testing.T) {
	m := nn.NewSequential(nn.NewLinear(2, 3), nn.NewReLU(), nn.NewLinear(3, 1))
	before := nn.StateDict(m)
	d := lucid.NewStateDict()
	d.Set("0.weight", lucid.Zeros(3, 2))
	d.Set("0.bias", lucid.Zeros(4))
	d.Set("2.bias", lucid.Zeros(1))
	d.Set("9.bias", lucid.Zeros(1))
	err := nn.LoadStateDict(m, d)
	var e *nn.LoadError
	if !errors.As(err, &e) || fmt.Sprint(e.Missing, e.Unexpected) != "[2.weight] [9.bias]" || len(e.Mismatched) != 1 ||
		!errors.Is(err, lucid.ErrShapeMismatch) {
		t.Fatalf("%v", err)
	}
	for _, part := range []string{"2.weight", "9.bias", "0.bias has shape [4], want [3]"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not name %q", err, part)
		}
	}
	for name, v := range nn.StateDict(m).All() {
		if !lucid.Equal(v, before.Get(name)) {
			t.Errorf("%s was changed by a load that failed", name)
		}
	}
	d.Set("0.bias", lucid.Ones(3))
	if err := nn.LoadStateDict(m, d, nn.LoadOptions{NotStrict: true}); err != nil || nn.GetParameter(m, "0.bias").Sum().Item() != 3 {
		t.Errorf("not strict: %v", err)
	}
	if !nn.GetParameter(m, "0.bias").RequiresGrad() {
		t.Error("loading stopped gradients")
	}
	if !lucid.Equal(before.Get("0.weight"), before.Get("0.weight")) || before.Get("0.weight").Sum().Item() == 0 {
		t.Error("a state taken before changed with the module")
	}
}

func TestTrainingModeRetraces(t *testing.T) {
	m := nn.NewSequential(nn.NewDropout(0.5))
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return m.Forward(x) })
	x := lucid.Ones(1000)
	if s := f(x); lucid.Equal(s, x) || math.Abs(s.Mean().Item()-1) > 0.2 {
		t.Errorf("dropout: mean %v", s.Mean().Item())
	}
	nn.Eval(m)
	if !lucid.Equal(f(x), x) {
		t.Error("a trace made in training serves evaluation")
	}
	nn.Train(m)
	if lucid.Equal(f(x), x) {
		t.Error("a trace made in evaluation serves training")
	}
	if e := lucid.Explain(f); e.Traces != 2 {
		t.Errorf("%v", e)
	}
}

func TestHooks(t *testing.T) {
	m := nn.NewSequential(nn.NewLinear(2, 2), nn.NewReLU())
	var log []string
	note := func(s string) { log = append(log, s) }
	lin := m.Layers[0]
	handles := []*nn.Handle{
		nn.RegisterForwardPreHook(lin, func(_ nn.Module, in []*lucid.Tensor) []*lucid.Tensor {
			note("pre")
			return []*lucid.Tensor{in[0].Mul(2)}
		}),
		nn.RegisterForwardHook(lin, func(_ nn.Module, _, out []*lucid.Tensor) []*lucid.Tensor {
			note("post")
			return []*lucid.Tensor{out[0].Add(1)}
		}),
		nn.RegisterFullBackwardPreHook(lin, func(_ nn.Module, g []*lucid.Tensor) []*lucid.Tensor {
			note("back pre")
			return []*lucid.Tensor{g[0].Mul(3)}
		}),
		nn.RegisterFullBackwardHook(lin, func(_ nn.Module, in, out []*lucid.Tensor) []*lucid.Tensor {
			note(fmt.Sprint("back ", in[0].Shape(), out[0].Shape()))
			return nil
		}),
		nn.RegisterForwardHook(nil, func(m nn.Module, _, _ []*lucid.Tensor) []*lucid.Tensor { note(fmt.Sprintf("%T", m)); return nil }),
	}
	x := lucid.Ones(1, 2).RequiresGrad_(true)
	y := m.Forward(x)
	w := lin.(*nn.Linear)
	if want := F.Linear(x.Mul(2), w.Weight, F.LinearOptions{Bias: w.Bias}).Add(1).ReLU(); !lucid.Equal(y.Detach(), want.Detach()) {
		t.Error("hooks did not replace")
	}
	y.Sum().Backward()
	if fmt.Sprint(log) != "[pre *nn.Linear post *nn.ReLU *nn.Sequential back pre back [1 2] [1 2]]" {
		t.Errorf("%q", log)
	}
	for _, h := range handles {
		h.Remove()
		h.Remove()
	}
	log = nil
	m.Forward(x).Sum().Backward()
	if len(log) != 0 {
		t.Errorf("removed hooks ran: %v", log)
	}
}

func TestConvertAndSummary(t *testing.T) {
	m := nn.NewSequential(nn.NewLinear(3, 4), nn.NewBatchNorm1d(4), nn.NewFlatten())
	nn.Double(m)
	if p := nn.GetParameter(m, "0.weight"); p.DType() != lucid.Float64 || !p.RequiresGrad() || !p.IsLeaf() ||
		nn.GetBuffer(m, "1.num_batches_tracked").DType() != lucid.Int64 {
		t.Error("conversion")
	}
	y := m.Forward(lucid.With{DType: lucid.Float64}.Randn(5, 3))
	y.Sum().Backward()
	if y.DType() != lucid.Float64 || nn.GetParameter(m, "0.weight").Grad() == nil {
		t.Error("a converted module does not train")
	}
	nn.Float(m)
	s := nn.Summary(m, lucid.Randn(2, 3))
	for _, part := range []string{"0 ", "Linear", "[2 4]", "16", "24 parameters, 24 of them trained"} {
		if !strings.Contains(s, part) {
			t.Errorf("summary lacks %q:\n%s", part, s)
		}
	}
	if nn.NumParameters(m) != 24 || !m.Training() {
		t.Error("summary changed the mode")
	}
}

func TestContainers(t *testing.T) {
	d := nn.NewModuleDict().Set("z", nn.NewLinear(1, 1, nn.LinearOptions{NoBias: true})).Set("a", nn.NewPReLU())
	l := nn.NewModuleList(d, nn.NewParameterList(lucid.Ones(1), lucid.Ones(2)))
	l.Append(nn.NewParameterDict().Set("q", lucid.Ones(1)))
	if n := nn.StateDict(l).Names(); fmt.Sprint(n) != "[0.z.weight 0.a.weight 1.0 1.1 2.q]" {
		t.Errorf("%v", n)
	}
	if l.At(-1) != l.Modules[2] || len(nn.Parameters(l)) != 5 {
		t.Error("list")
	}
}

func TestInit(t *testing.T) {
	lucid.Seed(9)
	w := lucid.Zeros(64, 128).RequiresGrad_(true)
	spread := func() (mean, std, far float64) {
		d := w.Detach()
		return d.Mean().Item(), d.Std().Item(), d.Abs().Max().Item()
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 0.03*math.Abs(want)+0.003 {
			t.Errorf("%s: %v; want %v", what, got, want)
		}
	}
	nninit.KaimingUniform_(w, nninit.KaimingOptions{A: math.Sqrt(5)})
	_, std, far := spread()
	near("kaiming uniform", far, 1/math.Sqrt(128))
	near("kaiming uniform", std, 1/math.Sqrt(3*128))
	nninit.KaimingNormal_(w, nninit.KaimingOptions{Mode: "fan_out", Nonlinearity: "relu"})
	_, std, _ = spread()
	near("kaiming normal", std, math.Sqrt(2.0/64))
	nninit.XavierNormal_(w)
	_, std, _ = spread()
	near("xavier normal", std, math.Sqrt(2.0/192))
	nninit.TruncNormal_(w, 0, 1, -2, 2)
	_, std, far = spread()
	near("truncated", std, 0.8796)
	if far > 2 {
		t.Error("truncated normal goes beyond its bounds")
	}
	nninit.Orthogonal_(w, nninit.GainOptions{Gain: new(2.0)})
	if !lucid.AllClose(w.Detach().MatMul(w.Detach().Permute(1, 0)), lucid.Eye(64).Mul(4), lucid.CloseOptions{ATol: new(1e-5)}) {
		t.Error("orthogonal")
	}
	nninit.Eye_(w)
	near("eye", w.Detach().Sum().Item(), 64)
	nninit.Sparse_(w, 0.25, 1)
	near("sparse", w.Detach().Eq(0).To(lucid.Float32).Mean().Item(), 0.25)
	c := lucid.Zeros(4, 2, 3, 3)
	nninit.Dirac_(c, 2)
	x := lucid.Randn(1, 2, 5, 5)
	if y := F.Conv2d(x, nninit.Dirac_(lucid.Zeros(2, 2, 3, 3), 1), F.ConvOptions{Padding: 1}); !lucid.Equal(y, x) {
		t.Error("dirac")
	}
	if !w.RequiresGrad() || nninit.CalculateGain("tanh") != 5.0/3 || lucid.Try(func() { nninit.CalculateGain("x") }) == nil {
		t.Error("gain")
	}
}

func TestFunctionalExtras(t *testing.T) {
	lucid.Seed(4)
	logits := lucid.Randn(100, 5).RequiresGrad_(true)
	y := F.GumbelSoftmax(logits, F.GumbelSoftmaxOptions{Hard: true})
	if s := y.Detach(); s.Sum().Item() != 100 || s.Max().Item() != 1 {
		t.Errorf("gumbel: %v", s.Sum().Item())
	}
	y.Mul(lucid.Randn(100, 5)).Sum().Backward()
	if logits.Grad().Abs().Sum().Item() == 0 {
		t.Error("no gradient through the hard samples")
	}
	x := lucid.Randn(64, 8, 16)
	z := F.AlphaDropout(x, F.DropoutOptions{P: new(0.2)})
	if m, s := z.Mean().Item(), z.Std().Item(); math.Abs(m) > 0.05 || math.Abs(s-1) > 0.05 {
		t.Errorf("alpha dropout: mean %v, deviation %v", m, s)
	}
	d := F.Dropout1d(lucid.Ones(8, 16, 4))
	rows := d.Sum(-1)
	if !lucid.Equal(rows, lucid.Where(rows.Gt(0), 8, lucid.Zeros(8, 16))) {
		t.Error("dropout1d drops parts of channels")
	}
	if err := lucid.Try(func() { F.Dropout(x, F.DropoutOptions{P: new(1.5)}) }); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("p of 1.5: %v", err)
	}
}
