package faults

import (
	"errors"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestRefuses makes calls that PyTorch refuses, one of each kind its own tests of ops have: each is a typed error.
func TestRefuses(t *testing.T) {
	f := func(s ...int) *lucid.Tensor { return lucid.Ones(s...) }
	ints := func(s ...int) *lucid.Tensor { return lucid.With{DType: lucid.Int64}.Zeros(s...) }
	wide := func(s ...int) *lucid.Tensor { return lucid.With{DType: lucid.Float64}.Ones(s...) }
	type at = map[string]any
	for name, c := range map[string]struct {
		op    string
		in    []*lucid.Tensor
		attrs at
	}{
		"no output size":      {"adaptive_avg_pool2d", []*lucid.Tensor{f(1, 2, 3, 4)}, at{"output_size": []int{}}},
		"no output size, max": {"adaptive_max_pool1d", []*lucid.Tensor{f(1, 2, 3)}, at{"output_size": []int{}}},
		"window too long": {"max_pool1d", []*lucid.Tensor{f(2, 10, 4)},
			at{"kernel_size": math.MaxInt32, "stride": math.MaxInt32, "dilation": math.MaxInt32, "ceil_mode": true}},
		"window overflows": {"max_pool1d", []*lucid.Tensor{f(2, 10, 4)},
			at{"kernel_size": 1 << 62, "stride": 1 << 62, "dilation": 1 << 62, "ceil_mode": true}},
		"average window overflows": {"avg_pool2d", []*lucid.Tensor{f(1, 2, 4, 4)}, at{"kernel_size": math.MaxInt64, "stride": 2}},
		"window of nothing":        {"max_pool2d", []*lucid.Tensor{f(1, 2, 0, 4)}, at{"kernel_size": 1}},
		"stride of nothing": {"max_unpool3d", []*lucid.Tensor{f(1, 1, 4, 4, 4), ints(1, 1, 4, 4, 4)},
			at{"kernel_size": 3, "stride": []int{0}}},
		"fold of nothing":        {"fold", []*lucid.Tensor{ints(4, 1)}, at{"kernel_size": []int{1 << 62}, "output_size": []int{1 << 62}}},
		"bias of floats":         {"conv1d", []*lucid.Tensor{ints(1, 1, 4), ints(1, 1, 2), wide(1)}, nil},
		"complex bias":           {"conv2d", []*lucid.Tensor{f(2, 4, 4), f(3, 2, 3, 3), f(3).To(lucid.Complex64)}, nil},
		"points of many numbers": {"histogramdd", []*lucid.Tensor{f(2, 1<<28)}, nil},
		"bins beyond all memory": {"histc", []*lucid.Tensor{f(3)}, at{"bins": 1 << 40}},
		"handles without end":    {"unbind", []*lucid.Tensor{f(1 << 40)}, nil},
		"parts without end":      {"split", []*lucid.Tensor{f(1 << 40)}, at{"split_size_or_sections": 1}},
		"a length that wraps":    {"narrow", []*lucid.Tensor{f(4)}, at{"dim": 0, "start": 1, "length": math.MaxInt64}},
		"a table without end":    {"rotate", []*lucid.Tensor{f(1, 1, 1<<20, 1<<22)}, at{"angle": 3.0}},
		"angles without end":     {"rope", []*lucid.Tensor{f(1, 1, 1<<40, 4)}, at{"dims": 4}},
		"steps without end":      {"rnn_forward", []*lucid.Tensor{f(1<<40, 1, 2), f(2, 2), f(2, 2), f(1, 2)}, nil},
		"pixels without end":     {"interpolate", []*lucid.Tensor{f(1, 1, 1<<40)}, at{"size": []int{3}, "mode": "linear"}},
		"targets without end":    {"ctc_loss", []*lucid.Tensor{f(4, 1, 3), ints(2), ints(1).Add(4), ints(1).Add(1 << 50)}, nil},
		"a dtype for a number":   {"sum", []*lucid.Tensor{f(4)}, at{"dim": lucid.Float32}},
		"padding that wraps":     {"pad", []*lucid.Tensor{f(4)}, at{"pad": []int{math.MaxInt64, math.MaxInt64}}},
		"negative rtol":          {"isclose", []*lucid.Tensor{f(), f()}, at{"rtol": -0.4}},
		"NaN atol":               {"isclose", []*lucid.Tensor{f(), f()}, at{"atol": math.NaN()}},
		"margin below 0":         {"triplet_margin_loss", []*lucid.Tensor{f(3, 4), f(3, 4), f(3, 4)}, at{"margin": -1.0}},
		"complex fill":           {"masked_fill", []*lucid.Tensor{f(2, 2), lucid.New([]bool{true}, 1)}, at{"value": 1i}},
		"wider source":           {"scatter", []*lucid.Tensor{f(3, 5), ints(2, 2), wide(2, 5)}, at{"dim": 0}},
		"floats added to ints":   {"index_add", []*lucid.Tensor{ints(3), ints(3), f(3)}, at{"dim": 0}},
		"index out of rank":      {"gather", []*lucid.Tensor{f(2, 2), ints(2)}, at{"dim": 1}},
		"k too large":            {"kthvalue", []*lucid.Tensor{f(10)}, at{"k": 11}},
		"odd sizes":              {"matmul", []*lucid.Tensor{f(2, 3), f(2, 3)}, nil},
		"empty median of ints":   {"median", []*lucid.Tensor{ints(0)}, nil},
		"empty max":              {"amax", []*lucid.Tensor{f(0)}, nil},
		"two times a dim":        {"sum", []*lucid.Tensor{f(2, 2)}, at{"dim": []int{0, -2}}},
		"no such dim":            {"softmax", []*lucid.Tensor{f(2)}, at{"dim": 3}},
		"negative size":          {"narrow", []*lucid.Tensor{f(4)}, at{"dim": 0, "start": 1, "length": -2}},
		"view of other size":     {"reshape", []*lucid.Tensor{f(4)}, at{"shape": []int{3}}},
		"two unknown sizes":      {"reshape", []*lucid.Tensor{f(4)}, at{"shape": []int{-1, -1}}},
		"ints differentiated":    {"diff", []*lucid.Tensor{f()}, nil},
	} {
		out, err := lucid.Call(c.op, c.in, c.attrs)
		if err == nil {
			err = lucid.Eval(out...)
		}
		var typed *lucid.Error
		if !errors.As(err, &typed) {
			t.Errorf("%s: %s gives %v, %v", name, c.op, out, err)
		}
	}
	if _, err := lucid.Call("max_pool1d", []*lucid.Tensor{f(1, 2, 3)},
		at{"kernel_size": 1 << 30, "stride": 1 << 30, "padding": 1 << 29}); err != nil {
		t.Errorf("one wide window: %v", err)
	}
}

// TestSlopesAtEdges checks gradients where a rule's parts overflow or are not numbers.
func TestSlopesAtEdges(t *testing.T) {
	nan := float32(math.NaN())
	slope := func(f func(*lucid.Tensor) *lucid.Tensor, x ...float32) []float32 {
		return lucid.ToSlice[float32](lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return f(x).Sum() })(lucid.New(x, len(x))))
	}
	for name, c := range map[string]struct{ got, want []float32 }{
		"pow":    {slope(func(x *lucid.Tensor) *lucid.Tensor { return x.Pow(x.Detach().Mul(0)) }, 1e-40, 2), []float32{0, 0}},
		"max":    {slope(func(x *lucid.Tensor) *lucid.Tensor { return x.Max() }, nan, 1), []float32{1, 0}},
		"median": {slope(func(x *lucid.Tensor) *lucid.Tensor { m, _ := lucid.Median(x); return m }, nan, 1, nan), []float32{0.5, 0, 0.5}},
	} {
		for i := range c.want {
			if c.got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", name, c.got, c.want)
				break
			}
		}
	}
	for _, s := range slope((*lucid.Tensor).Sinc, 1e30, 1e-40, -1e-40, 0) {
		if !(math.Abs(float64(s)) < 1e-29) {
			t.Errorf("sinc: %v", s)
		}
	}
	if x := (lucid.With{DType: lucid.Float32}).RandInt(0, 3, 5); x.DType() != lucid.Float32 {
		t.Errorf("%v", x)
	}
	yes := lucid.New([]bool{true, false}, 2)
	if out, err := lucid.Call("addr", []*lucid.Tensor{lucid.With{DType: lucid.Bool}.Zeros(2, 2), yes, yes},
		map[string]any{"alpha": 2, "beta": 3}); err != nil || out[0].DType() != lucid.Bool || !lucid.ItemAs[bool](out[0].At(0, 0)) {
		t.Errorf("addr of bools: %v, %v", out, err)
	}
	out, err := lucid.Call("randint", nil, map[string]any{"high": 3, "size": []int{50}, "dtype": lucid.Float16})
	if err != nil || out[0].DType() != lucid.Float16 || out[0].Max().Item() > 2 {
		t.Errorf("%v, %v", out, err)
	}
}

// Bounds that are no integers, dtypes that do not exist and probabilities near zero.
func TestRefusedNumbers(t *testing.T) {
	for what, f := range map[string]func(){
		"a fraction as a bound": func() { lucid.RandInt(0, 1.5, 3) }, "NaN as a bound": func() { lucid.RandInt(0, math.NaN(), 3) },
		"a complex bound":   func() { lucid.RandInt(0, 2i, 3) },
		"a dtype by number": func() { lucid.Ones(4).ViewDType(lucid.DType(99)) }, "its limits": func() { lucid.FInfo(lucid.DType(99)) },
	} {
		var e *lucid.Error
		if err := lucid.Try(f); !errors.As(err, &e) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// past int64 but for one in 10¹⁰
	if n := lucid.ToSlice[float64](lucid.With{DType: lucid.Float64}.Zeros(1).Geometric_(1e-25))[0]; n < 1e15 || math.IsInf(n, 0) {
		t.Errorf("trials up to a success of probability 1e-25: %g", n)
	}
}
