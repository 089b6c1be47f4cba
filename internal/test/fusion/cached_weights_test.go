package fusion

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestCachedWeights: a compiled function that caches its packed weights sees every new value of them, however it is written:
// an assignment, an in-place form, a compiled function that writes over their memory, or one that could not.
func TestCachedWeights(t *testing.T) {
	lucid.Seed(3)
	w, bias := lucid.Randn(48, 40).Eval(), lucid.Randn(48).Eval()
	x := lucid.Randn(2, 40).Eval()
	layer := func(x *lucid.Tensor) *lucid.Tensor { return F.Linear(x, w, F.LinearOptions{Bias: bias}).ReLU() }
	bare := func(x *lucid.Tensor) *lucid.Tensor { return F.Linear(x, w) }
	fast, fastBare := lucid.Compile(layer), lucid.Compile(bare)
	step := lucid.Compile(func(g *lucid.Tensor) *lucid.Tensor {
		y := F.Linear(x, w, F.LinearOptions{Bias: bias}).Sum()
		w.Assign(w.Sub(g.Mul(0.5)))
		return y
	})
	same := func(when string) {
		t.Helper()
		for i := range 5 {
			if !tensortest.SameBits(fast(x), layer(x)) {
				t.Fatalf("%s, call %d: other bits than the plain function", when, i)
			}
			if !tensortest.SameBits(fastBare(x), bare(x)) {
				t.Fatalf("%s, call %d without bias: other bits than the plain function", when, i)
			}
		}
	}
	same("at first")
	w.Assign(lucid.Randn(48, 40))
	same("after an assignment")
	w.Mul_(1.25)
	same("after an in-place form")
	for range 4 {
		buf, _ := (*graph.Array)(w).Raw().Buffer()
		step(lucid.Randn(48, 40).Eval()).Eval()
		now, _ := (*graph.Array)(w).Raw().Buffer()
		if buf != now {
			t.Fatal("the state was not written in place: the test looks at nothing")
		}
		same("after a compiled step")
		old := w.Clone() // now the step must not write over the value
		step(lucid.Randn(48, 40).Eval()).Eval()
		same("after a compiled step whose state was read")
		old.Free()
		step(lucid.Randn(48, 40).Eval()).Eval()
		step(lucid.Randn(48, 40).Eval()).Eval()
		same("after two steps")
	}
}

// TestCachedParts: weights that are parts of one buffer are told apart.
func TestCachedParts(t *testing.T) {
	lucid.Seed(3)
	x, all := lucid.Randn(1, 64).Eval(), lucid.Randn(3, 64, 64).Eval()
	f := lucid.Compile(func(x, w *lucid.Tensor) *lucid.Tensor { return F.Linear(x, w).ReLU() })
	for range 3 {
		for i := range 3 {
			w := all.At(i).Eval()
			for range 6 {
				if !lucid.Equal(f(x, w).Eval(), F.Linear(x, w).ReLU()) {
					t.Fatalf("part %d: other values than the plain function", i)
				}
			}
		}
	}
}
