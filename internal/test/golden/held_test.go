package golden

import (
	"runtime/debug"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestNothingIsHeld frees the results of all ops that take one or two square matrices, with Go's collector off: a result that the op made
// for itself alone may hold none of what was computed with it.
func TestNothingIsHeld(t *testing.T) {
	if lucid.DefaultDevice() != lucid.CPU {
		return // launches may still be on their way, and hold what they use
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	allocated := func() int64 { return lucid.MemoryStats(lucid.DefaultDevice()).Allocated }
	n := 48
	base := lucid.Randn(n, n).Eval()
	x := lucid.MatMul(base, base.T()).Add(lucid.Eye(n).Mul(n)).Div(4 * n).Eval()
	ran := 0
	for _, o := range lucid.Ops() {
		for _, in := range [][]*lucid.Tensor{{x}, {x, x}} {
			ok := true
			once := func() {
				out, err := lucid.Call(o.Name, slices.Clone(in), nil)
				out = slices.DeleteFunc(out, func(y *lucid.Tensor) bool { return y == nil || slices.Contains(in, y) })
				if ok = err == nil && lucid.Eval(out...) == nil; !ok {
					return
				}
				for _, y := range out {
					y.Free()
				}
			}
			if once(); !ok { // it wants something else
				continue
			}
			before := allocated()
			once()
			ran++
			if held := allocated() - before; held > 0 {
				t.Errorf("%s of %d matrices: %d bytes", o.Name, len(in), held)
			}
		}
	}
	t.Logf("%d ops", ran)
	if ran < 250 {
		t.Errorf("only %d ops ran", ran)
	}
}
