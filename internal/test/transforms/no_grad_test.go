package transforms

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/optim"
)

// minusSquare is x - x², whose second term has no gradient: it is computed inside NoGrad.
func minusSquare(x *lucid.Tensor) *lucid.Tensor {
	var c *lucid.Tensor
	lucid.NoGrad(func() { c = x.Mul(x) })
	return x.Sub(c)
}

// TestNoGradInside checks that NoGrad inside a function stops the gradient, whatever the function was given to.
func TestNoGradInside(t *testing.T) {
	one := func(f func(x *lucid.Tensor) *lucid.Tensor) func() float64 {
		return func() float64 {
			return lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return f(x).Sum() })(lucid.Of([]float32{3})).Item()
		}
	}
	tape := func(f func(x *lucid.Tensor) *lucid.Tensor) func() float64 {
		return func() float64 {
			x := lucid.Of([]float32{3}).RequiresGrad_(true)
			f(x).Sum().Backward()
			return x.Grad().Item()
		}
	}
	checkpoint := func(x *lucid.Tensor) *lucid.Tensor { return lucid.Checkpoint(minusSquare)(x) }
	vmap := func(x *lucid.Tensor) *lucid.Tensor { return lucid.VMap(minusSquare)(x.Reshape(1, 1)) }
	cond := func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.Cond(x.Sum().Gt(0), minusSquare, func(x *lucid.Tensor) *lucid.Tensor { return x.Neg() }, x)
	}
	derived := lucid.Custom(lucid.CustomFunc{
		Forward: func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{minusSquare(in[0])} }})
	custom := func(x *lucid.Tensor) *lucid.Tensor { return derived(x)[0] }
	scan := func(x *lucid.Tensor) *lucid.Tensor {
		_, ys := lucid.Scan(func(c, x *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) { return c, minusSquare(x) }, lucid.Zeros(1), x)
		return ys
	}
	cases := map[string]func() float64{
		"grad": one(minusSquare), "backward": tape(minusSquare),
		"grad of compiled": one(lucid.Compile(minusSquare)), "compiled grad": func() float64 {
			g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return minusSquare(x).Sum() })
			return lucid.Compile(g)(lucid.Of([]float32{3})).Item()
		},
		"grad of checkpoint": one(checkpoint), "backward of checkpoint": tape(checkpoint),
		"grad of vmap": one(vmap), "backward of vmap": tape(vmap),
		"grad of cond": one(cond), "backward of cond": tape(cond),
		"grad of scan": one(scan), "backward of scan": tape(scan),
		"grad of custom": one(custom), "backward of custom": tape(custom),
		"inference": one(func(x *lucid.Tensor) *lucid.Tensor {
			var c *lucid.Tensor
			lucid.InferenceMode(func() { c = x.Mul(x) })
			return x.Sub(c)
		}),
		"inside NoGrad": func() (g float64) {
			lucid.NoGrad(func() { g = one(minusSquare)() })
			return g
		},
		"checkpoint, gradient inside NoGrad": func() (g float64) {
			lucid.NoGrad(func() { g = one(checkpoint)() })
			return g
		},
	}
	for name, f := range cases {
		t.Run(name, func(t *testing.T) {
			if g := f(); g != 1 {
				t.Errorf("the gradient of x - x² with x² inside NoGrad is %v, want 1", g)
			}
		})
	}
}

// TestNoGradAround checks that gradients are computed inside NoGrad, that such a gradient is a constant to an outer transform, and that
// EnableGrad takes NoGrad back.
func TestNoGradAround(t *testing.T) {
	cube := func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(x).Mul(x).Sum() }
	x := lucid.Of([]float32{2})
	var g, h *lucid.Tensor
	lucid.NoGrad(func() { g, h = lucid.Grad(cube)(x), lucid.Grad(lucid.Grad(cube))(x) })
	if g.Item() != 12 || h.Item() != 12 {
		t.Errorf("the derivatives of x³ at 2 are %v and %v, want 12 and 12", g.Item(), h.Item())
	}
	outer := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
		var g *lucid.Tensor
		lucid.NoGrad(func() { g = lucid.Grad(cube)(x) })
		return x.Mul(g).Sum()
	})
	if d := outer(x).Item(); d != 12 {
		t.Errorf("a gradient inside NoGrad is differentiated: %v, want 12", d)
	}
	on := lucid.Grad(func(x *lucid.Tensor) (y *lucid.Tensor) {
		lucid.NoGrad(func() { lucid.EnableGrad(func() { y = x.Mul(x).Sum() }) })
		return y
	})
	if d := on(x).Item(); d != 4 {
		t.Errorf("inside EnableGrad inside NoGrad the gradient of x² at 2 is %v, want 4", d)
	}
}

// TestNoGradTangents checks that NoGrad stops no tangents, as in PyTorch.
func TestNoGradTangents(t *testing.T) {
	x, d := lucid.Of([]float32{3}), lucid.Of([]float32{1})
	if _, dy := lucid.JVP(minusSquare, x, d); dy.Item() != -5 {
		t.Errorf("the tangent of x - x² is %v, want -5", dy.Item())
	}
	if _, dy := lucid.JVP(lucid.Checkpoint(minusSquare), x, d); dy.Item() != -5 {
		t.Errorf("through Checkpoint the tangent of x - x² is %v, want -5", dy.Item())
	}
}

// TestGradThroughOptimizer checks that transforms see through a step of an optimizer.
func TestGradThroughOptimizer(t *testing.T) {
	m := nn.NewLinear(1, 1, nn.LinearOptions{NoBias: true})
	lucid.NoGrad(func() { m.Weight.Assign(lucid.Of([]float32{1}).Reshape(1, 1)) })
	after := func(x *lucid.Tensor) *lucid.Tensor {
		_, grads := nn.ValueAndGrad(m, func(m *nn.Linear) *lucid.Tensor { return m.Forward(x.Reshape(1, 1)).Sum() })
		o := optim.NewSGD(nn.Parameters(m), optim.SGDOptions{LR: 0.5})
		return optim.ApplyGradients(o, grads, nn.TrainableParameters(m)).Weight.Sum()
	}
	if d := lucid.Grad(after)(lucid.Of([]float32{3})).Item(); d != -0.5 {
		t.Errorf("the weight after a step falls with x by %v, want -0.5", d)
	}
}

// TestGradThroughBackward checks that transforms see through Backward.
func TestGradThroughBackward(t *testing.T) {
	g := lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
		w := lucid.Of([]float32{2}).RequiresGrad_(true)
		w.Mul(w).Mul(x).Sum().Backward()
		return w.Grad().Sum()
	})
	if d := g(lucid.Of([]float32{3})).Item(); d != 4 {
		t.Errorf("the gradient 2wx changes with x by %v, want 4", d)
	}
}

// TestSetGradEnabled is NoGrad and EnableGrad by a condition, also inside one another.
func TestSetGradEnabled(t *testing.T) {
	x := lucid.Scalar(2.0).RequiresGrad_(true)
	records := func() bool { return x.Square().RequiresGrad() && lucid.IsGradEnabled() }
	lucid.SetGradEnabled(false, func() {
		if records() {
			t.Error("off, and it records")
		}
		lucid.SetGradEnabled(true, func() {
			if !records() {
				t.Error("on inside off, and it does not record")
			}
		})
	})
	lucid.InferenceMode(func() {
		for name, on := range map[string]func(f func()){
			"SetGradEnabled": func(f func()) { lucid.SetGradEnabled(true, f) }, "EnableGrad": lucid.EnableGrad,
		} {
			on(func() {
				if !records() {
					t.Errorf("%s inside InferenceMode does not record", name)
				}
			})
		}
	})
	if !records() {
		t.Error("it does not record any more")
	}
}
