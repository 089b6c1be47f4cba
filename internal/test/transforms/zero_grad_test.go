package transforms

import (
	"testing"

	"github.com/lucid-go/lucid"
)

// TestZeroGradients checks functions that are constant wherever they have a derivative: PyTorch gives a gradient of 0, not an
// error, and so the rest of a loss can be trained.
func TestZeroGradients(t *testing.T) {
	call := func(name string, in []*lucid.Tensor, attrs map[string]any) *lucid.Tensor {
		out, err := lucid.Call(name, in, attrs)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return out[0]
	}
	grid := lucid.Linspace(-1, 1, 18).Reshape(1, 3, 3, 2)
	image := lucid.Arange(16.0).Reshape(1, 1, 4, 4)
	for name, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
		"cdist": func(x *lucid.Tensor) *lucid.Tensor {
			return call("cdist", []*lucid.Tensor{x, x.Detach()}, map[string]any{"p": 0.0})
		},
		"pdist": func(x *lucid.Tensor) *lucid.Tensor {
			return call("pdist", []*lucid.Tensor{x}, map[string]any{"p": 0.0})
		},
		"fill": func(x *lucid.Tensor) *lucid.Tensor {
			return call("fill", []*lucid.Tensor{x}, map[string]any{"value": 2.0})
		},
		"angle": func(x *lucid.Tensor) *lucid.Tensor { return call("angle", []*lucid.Tensor{x}, nil) },
		"sign":  func(x *lucid.Tensor) *lucid.Tensor { return x.Sign() },
		"floor": func(x *lucid.Tensor) *lucid.Tensor { return x.Floor() },
		"ceil":  func(x *lucid.Tensor) *lucid.Tensor { return x.Ceil() },
		"round": func(x *lucid.Tensor) *lucid.Tensor { return x.Round() },
		"trunc": func(x *lucid.Tensor) *lucid.Tensor { return x.Trunc() },
		"floor_div": func(x *lucid.Tensor) *lucid.Tensor {
			return call("floor_divide", []*lucid.Tensor{x}, map[string]any{"other": 2.0})
		},
		"times 0": func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(0) },
		"threshold": func(x *lucid.Tensor) *lucid.Tensor {
			return call("threshold", []*lucid.Tensor{x}, map[string]any{"threshold": 1e9, "value": 1.0})
		},
		"masked_fill": func(x *lucid.Tensor) *lucid.Tensor { return x.MaskedFill(lucid.OnesLike(x.Detach()).Gt(0), 1) },
		"grid nearest": func(x *lucid.Tensor) *lucid.Tensor {
			return call("grid_sample", []*lucid.Tensor{image, x}, map[string]any{"mode": "nearest"})
		},
		"norm 0": func(x *lucid.Tensor) *lucid.Tensor { return call("norm", []*lucid.Tensor{x}, map[string]any{"p": 0.0}) },
		"frac":   func(x *lucid.Tensor) *lucid.Tensor { return x.Add(x.Trunc()).Sub(x) },
	} {
		x := lucid.Arange(12.0).Reshape(4, 3)
		if name == "grid nearest" {
			x = grid
		}
		x = x.Clone().RequiresGrad_(true)
		err := lucid.Try(func() {
			y := f(x)
			if !y.RequiresGrad() {
				t.Errorf("%s: the result requires no gradient", name)
				return
			}
			y.Sum().Backward()
			g := x.Grad()
			if g == nil {
				t.Errorf("%s: no gradient", name)
			} else if g.Abs().Sum().Item() != 0 {
				t.Errorf("%s: gradient %v", name, g)
			}
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		gerr := lucid.Try(func() {
			lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return f(x).Sum() })(x.Detach().Clone()).Eval()
		})
		if gerr != nil {
			t.Errorf("%s, Grad: %v", name, gerr)
		}
	}
}
