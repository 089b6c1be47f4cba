package golden

import (
	"runtime/debug"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestNothingIsHeld frees the results, and the gradients, of all ops that take one or two square matrices, with Go's collector off: what an
// op or its rule made for itself alone may hold none of what was computed.
func TestNothingIsHeld(t *testing.T) {
	if lucid.DefaultDevice() != lucid.CPU {
		return // launches may still be on their way, and hold what they use
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	n := 48
	base := lucid.Randn(n, n).Eval()
	x := lucid.MatMul(base, base.T()).Add(lucid.Eye(n).Mul(n)).Div(4 * n).Eval()
	for _, c := range []struct {
		name  string
		once  func(op string, in []*lucid.Tensor) (ran bool)
		least int // ops that run
	}{{"results", freeResults, 350}, {"gradients", freeGradients, 280}} {
		ran := 0
		for _, o := range lucid.Ops() {
			for _, in := range [][]*lucid.Tensor{{x}, {x, x}} {
				if !c.once(o.Name, in) { // the first time makes what is made once for all
					continue
				}
				ran++
				before := lucid.MemoryStats(lucid.CPU).Allocated
				c.once(o.Name, in)
				if held := lucid.MemoryStats(lucid.CPU).Allocated - before; held > 0 {
					t.Errorf("%s of %s of %d matrices: %d bytes", c.name, o.Name, len(in), held)
				}
			}
		}
		if ran < c.least {
			t.Errorf("%s: %d ops ran, want %d", c.name, ran, c.least)
		}
	}
}

// freeResults computes the results of an op and frees them; false if it wants other operands.
func freeResults(op string, in []*lucid.Tensor) bool {
	out, err := lucid.Call(op, slices.Clone(in), nil)
	out = slices.DeleteFunc(out, func(y *lucid.Tensor) bool { return y == nil || slices.Contains(in, y) })
	if err != nil || lucid.Eval(out...) != nil {
		return false
	}
	for _, y := range out {
		y.Free()
	}
	return true
}

// freeGradients computes the gradients of the sum of an op's first result and frees everything; false if it has none.
func freeGradients(op string, in []*lucid.Tensor) (ran bool) {
	leaves := make([]*lucid.Tensor, len(in))
	for i, x := range in {
		leaves[i] = x.Detach().Clone().RequiresGrad_(true)
	}
	err := lucid.Try(func() {
		out, err := lucid.Call(op, leaves, nil)
		if err != nil || out[0] == nil || !out[0].RequiresGrad() || out[0].DType().IsComplex() {
			return
		}
		loss := out[0].Sum()
		loss.Backward()
		loss.Eval()
		for _, x := range leaves {
			if g := x.Grad(); g != nil {
				g.Eval()
				g.Free()
			}
		}
		for _, y := range append(out, append(leaves, loss)...) {
			if y != nil {
				y.Free()
			}
		}
		ran = true
	})
	return ran && err == nil
}
