package nn_test

import (
	"errors"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/quant"
)

// TestQuantizeLearned asserts that a small trained model loses less by GPTQ and by AWQ than by rounding to the nearest level.
func TestQuantizeLearned(t *testing.T) {
	lucid.Seed(7)
	const k = 64
	build := func() *nn.Sequential {
		return nn.NewSequential(nn.NewLinear(k, 128), nn.NewReLU(), nn.NewLinear(128, 64), nn.NewReLU(), nn.NewLinear(64, 8))
	}
	size := lucid.Arange(k).To(lucid.Float32).Mul(0.7).Sin().Mul(1.5).Exp()
	data := func(rows int) (x, y *lucid.Tensor) {
		common := lucid.Randn(rows, 4).MatMul(lucid.Ones(4, k).Mul(0.7))
		x = lucid.Randn(rows, k).Add(common).Mul(size).Eval()
		y = x.Narrow(1, 0, 8).Sin().Add(x.Narrow(1, 30, 8).Tanh()).Eval()
		return x, y
	}
	x, y := data(512)
	m := build()
	opt := optim.NewAdam(nn.Parameters(m), optim.AdamOptions{LR: 3e-3})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		loss := functional.MSELoss(m.Forward(x), y)
		loss.Backward()
		opt.Step()
		return loss
	})
	for range 60 {
		step(x, y)
	}
	testX, testY := data(256)
	loss := func(m *nn.Sequential) float64 { return functional.MSELoss(m.Forward(testX), testY).Item() }
	copied := func() *nn.Sequential {
		c := build()
		nn.LoadStateDict(c, nn.StateDict(m))
		return c
	}
	o := quant.Options{Bits: 3, GroupSize: 32}
	plain := copied()
	nn.Quantize(plain, o, nil)
	exact, nearest := loss(m), loss(plain)
	for _, method := range []string{"gptq", "awq"} {
		c := copied()
		if n := nn.QuantizeLearned(c, nn.LearnedOptions{Options: o, Method: method}, func() { c.Forward(x) }); n != 3 {
			t.Errorf("%s: %d layers", method, n)
		}
		l := loss(c)
		t.Logf("%s: loss %.4f; float32 %.4f, nearest levels %.4f", method, l, exact, nearest)
		for _, part := range c.Layers {
			if q, ok := part.(*nn.QuantizedLinear); ok {
				q.Fast = true
			}
		}
		if fast := loss(c); math.Abs(fast-l) > 0.01*l {
			t.Errorf("%s: the loss is %v, by fast products %v", method, l, fast)
		}
		if !(l-exact < 0.9*(nearest-exact)) {
			t.Errorf("%s: the loss is %v; that of the nearest levels %v, of float32 %v", method, l, nearest, exact)
		}
	}
	c := copied()
	n := nn.QuantizeLearned(c, nn.LearnedOptions{Recipe: func(name string, _ nn.Module) (quant.Options, bool) {
		return quant.Options{Bits: map[string]int{"0": 8, "2": 2}[name]}, name != "4"
	}}, func() {})
	a, b := c.Layers[0].(*nn.QuantizedLinear), c.Layers[2].(*nn.QuantizedLinear)
	if _, stays := c.Layers[4].(*nn.Linear); n != 2 || a.Options.Bits != 8 || b.Options.Bits != 2 || !stays {
		t.Errorf("%d layers of %d and %d bits by the recipe", n, a.Options.Bits, b.Options.Bits)
	}
	for name, f := range map[string]func(){
		"method": func() { nn.QuantizeLearned(c, nn.LearnedOptions{Method: "best"}, func() {}) },
		"rows":   func() { nn.QuantizeLearned(c, nn.LearnedOptions{Rows: -1}, func() {}) },
	} {
		if err := lucid.Try(f); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
