package functional_test

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

func f64(v ...float64) *lucid.Tensor { return lucid.New(v, len(v)) }

func same(t *testing.T, what string, got *lucid.Tensor, want ...float64) {
	t.Helper()
	v := lucid.ToSlice[float64](got.Detach())
	if len(v) != len(want) {
		t.Fatalf("%s: %v; want %v", what, v, want)
	}
	for i := range v {
		if math.Abs(v[i]-want[i]) > 1e-6*(1+math.Abs(want[i])) {
			t.Errorf("%s: %v; want %v", what, v, want)
			return
		}
	}
}

// Functions without a counterpart in PyTorch or MLX: values by hand, gradients by differences.
func TestValues(t *testing.T) {
	e := math.E
	same(t, "symlog", F.Symlog(f64(e-1, 0, 1-e)), 1, 0, -1)
	same(t, "symexp", F.Symexp(f64(1, 0, -1)), e-1, 0, 1-e)
	same(t, "scaled_noise", F.ScaledNoise(f64(4, -9, 0)), 2, -3, 0)
	same(t, "two_hot", F.TwoHot(f64(0.25, 2, 9, -1), f64(0, 1, 3)), 0.75, 0.25, 0, 0, 0.5, 0.5, 0, 0, 1, 1, 0, 0)
	book := lucid.New([]float64{0, 0, 1, 1, 5, 5}, 3, 2)
	x := lucid.New([]float64{0.9, 0.8, 4, 6, -1, 0}, 3, 2)
	same(t, "nearest_codebook", F.NearestCodebook(x, book), 1, 2, 0)
	y, codes := F.VectorQuantize(x, book)
	same(t, "vector_quantize", y, 1, 1, 5, 5, 0, 0)
	same(t, "codes", codes, 1, 2, 0)
	logits := lucid.New([]float64{1, 2, 3, 1, 0, 0}, 2, 3)
	same(t, "accuracy", F.Accuracy(logits, lucid.New([]int64{2, 1}, 2)), 0.5)
	same(t, "correct_count", F.CorrectCount(logits, lucid.New([]int64{2, 0}, 2)), 2)
	same(t, "accuracy of dim 0", F.Accuracy(logits, lucid.New([]int64{0, 0, 1}, 3), F.ClassOptions{Dim: new(0)}), 2.0/3)
	w, b := lucid.New([]float64{1, -1}, 1, 2), f64(0.5)
	same(t, "fused_linear_relu", F.FusedLinearReLU(lucid.New([]float64{1, 3, 3, 1}, 2, 2), w, F.LinearOptions{Bias: b}), 0, 2.5)
	same(t, "fused_linear_gelu", F.FusedLinearGELU(lucid.New([]float64{3, 1}, 1, 2), w, F.FusedLinearGELUOptions{Bias: b}),
		F.GELU(f64(2.5), F.GELUOptions{Approximate: "tanh"}).Item())
	noisy := F.NoisyLinear(lucid.New([]float64{1, 2}, 1, 2), w, lucid.New([]float64{0.5, 0.5}, 1, 2),
		F.NoisyLinearOptions{BiasMu: b, BiasSigma: f64(2), EpsilonIn: f64(1, -1), EpsilonOut: f64(3)})
	same(t, "noisy_linear", noisy, 1*(1+1.5)+2*(-1-1.5)+0.5+6)
	same(t, "noisy_linear without noise", F.NoisyLinear(lucid.New([]float64{1, 2}, 1, 2), w, w), -1)
	table := F.SinusoidalEmbedding2d(2, 3, 8, 100)
	same(t, "sinusoidal_embedding_2d", table.At(4), math.Sin(1), math.Cos(1), math.Sin(0.1), math.Cos(0.1), math.Sin(1), math.Cos(1),
		math.Sin(0.1), math.Cos(0.1))
	same(t, "position (1, 2)", table.At(5).At(lucid.Range{Start: 4, Stop: 6}), math.Sin(2), math.Cos(2))
	img := lucid.New([]float64{3, 4, 0, 0, 6, 8, 0, 0}, 1, 2, 2, 2) // lengths 5 and 10, their mean 7.5
	grn := F.GlobalResponseNorm(img, f64(1, 2), f64(0, 1), F.GlobalResponseNormOptions{Eps: new(0.0)})
	same(t, "global_response_norm", grn, 3+2, 4+8.0/3, 0, 0, 6+16+1, 8+64.0/3+1, 1, 1)
}

func TestGradients(t *testing.T) {
	lucid.Seed(1)
	w := lucid.With{DType: lucid.Float64}
	for name, c := range map[string]struct {
		f  func(in []*lucid.Tensor) *lucid.Tensor
		in []*lucid.Tensor
	}{
		"symlog":           {func(in []*lucid.Tensor) *lucid.Tensor { return F.Symlog(in[0]) }, []*lucid.Tensor{w.Randn(5)}},
		"symexp":           {func(in []*lucid.Tensor) *lucid.Tensor { return F.Symexp(in[0]) }, []*lucid.Tensor{w.Randn(5)}},
		"relu2":            {func(in []*lucid.Tensor) *lucid.Tensor { return F.ReLU2(in[0]) }, []*lucid.Tensor{w.Randn(5)}},
		"gelu_fast_approx": {func(in []*lucid.Tensor) *lucid.Tensor { return F.GELUFastApprox(in[0]) }, []*lucid.Tensor{w.Randn(5)}},
		"log_cosh_loss": {func(in []*lucid.Tensor) *lucid.Tensor { return F.LogCoshLoss(in[0], in[1]) },
			[]*lucid.Tensor{w.Randn(5), w.Randn(5)}},
		"hinge_loss": {func(in []*lucid.Tensor) *lucid.Tensor { return F.HingeLoss(in[0], in[1]) },
			[]*lucid.Tensor{w.Randn(5), w.Randn(5)}},
		"cosine_loss": {func(in []*lucid.Tensor) *lucid.Tensor { return F.CosineSimilarityLoss(in[0], in[1]) },
			[]*lucid.Tensor{w.Randn(3, 4), w.Randn(3, 4)}},
		"global_response_norm": {func(in []*lucid.Tensor) *lucid.Tensor { return F.GlobalResponseNorm(in[0], in[1], in[2]) },
			[]*lucid.Tensor{w.Randn(2, 3, 2, 2), w.Randn(3), w.Randn(3)}},
		"two_hot": {func(in []*lucid.Tensor) *lucid.Tensor { return F.TwoHot(in[0], f64(-2, -0.5, 1, 4)) }, []*lucid.Tensor{w.Rand(5)}},
		"rotary": {func(in []*lucid.Tensor) *lucid.Tensor { return F.ApplyRotaryEmb(in[0], in[1], in[2]) },
			[]*lucid.Tensor{w.Randn(2, 3, 4), w.Randn(3, 4), w.Randn(3, 4)}},
	} {
		if err := lucid.GradCheck(func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{c.f(in)} }, c.in); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// In-place forms show what the others return, and gradients pass.
func TestInPlace(t *testing.T) {
	lucid.Seed(2)
	for name, c := range map[string]struct {
		plain, in func(x *lucid.Tensor) *lucid.Tensor
	}{
		"relu": {F.ReLU, F.ReLU_},
		"selu": {F.SELU, F.SELU_},
		"elu":  {func(x *lucid.Tensor) *lucid.Tensor { return F.ELU(x) }, func(x *lucid.Tensor) *lucid.Tensor { return F.ELU_(x) }},
		"leaky_relu": {func(x *lucid.Tensor) *lucid.Tensor { return F.LeakyReLU(x) },
			func(x *lucid.Tensor) *lucid.Tensor { return F.LeakyReLU_(x) }},
		"hardtanh": {func(x *lucid.Tensor) *lucid.Tensor { return F.Hardtanh(x) },
			func(x *lucid.Tensor) *lucid.Tensor { return F.Hardtanh_(x) }},
		"threshold": {func(x *lucid.Tensor) *lucid.Tensor { return F.Threshold(x, 0.1, 2) },
			func(x *lucid.Tensor) *lucid.Tensor { return F.Threshold_(x, 0.1, 2) }},
		"rrelu": {func(x *lucid.Tensor) *lucid.Tensor { return F.RReLU(x) }, func(x *lucid.Tensor) *lucid.Tensor { return F.RReLU_(x) }},
	} {
		a, b := lucid.Randn(3, 4).RequiresGrad_(true), lucid.Zeros(3, 4)
		b.Assign(a.Detach())
		b.RequiresGrad_(true)
		c.plain(a.Mul(2)).Square().Sum().Backward()
		y := b.Mul(2)
		if z := c.in(y); z != y {
			t.Errorf("%s: another tensor came back", name)
		}
		y.Square().Sum().Backward()
		if !lucid.Equal(a.Grad(), b.Grad()) {
			t.Errorf("%s: the gradients differ", name)
		}
	}
}

func TestRotaryPositions(t *testing.T) {
	lucid.Seed(3)
	x, cos, sin := lucid.Randn(2, 3, 4, 6), lucid.Randn(9, 6), lucid.Randn(9, 6)
	ids := lucid.New([]int64{3, 0, 8, 5, 1, 1, 2, 7}, 2, 4)
	y := F.ApplyRotaryEmb(x, cos, sin, F.ApplyRotaryEmbOptions{PositionIDs: ids})
	for b := range 2 {
		at := ids.At(b)
		want := F.ApplyRotaryEmb(x.At(b), cos.At(at), sin.At(at))
		if !lucid.AllClose(y.At(b), want) {
			t.Errorf("example %d differs", b)
		}
	}
	if !lucid.Equal(F.ApplyRotaryEmb(x, cos, sin), F.ApplyRotaryEmb(x, cos.At(lucid.Range{Stop: 4}), sin.At(lucid.Range{Stop: 4}))) {
		t.Error("without positions the first rows are taken")
	}
}

func TestRefusals(t *testing.T) {
	m := lucid.Zeros(2, 3)
	w := F.MultiheadAttentionOptions{InProjWeight: lucid.Zeros(12, 4), OutProjWeight: lucid.Zeros(4, 4)}
	q := lucid.Zeros(3, 2, 4)
	with := func(change func(o *F.MultiheadAttentionOptions)) func() {
		return func() {
			o := w
			change(&o)
			F.MultiheadAttentionForward(q, q, q, 2, o)
		}
	}
	for name, f := range map[string]func(){
		"two option structs":  func() { F.Dropout(m, F.DropoutOptions{}, F.DropoutOptions{}) },
		"drop_path":           func() { F.DropPath(lucid.Zeros()) },
		"drop_block shape":    func() { F.DropBlock(m) },
		"drop_block size":     func() { F.DropBlock(lucid.Zeros(1, 1, 3, 3)) },
		"drop_block share":    func() { F.DropBlock(lucid.Zeros(1, 1, 9, 9), F.DropBlockOptions{P: new(2.0)}) },
		"fractional: no size": func() { F.FractionalMaxPool2d(lucid.Zeros(1, 4, 4), []int{2}, F.FractionalMaxPoolOptions{}) },
		"fractional: too many": func() {
			F.FractionalMaxPool2d(lucid.Zeros(1, 4, 4), []int{2}, F.FractionalMaxPoolOptions{OutputSize: []int{4}})
		},
		"fractional: ratio": func() {
			F.FractionalMaxPool2d(lucid.Zeros(1, 4, 4), []int{2}, F.FractionalMaxPoolOptions{OutputRatio: []float64{1.5}})
		},
		"fractional: rank": func() {
			F.FractionalMaxPool3d(lucid.Zeros(1, 4), []int{2}, F.FractionalMaxPoolOptions{OutputSize: []int{2}})
		},
		"fractional: samples": func() {
			F.FractionalMaxPool2d(lucid.Zeros(1, 4, 4), []int{2}, F.FractionalMaxPoolOptions{OutputSize: []int{2}, RandomSamples: m})
		},
		"two_hot":           func() { F.TwoHot(m, m) },
		"codebook":          func() { F.NearestCodebook(m, lucid.Zeros(2, 2)) },
		"accuracy":          func() { F.Accuracy(m, lucid.Zeros(3)) },
		"noise":             func() { F.NoisyLinear(m, m, m, F.NoisyLinearOptions{EpsilonIn: m}) },
		"grid":              func() { F.SinusoidalEmbedding2d(2, 2, 6, 100) },
		"heads":             func() { F.ALiBiSlopes(0) },
		"reduction":         func() { F.HingeLoss(m, m, F.LossOptions{Reduction: "max"}) },
		"response":          func() { F.GlobalResponseNorm(m, m, m) },
		"attention: heads":  func() { F.MultiheadAttentionForward(q, q, q, 3, w) },
		"attention: groups": with(func(o *F.MultiheadAttentionOptions) { o.NumKVHeads = 3 }),
		"attention: in":     with(func(o *F.MultiheadAttentionOptions) { o.InProjWeight = nil }),
		"attention: out":    with(func(o *F.MultiheadAttentionOptions) { o.OutProjWeight = nil }),
		"attention: share":  with(func(o *F.MultiheadAttentionOptions) { o.DropoutP = 2 }),
		"attention: mask":   with(func(o *F.MultiheadAttentionOptions) { o.AttnMask = m }),
		"attention: pad":    with(func(o *F.MultiheadAttentionOptions) { o.KeyPaddingMask = lucid.Zeros(3, 3) }),
		"attention: static": with(func(o *F.MultiheadAttentionOptions) { o.StaticK = m }),
		"attention: batch":  func() { F.MultiheadAttentionForward(q, lucid.Zeros(3, 1, 4), lucid.Zeros(3, 1, 4), 2, w) },
	} {
		if lucid.Try(f) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestMultiMarginLossOfOneRow: a list of one class with a row has a list of one loss; a number is a row of one class, whose loss is 0.
func TestMultiMarginLossOfOneRow(t *testing.T) {
	row, none := f64(0.5, 1, -1), F.MultiMarginLossOptions{Reduction: "none"}
	l := F.MultiMarginLoss(row, lucid.New([]int64{1}, 1), none)
	if l.Dim() != 1 {
		t.Errorf("%v", l)
	}
	same(t, "a row", l, 0.5/3)
	one := F.MultiMarginLoss(lucid.Of(0.7).To(lucid.Float64), lucid.Of(0), none)
	if one.Dim() != 0 {
		t.Errorf("%v", one)
	}
	same(t, "one class", one.Unsqueeze(0), 0)
}
