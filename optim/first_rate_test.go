package optim_test

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	"github.com/lucid-go/lucid/nn"
)

// TestRateBeforeFirstStep checks that an optimizer whose rate is changed before its first step works as one made with that
// rate. Some have state that begins with the rate.
func TestRateBeforeFirstStep(t *testing.T) {
	for _, s := range all {
		after := func(made, set float64, compiled bool) *lucid.Tensor {
			m := newNet()
			o := options{}
			for k, v := range s.o {
				o[k] = v
			}
			o["lr"] = made
			opt := make1(s.op, nn.Parameters(m), o)
			for _, g := range opt.ParamGroups() {
				g.SetLR(set)
			}
			step := stepFor(m, opt)
			if compiled {
				step = lucid.Compile(step)
			}
			for i := range 3 {
				x, y := batchOf(uint64(i))
				step(x, y).Eval()
			}
			return m.A.Weight.Detach()
		}
		for _, compiled := range []bool{false, true} {
			if a, b := after(0.5, 0.02, compiled), after(0.02, 0.02, compiled); !tensortest.SameBits(a, b) {
				t.Errorf("%s %v, compiled %v: the rate of the start is still seen", s.op, s.o, compiled)
			}
		}
	}
}
