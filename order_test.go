package lucid

import (
	"testing"

	"github.com/lucid-go/lucid/internal/exec"
)

// TestNoDiffInOtherOrder: random graphs and their gradients have the same bits launch by launch, in an order that holds less, and
// with everything made again that can be, however small they are.
func TestNoDiffInOtherOrder(t *testing.T) {
	defer func(was int) { exec.MinReorderBytes = was }(exec.MinReorderBytes)
	graphs := 150
	if long() {
		graphs = 4000
	}
	lower := 0
	for seed := range uint64(graphs) {
		g := newRandomGraph(seed)
		outs := func(in []*Tensor) []*Tensor { return g.run(in, func(*Tensor) {}) }
		loss := ValueAndGrad(func(in []*Tensor) *Tensor {
			sum := Scalar(0).To(Float32)
			for _, o := range outs(in) {
				if o.DType().IsFloat() {
					sum = sum.Add(o.To(Float32).Tanh().Sum())
				}
			}
			return sum
		})
		both := func(in []*Tensor) []*Tensor {
			l, grads := loss(in)
			return append(append(outs(in), l), grads...)
		}
		exec.MinReorderBytes = 1 << 40
		plain := both(g.inputs)
		evalAll(plain)
		first := Compile(both)
		firstOuts := first(g.inputs)
		exec.MinReorderBytes = 1
		again := both(g.inputs)
		evalAll(again)
		step := Compile(both, CompileOptions{Recompute: 1})
		for name, got := range map[string][]*Tensor{"compiled": firstOuts, "in another order": again, "compiled, with recomputation": step(g.inputs)} {
			if bad := equalBits(got, plain); bad != "" {
				t.Fatalf("seed %d, %s: %s\n%v", seed, name, bad, g)
			}
		}
		if a, b := Explain(first).Memory, Explain(step).Memory; len(a) == 1 && len(b) == 1 {
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
