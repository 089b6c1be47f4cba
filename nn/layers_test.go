package nn_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

func TestAdaptiveLogSoftmax(t *testing.T) {
	lucid.Seed(1)
	m := nn.NewAdaptiveLogSoftmaxWithLoss(6, 10, []int{2, 5})
	x := lucid.Randn(20, 6)
	p := m.LogProb(x).Detach()
	if s := p.Exp().Sum(1); !lucid.AllClose(s, lucid.Ones(20), lucid.CloseOptions{ATol: new(1e-5)}) {
		t.Errorf("probabilities add up to %v", s)
	}
	if !lucid.Equal(m.Predict(x), p.ArgMax(1)) {
		t.Error("Predict")
	}
	target := lucid.RandInt(0, 10, 20)
	y, loss := m.Forward(x, target)
	want := p.Gather(1, target.Unsqueeze(1)).Squeeze(1)
	if !lucid.AllClose(y.Detach(), want, lucid.CloseOptions{ATol: new(1e-5)}) || math.Abs(loss.Item()+want.Mean().Item()) > 1e-5 {
		t.Error("Forward and LogProb differ")
	}
	if y, _ := m.Forward(x.At(lucid.Range{Stop: 2}), lucid.New([]int64{3, 10}, 2)); math.IsNaN(y.At(0).Item()) ||
		!math.IsNaN(y.At(1).Item()) {
		t.Error("a class that is none must show")
	}
}

func TestFractionalDraws(t *testing.T) {
	lucid.Seed(2)
	l := nn.NewFractionalMaxPool2d([]int{2}, F.FractionalMaxPoolOptions{OutputRatio: []float64{0.6}})
	x := lucid.Randn(2, 3, 10, 10)
	seen := map[string]bool{}
	for range 5 {
		y, at := l.ForwardIndices(x)
		if fmt.Sprint(y.Shape()) != "[2 3 6 6]" {
			t.Fatalf("shape %v", y.Shape())
		}
		if !lucid.Equal(x.Reshape(2, 3, 100).Gather(2, at.Reshape(2, 3, 36)).Reshape(2, 3, 6, 6), y) {
			t.Error("the indices do not lead to the elements")
		}
		seen[fmt.Sprint(lucid.ToSlice[int](at))] = true
	}
	if len(seen) < 2 {
		t.Error("windows are not random")
	}
}

func TestSmallLayers(t *testing.T) {
	lucid.Seed(3)
	x := lucid.Randn(2, 3, 4, 4)
	g := nn.NewGlobalResponseNorm(3)
	if !lucid.Equal(g.Forward(x).Detach(), x) {
		t.Error("a fresh global response norm passes x through")
	}
	if !lucid.Equal(nn.NewReLU2().Forward(x), F.ReLU2(x)) || !lucid.Equal(nn.NewStep(0.5).Forward(x), x.Gt(0.5).To(lucid.Float32)) {
		t.Error("ReLU2 or Step")
	}
	p := nn.NewSinusoidalEmbedding2d(2, 3, 8)
	if got := p.Forward(lucid.Zeros(1, 6, 8)); !lucid.Equal(got.At(0), F.SinusoidalEmbedding2d(2, 3, 8, 10000)) {
		t.Error("SinusoidalEmbedding2d")
	}
	if len(nn.StateDict(p).Names()) != 0 {
		t.Error("a fixed table is saved")
	}
	e := nn.NewEmbedding(7, 4)
	v := lucid.Randn(5, 4)
	if !lucid.AllClose(e.AsLinear(v).Detach(), v.MatMul(e.Weight.Detach().Transpose(0, 1))) {
		t.Error("AsLinear")
	}
	a, b := nn.NewTimestepEmbedding(6, 4), nn.NewTimestepEmbedding(6, 4, nn.TimestepEmbeddingOptions{SinFirst: true})
	if err := nn.LoadStateDict(b, nn.StateDict(a)); err != nil {
		t.Fatal(err)
	}
	if lucid.Equal(a.Forward(lucid.Ones(2)).Detach(), b.Forward(lucid.Ones(2)).Detach()) {
		t.Error("SinFirst is ignored")
	}
	for name, f := range map[string]func(){
		"rotary":     func() { nn.NewRotaryEmbedding(5, 4) },
		"long":       func() { nn.NewRotaryEmbedding(4, 2).Forward(lucid.Zeros(3, 4), lucid.Zeros(3, 4)) },
		"rope":       func() { nn.NewRoPE(3) },
		"rope short": func() { nn.NewRoPE(4).Forward(lucid.Zeros(3, 2)) },
		"encoding":   func() { nn.NewSinusoidalPositionalEncoding(3) },
		"grid":       func() { p.Forward(lucid.Zeros(5, 8)) },
		"alibi":      func() { nn.NewALiBi().Forward(lucid.Zeros(3, 3), nil) },
		"cutoffs":    func() { nn.NewAdaptiveLogSoftmaxWithLoss(4, 5, []int{3, 2}) },
		"no cutoffs": func() { nn.NewAdaptiveLogSoftmaxWithLoss(4, 5, nil) },
		"max norm": func() {
			m := nn.NewEmbedding(3, 2, nn.EmbeddingOptions{MaxNorm: new(1.0)})
			nn.RegisterParametrization(m, "weight", &exponential{}, nn.ParametrizationOptions{Unsafe: true})
			m.Forward(lucid.New([]int64{0}, 1))
		},
	} {
		if lucid.Try(f) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// The weights of a loss are buffers: they follow the module, and are saved.
func TestLossWeights(t *testing.T) {
	l := nn.NewCrossEntropyLoss(F.CrossEntropyOptions{Weight: lucid.New([]float32{1, 2, 3}, 3)})
	nn.To(l, lucid.Float64)
	if l.Weight.DType() != lucid.Float64 || nn.StateDict(l).Get("weight") == nil {
		t.Error("the weight is no buffer")
	}
	x, y := lucid.With{DType: lucid.Float64}.Randn(4, 3), lucid.New([]int64{0, 1, 2, 1}, 4)
	if got, want := l.Forward(x, y), F.CrossEntropy(x, y, F.CrossEntropyOptions{Weight: l.Weight}); !lucid.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
	if err := nn.LoadStateDict(nn.NewCrossEntropyLoss(), nn.StateDict(l)); !errors.Is(err, lucid.ErrFormat) {
		t.Errorf("a weight where there is none: %v", err)
	}
}

// Hooks see packed sequences too.
func TestPackedHooks(t *testing.T) {
	m := nn.NewGRU(3, 2)
	p := nn.PackPaddedSequence(lucid.Randn(4, 2, 3), []int{4, 2})
	calls := 0
	nn.RegisterForwardPreHook(m, func(_ nn.Module, in []*lucid.Tensor) []*lucid.Tensor {
		calls++
		return []*lucid.Tensor{in[0].Mul(0), in[1]}
	})
	nn.RegisterForwardHook(m, func(_ nn.Module, _, out []*lucid.Tensor) []*lucid.Tensor { calls++; return nil })
	a, _ := m.ForwardPacked(p, nil)
	p.Data = p.Data.Mul(3)
	b, _ := m.ForwardPacked(p, nil)
	if calls != 4 || !lucid.Equal(a.Data.Detach(), b.Data.Detach()) {
		t.Errorf("%d calls; the hook's input is not used", calls)
	}
}

// Lazy layers are made by a state as by an input.
func TestLazyFromState(t *testing.T) {
	lucid.Seed(4)
	grouped := nn.ConvOptions{Groups: 2}
	full := nn.NewSequential(nn.NewConv2d(4, 6, []int{3}, grouped), nn.NewBatchNorm2d(6), nn.NewConvTranspose2d(6, 2, []int{2}),
		nn.NewInstanceNorm2d(2, nn.InstanceNormOptions{Affine: true}), nn.NewFlatten(), nn.NewLinear(2*5*5, 3))
	lazy := func() *nn.Sequential {
		return nn.NewSequential(nn.NewLazyConv2d(6, []int{3}, grouped), nn.NewLazyBatchNorm2d(), nn.NewLazyConvTranspose2d(2, []int{2}),
			nn.NewLazyInstanceNorm2d(nn.InstanceNormOptions{Affine: true}), nn.NewFlatten(), nn.NewLazyLinear(3))
	}
	x := lucid.Randn(2, 4, 6, 6)
	full.Forward(x) // fills the statistics
	nn.Eval(full)
	want := full.Forward(x)
	m := lazy()
	if !m.Layers[0].(*nn.Lazy[*nn.Conv2d]).HasUninitializedParameters() || len(nn.Parameters(m)) != 0 {
		t.Error("made too early")
	}
	if err := nn.LoadStateDict(m, nn.StateDict(full)); err != nil {
		t.Fatal(err)
	}
	nn.Eval(m)
	if !lucid.Equal(m.Forward(x).Detach(), want.Detach()) {
		t.Error("another result")
	}
	n := lazy()
	n.Forward(x)
	if err := nn.LoadStateDict(n, nn.StateDict(full)); err != nil {
		t.Fatal(err)
	}
	d := nn.StateDict(full)
	d.Delete("5.weight")
	if err := nn.LoadStateDict(lazy(), d); !errors.Is(err, lucid.ErrFormat) {
		t.Errorf("a hole: %v", err)
	}
}

// Gradients by differences, in reverse and forward mode, and second ones, through layers made of many ops.
func TestGradCheckLayers(t *testing.T) {
	lucid.Seed(5)
	w := lucid.With{DType: lucid.Float64}
	rnn := nn.RNNOptions{NumLayers: 2, Bidirectional: true, DType: lucid.Float64}
	lstm, gru, elman := nn.NewLSTM(2, 2, rnn), nn.NewGRU(2, 2, rnn), nn.NewRNN(2, 2, rnn)
	att := nn.NewMultiheadAttention(4, 2, nn.MultiheadAttentionOptions{DType: lucid.Float64})
	frac := F.FractionalMaxPoolOptions{OutputSize: []int{2}, RandomSamples: w.Rand(1, 1, 2)}
	soft := nn.NewAdaptiveLogSoftmaxWithLoss(4, 6, []int{2, 4}, nn.AdaptiveLogSoftmaxOptions{DivValue: 2, DType: lucid.Float64})
	target := lucid.New([]int64{0, 3, 5}, 3)
	for name, c := range map[string]struct {
		f func(x *lucid.Tensor) *lucid.Tensor
		x *lucid.Tensor
	}{
		"lstm": {func(x *lucid.Tensor) *lucid.Tensor {
			y, _, c := lstm.Forward(x, nil, nil)
			return y.Sum().Add(c.Sum())
		}, w.Randn(3, 2, 2)},
		"gru": {func(x *lucid.Tensor) *lucid.Tensor { y, _ := gru.Forward(x, nil); return y }, w.Randn(3, 2, 2)},
		"rnn": {func(x *lucid.Tensor) *lucid.Tensor { y, _ := elman.Forward(x, nil); return y }, w.Randn(3, 2, 2)},
		"attention": {func(x *lucid.Tensor) *lucid.Tensor {
			y, p := att.Forward(x, x, x)
			return y.Sum().Add(p.Square().Sum())
		}, w.Randn(3, 2, 4)},
		"fast attention": {func(x *lucid.Tensor) *lucid.Tensor {
			y, _ := att.Forward(x, x, x, nn.AttentionOptions{NoWeights: true, IsCausal: true})
			return y
		}, w.Randn(3, 2, 4)},
		"fractional": {func(x *lucid.Tensor) *lucid.Tensor { return F.FractionalMaxPool2d(x, []int{2}, frac) }, w.Randn(1, 1, 5, 5)},
		"adaptive":   {func(x *lucid.Tensor) *lucid.Tensor { _, l := soft.Forward(x, target); return l }, w.Randn(3, 4)},
	} {
		f := func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{c.f(in[0])} }
		if err := lucid.GradCheck(f, []*lucid.Tensor{c.x}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := lucid.GradGradCheck(f, []*lucid.Tensor{c.x}); err != nil {
			t.Errorf("%s, second: %v", name, err)
		}
	}
}

// An LSTM over an extra axis, and its gradient there, are those of each example.
func TestLSTMVMap(t *testing.T) {
	lucid.Seed(7)
	m := nn.NewLSTM(3, 2, nn.RNNOptions{Bidirectional: true})
	f := func(x *lucid.Tensor) *lucid.Tensor {
		y, h, c := m.Forward(x, nil, nil)
		return y.Square().Sum().Add(h.Sum()).Add(c.Sum())
	}
	x := lucid.Randn(4, 5, 2, 3)
	all, grads := lucid.VMap(f)(x), lucid.VMap(lucid.Grad(f))(x)
	for i := range 4 {
		if !lucid.AllClose(all.At(i).Detach(), f(x.At(i)).Detach(), lucid.CloseOptions{ATol: new(1e-5)}) ||
			!lucid.AllClose(grads.At(i), lucid.Grad(f)(x.At(i)), lucid.CloseOptions{ATol: new(1e-5)}) {
			t.Errorf("example %d differs", i)
		}
	}
}

func TestMistakesAreFoundEarly(t *testing.T) {
	for name, f := range map[string]func(){
		"padding":          func() { nn.NewConv2d(3, 8, []int{3}, nn.ConvOptions{Padding: "sam"}) },
		"same and strides": func() { nn.NewConv2d(3, 8, []int{3}, nn.ConvOptions{Padding: "same", Stride: []int{2}}) },
		"padding list":     func() { nn.NewConv1d(3, 8, []int{3}, nn.ConvOptions{Padding: []int{1, 1}}) },
	} {
		if err := lucid.Try(f); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	inner := nn.NewSequential(nn.NewReLU(), nn.NewLinear(7, 2))
	err := lucid.Try(func() { nn.NewSequential(nn.NewLinear(4, 8), inner).Forward(lucid.Zeros(2, 4)) })
	const want = "lucid: linear: input [2 8] has 8 features, weight [2 7] takes 7; want input (…, in) and weight (out, in); in layer 1, " +
		"*nn.Linear; in layer 1, *nn.Sequential"
	if err == nil || err.Error() != want || !errors.Is(err, lucid.ErrShapeMismatch) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if err := lucid.Try(func() { nn.NewBatchNorm1d(3).Forward(lucid.Zeros(2, 3, 4, 5)) }); err == nil ||
		!strings.Contains(err.Error(), "want 2 or 3 dimensions") {
		t.Error(err)
	}
}
