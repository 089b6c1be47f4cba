package programs

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestNoDiffInOtherOrder: random graphs and their gradients have the same bits launch by launch, in an order that holds less, and
// with everything made again that can be, however small they are.
func TestNoDiffInOtherOrder(t *testing.T) {
	defer func(was int) { exec.MinReorderBytes = was }(exec.MinReorderBytes)
	graphs := 150
	if testutil.Long() {
		graphs = 4000
	}
	lower := 0
	for seed := range uint64(graphs) {
		g := newRandomGraph(seed)
		outs := func(in []*lucid.Tensor) []*lucid.Tensor { return g.run(in, func(*lucid.Tensor) {}) }
		loss := lucid.ValueAndGrad(func(in []*lucid.Tensor) *lucid.Tensor {
			sum := lucid.Scalar(0).To(lucid.Float32)
			for _, o := range outs(in) {
				if o.DType().IsFloat() {
					sum = sum.Add(o.To(lucid.Float32).Tanh().Sum())
				}
			}
			return sum
		})
		both := func(in []*lucid.Tensor) []*lucid.Tensor {
			l, grads := loss(in)
			return append(append(outs(in), l), grads...)
		}
		exec.MinReorderBytes = 1 << 40
		plain := both(g.inputs)
		tensortest.EvalAll(plain)
		first := lucid.Compile(both)
		firstOuts := first(g.inputs)
		exec.MinReorderBytes = 1
		again := both(g.inputs)
		tensortest.EvalAll(again)
		step := lucid.Compile(both, lucid.CompileOptions{Recompute: 1})
		for name, got := range map[string][]*lucid.Tensor{"compiled": firstOuts, "in another order": again,
			"compiled, with recomputation": step(g.inputs)} {
			if bad := tensortest.EqualBits(got, plain); bad != "" {
				t.Fatalf("seed %d, %s: %s\n%v", seed, name, bad, g)
			}
		}
		if a, b := lucid.Explain(first).Memory, lucid.Explain(step).Memory; len(a) == 1 && len(b) == 1 {
			if b[0].Peak > a[0].Peak {
				t.Fatalf("seed %d: %d bytes are alive at once, in the first order %d\n%v", seed, b[0].Peak, a[0].Peak, g)
			} else if b[0].Peak < a[0].Peak {
				lower++
			}
		}
	}
	if lower < graphs/10 {
		t.Errorf("only %d of %d graphs hold less in another order", lower, graphs)
	}
}
