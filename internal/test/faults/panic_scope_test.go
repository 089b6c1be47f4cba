package faults

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestPanicsLeaveNoScope: a user's function that panics inside a transform, with a value of its own or a mistake of ours, leaves
// nothing of the transform behind.
func TestPanicsLeaveNoScope(t *testing.T) {
	x := lucid.Randn(3, 3).Eval()
	nothing := *scope.Current()
	for mistake, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
		"panic": func(x *lucid.Tensor) *lucid.Tensor { x.Mul(2); panic("boom") },
		"shape": func(x *lucid.Tensor) *lucid.Tensor { return x.Add(lucid.Ones(7)) },
	} {
		for name, g := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
			"grad": lucid.Grad(f), "compile": lucid.Compile(f), "vmap": lucid.VMap(f), "checkpoint": lucid.Checkpoint(f),
			"compile of grad of vmap": lucid.Compile(lucid.Grad(lucid.VMap(f))), "vmap of grad": lucid.VMap(lucid.Grad(f)),
			"grad of checkpoint": lucid.Grad(lucid.Checkpoint(f)), "grad of compile": lucid.Grad(lucid.Compile(f)),
			"jvp":      func(x *lucid.Tensor) *lucid.Tensor { y, _ := lucid.JVP(f, x, x); return y },
			"vjp":      func(x *lucid.Tensor) *lucid.Tensor { y, _ := lucid.VJP(f, x, x); return y },
			"jacobian": func(x *lucid.Tensor) *lucid.Tensor { return lucid.Jacobian(f)(x) },
			"no grad":  func(x *lucid.Tensor) *lucid.Tensor { lucid.NoGrad(func() { f(x) }); return x },
			"scope": func(x *lucid.Tensor) *lucid.Tensor {
				return lucid.Scope(func() []*lucid.Tensor { return []*lucid.Tensor{f(x)} })[0]
			},
		} {
			func() {
				defer func() {
					r := recover()
					err, _ := r.(error)
					if mistake == "panic" && r != "boom" || mistake == "shape" && !errors.Is(err, lucid.ErrShapeMismatch) {
						t.Errorf("%s in %s: recovered %v", mistake, name, r)
					}
				}()
				g(x)
			}()
			if s := *scope.Current(); s != nothing {
				t.Fatalf("%s in %s leaves %+v", mistake, name, s)
			}
		}
	}
	tensortest.Same(t, "afterwards", lucid.Compile(lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return x.Square().Sum() }))(x),
		x.Mul(2))
}
