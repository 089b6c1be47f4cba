package distributions_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/distributions"
	"github.com/lucid-go/lucid/random"
)

// TestMixtureOfSupports: components that end at different numbers. A value is inside if one of them can have it; the others add nothing to
// its density.
func TestMixtureOfSupports(t *testing.T) {
	weights := distributions.NewCategorical(distributions.CategoricalOptions{Probs: f64s(1, 3)})
	for name, c := range map[string]struct {
		d          distributions.Distribution
		at         []float64
		prob, area []float64
		outside    float64
	}{
		"Uniform": {distributions.NewUniform(f64s(0, 1), f64s(2, 5)), []float64{0.5, 1.5, 4},
			[]float64{0.125, 0.3125, 0.1875}, []float64{0.0625, 0.28125, 0.8125}, 5.5},
		"Pareto": {distributions.NewPareto(f64s(1, 2), f64s(1, 2)), []float64{1, 1.5, 4},
			[]float64{0.25, 0.25 / 2.25, 0.25/16 + 0.75*8/64}, []float64{0, 0.25 / 3, 0.25*0.75 + 0.75*0.75}, 0.5},
		"GeneralizedPareto": {distributions.NewGeneralizedPareto(f64s(0, 1), 1.0, f64s(-1, -1)), []float64{0.5, 0.75, 1.75},
			[]float64{0.25, 0.25, 0.75}, []float64{0.125, 0.1875, 0.8125}, 2.5},
		"Binomial": {distributions.NewBinomial(distributions.BinomialOptions{TotalCount: f64s(1, 2), Probs: f64s(0.5, 0.5)}),
			[]float64{0, 1, 2}, []float64{0.3125, 0.5, 0.1875}, []float64{0.3125, 0.8125, 1}, 3},
	} {
		d := distributions.NewMixtureSameFamily(weights, c.d)
		x := f64s(c.at...).RequiresGrad_(true)
		lp := d.LogProb(x)
		near := func(what string, got *lucid.Tensor, want []float64) {
			if !lucid.AllClose(got, f64s(want...), lucid.CloseOptions{ATol: new(1e-12)}) {
				t.Errorf("%s: %s at %v is %v, want %v", name, what, c.at, got, want)
			}
		}
		near("density", lp.Exp(), c.prob)
		near("CDF", d.CDF(x), c.area)
		if lp.RequiresGrad() {
			lp.Sum().Backward()
		}
		if g := x.Grad(); g != nil && !lucid.ItemAs[bool](g.IsFinite().All()) {
			t.Errorf("%s: gradient %v", name, g)
		}
		if s := d.SampleKey(random.Key(1), 50); !lucid.ItemAs[bool](d.LogProb(s).IsFinite().All()) {
			t.Errorf("%s: a sample has no density", name)
		}
		if lp := d.LogProb(c.at[0]); lp.Dim() != 0 || math.Abs(math.Exp(lp.Item())-c.prob[0]) > 1e-6 {
			t.Errorf("%s: density of a number %v, want %v", name, lp, c.prob[0])
		}
		if err := lucid.Try(func() { d.LogProb(c.outside) }); err == nil || !strings.Contains(err.Error(), "the value is") {
			t.Errorf("%s: outside of all components: %v", name, err)
		}
		many := d.Expand(2, 3)
		if s := many.SampleKey(random.Key(1)); !slices.Equal(many.LogProb(s).Shape(), []int{2, 3}) {
			t.Errorf("%s: expanded: %v", name, many)
		}
	}
	boxes := distributions.NewIndependent(distributions.NewUniform(lucid.Zeros(2, 3), lucid.New([]float64{1, 1, 1, 2, 2, 2}, 2, 3)), 1)
	d := distributions.NewMixtureSameFamily(weights, boxes)
	if got := distributions.Prob(d, lucid.New([]float64{0.5, 0.5, 0.5, 0.5, 0.5, 1.5}, 2, 3)); !lucid.AllClose(got,
		f64s(0.25+0.75/8, 0.75/8)) {
		t.Errorf("boxes: %v", got)
	}
}
