package docs_test

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/distributions"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/random"
)

func Example_distributionsData() {
	lucid.Seed(3)
	x := lucid.Linspace(-1.0, 1.0, 64)
	y := x.Mul(2.0).Sub(1.0).Add(distributions.NewNormal(0.0, 0.5).Sample(64))
	fmt.Println(x.Shape(), y.Shape())
	// Output: [64] [64]
}

func Example_distributionsRegression() {
	lucid.Seed(3)
	x := lucid.Linspace(-1.0, 1.0, 64)
	y := x.Mul(2.0).Sub(1.0).Add(distributions.NewNormal(0.0, 0.5).Sample(64))

	// The posterior of slope and offset is approximated by independent normal distributions.
	loc := lucid.Zeros(2).RequiresGrad_(true)
	raw := lucid.Zeros(2).RequiresGrad_(true)
	positive := distributions.TransformTo(distributions.Positive)
	posterior := func() *distributions.Normal { return distributions.NewNormal(loc, positive.Forward(raw)) }
	prior := distributions.NewNormal(lucid.Zeros(2), 10.0)

	opt := optim.NewAdam([]*lucid.Tensor{loc, raw}, optim.AdamOptions{LR: 0.05})
	for range 400 {
		q := posterior()
		w := q.RSample(16) // 16 pairs; gradients pass to loc and raw
		line := w.At(lucid.Colon, lucid.Range{Start: 0, Stop: 1}).Mul(x).Add(w.At(lucid.Colon, lucid.Range{Start: 1, Stop: 2}))
		fit := distributions.NewNormal(line, 0.5).LogProb(y).Sum(-1).Mean()
		loss := distributions.KL(q, prior).Sum().Sub(fit)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
	}

	// With a known noise the posterior is normal: its mean solves the normal equations, its spread is noise/√(Σx²).
	n, xx, xy, sum := 64.0, x.Square().Sum().Item(), x.Mul(y).Sum().Item(), y.Sum().Item()
	mean, spread := []float64{xy / xx, sum / n}, []float64{0.5 / math.Sqrt(xx), 0.5 / math.Sqrt(n)}
	q := posterior()
	for i := range 2 {
		near := math.Abs(q.Loc.At(i).Item()-mean[i]) < 0.05
		wide := math.Abs(q.Scale.At(i).Item()/spread[i]-1) < 0.3
		fmt.Println(near, wide)
	}
	// Output:
	// true true
	// true true
}

func Example_distributionsPredict() {
	q := distributions.NewNormal(lucid.New([]float32{2, -1}, 2), lucid.New([]float32{0.1, 0.06}, 2))
	keys := random.Keys(random.Key(1), 2)
	w := q.SampleKey(keys[0], 4000)
	at := lucid.Scalar(0.5)
	line := w.At(lucid.Colon, 0).Mul(at).Add(w.At(lucid.Colon, 1))
	y := distributions.NewNormal(line, 0.5).SampleKey(keys[1])
	low, high := lucid.Quantile(y, 0.05).Item(), lucid.Quantile(y, 0.95).Item()
	fmt.Printf("90 %% of the values at x = 0.5 are between %.1f and %.1f\n", low, high)
	// Output: 90 % of the values at x = 0.5 are between -0.8 and 0.8
}
