package masked_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/masked"
)

type options struct {
	Dim        []int
	KeepDim    bool
	Along      *int
	Correction *float64
	Ord        string
}

type goldenFile struct {
	X     []float64
	Masks map[string][]int
	Cases []struct {
		Op, Mask string
		Options  options
		Shape    []int
		Out      []any
		Grad     []any
	}
}

// reductions are the functions by the names of torch.masked.
var reductions = map[string]func(e masked.Elements, o ...lucid.ReduceOptions) *lucid.Tensor{
	"sum": masked.Elements.Sum, "prod": masked.Elements.Prod, "mean": masked.Elements.Mean, "amax": masked.Elements.Amax,
	"amin": masked.Elements.Amin, "logsumexp": masked.Elements.LogSumExp,
}

func call(op string, x, m *lucid.Tensor, o options) *lucid.Tensor {
	all := lucid.ReduceOptions{Dim: o.Dim, KeepDim: o.KeepDim}
	if f := reductions[op]; f != nil {
		return f(masked.Over(x, m), all)
	}
	one := lucid.ArgOptions{Dim: o.Along, KeepDim: o.KeepDim}
	spread := lucid.VarOptions{Dim: o.Dim, KeepDim: o.KeepDim, Correction: o.Correction}
	switch op {
	case "var":
		return masked.Over(x, m).Var(spread)
	case "std":
		return masked.Over(x, m).Std(spread)
	case "norm":
		ord, _ := strconv.ParseFloat(o.Ord, 64)
		return masked.Over(x, m).Norm(ord, all)
	case "softmax":
		return masked.Over(x, m).Softmax(*o.Along)
	case "log_softmax":
		return masked.Over(x, m).LogSoftmax(*o.Along)
	case "softmin":
		return masked.Over(x, m).Softmin(*o.Along)
	case "cumsum":
		return masked.Over(x, m).CumSum(*o.Along)
	case "cumprod":
		return masked.Over(x, m).CumProd(*o.Along)
	case "argmax":
		return masked.Over(x, m).ArgMax(one)
	case "argmin":
		return masked.Over(x, m).ArgMin(one)
	case "median":
		return masked.Over(x, m).Median(one)
	case "normalize":
		return masked.Over(x, m).Normalize(2, *o.Along, 0)
	}
	panic(op)
}

func number(v any) float64 {
	switch v := v.(type) {
	case nil:
		return math.NaN()
	case string:
		f, _ := strconv.ParseFloat(v, 64)
		return f
	}
	return v.(float64)
}

func same(got []float64, want []any) bool {
	for i, v := range want {
		w, g := number(v), got[i]
		if math.IsNaN(w) != math.IsNaN(g) || g != w && !math.IsNaN(w) && !(math.Abs(g-w) <= 1e-12*(1+math.Abs(w))) {
			return false
		}
	}
	return len(got) == len(want)
}

// TestGolden compares values and gradients with torch.masked.
func TestGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/torch.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var f goldenFile
	if err := json.NewDecoder(z).Decode(&f); err != nil {
		t.Fatal(err)
	}
	if len(f.Cases) < 400 {
		t.Fatalf("%d cases", len(f.Cases))
	}
	x := lucid.New(f.X, 3, 4, 5)
	for _, c := range f.Cases {
		m := lucid.New(f.Masks[c.Mask], len(f.Masks[c.Mask])).Ne(0)
		if m.NumElement() == 60 {
			m = m.Reshape(3, 4, 5)
		}
		y := call(c.Op, x, m, c.Options)
		if !slices.Equal(y.Shape(), c.Shape) || !same(lucid.ToSlice[float64](y), c.Out) {
			t.Errorf("%s %s %+v: %v; want %v", c.Op, c.Mask, c.Options, y, c.Out)
		}
		if c.Grad == nil {
			continue
		}
		g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
			y := call(c.Op, x, m, c.Options)
			w := lucid.With{DType: lucid.Float64}.Arange(y.NumElement()).Reshape(y.Shape()...).Mul(0.25).Sub(1)
			return lucid.Where(y.IsFinite(), y, 0).Mul(w).Sum()
		})(x)
		got := lucid.ToSlice[float64](g)
		for i, w := range c.Grad { // PyTorch's gradient by a variance of too few is NaN, though its cotangent is 0
			if w == nil && got[i] == 0 {
				got[i] = math.NaN()
			}
		}
		if !same(got, c.Grad) {
			t.Errorf("%s %s %+v: gradient %v; want %v", c.Op, c.Mask, c.Options, g, c.Grad)
		}
	}
}

// TestEdges: what the golden file has otherwise, or cannot have.
func TestEdges(t *testing.T) {
	inf := math.Inf(1)
	x := lucid.New([]float64{5, -inf, -inf, math.NaN()}, 4)
	m := lucid.New([]bool{false, false, true, false}, 4)
	if i := masked.Over(x, m).ArgMax().Item(); i != 2 {
		t.Errorf("the only element that takes part is 2, not %v", i)
	}
	if v := masked.Over(x, m).Amax().Item(); v != -inf {
		t.Error(v)
	}
	ints := lucid.New([]int32{3, 9, 4}, 3)
	seen := lucid.New([]bool{true, false, true}, 3)
	if v := masked.Over(ints, seen).Amax(); v.Item() != 4 || v.DType() != lucid.Int32 {
		t.Error(v)
	}
	none := lucid.New([]bool{false}, 1)
	if v := masked.Over(ints, none).Amin().Item(); v != math.MaxInt32 {
		t.Error(v)
	}
	if v := masked.Over(ints, seen).Sum().Item(); v != 7 {
		t.Error(v)
	}
	if v := masked.Over(x, m.LogicalNot().LogicalAnd(x.Eq(5))).Norm(-1).Item(); v != 5 {
		t.Errorf("a norm of a negative order is %v", v)
	}
	a, b := lucid.New([]float64{1, 2}, 2), lucid.New([]float64{3, 4}, 2)
	got := masked.Over(a, lucid.New([]bool{true, false}, 2)).Logaddexp(masked.Over(b, lucid.New([]bool{false, false}, 2)))
	if v := lucid.ToSlice[float64](got); v[0] != 1 || v[1] != -inf {
		t.Error(v)
	}
	for name, f := range map[string]struct {
		f    func()
		kind error
	}{
		"no mask":        {func() { masked.Over(x, nil).Sum() }, lucid.ErrDType},
		"numbers":        {func() { masked.Over(x, x).Sum() }, lucid.ErrDType},
		"shape":          {func() { masked.Over(x, seen).Sum() }, lucid.ErrShapeMismatch},
		"mean of ints":   {func() { masked.Over(ints, seen).Mean() }, lucid.ErrDType},
		"var of ints":    {func() { masked.Over(ints, seen).Var() }, lucid.ErrDType},
		"median of ints": {func() { masked.Over(ints, seen).Median() }, lucid.ErrDType},
		"complex":        {func() { masked.Over(a.To(lucid.Complex64), none).Amax() }, lucid.ErrDType},
		"complex min":    {func() { masked.Over(a.To(lucid.Complex64), none).Amin() }, lucid.ErrDType},
		"two options":    {func() { masked.Over(a, none).ArgMax(lucid.ArgOptions{}, lucid.ArgOptions{}) }, lucid.ErrValue},
		"shapes":         {func() { masked.Over(a, none).Logaddexp(masked.Over(x, none)) }, lucid.ErrShapeMismatch},
	} {
		if err := lucid.Try(f.f); !errors.Is(err, f.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
