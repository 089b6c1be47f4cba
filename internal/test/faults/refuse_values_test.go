package faults

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// Values that an op cannot mean anything by are the error of the evaluation that needs them.
func TestRefusedValues(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	of := func(v ...float64) *lucid.Tensor { return lucid.New(v, len(v)) }
	draw := func(w *lucid.Tensor, replace bool) func() *lucid.Tensor {
		return func() *lucid.Tensor { return lucid.Multinomial(w, 1, lucid.MultinomialOptions{Replacement: replace}) }
	}
	byName := func(name string, attrs map[string]any, in ...*lucid.Tensor) func() *lucid.Tensor {
		return func() *lucid.Tensor {
			out, err := lucid.Call(name, in, attrs)
			if err != nil {
				t.Fatal(err)
			}
			return out[0]
		}
	}
	axis := map[string]any{"axis": 0}
	cases := map[string]struct {
		f    func() *lucid.Tensor
		says string
	}{
		"multinomial of NaN":        {draw(of(1, nan), false), "multinomial: a value is NaN; a weight"},
		"multinomial of infinity":   {draw(of(1, inf), true), "multinomial: a value is +Inf; a weight"},
		"multinomial of a negative": {draw(of(1, -0.5), true), "multinomial: a value is -0.5; a weight"},
		"multinomial of zeros":      {draw(of(0, 0), false), "multinomial: a value is 0; a distribution needs"},
		"one row of zeros": {draw(lucid.New([]float32{1, 0, 0, 0}, 2, 2), true),
			"multinomial: a value is 0; a distribution needs"},
		"multinomial in bfloat16": {draw(of(1, -1).To(lucid.BFloat16), false), "multinomial: a value is -1"},
		"bernoulli above 1": {func() *lucid.Tensor { return lucid.Bernoulli(of(0.5, 1.5)) },
			"bernoulli: a value is 1.5; a probability"},
		"bernoulli below 0": {func() *lucid.Tensor { return lucid.Bernoulli(of(-0.25).To(lucid.Float16)) },
			"bernoulli: a value is -0.25"},
		"bernoulli of NaN": {func() *lucid.Tensor { return lucid.Bernoulli(of(nan).To(lucid.Float32)) },
			"bernoulli: a value is NaN"},
		"poisson of a negative":          {func() *lucid.Tensor { return lucid.Poisson(of(1, -1)) }, "poisson: a value is -1"},
		"normal of a negative deviation": {func() *lucid.Tensor { return lucid.Normal(0, of(1, -1)) }, "normal: a value is -1"},
		"categorical of NaN":             {byName("categorical", axis, of(0, nan)), "categorical: a value is NaN"},
		"categorical of nothing":         {byName("categorical", axis, of(-inf, -inf)), "categorical: a value is -Inf"},
		"several of nothing": {byName("categorical", map[string]any{"axis": 0, "num_samples": 3}, of(-inf, -inf)),
			"categorical: a value is -Inf"},
		"binary cross entropy above 1": {func() *lucid.Tensor { return F.BinaryCrossEntropy(of(0.5, 1.5), of(0, 1)) },
			"binary_cross_entropy: a value is 1.5; a probability"},
		"binary cross entropy of NaN": {func() *lucid.Tensor {
			return F.BinaryCrossEntropy(of(nan).To(lucid.Float16), of(0).To(lucid.Float16))
		}, "binary_cross_entropy: a value is NaN"},
		"cov by negative counts": {func() *lucid.Tensor {
			return lucid.Cov(of(1, 2), lucid.CovOptions{FWeights: lucid.New([]int64{1, -1}, 2)})
		}, "cov: a value is -1"},
		"cov by negative weights": {func() *lucid.Tensor { return lucid.Cov(of(1, 2), lucid.CovOptions{AWeights: of(1, -1)}) },
			"cov: a value is -1"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			y := c.f() // written down: nothing is known yet
			err := lucid.Eval(y)
			var e *lucid.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v; want %q", err, c.says)
			}
			if err := lucid.Try(func() { lucid.Compile(c.f)().Eval() }); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("compiled: got %v; want %q", err, c.says)
			}
			if err := lucid.Eval(lucid.New([]float64{1, 2}, 2).Add(1)); err != nil {
				t.Errorf("the next evaluation: %v", err)
			}
		})
	}
}

// What looks odd and means something is taken.
func TestTakenValues(t *testing.T) {
	inf := math.Inf(1)
	of := func(v ...float64) *lucid.Tensor { return lucid.New(v, len(v)) }
	if got := lucid.Multinomial(of(0, 3, 0), 1).Item(); got != 1 {
		t.Errorf("the only class with a weight is 1, drew %v", got)
	}
	if got := lucid.ToSlice[float64](lucid.Bernoulli(of(0, 1))); got[0] != 0 || got[1] != 1 {
		t.Errorf("probabilities 0 and 1 gave %v", got)
	}
	out, err := lucid.Call("categorical", []*lucid.Tensor{of(-inf, 2, -inf)}, map[string]any{"axis": 0})
	if err != nil || out[0].Item() != 1 {
		t.Errorf("the only class with a logit is 1: %v %v", out, err)
	}
	if got := lucid.ToSlice[float64](lucid.Normal(of(1, 2), of(0, 0))); got[0] != 1 || got[1] != 2 {
		t.Errorf("without deviation: %v", got)
	}
	if err := lucid.Try(func() { lucid.With{}.Bernoulli(lucid.Scalar(0.5)) }); err != nil {
		t.Error(err)
	}
}
