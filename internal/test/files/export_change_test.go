package files

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// remember writes a row of a cache and counts the calls, in place.
func remember(x, cache, count *lucid.Tensor) *lucid.Tensor {
	cache.Assign(lucid.Cat([]*lucid.Tensor{cache.Narrow(0, 1, cache.Size(0)-1), x.Unsqueeze(0)}, 0))
	count.Assign(count.Add(1))
	return cache.Mean(0).Mul(count)
}

// TestExportChanges: a function that changes its arguments does so from a file.
func TestExportChanges(t *testing.T) {
	for what, cache := range map[string]any{"fixed": lucid.Zeros(4, 3), "open": lucid.OpenDims(lucid.Zeros(4, 3), 0)} {
		f, _, err := throughFile(remember, lucid.Zeros(3), cache, lucid.Zeros())
		if err != nil {
			t.Fatal(what, err)
		}
		if s := f.Signatures()[0]; len(s.Changes) != 2 || s.Changes[0] != 1 || s.Changes[1] != 2 {
			t.Errorf("%s changes %v", what, s.Changes)
		}
		call := func(in ...*lucid.Tensor) *lucid.Tensor {
			out, err := f.Call(in...)
			if err != nil {
				t.Fatal(what, err)
			}
			return out[0]
		}
		compiled := lucid.Compile(func(x, c, n *lucid.Tensor) *lucid.Tensor { return call(x, c, n) })
		for name, run := range map[string]func(x, c, n *lucid.Tensor) *lucid.Tensor{
			"call": func(x, c, n *lucid.Tensor) *lucid.Tensor { return call(x, c, n) }, "compiled": compiled} {
			a, b, n, m := lucid.Zeros(4, 3), lucid.Zeros(4, 3), lucid.Zeros(), lucid.Zeros()
			for k := range 6 {
				x := lucid.Full([]int{3}, float64(k))
				sameValue(t, what+" "+name, run(x, a, n), remember(x, b, m))
				sameValue(t, what+" "+name, a, b)
				sameValue(t, what+" "+name, n, m)
			}
		}
	}
	// Gradients pass through what was changed.
	scale := func(x, y *lucid.Tensor) *lucid.Tensor { y.Mul_(x); return x }
	f, _, err := throughFile(scale, lucid.Zeros(2), lucid.Zeros(2))
	if err != nil {
		t.Fatal(err)
	}
	g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
		y := lucid.Full([]int{2}, 3.0)
		if _, err := f.Call(x, y); err != nil {
			t.Fatal(err)
		}
		return y.Square().Sum()
	})(lucid.New([]float32{1, 2}, 2))
	sameValue(t, "gradient", g, lucid.New([]float32{18, 36}, 2))
}

// TestExportChangesRefused: what a file cannot hold is refused by name, and so is a call that would do something else.
func TestExportChangesRefused(t *testing.T) {
	_, _, err := throughFile(func(x *lucid.Tensor) *lucid.Tensor { rebound(x, lucid.Ones(3)); return x }, lucid.Zeros(2, 3))
	if !errors.Is(err, lucid.ErrNotImplemented) || !strings.Contains(err.Error(), "argument tensor 0") {
		t.Error(err)
	}
	f, _, err := throughFile(remember, lucid.Zeros(3), lucid.Zeros(4, 3), lucid.Zeros(3))
	if err != nil {
		t.Fatal(err)
	}
	x := lucid.Zeros(3)
	if _, err := f.Call(x, lucid.Zeros(4, 3), x); !errors.Is(err, lucid.ErrValue) || !strings.Contains(err.Error(), "inputs 2 and 0") {
		t.Error(err)
	}
	leaf := lucid.Zeros(3).RequiresGrad_(true)
	_, err = f.Call(x, lucid.Zeros(4, 3), leaf)
	direct := lucid.Try(func() { remember(x, lucid.Zeros(4, 3), lucid.Zeros(3).RequiresGrad_(true)) })
	if fmt.Sprint(direct == nil) != fmt.Sprint(err == nil) {
		t.Errorf("a leaf: %v, and outside of a file %v", err, direct)
	}
}
