package lucid

import (
	"errors"
	"math"
	"testing"
)

// TestRefuses makes calls that PyTorch refuses, one of each kind its own tests of ops have: each is a typed error.
func TestRefuses(t *testing.T) {
	f := func(s ...int) *Tensor { return Ones(s...) }
	ints := func(s ...int) *Tensor { return With{DType: Int64}.Zeros(s...) }
	wide := func(s ...int) *Tensor { return With{DType: Float64}.Ones(s...) }
	type at = map[string]any
	for name, c := range map[string]struct {
		op    string
		in    []*Tensor
		attrs at
	}{
		"no output size":           {"adaptive_avg_pool2d", []*Tensor{f(1, 2, 3, 4)}, at{"output_size": []int{}}},
		"no output size, max":      {"adaptive_max_pool1d", []*Tensor{f(1, 2, 3)}, at{"output_size": []int{}}},
		"window too long":          {"max_pool1d", []*Tensor{f(2, 10, 4)}, at{"kernel_size": math.MaxInt32, "stride": math.MaxInt32, "dilation": math.MaxInt32, "ceil_mode": true}},
		"window overflows":         {"max_pool1d", []*Tensor{f(2, 10, 4)}, at{"kernel_size": 1 << 62, "stride": 1 << 62, "dilation": 1 << 62, "ceil_mode": true}},
		"average window overflows": {"avg_pool2d", []*Tensor{f(1, 2, 4, 4)}, at{"kernel_size": math.MaxInt64, "stride": 2}},
		"window of nothing":        {"max_pool2d", []*Tensor{f(1, 2, 0, 4)}, at{"kernel_size": 1}},
		"stride of nothing":        {"max_unpool3d", []*Tensor{f(1, 1, 4, 4, 4), ints(1, 1, 4, 4, 4)}, at{"kernel_size": 3, "stride": []int{0}}},
		"fold of nothing":          {"fold", []*Tensor{ints(4, 1)}, at{"kernel_size": []int{1 << 62}, "output_size": []int{1 << 62}}},
		"bias of floats":           {"conv1d", []*Tensor{ints(1, 1, 4), ints(1, 1, 2), wide(1)}, nil},
		"complex bias":             {"conv2d", []*Tensor{f(2, 4, 4), f(3, 2, 3, 3), f(3).To(Complex64)}, nil},
		"points of many numbers":   {"histogramdd", []*Tensor{f(2, 1<<28)}, nil},
		"bins beyond all memory":   {"histc", []*Tensor{f(3)}, at{"bins": 1 << 40}},
		"handles without end":      {"unbind", []*Tensor{f(1 << 40)}, nil},
		"parts without end":        {"split", []*Tensor{f(1 << 40)}, at{"split_size_or_sections": 1}},
		"a length that wraps":      {"narrow", []*Tensor{f(4)}, at{"dim": 0, "start": 1, "length": math.MaxInt64}},
		"a table without end":      {"rotate", []*Tensor{f(1, 1, 1<<20, 1<<22)}, at{"angle": 3.0}},
		"angles without end":       {"rope", []*Tensor{f(1, 1, 1<<40, 4)}, at{"dims": 4}},
		"steps without end":        {"rnn_forward", []*Tensor{f(1<<40, 1, 2), f(2, 2), f(2, 2), f(1, 2)}, nil},
		"pixels without end":       {"interpolate", []*Tensor{f(1, 1, 1<<40)}, at{"size": []int{3}, "mode": "linear"}},
		"targets without end":      {"ctc_loss", []*Tensor{f(4, 1, 3), ints(2), ints(1).Add(4), ints(1).Add(1 << 50)}, nil},
		"a dtype for a number":     {"sum", []*Tensor{f(4)}, at{"dim": Float32}},
		"padding that wraps":       {"pad", []*Tensor{f(4)}, at{"pad": []int{math.MaxInt64, math.MaxInt64}}},
		"negative rtol":            {"isclose", []*Tensor{f(), f()}, at{"rtol": -0.4}},
		"NaN atol":                 {"isclose", []*Tensor{f(), f()}, at{"atol": math.NaN()}},
		"margin below 0":           {"triplet_margin_loss", []*Tensor{f(3, 4), f(3, 4), f(3, 4)}, at{"margin": -1.0}},
		"complex fill":             {"masked_fill", []*Tensor{f(2, 2), New([]bool{true}, 1)}, at{"value": 1i}},
		"wider source":             {"scatter", []*Tensor{f(3, 5), ints(2, 2), wide(2, 5)}, at{"dim": 0}},
		"floats added to ints":     {"index_add", []*Tensor{ints(3), ints(3), f(3)}, at{"dim": 0}},
		"index out of rank":        {"gather", []*Tensor{f(2, 2), ints(2)}, at{"dim": 1}},
		"k too large":              {"kthvalue", []*Tensor{f(10)}, at{"k": 11}},
		"odd sizes":                {"matmul", []*Tensor{f(2, 3), f(2, 3)}, nil},
		"empty median of ints":     {"median", []*Tensor{ints(0)}, nil},
		"empty max":                {"amax", []*Tensor{f(0)}, nil},
		"two times a dim":          {"sum", []*Tensor{f(2, 2)}, at{"dim": []int{0, -2}}},
		"no such dim":              {"softmax", []*Tensor{f(2)}, at{"dim": 3}},
		"negative size":            {"narrow", []*Tensor{f(4)}, at{"dim": 0, "start": 1, "length": -2}},
		"view of other size":       {"reshape", []*Tensor{f(4)}, at{"shape": []int{3}}},
		"two unknown sizes":        {"reshape", []*Tensor{f(4)}, at{"shape": []int{-1, -1}}},
		"ints differentiated":      {"diff", []*Tensor{f()}, nil},
	} {
		out, err := Call(c.op, c.in, c.attrs)
		if err == nil {
			err = Eval(out...)
		}
		var typed *Error
		if !errors.As(err, &typed) {
			t.Errorf("%s: %s gives %v, %v", name, c.op, out, err)
		}
	}
	if _, err := Call("max_pool1d", []*Tensor{f(1, 2, 3)}, at{"kernel_size": 1 << 30, "stride": 1 << 30, "padding": 1 << 29}); err != nil {
		t.Errorf("one wide window: %v", err)
	}
}

// TestSlopesAtEdges checks gradients where a rule's parts overflow or are not numbers.
func TestSlopesAtEdges(t *testing.T) {
	nan := float32(math.NaN())
	slope := func(f func(*Tensor) *Tensor, x ...float32) []float32 {
		return ToSlice[float32](Grad(func(x *Tensor) *Tensor { return f(x).Sum() })(New(x, len(x))))
	}
	for name, c := range map[string]struct{ got, want []float32 }{
		"pow":    {slope(func(x *Tensor) *Tensor { return x.Pow(x.Detach().Mul(0)) }, 1e-40, 2), []float32{0, 0}},
		"max":    {slope(func(x *Tensor) *Tensor { return x.Max() }, nan, 1), []float32{1, 0}},
		"median": {slope(func(x *Tensor) *Tensor { m, _ := Median(x); return m }, nan, 1, nan), []float32{0.5, 0, 0.5}},
	} {
		for i := range c.want {
			if c.got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", name, c.got, c.want)
				break
			}
		}
	}
	for _, s := range slope((*Tensor).Sinc, 1e30, 1e-40, -1e-40, 0) {
		if !(math.Abs(float64(s)) < 1e-29) {
			t.Errorf("sinc: %v", s)
		}
	}
	if x := (With{DType: Float32}).RandInt(0, 3, 5); x.DType() != Float32 {
		t.Errorf("%v", x)
	}
	yes := New([]bool{true, false}, 2)
	if out, err := Call("addr", []*Tensor{With{DType: Bool}.Zeros(2, 2), yes, yes}, map[string]any{"alpha": 2, "beta": 3}); err != nil || out[0].DType() != Bool || !ItemAs[bool](out[0].At(0, 0)) {
		t.Errorf("addr of bools: %v, %v", out, err)
	}
	out, err := Call("randint", nil, map[string]any{"high": 3, "size": []int{50}, "dtype": Float16})
	if err != nil || out[0].DType() != Float16 || out[0].Max().Item() > 2 {
		t.Errorf("%v, %v", out, err)
	}
}

// Bounds that are no integers, dtypes nobody declared and probabilities near zero.
func TestRefusedNumbers(t *testing.T) {
	for what, f := range map[string]func(){
		"a fraction as a bound": func() { RandInt(0, 1.5, 3) }, "NaN as a bound": func() { RandInt(0, math.NaN(), 3) }, "a complex bound": func() { RandInt(0, 2i, 3) },
		"a dtype by number": func() { Ones(4).ViewDType(DType(99)) }, "its limits": func() { FInfo(DType(99)) },
	} {
		var e *Error
		if err := Try(f); !errors.As(err, &e) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if n := ToSlice[float64](With{DType: Float64}.Zeros(1).Geometric_(1e-25))[0]; n < 1e15 || math.IsInf(n, 0) { // past int64 but for one in 10¹⁰
		t.Errorf("trials up to a success of probability 1e-25: %g", n)
	}
}
