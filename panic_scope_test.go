package lucid

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid/internal/scope"
)

// TestPanicsLeaveNoScope: a user's function that panics inside a transform, with a value of its own or a mistake of ours, leaves
// nothing of the transform behind.
func TestPanicsLeaveNoScope(t *testing.T) {
	x := Randn(3, 3).Eval()
	nothing := *scope.Current()
	for mistake, f := range map[string]func(x *Tensor) *Tensor{
		"panic": func(x *Tensor) *Tensor { x.Mul(2); panic("boom") },
		"shape": func(x *Tensor) *Tensor { return x.Add(Ones(7)) },
	} {
		for name, g := range map[string]func(x *Tensor) *Tensor{
			"grad": Grad(f), "compile": Compile(f), "vmap": VMap(f), "checkpoint": Checkpoint(f),
			"compile of grad of vmap": Compile(Grad(VMap(f))), "vmap of grad": VMap(Grad(f)), "grad of checkpoint": Grad(Checkpoint(f)), "grad of compile": Grad(Compile(f)),
			"jvp":      func(x *Tensor) *Tensor { y, _ := JVP(f, x, x); return y },
			"vjp":      func(x *Tensor) *Tensor { y, _ := VJP(f, x, x); return y },
			"jacobian": func(x *Tensor) *Tensor { return Jacobian(f)(x) },
			"no grad":  func(x *Tensor) *Tensor { NoGrad(func() { f(x) }); return x },
			"scope":    func(x *Tensor) *Tensor { return Scope(func() []*Tensor { return []*Tensor{f(x)} })[0] },
		} {
			func() {
				defer func() {
					r := recover()
					err, _ := r.(error)
					if mistake == "panic" && r != "boom" || mistake == "shape" && !errors.Is(err, ErrShapeMismatch) {
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
	same(t, "afterwards", Compile(Grad(func(x *Tensor) *Tensor { return x.Square().Sum() }))(x), x.Mul(2))
}
