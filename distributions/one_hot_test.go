package distributions_test

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/distributions"
	"github.com/lucid-go/lucid/random"
)

// TestStraightThrough: samples are those of the plain distribution, the gradient is that of the probabilities. Numbers by PyTorch 2.15.
func TestStraightThrough(t *testing.T) {
	logits := lucid.New([]float64{0.2, -0.3, 0.5, 4, 1, 3}, 2, 3).RequiresGrad_(true)
	plain := distributions.NewOneHotCategorical(distributions.CategoricalOptions{Logits: logits})
	d := distributions.NewOneHotCategoricalStraightThrough(distributions.CategoricalOptions{Logits: logits})
	key := random.Key(5)
	x := d.RSampleKey(key, 1)
	if !d.HasRSample() || !lucid.AllClose(x, plain.SampleKey(key, 1)) {
		t.Fatalf("samples %v, want %v", x, plain.SampleKey(key, 1))
	}
	x.Mul(lucid.With{DType: lucid.Float64}.Arange(6).Reshape(2, 3)).Sum().Backward()
	want := lucid.New([]float64{-0.3783, -0.0243, 0.4026, -0.3909, 0.0157, 0.3752}, 2, 3)
	if !lucid.AllClose(logits.Grad(), want, lucid.CloseOptions{ATol: new(1e-4)}) {
		t.Errorf("gradient %v, want %v", logits.Grad(), want)
	}
	half := distributions.NewOneHotCategorical(distributions.CategoricalOptions{Logits: logits.Mul(0.5)})
	if kl := distributions.KL(d, half); !lucid.AllClose(kl, lucid.New([]float64{0.0119, 0.0727}, 2), lucid.CloseOptions{ATol: new(1e-4)}) {
		t.Errorf("divergence %v", kl)
	}
	expanded(t, d, []int{2}, []int{3})
}
