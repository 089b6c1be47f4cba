package optim_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// optimizers that leave out steps, made for a list of parameters.
var scaled = map[string]func(ps []*lucid.Tensor) optim.Optimizer{
	"sgd": func(ps []*lucid.Tensor) optim.Optimizer {
		return optim.NewSGD(ps, optim.SGDOptions{LR: 0.1, Momentum: 0.9})
	},
	"adamw": func(ps []*lucid.Tensor) optim.Optimizer { return optim.NewAdamW(ps, optim.AdamWOptions{LR: 0.1}) },
	"nadam": func(ps []*lucid.Tensor) optim.Optimizer { return optim.NewNAdam(ps, optim.NAdamOptions{LR: 0.1}) },
	"multi": func(ps []*lucid.Tensor) optim.Optimizer {
		return optim.NewMulti(optim.NewAdam(ps[:1], optim.AdamOptions{LR: 0.1}), optim.NewRMSprop(ps[1:], optim.RMSpropOptions{LR: 0.1}))
	},
	"hooks": func(ps []*lucid.Tensor) optim.Optimizer {
		return optim.WithHooks(optim.NewAdam(ps, optim.AdamOptions{LR: 0.1}), optim.Hooks{})
	},
}

// TestGradScaler compares a scaled run, in which some steps overflow, with one that leaves those steps out by hand.
func TestGradScaler(t *testing.T) {
	factors := []float64{1, math.Inf(1), 2, 3, math.NaN(), 4, -1, 5}
	wantScale := []float64{1024, 256, 256, 512, 128, 128, 256, 256} // halved twice over: backoff 1/4, doubled after two good steps
	for name, build := range scaled {
		for _, compiled := range []bool{false, true} {
			if compiled && name == "hooks" {
				continue // refused, see below
			}
			t.Run(fmt.Sprint(name, compiled), func(t *testing.T) {
				leaves := func() []*lucid.Tensor {
					return []*lucid.Tensor{lucid.New([]float32{1, -2, 3}, 3).RequiresGrad_(true),
						lucid.New([]float32{0.5}, 1).RequiresGrad_(true)}
				}
				loss := func(ps []*lucid.Tensor, f *lucid.Tensor) *lucid.Tensor {
					return ps[0].Square().Sum().Add(ps[1].Sum()).Mul(f)
				}
				plain, mine := leaves(), leaves()
				ref, opt := build(plain), build(mine)
				scaler := optim.NewGradScaler(optim.GradScalerOptions{InitScale: 1024, BackoffFactor: 0.25, GrowthInterval: 2})
				step := func(f *lucid.Tensor) *lucid.Tensor {
					opt.ZeroGrad()
					l := loss(mine, f)
					scaler.Scale(l).Backward()
					if err := scaler.TryStep(opt); err != nil {
						t.Fatal(err)
					}
					if err := scaler.TryUpdate(); err != nil {
						t.Fatal(err)
					}
					return l
				}
				if compiled {
					step = lucid.Compile(step)
				}
				for i, f := range factors {
					v := lucid.New([]float64{f}, 1).To(lucid.Float32).Reshape()
					step(v)
					if !math.IsInf(f, 0) && !math.IsNaN(f) {
						ref.ZeroGrad()
						loss(plain, v).Backward()
						if err := ref.TryStep(); err != nil {
							t.Fatal(err)
						}
					}
					for k := range plain {
						if !lucid.Equal(plain[k].Detach(), mine[k].Detach()) {
							t.Fatalf("step %d: parameter %d is %v, want %v", i, k, mine[k].Detach(), plain[k].Detach())
						}
					}
					if got := scaler.GetScale(); got != wantScale[i] {
						t.Fatalf("step %d: scale %v, want %v", i, got, wantScale[i])
					}
				}
				a, b := ref.StateDict(), opt.StateDict()
				for n, v := range a.All() {
					if !lucid.Equal(v, b.Get(n)) {
						t.Errorf("state %s is %v, want %v", n, b.Get(n), v)
					}
				}
			})
		}
	}
}

// TestGradScalerPart leaves out the very step in which a parameter first has no gradient.
func TestGradScalerPart(t *testing.T) {
	run := func(first float64) []*lucid.Tensor {
		ps := []*lucid.Tensor{lucid.New([]float32{1}, 1).RequiresGrad_(true), lucid.New([]float32{1}, 1).RequiresGrad_(true)}
		opt, scaler := optim.NewAdam(ps, optim.AdamOptions{LR: 0.1}), optim.NewGradScaler()
		step := func(l *lucid.Tensor) {
			opt.ZeroGrad()
			scaler.Scale(l).Backward()
			if err := errors.Join(scaler.TryStep(opt), scaler.TryUpdate()); err != nil {
				t.Fatal(err)
			}
		}
		step(ps[0].Add(ps[1]).Square().Sum())
		if first != 0 {
			step(ps[0].Mul(first).Sum())
		}
		step(ps[0].Square().Sum())
		step(ps[0].Mul(ps[1]).Sum())
		return ps
	}
	a, b := run(0), run(math.Inf(1))
	for i := range a {
		if !lucid.AllClose(a[i].Detach(), b[i].Detach()) {
			t.Errorf("parameter %d: %v, want %v", i, b[i].Detach(), a[i].Detach())
		}
	}
}

// TestGradScalerRetraced gives a compiled step batches of other sizes, and one whose trace is given up in the middle.
func TestGradScalerRetraced(t *testing.T) {
	w := lucid.New([]float32{1, 2}, 2).RequiresGrad_(true)
	opt, s := optim.NewAdam([]*lucid.Tensor{w}, optim.AdamOptions{LR: 0.1}), optim.NewGradScaler()
	fail := false
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		l := x.MatMul(w).Square().Sum()
		s.Scale(l).Backward()
		s.Unscale(opt)
		if fail {
			lucid.Zeros(2).Add(lucid.Zeros(3))
		}
		if err := errors.Join(s.TryStep(opt), s.TryUpdate()); err != nil {
			t.Error(err)
		}
		return l
	})
	for _, n := range []int{4, 3, 5, 4, 3} {
		step(lucid.Ones(n, 2)).Item()
	}
	fail = true
	if err := lucid.Try(func() { step(lucid.Ones(7, 2)) }); !errors.Is(err, lucid.ErrShapeMismatch) {
		t.Errorf("a mistake inside: %v", err)
	}
	fail = false
	step(lucid.Ones(7, 2)).Item()
	if x := lucid.Explain(step); len(x.Inlined) != 0 && x.Inlined[0] != "" {
		t.Errorf("not replayed: %v", x.Inlined)
	}
}

func TestGradScalerUse(t *testing.T) {
	w := lucid.New([]float32{3, 4}, 2).RequiresGrad_(true)
	opt := optim.NewSGD([]*lucid.Tensor{w}, optim.SGDOptions{LR: 1})
	s := optim.NewGradScaler()
	s.Scale(w.Square().Sum().Div(2)).Backward()
	s.Unscale(opt) // to clip; Step does not do it again
	if got := w.Grad(); !lucid.AllClose(got, lucid.New([]float32{3, 4}, 2)) {
		t.Errorf("unscaled gradient %v", got)
	}
	if err := errors.Join(s.TryStep(opt), s.TryUpdate()); err != nil || w.Detach().Abs().Sum().Item() != 0 {
		t.Errorf("step: %v, %v", w.Detach(), err)
	}
	other := optim.NewGradScaler()
	if err := other.LoadStateDict(s.StateDict()); err != nil || other.GetScale() != s.GetScale() {
		t.Errorf("state: %v", err)
	}
	if err := other.LoadStateDict(lucid.NewStateDict()); !errors.Is(err, lucid.ErrFormat) {
		t.Errorf("an empty state: %v", err)
	}
	off := optim.NewGradScaler(optim.GradScalerOptions{Disabled: true})
	if l := lucid.Scalar(2.0); off.Scale(l) != l || off.GetScale() != 1 || off.TryUpdate() != nil {
		t.Error("a disabled scaler changes something")
	}
	h := lucid.With{DType: lucid.Float16}.Ones(2).RequiresGrad_(true)
	half := optim.NewSGD([]*lucid.Tensor{h}, optim.SGDOptions{LR: 1})
	h.Sum().Backward()
	hooked := optim.WithHooks(opt, optim.Hooks{})
	for name, c := range map[string]struct {
		kind error
		f    func()
	}{
		"update first":  {lucid.ErrValue, func() { optim.NewGradScaler().Update() }},
		"twice":         {lucid.ErrValue, func() { s := optim.NewGradScaler(); s.Unscale(opt); s.Unscale(opt) }},
		"stepped twice": {lucid.ErrValue, func() { s := optim.NewGradScaler(); s.Step(opt); s.Step(opt) }},
		"float16":       {lucid.ErrDType, func() { optim.NewGradScaler().Unscale(half) }},
		"refused before": {lucid.ErrValue, func() {
			s := optim.NewGradScaler()
			if lucid.Try(func() { s.Unscale(half) }) != nil {
				s.Update()
			}
		}},
		"accumulate": {lucid.ErrNotImplemented, func() { optim.NewGradScaler().Step(optim.NewAccumulate(opt, 2)) }},
		"growth":     {lucid.ErrValue, func() { optim.NewGradScaler(optim.GradScalerOptions{GrowthFactor: 1}) }},
		"half inside": {lucid.ErrTrace, func() {
			s := optim.NewGradScaler()
			lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { s.Unscale(opt); return x })(w.Detach())
			s.Step(opt)
		}},
		"hooks inside": {lucid.ErrNotImplemented, func() {
			s := optim.NewGradScaler()
			lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { s.Step(hooked); s.Update(); return x })(w.Detach())
		}},
	} {
		if err := lucid.Try(c.f); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A batch with a label out of range costs a scaler nothing either: the loss says so, the scale stays readable, the next Step tells, and
// training goes on as if the batch had not been there.
func TestGradScalerBadBatch(t *testing.T) {
	x := lucid.Randn(8, 4).Eval()
	good, bad := lucid.Of([]int{0, 1, 2, 0, 1, 2, 0, 1}).Eval(), lucid.Of([]int{0, 1, 2, 0, 7, 2, 0, 1}).Eval()
	for _, name := range []string{"sgd", "nadam", "hooks"} { // hooks read whether a gradient is not finite
		for _, update := range []bool{false, true} { // call Update after a Step that failed, too
			run := func(withBad bool) (losses []float64, scale float64) {
				lucid.Seed(3)
				m := nn.NewSequential(nn.NewLinear(4, 16), nn.NewReLU(), nn.NewLinear(16, 3))
				o, s := scaled[name](nn.Parameters(m)), optim.NewGradScaler(optim.GradScalerOptions{GrowthInterval: 3})
				step := func(y *lucid.Tensor) (*lucid.Tensor, error) {
					o.ZeroGrad()
					l := F.CrossEntropy(m.Forward(x), y)
					s.Scale(l).Backward()
					err := s.TryStep(o)
					if err == nil || update {
						s.Update()
					}
					return l, err
				}
				for i := range 6 {
					if i == 2 && !withBad {
						continue
					}
					if i == 2 {
						before := s.GetScale()
						l, err := step(bad)
						if e := lucid.Try(func() { l.Item() }); !errors.Is(e, lucid.ErrIndex) {
							t.Errorf("%s: the loss of the batch: %v, %v", name, l, e)
						}
						if after := s.GetScale(); after != before {
							t.Errorf("%s: the scale is %v, was %v", name, after, before)
						}
						if err == nil { // the step ran on its own
							_, err = step(good)
						}
						if !errors.Is(err, lucid.ErrIndex) {
							t.Errorf("%s: the next step says %v", name, err)
						}
						continue
					}
					l, err := step(good)
					if err != nil {
						t.Fatalf("%s, update %v: step %d: %v", name, update, i, err)
					}
					losses = append(losses, l.Item())
				}
				return losses, s.GetScale()
			}
			want, scale := run(false)
			if got, now := run(true); !slices.Equal(got, want) || now != scale {
				t.Errorf("%s, update %v: %v %v; want %v %v", name, update, got, now, want, scale)
			}
		}
	}
}

// unsteady is an optimizer whose steps fail for a while.
type unsteady struct {
	optim.Optimizer
	fails int
}

func (u *unsteady) TryStep() error {
	if u.fails--; u.fails >= 0 {
		return lucid.Errorf(lucid.ErrOutOfMemory, "step", "no memory")
	}
	return u.Optimizer.TryStep()
}

// TestGradScalerOnceMore: a step that failed and is taken again has the gradients it had, not such that are divided twice; those of another
// batch are divided.
func TestGradScalerOnceMore(t *testing.T) {
	for _, again := range []bool{true, false} {
		p := lucid.Ones(1).RequiresGrad_(true)
		o, s := &unsteady{optim.NewSGD([]*lucid.Tensor{p}, optim.SGDOptions{LR: 1}), 2}, optim.NewGradScaler()
		for i := range 3 {
			if i == 0 || !again {
				o.ZeroGrad()
				s.Scale(p.Mul(3).Sum()).Backward()
			}
			if err := s.TryStep(o); (err == nil) != (i == 2) {
				t.Fatalf("step %d: %v", i, err)
			}
		}
		if p.Item() != -2 {
			t.Errorf("again %v: the parameter is %v; want 1 - 3", again, p.Item())
		}
		s.Update()
	}
}
