package nn_test

import (
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/nn/utils"
	"github.com/lucid-go/lucid/nn/utils/prune"
)

// symmetric makes a square matrix of its upper triangle.
type symmetric struct{ nn.Base }

func (s *symmetric) Forward(x ...*lucid.Tensor) *lucid.Tensor {
	return lucid.Triu(x[0]).Add(lucid.Triu(x[0], lucid.TriOptions{Diagonal: 1}).Transpose(0, 1))
}

// exponential keeps a tensor positive.
type exponential struct{ nn.Base }

func (e *exponential) Forward(x ...*lucid.Tensor) *lucid.Tensor { return x[0].Exp() }
func (e *exponential) RightInverse(v *lucid.Tensor) []*lucid.Tensor {
	return []*lucid.Tensor{v.Log()}
}

// flatter makes a vector of a matrix.
type flatter struct{ nn.Base }

func (w *flatter) Forward(x ...*lucid.Tensor) *lucid.Tensor { return x[0].Reshape(-1) }

func TestParametrization(t *testing.T) {
	lucid.Seed(1)
	m := nn.NewLinear(3, 3)
	x := lucid.Randn(2, 3)
	weight := m.Weight
	nn.RegisterParametrization(m, "weight", &symmetric{})
	if got := nn.StateDict(m).Names(); !slices.Equal(got, []string{"bias", "parametrizations.weight.original"}) {
		t.Fatalf("names %v", got)
	}
	w := nn.Value(m, "weight").Detach()
	if !lucid.Equal(w, w.Transpose(0, 1)) {
		t.Error("the weight is not symmetric")
	}
	if want := F.Linear(x, w, F.LinearOptions{Bias: m.Bias.Detach()}); !lucid.AllClose(m.Forward(x).Detach(), want) {
		t.Error("Forward does not use the parametrization")
	}
	m.Forward(x).Square().Sum().Backward()
	if g := weight.Grad(); g == nil || g.At(1, 0).Item() != 0 || g.At(0, 1).Item() == 0 {
		t.Error("the gradient does not go to the original, the same tensor as before")
	}
	if !nn.IsParametrized(m, "weight") || nn.IsParametrized(m, "bias") || !nn.IsParametrized(m, "") {
		t.Error("IsParametrized")
	}
	nn.RemoveParametrizations(m, "weight")
	if !lucid.Equal(m.Weight.Detach(), w) || m.Weight != weight || !weight.RequiresGrad() || nn.IsParametrized(m, "") {
		t.Error("the value is not left")
	}
	if got := nn.StateDict(m).Names(); !slices.Equal(got, []string{"weight", "bias"}) {
		t.Errorf("names %v after removing", got)
	}
}

func TestParametrizationRightInverse(t *testing.T) {
	lucid.Seed(2)
	m := nn.NewLinear(3, 2)
	give(m.Weight, m.Weight.Detach().Abs().Add(0.1))
	before := m.Weight.Detach().Clone()
	nn.RegisterParametrization(m, "weight", &exponential{})
	if !lucid.AllClose(nn.Value(m, "weight").Detach(), before) {
		t.Error("the value changed")
	}
	v := lucid.Full([]int{2, 3}, 2.0)
	nn.SetParametrized(m, "weight", v)
	if !lucid.AllClose(nn.Value(m, "weight").Detach(), v) || math.Abs(nn.Originals(m, "weight")[0].At(0, 0).Item()-math.Ln2) > 1e-6 {
		t.Error("SetParametrized")
	}
	nn.RemoveParametrizations(m, "weight", nn.RemoveOptions{KeepOriginal: true})
	if math.Abs(m.Weight.At(0, 0).Item()-math.Ln2) > 1e-6 {
		t.Error("KeepOriginal")
	}
	utils.WeightNorm(m)
	if err := lucid.Try(func() {
		nn.RemoveParametrizations(m, "weight", nn.RemoveOptions{KeepOriginal: true})
	}); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("two originals were stored as one: %v", err)
	}
	utils.RemoveWeightNorm(m, "")
	if math.Abs(m.Weight.At(0, 0).Item()-math.Ln2) > 1e-6 {
		t.Error("the weight changed by putting weight norm on and off")
	}
}

// careless reads its tensor itself.
type careless struct {
	nn.Base
	Weight *lucid.Tensor
}

func (c *careless) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = nn.Enter(c, x)
	return nn.Leave(c, x, x.Mul(c.Weight))
}

func TestParametrizationRefusals(t *testing.T) {
	m := nn.NewLinear(3, 2)
	c := &careless{Weight: nn.Parameter(lucid.Ones(3))}
	nn.RegisterParametrization(c, "weight", &exponential{})
	pruned := nn.NewLinear(2, 2)
	prune.Identity(pruned, "weight")
	for name, f := range map[string]func(){
		"no such tensor":      func() { nn.RegisterParametrization(m, "wait", &symmetric{}) },
		"another shape":       func() { nn.RegisterParametrization(m, "weight", &flatter{}) },
		"Forward without Use": func() { c.Forward(lucid.Ones(3)) },
		"nothing to remove":   func() { nn.RemoveParametrizations(m, "weight") },
		"nothing to set":      func() { nn.SetParametrized(m, "weight", m.Weight) },
		"not weight norm":     func() { utils.RemoveWeightNorm(pruned, "weight") },
		"not pruned":          func() { prune.Remove(m, "weight") },
		"too many":            func() { prune.L1Unstructured(m, "weight", prune.Count(7)) },
		"share":               func() { prune.L1Unstructured(m, "weight", prune.Share(1.5)) },
		"dim":                 func() { prune.LnStructured(m, "weight", prune.Count(1), 2, 2) },
		"no channels":         func() { prune.RandomStructured(m, "bias", prune.Count(1), 0) },
		"mask":                func() { prune.CustomFromMask(m, "weight", lucid.Ones(2)) },
		"on a pruned one":     func() { nn.RegisterParametrization(pruned, "weight", &exponential{}) },
		"iterations":          func() { utils.SpectralNorm(m, utils.SpectralNormOptions{NPowerIterations: -1}) },
	} {
		if err := lucid.Try(f); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if nn.IsParametrized(m, "") {
		t.Error("a refused parametrization was put on")
	}
}

// Parametrizations and hooks put on after compiling are seen.
func TestParametrizationRetraces(t *testing.T) {
	lucid.Seed(3)
	m := nn.NewLinear(3, 3)
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return m.Forward(x) })
	x := lucid.Randn(2, 3)
	same := func(when string) {
		t.Helper()
		if got, want := f(x).Detach(), m.Forward(x).Detach(); !lucid.AllClose(got, want) {
			t.Errorf("%s: compiled and eager differ", when)
		}
	}
	same("at first")
	nn.RegisterParametrization(m, "weight", &symmetric{})
	same("parametrized")
	nn.RemoveParametrizations(m, "weight")
	same("removed")
	h := nn.RegisterForwardHook(m, func(_ nn.Module, _, out []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{out[0].Mul(2)} })
	same("with a hook")
	h.Remove()
	same("without it")
}

// A compiled training step with spectral norm moves its vectors as an eager one.
func TestSpectralNormCompiled(t *testing.T) {
	run := func(compiled bool) *lucid.StateDict {
		lucid.Seed(4)
		m := nn.NewLinear(4, 3)
		utils.SpectralNorm(m)
		step := func(x *lucid.Tensor) *lucid.Tensor {
			nn.ZeroGrad(m)
			loss := m.Forward(x).Square().Sum()
			loss.Backward()
			lucid.NoGrad(func() {
				for _, p := range nn.Parameters(m) {
					p.Sub_(p.Grad().Mul(0.1))
				}
			})
			return loss
		}
		if compiled {
			step = lucid.Compile(step)
		}
		for i := range 4 {
			lucid.Seed(uint64(i))
			step(lucid.Randn(2, 4))
		}
		return nn.StateDict(m)
	}
	a, b := run(false), run(true)
	for name, v := range a.All() {
		if !lucid.AllClose(v, b.Get(name)) {
			t.Errorf("%s differs", name)
		}
	}
}

// TestRemoveSpectralNorm: the tensor keeps the value it was used with, and is a parameter again.
func TestRemoveSpectralNorm(t *testing.T) {
	lucid.Seed(4)
	m := nn.NewLinear(4, 3)
	utils.SpectralNorm(m)
	nn.Eval(m)
	x := lucid.Randn(2, 4)
	want := m.Forward(x).Detach()
	utils.RemoveSpectralNorm(m, "")
	if !lucid.Equal(m.Forward(x).Detach(), want) || nn.IsParametrized(m, "") || !m.Weight.RequiresGrad() {
		t.Error("the layer computes something else, or its weight is not a parameter")
	}
	if err := lucid.Try(func() { utils.RemoveSpectralNorm(m, "weight") }); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("off twice: %v", err)
	}
}

// TestGlobalRandom: so many of all, a part of each tensor by chance, and none of those that were pruned before twice.
func TestGlobalRandom(t *testing.T) {
	lucid.Seed(6)
	a, b := nn.NewLinear(8, 8), nn.NewLinear(8, 24)
	targets := []prune.Target{{Module: a, Name: "weight"}, {Module: b, Name: "weight"}}
	pruned := func(m nn.Module) int { return int(nn.GetBuffer(m, "weight_mask").Eq(0).To(lucid.Int64).Sum().Item()) }
	for i, want := range []int{64, 112} {
		prune.GlobalRandom(targets, prune.Share(0.25)) // of what is left
		if n, k := pruned(a), pruned(b); n+k != want || n == 0 || n >= k {
			t.Errorf("round %d: %d of 64 and %d of 192; want %d in all", i, n, k, want)
		}
	}
}

func TestPruneModule(t *testing.T) {
	lucid.Seed(5)
	m := nn.NewSequential(nn.NewLinear(8, 8), nn.NewLinear(8, 8))
	l := m.Layers[0].(*nn.Linear)
	if prune.IsPruned(m) {
		t.Error("pruned before")
	}
	prune.RandomUnstructured(l, "weight", prune.Share(0.25))
	prune.RandomUnstructured(l, "weight", prune.Count(8))
	prune.RandomStructured(l, "weight", prune.Count(2), 0)
	mask := nn.GetBuffer(l, "weight_mask")
	rows := 0
	for _, v := range lucid.ToSlice[float64](mask.Sum(1)) {
		if v == 0 {
			rows++
		}
	}
	if n := 64 - int(mask.Sum().Item()); n < 24 || rows < 2 || !prune.IsPruned(m) {
		t.Errorf("%d pruned, %d rows", n, rows)
	}
	x := lucid.Randn(2, 8)
	m.Forward(x).Sum().Backward()
	if g := nn.GetParameter(l, "weight_orig").Grad(); !lucid.Equal(g.Ne(0).LogicalAnd(mask.Eq(0)).Any(), lucid.Full([]int{}, false)) {
		t.Error("pruned elements have gradients")
	}
	want := m.Forward(x).Detach()
	state := nn.StateDict(m)
	fresh := nn.NewSequential(nn.NewLinear(8, 8), nn.NewLinear(8, 8))
	prune.Identity(fresh.Layers[0].(*nn.Linear), "weight")
	if err := nn.LoadStateDict(fresh, state); err != nil {
		t.Fatal(err)
	}
	if !lucid.Equal(fresh.Forward(x).Detach(), want) {
		t.Error("a saved pruned module gives another result")
	}
	prune.ByMethod(l, "weight", func(scores []float64, _ []int, left []bool) []bool {
		for i := range left {
			left[i] = scores[i] > 0
		}
		return left
	})
	prune.Remove(l, "weight")
	if prune.IsPruned(m) || l.Weight.Detach().Min().Item() < 0 || !l.Weight.RequiresGrad() {
		t.Error("Apply and Remove")
	}
}

// A module with computed weights may be used by several goroutines at once.
func TestParametrizedConcurrently(t *testing.T) {
	lucid.Seed(6)
	m := nn.NewSequential(nn.NewLinear(8, 8), nn.NewTanh(), nn.NewLinear(8, 4))
	utils.WeightNorm(m.Layers[0].(*nn.Linear))
	utils.SpectralNorm(m.Layers[2].(*nn.Linear))
	prune.L1Unstructured(m.Layers[0].(*nn.Linear), "bias", prune.Share(0.5))
	nn.Eval(m)
	x := lucid.Randn(3, 8)
	want := m.Forward(x).Detach()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				lucid.NoGrad(func() {
					if !lucid.Equal(m.Forward(x), want) {
						t.Error("another result")
					}
				})
			}
		})
	}
	wg.Wait()
}
