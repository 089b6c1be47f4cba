package lucid

import "testing"

// TestKeptWeights: a compiled function that keeps its weights turned around sees every new value of them, whoever writes it:
// an assignment, an in-place form, a compiled function that writes over their memory, or one that could not.
func TestKeptWeights(t *testing.T) {
	Seed(3)
	w, bias := Randn(48, 40).Eval(), Randn(48).Eval()
	x := Randn(2, 40).Eval()
	layer := func(x *Tensor) *Tensor { return Linear(x, w, bias).Relu() }
	bare := func(x *Tensor) *Tensor { return Linear(x, w, nil) }
	fast, fastBare := Compile(layer), Compile(bare)
	step := Compile(func(g *Tensor) *Tensor {
		y := Linear(x, w, bias).Sum()
		w.Assign(w.Sub(g.Mul(0.5)))
		return y
	})
	same := func(when string) {
		t.Helper()
		for i := range 5 {
			if !sameBits(fast(x).Eval().array().Raw(), layer(x).Eval().array().Raw()) {
				t.Fatalf("%s, call %d: other bits than the plain function", when, i)
			}
			if !sameBits(fastBare(x).Eval().array().Raw(), bare(x).Eval().array().Raw()) {
				t.Fatalf("%s, call %d without bias: other bits than the plain function", when, i)
			}
		}
	}
	same("at first")
	w.Assign(Randn(48, 40))
	same("after an assignment")
	w.Mul_(1.25)
	same("after an in-place form")
	for range 4 {
		buf, _ := w.array().Raw().Buffer()
		step(Randn(48, 40).Eval()).Eval()
		now, _ := w.array().Raw().Buffer()
		if buf != now {
			t.Fatal("the state was not written in place: the test looks at nothing")
		}
		same("after a compiled step")
		old := w.Clone() // now the step must not write over the value
		step(Randn(48, 40).Eval()).Eval()
		same("after a compiled step that somebody looked at")
		old.Free()
		step(Randn(48, 40).Eval()).Eval()
		step(Randn(48, 40).Eval()).Eval()
		same("after two steps")
	}
}

// TestKeptParts: weights that are parts of one buffer are told apart.
func TestKeptParts(t *testing.T) {
	Seed(3)
	x, all := Randn(1, 64).Eval(), Randn(3, 64, 64).Eval()
	f := Compile(func(x, w *Tensor) *Tensor { return Linear(x, w, nil).Relu() })
	for range 3 {
		for i := range 3 {
			w := all.At(i).Eval()
			for range 6 {
				if !Equal(f(x, w).Eval(), Linear(x, w, nil).Relu()) {
					t.Fatalf("part %d: other values than the plain function", i)
				}
			}
		}
	}
}
