package nn_test

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

func moments(x *lucid.Tensor) (mean, std float64) {
	return x.Detach().Mean().Item(), x.Detach().Std().Item()
}

// close6 fails where a share seen in n draws is more than six deviations from p.
func close6(t *testing.T, what string, seen, p float64, n int) {
	t.Helper()
	if d := math.Sqrt(p * (1 - p) / float64(n)); math.Abs(seen-p) > 6*d+1e-12 {
		t.Errorf("%s: %v of %d; want %v within %v", what, seen, n, p, 6*d)
	}
}

func zeroShare(x *lucid.Tensor) float64 { return x.Detach().Eq(0).To(lucid.Float32).Mean().Item() }

func TestDropouts(t *testing.T) {
	lucid.Seed(1)
	layers := map[string]struct {
		l     nn.Layer
		shape []int
		units int // what is dropped at once
	}{
		"dropout":   {nn.NewDropout(0.3), []int{100, 200}, 1},
		"dropout1d": {nn.NewDropout1d(0.3), []int{50, 60, 4}, 4},
		"dropout2d": {nn.NewDropout2d(0.3), []int{50, 60, 2, 3}, 6},
		"dropout3d": {nn.NewDropout3d(0.3), []int{50, 60, 1, 2, 2}, 4},
		"drop_path": {nn.NewDropPath(0.3), []int{4000, 2, 2}, 4},
	}
	for name, c := range layers {
		x := lucid.Ones(c.shape...).RequiresGrad_(true)
		y := c.l.Forward(x)
		close6(t, name, zeroShare(y), 0.3, y.NumElement()/c.units)
		y.Sum().Backward()
		if !lucid.Equal(x.Grad(), y.Detach()) {
			t.Errorf("%s: the gradient has another mask", name)
		}
		if m := y.Detach().Max().Item(); math.Abs(m-1/0.7) > 1e-6 {
			t.Errorf("%s: what stays is %v; want %v", name, m, 1/0.7)
		}
		rows := y.Detach().Reshape(-1, c.units)
		if !lucid.Equal(rows.Max(1), rows.Min(1)) {
			t.Errorf("%s: units are not dropped whole", name)
		}
		nn.Eval(c.l)
		if !lucid.Equal(c.l.Forward(x).Detach(), x.Detach()) {
			t.Errorf("%s: evaluation changes x", name)
		}
	}
	for name, l := range map[string]nn.Layer{"alpha": nn.NewAlphaDropout(0.2), "feature alpha": nn.NewFeatureAlphaDropout(0.2)} {
		x := lucid.Randn(300, 200)
		y := l.Forward(x)
		if mean, std := moments(y); math.Abs(mean) > 0.05 || math.Abs(std-1) > 0.05 {
			t.Errorf("%s: mean %v, deviation %v; want 0 and 1", name, mean, std)
		}
		nn.Eval(l)
		if !lucid.Equal(l.Forward(x), x) {
			t.Errorf("%s: evaluation changes x", name)
		}
	}
}

func TestDropBlock(t *testing.T) {
	lucid.Seed(2)
	x := lucid.Ones(40, 10, 20, 20)
	l := nn.NewDropBlock(nn.DropBlockOptions{BlockSize: 3, P: new(0.15)})
	y := l.Forward(x)
	if s := zeroShare(y); s < 0.11 || s > 0.17 {
		t.Errorf("%v dropped; want about 0.15, less what overlaps", s)
	}
	if m := y.Mean().Item(); math.Abs(m-1) > 1e-4 {
		t.Errorf("the mean is %v; want 1", m)
	}
	// Every zero is in a square of zeros.
	dropped := y.Eq(0).To(lucid.Float32)
	whole := F.AvgPool2d(dropped, []int{3}, F.AvgPoolOptions{Stride: []int{1}}).Ge(0.999).To(lucid.Float32)
	near := F.MaxPool2d(F.Pad(whole, []int{2, 2, 2, 2}), []int{3}, F.MaxPoolOptions{Stride: []int{1}})
	if !lucid.Equal(near, dropped) {
		t.Error("zeros do not come in squares")
	}
	nn.Eval(l)
	if !lucid.Equal(l.Forward(x), x) {
		t.Error("evaluation changes x")
	}
}

// The random functions have PyTorch's defaults: with them given they draw the same numbers.
func TestRandomDefaults(t *testing.T) {
	same := func(name string, f, g func(x *lucid.Tensor) *lucid.Tensor, shape ...int) {
		lucid.Seed(3)
		x := lucid.Randn(shape...)
		lucid.Seed(4)
		a := f(x)
		lucid.Seed(4)
		if b := g(x); !lucid.Equal(a, b) {
			t.Errorf("%s: the defaults differ", name)
		}
	}
	p := F.DropoutOptions{P: new(0.5)}
	one := func(f func(*lucid.Tensor, ...F.DropoutOptions) *lucid.Tensor, o ...F.DropoutOptions) func(*lucid.Tensor) *lucid.Tensor {
		return func(x *lucid.Tensor) *lucid.Tensor { return f(x, o...) }
	}
	same("dropout", one(F.Dropout), one(F.Dropout, p), 4, 5)
	same("dropout1d", one(F.Dropout1d), one(F.Dropout1d, p), 4, 5, 2)
	same("dropout2d", one(F.Dropout2d), one(F.Dropout2d, p), 4, 5, 2, 2)
	same("dropout3d", one(F.Dropout3d), one(F.Dropout3d, p), 4, 5, 2, 2, 2)
	same("alpha_dropout", one(F.AlphaDropout), one(F.AlphaDropout, p), 4, 5)
	same("feature_alpha_dropout", one(F.FeatureAlphaDropout), one(F.FeatureAlphaDropout, p), 4, 5, 2)
	same("Dropout", nn.NewDropout().Forward, nn.NewDropout(0.5).Forward, 4, 5)
	same("AlphaDropout", nn.NewAlphaDropout().Forward, nn.NewAlphaDropout(0.5).Forward, 4, 5)
	same("gumbel_softmax", func(x *lucid.Tensor) *lucid.Tensor { return F.GumbelSoftmax(x) },
		func(x *lucid.Tensor) *lucid.Tensor {
			return F.GumbelSoftmax(x, F.GumbelSoftmaxOptions{Tau: 1, Dim: new(-1)})
		}, 4, 5)
	same("RReLU", nn.NewRReLU().Forward, nn.NewRReLU(nn.RReLUOptions{Lower: new(1.0 / 8), Upper: new(1.0 / 3)}).Forward, 4, 5)
	if m := nn.NewTransformer(4, 2, nn.TransformerOptions{DimFeedforward: 4}); len(m.Encoder.Layers) != 6 || len(m.Decoder.Layers) != 6 {
		t.Error("a transformer has six layers of each kind")
	}
}

func TestRReLUDrawsSlopes(t *testing.T) {
	lucid.Seed(5)
	x := lucid.Randn(100, 100).RequiresGrad_(true)
	y := nn.NewRReLU().Forward(x)
	y.Sum().Backward()
	slope := lucid.ToSlice[float64](x.Grad())
	mean, n := 0.0, 0
	for i, v := range lucid.ToSlice[float64](x.Detach()) {
		if v > 0 {
			if slope[i] != 1 {
				t.Fatalf("slope %v at %v", slope[i], v)
			}
			continue
		}
		if slope[i] < 1.0/8 || slope[i] > 1.0/3 {
			t.Fatalf("slope %v at %v; want 1/8 to 1/3", slope[i], v)
		}
		mean += slope[i]
		n++
	}
	if mean /= float64(n); math.Abs(mean-11.0/48) > 0.005 {
		t.Errorf("the mean slope is %v; want %v", mean, 11.0/48)
	}
	if lucid.Try(func() { F.RReLU(x, F.RReLUOptions{Lower: new(0.5), Upper: new(0.1)}) }) == nil {
		t.Error("an empty interval was accepted")
	}
}

// Dropout of attention drops weights, keeps the mean and is off in evaluation.
func TestAttentionDropout(t *testing.T) {
	lucid.Seed(6)
	q, k := lucid.Zeros(1, 2000, 4), lucid.Zeros(1, 10, 4) // every weight is 1/10
	o := F.ScaledDotProductAttentionOptions{}
	o.DropoutP = 0.4
	w := F.ScaledDotProductAttention(q, k, lucid.Eye(10).Unsqueeze(0), o)
	close6(t, "attention", zeroShare(w), 0.4, 20000)
	if m := w.Max().Item(); math.Abs(m-0.1/0.6) > 1e-6 {
		t.Errorf("a weight of %v; want %v", m, 0.1/0.6)
	}
	o.DropoutP = 1.5
	if lucid.Try(func() { F.ScaledDotProductAttention(q, k, k, o) }) == nil {
		t.Error("a share of 1.5 was accepted")
	}
	m := nn.NewMultiheadAttention(8, 2, nn.MultiheadAttentionOptions{Dropout: 0.5, BatchFirst: true})
	x := lucid.Randn(2, 5, 8)
	for _, o := range []nn.AttentionOptions{{}, {NoWeights: true}, {IsCausal: true, NoWeights: true}} {
		nn.Train(m)
		a, _ := m.Forward(x, x, x, o)
		b, _ := m.Forward(x, x, x, o)
		if lucid.Equal(a.Detach(), b.Detach()) {
			t.Errorf("%+v: two passes dropped the same", o)
		}
		nn.Eval(m)
		a, _ = m.Forward(x, x, x, o)
		b, _ = m.Forward(x, x, x, o)
		if !lucid.Equal(a.Detach(), b.Detach()) {
			t.Errorf("%+v: evaluation is random", o)
		}
	}
}
