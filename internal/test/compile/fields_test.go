package compile

import (
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

type settings struct {
	Power int
	Name  string
	Rates []float64
}

// manyFields is a module with fields of every kind that a trace may depend on.
type manyFields struct {
	nn.Base
	Head  nn.Layer
	Body  *nn.Linear
	Drop  *nn.Dropout
	Inner struct{ Factor float64 }
	Table [2]float32
	Gains []float64
	Names map[string]float64
	Parts map[string]nn.Layer
	List  *nn.ModuleList
	Dict  *nn.ModuleDict
	Seq   *nn.Sequential
	Act   func(x *lucid.Tensor) *lucid.Tensor
	Bias  *lucid.Tensor
	Conf  *settings
	On    *bool
	Kind  string
	Any   any
	shift int
	byVal nn.Dropout
}

func newManyFields() *manyFields {
	on := true
	m := &manyFields{Head: nn.NewLinear(4, 4), Body: nn.NewLinear(4, 4), Drop: nn.NewDropout(0), Table: [2]float32{1, 2},
		Gains: []float64{1, 2}, Names: map[string]float64{"a": 1}, Parts: map[string]nn.Layer{"p": nn.NewLinear(4, 4)},
		List: nn.NewModuleList(nn.NewLinear(4, 4)), Dict: nn.NewModuleDict().Set("d", nn.NewLinear(4, 4)),
		Seq: nn.NewSequential(nn.NewLinear(4, 4), nn.NewSequential(nn.NewTanh())), Act: (*lucid.Tensor).Tanh,
		Bias: nn.Parameter(lucid.Randn(4)), Conf: &settings{Power: 1, Name: "sum", Rates: []float64{1}}, On: &on, Kind: "minus", Any: 2.0}
	m.Inner.Factor = 1
	return m
}

func (m *manyFields) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = m.Drop.Forward(m.Body.Forward(m.Head.Forward(x)))
	x = x.Mul(m.Inner.Factor).Add(float64(m.Table[0])).Mul(m.Gains[len(m.Gains)-1]).Mul(m.Names["a"])
	for _, name := range []string{"p", "q"} {
		if l := m.Parts[name]; l != nil {
			x = l.Forward(x)
		}
	}
	for i := range m.List.Len() {
		x = m.List.At(i).(nn.Layer).Forward(x)
	}
	for _, l := range m.Dict.All() {
		x = l.(nn.Layer).Forward(x)
	}
	x = m.Act(m.Seq.Forward(x)).Add(m.Bias).Pow(m.Conf.Power).Mul(m.Conf.Rates[0])
	if m.Conf.Name == "double" {
		x = x.Mul(2)
	}
	if *m.On {
		x = x.Add(3)
	}
	if m.Kind == "minus" {
		x = x.Neg()
	}
	m.byVal.P = min(m.byVal.P, 1)
	return x.Add(m.shift).Mul(m.Any)
}

// TestFieldsAreSeen: a compiled step sees what is assigned to fields of a module it holds, and says which.
func TestFieldsAreSeen(t *testing.T) {
	for _, c := range []struct {
		what   string // Explain names it
		change func(m *manyFields)
	}{
		{"field Head", func(m *manyFields) { m.Head = nn.NewLinear(4, 4) }},
		{"field Head", func(m *manyFields) { m.Head = nn.NewTanh() }},
		{"field Body", func(m *manyFields) { m.Body = nn.NewLinear(4, 4) }},
		{"field Body.Weight", func(m *manyFields) { m.Body.Weight = nn.Parameter(lucid.Randn(4, 4)) }},
		{"field Body.Bias", func(m *manyFields) { m.Body.Bias = nil }},
		{"field Body.Weight", func(m *manyFields) { m.Body.Weight = m.Seq.Layers[0].(*nn.Linear).Weight }}, // tied
		{"field Inner.Factor of a module went from 1 to 5", func(m *manyFields) { m.Inner.Factor = 5 }},
		{"field Table.0", func(m *manyFields) { m.Table[0] = 7 }},
		{"field Gains", func(m *manyFields) { m.Gains[1] = 9 }},
		{"field Gains", func(m *manyFields) { m.Gains = append(m.Gains, 5) }},
		{"field Names", func(m *manyFields) { m.Names["a"] = 5 }},
		{"field Parts", func(m *manyFields) { m.Parts["p"] = nn.NewTanh() }},
		{"field Parts", func(m *manyFields) { m.Parts["q"] = nn.NewLinear(4, 4) }},
		{"field Parts.p.Weight", func(m *manyFields) { m.Parts["p"].(*nn.Linear).Weight = nn.Parameter(lucid.Randn(4, 4)) }},
		{"field List.Modules", func(m *manyFields) { m.List.Append(nn.NewLinear(4, 4)) }},
		{"field List.Modules.0", func(m *manyFields) { m.List.Modules[0] = nn.NewTanh() }},
		{"field Dict.o", func(m *manyFields) { m.Dict.Set("d", nn.NewTanh()) }},
		{"field Dict.o", func(m *manyFields) { m.Dict.Set("e", nn.NewTanh()) }},
		{"field Seq.Layers", func(m *manyFields) { m.Seq.Append(nn.NewLinear(4, 4)) }},
		{"field Seq.Layers.1.Layers.0", func(m *manyFields) { m.Seq.Layers[1].(*nn.Sequential).Layers[0] = nn.NewSigmoid() }},
		{"field Seq.Layers.1.Layers", func(m *manyFields) { m.Seq.Layers[1].(*nn.Sequential).Append(nn.NewSigmoid()) }},
		{"field Act", func(m *manyFields) { m.Act = (*lucid.Tensor).Sigmoid }},
		{"field Bias", func(m *manyFields) { m.Bias = nn.Parameter(lucid.Randn(4)) }},
		{"field Conf.Power of a module went from 1 to 2", func(m *manyFields) { m.Conf.Power = 2 }},
		{"field Conf.Name of a module went from \"sum\" to \"double\"", func(m *manyFields) { m.Conf.Name = "double" }},
		{"field Conf.Rates", func(m *manyFields) { m.Conf.Rates[0] = 4 }},
		{"field Conf", func(m *manyFields) { m.Conf = &settings{Power: 3, Rates: []float64{1}} }},
		{"field On of a module went from true to false", func(m *manyFields) { *m.On = false }},
		{"field Kind of a module went from \"minus\" to \"\"", func(m *manyFields) { m.Kind = "" }},
		{"field Any", func(m *manyFields) { m.Any = 3.5 }},
		{"field shift of a module went from 0 to 4", func(m *manyFields) { m.shift = 4 }},
		{"field Head", func(m *manyFields) { nn.UpdateModules(m, map[string]nn.Module{"head": nn.NewTanh()}) }},
		{"field Seq.Layers.0", func(m *manyFields) { nn.UpdateModules(m, map[string]nn.Module{"seq.0": nn.NewTanh()}) }},
	} {
		m := newManyFields()
		nn.Eval(m)
		x := lucid.Randn(2, 4)
		f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return m.Forward(x).Detach() })
		same := func(when string) {
			t.Helper()
			if got, want := f(x), m.Forward(x).Detach(); !tensortest.SameBits(got, want) {
				t.Errorf("%s, %s: %v, want %v", c.what, when, got, want)
			}
		}
		for range 3 {
			same("before")
		}
		if n := lucid.Explain(f).Traces; n != 1 {
			t.Fatalf("%s: %v", c.what, lucid.Explain(f))
		}
		before := f(x)
		c.change(m)
		for range 3 {
			same("after")
		}
		if tensortest.SameBits(before, f(x)) {
			t.Errorf("%s: the change changes nothing", c.what)
		}
		e := lucid.Explain(f)
		if e.Traces != 2 || !strings.Contains(e.Reasons[1], c.what) {
			t.Errorf("%s: %v", c.what, e)
		}
	}
}

// TestDropoutRate: a rate that goes back and forth finds its trace again; one that moves on does not make the cache grow.
func TestDropoutRate(t *testing.T) {
	m := nn.NewSequential(nn.NewLinear(8, 8), nn.NewDropout(0.5))
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return m.Forward(x).Detach() })
	drop, x := m.Layers[1].(*nn.Dropout), lucid.Ones(64, 8)
	zeros := func() float64 { return f(x).Eq(0).To(lucid.Float64).Mean().Item() }
	for range 4 {
		drop.P = 1
		if zeros() != 1 {
			t.Error("all are dropped")
		}
		drop.P = 0
		if zeros() != 0 {
			t.Error("none is dropped")
		}
	}
	if n := lucid.Explain(f).Traces; n != 2 {
		t.Error(lucid.Explain(f))
	}
	for i := range 12 {
		drop.P = float64(i) / 12
		if z := zeros(); z < drop.P-0.15 || z > drop.P+0.15 {
			t.Errorf("%v are dropped at %v", z, drop.P)
		}
	}
	if e := lucid.Explain(f); len(e.Steps) > 4 || e.Traces != 13 {
		t.Error(e)
	}
	nn.Eval(m)
	if zeros() != 0 {
		t.Error("evaluation drops")
	}
	nn.Train(m)
	drop.P = 1
	if zeros() != 1 {
		t.Error("all are dropped, in training again")
	}
}

// TestUnchangedFieldsAreOneTrace: what training, evaluation and walks over a model do to it is no change.
func TestUnchangedFieldsAreOneTrace(t *testing.T) {
	m := nn.NewSequential(nn.NewLinear(8, 16), nn.NewBatchNorm1d(16), nn.NewReLU(), nn.NewDropout(0.1), nn.NewLinear(16, 1))
	opt := optim.NewAdam(nn.Parameters(m), optim.AdamOptions{LR: 0.01})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		l := F.MSELoss(m.Forward(x), y)
		l.Backward()
		opt.Step()
		return l.Detach()
	})
	x, y := lucid.Randn(8, 8), lucid.Randn(8, 1)
	for range 3 {
		step(x, y)
	}
	first := lucid.Explain(step).Traces
	for i := range 8 {
		step(x, y)
		nn.Eval(m)
		lucid.NoGrad(func() { m.Forward(x).Eval() })
		nn.Train(m)
		state := nn.StateDict(m)
		nn.LoadStateDict(m, state)
		nn.NumParameters(m)
		nn.Clone(m)
		_ = m.String()
		opt.ParamGroups()[0].SetLR(0.01 / float64(i+1))
	}
	if n := lucid.Explain(step).Traces; n != first {
		t.Error(lucid.Explain(step))
	}
}

type counting struct {
	nn.Base
	Lin   *nn.Linear
	calls int
	Scale float64
}

func (m *counting) Forward(x *lucid.Tensor) *lucid.Tensor {
	m.calls++
	return m.Lin.Forward(x).Mul(m.Scale)
}

// TestFieldsThatACallChanges: a counter that the function moves is no reason to trace again, wherever it is called; other fields are.
func TestFieldsThatACallChanges(t *testing.T) {
	m := &counting{Lin: nn.NewLinear(2, 2), Scale: 1}
	nn.Eval(m)
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return m.Forward(x).Detach() })
	for i := range 10 {
		f(lucid.Ones(1, 2))
		f(lucid.Ones(2, 2))
		m.Forward(lucid.Ones(1, 2))
		if i == 3 {
			if n := lucid.Explain(f).Traces; n > 4 {
				t.Error(lucid.Explain(f))
			}
		}
	}
	n := lucid.Explain(f).Traces
	m.Scale = 3
	if got, want := f(lucid.Ones(1, 2)), m.Forward(lucid.Ones(1, 2)).Detach(); !lucid.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if e := lucid.Explain(f); e.Traces != n+1 || n > 4 {
		t.Error(e)
	}
}

type bare struct {
	nn.Base
	W     *lucid.Tensor
	Scale float64
}

// TestModuleWithoutLayers: a module of one's own that is never called by Call is known by its tensors.
func TestModuleWithoutLayers(t *testing.T) {
	m := &bare{W: nn.Parameter(lucid.Ones(2)), Scale: 1}
	opt := optim.NewSGD(nn.Parameters(m), optim.SGDOptions{LR: 0.5})
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		l := m.W.Mul(x).Mul(m.Scale).Sum()
		l.Backward()
		opt.Step()
		return l.Detach()
	})
	x := lucid.Ones(2)
	step(x)
	m.Scale = 4
	step(x)
	tensortest.Same(t, "gradient", m.W.Grad(), lucid.Full([]int{2}, 4.0))
}

// trainer is a module that holds another and its optimizer.
type trainer struct {
	nn.Base
	Model *nn.Linear
	Opt   optim.Optimizer `nn:"-"`
}

// TestSwappedOptimizer: another optimizer for the same parameters is seen, in a field of a module or in a variable.
func TestSwappedOptimizer(t *testing.T) {
	x := lucid.Ones(1, 2)
	sgd := func(m nn.Module, lr float64) optim.Optimizer {
		return optim.NewSGD(nn.Parameters(m), optim.SGDOptions{LR: lr})
	}
	m := &trainer{Model: nn.NewLinear(2, 1)}
	m.Opt = sgd(m, 0.5)
	var opt optim.Optimizer
	for what, c := range map[string]struct {
		get func() optim.Optimizer
		set func(o optim.Optimizer)
	}{
		"field":    {func() optim.Optimizer { return m.Opt }, func(o optim.Optimizer) { m.Opt = o }},
		"variable": {func() optim.Optimizer { return opt }, func(o optim.Optimizer) { opt = o }},
	} {
		c.set(sgd(m.Model, 0.5))
		step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
			c.get().ZeroGrad()
			l := m.Model.Forward(x).Sum()
			l.Backward()
			c.get().Step()
			return l.Detach()
		})
		move := func() float64 {
			before := m.Model.Bias.Detach().Clone().Eval()
			step(x)
			return before.Sub(m.Model.Bias.Detach()).Item()
		}
		for range 3 {
			if d := move(); d < 0.49 || d > 0.51 {
				t.Errorf("%s: the first moves by %v", what, d)
			}
		}
		c.set(sgd(m.Model, 0.25))
		for range 3 {
			if d := move(); d < 0.24 || d > 0.26 {
				t.Errorf("%s: the second moves by %v", what, d)
			}
		}
		if e := lucid.Explain(step); e.Traces != 2 {
			t.Errorf("%s: %v", what, e)
		}
	}
}
