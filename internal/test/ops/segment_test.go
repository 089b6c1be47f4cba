package ops

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestSegmentReduceRefuses: lengths that do not fit are typed errors, of the call or of the evaluation.
func TestSegmentReduceRefuses(t *testing.T) {
	x := tensortest.Uniform(-1, 1, 5)
	of := func(v ...int64) *lucid.Tensor { return lucid.New(v, len(v)) }
	sum := map[string]any{"reduce": "sum"}
	for name, c := range map[string]struct {
		in    []*lucid.Tensor
		attrs map[string]any
	}{
		"short":    {[]*lucid.Tensor{x, of(2, 2)}, sum},
		"long":     {[]*lucid.Tensor{x, of(2, 4)}, sum},
		"neither":  {[]*lucid.Tensor{x}, sum},
		"both":     {[]*lucid.Tensor{x, of(5), of(0, 5)}, sum},
		"name":     {[]*lucid.Tensor{x, of(5)}, map[string]any{"reduce": "amax"}},
		"floats":   {[]*lucid.Tensor{x, x}, sum},
		"rank":     {[]*lucid.Tensor{x, of(2, 3).Unsqueeze(0)}, sum},
		"integers": {[]*lucid.Tensor{of(1, 2), of(2)}, sum},
	} {
		out, err := lucid.Call("segment_reduce", c.in, c.attrs)
		if err == nil {
			err = lucid.Eval(out...)
		}
		var e *lucid.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if y := x.SegmentReduce("sum", of(2, 3)); !lucid.AllClose(y.Sum(), x.Sum()) {
		t.Errorf("%v of %v", y, x)
	}
}

// TestSamplersByName: the in-place form by name draws what the method does, and has PyTorch's defaults.
func TestSamplersByName(t *testing.T) {
	for name, c := range map[string]struct {
		attrs  map[string]any
		method func(x *lucid.Tensor) *lucid.Tensor
	}{
		"cauchy_":      {map[string]any{"median": 1.0, "sigma": 2.0}, func(x *lucid.Tensor) *lucid.Tensor { return x.Cauchy_(1, 2) }},
		"exponential_": {nil, func(x *lucid.Tensor) *lucid.Tensor { return x.Exponential_(1) }},
		"log_normal_":  {nil, func(x *lucid.Tensor) *lucid.Tensor { return x.LogNormal_(1, 2) }},
		"geometric_":   {map[string]any{"p": 0.3}, func(x *lucid.Tensor) *lucid.Tensor { return x.Geometric_(0.3) }},
	} {
		x := lucid.Zeros(4, 5)
		lucid.Seed(3)
		out, err := lucid.Call(name, []*lucid.Tensor{x}, c.attrs)
		if err != nil || out[0] != x {
			t.Errorf("%s: %v", name, err)
			continue
		}
		x.Eval()
		lucid.Seed(3)
		if want := c.method(lucid.Zeros(4, 5)); !lucid.Equal(x, want) {
			t.Errorf("%s: %v\nwant %v", name, x, want)
		}
	}
}

// TestEinsumOfBools: products stay bools; a sum of products has no meaning for them.
func TestEinsumOfBools(t *testing.T) {
	x := lucid.New([]bool{true, false, true, true}, 2, 2)
	if err := lucid.Try(func() { lucid.Einsum("ij,jk->ik", x, x) }); !errors.Is(err, lucid.ErrDType) {
		t.Errorf("%v", err)
	}
	if y := lucid.Einsum("ij,ij->ij", x, x); !lucid.Equal(y, x) || x.DType() != lucid.Bool {
		t.Errorf("%v", y)
	}
}
