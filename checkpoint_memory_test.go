package lucid

import (
	"runtime"
	"testing"
)

// TestCheckpointSavesMemoryEagerly: of blocks under Checkpoint an eager step keeps the inputs and nothing from inside, whatever
// handles they left behind; and the gradients are those without it, bit by bit.
func TestCheckpointSavesMemoryEagerly(t *testing.T) {
	if DefaultDevice() != CPU {
		t.Skip("counts memory of the CPU")
	}
	const layers, rows, width = 12, 512, 128
	Seed(1)
	weights := make([]*Tensor, layers)
	for i := range weights {
		weights[i] = Randn(width, width).Mul(0.05).Eval().RequiresGrad_(true)
	}
	x := Randn(rows, width).Eval()
	step := func(wrap func(func(*Tensor) *Tensor) func(*Tensor) *Tensor) (peak int64, grads []*Tensor) {
		runtime.GC()
		before := MemoryStats(CPU).Allocated
		ResetPeakMemory(CPU)
		h := x
		for _, w := range weights {
			h = wrap(func(h *Tensor) *Tensor {
				return h.MatMul(w).Gelu().MatMul(w).Tanh().MatMul(w).Sigmoid().Mul(h).Add(h)
			})(h)
		}
		loss := h.Square().Mean()
		loss.Backward()
		all := []*Tensor{loss}
		for _, w := range weights {
			grads = append(grads, w.Grad().Clone())
			w.ZeroGrad()
		}
		if err := Eval(append(all, grads...)...); err != nil {
			t.Fatal(err)
		}
		return MemoryStats(CPU).Peak - before, grads
	}
	plain, want := step(func(f func(*Tensor) *Tensor) func(*Tensor) *Tensor { return f })
	spared, got := step(Checkpoint)
	if one := int64(rows * width * 4); spared > 3*layers*one || plain < 2*spared {
		t.Errorf("a plain step took %d values of a block's size, one with Checkpoint %d; want at most %d, and half of the plain one's", plain/one, spared/one, 3*layers)
	}
	for i := range want {
		if !Equal(want[i], got[i]) {
			t.Errorf("gradient %d differs", i)
		}
	}
}

// TestCheckpointInside: what a function under Checkpoint shows of its inside is right whenever it is read, also by others.
func TestCheckpointInside(t *testing.T) {
	Seed(2)
	w, x := Randn(16, 16).Eval(), Randn(16, 16).Eval()
	var product, wave *Tensor
	out := Checkpoint(func(x *Tensor) *Tensor {
		product = x.MatMul(w)
		wave = product.Sin()
		return wave.Exp()
	})(x)
	out.Sum().Item() // the inside is computed and not stored
	want := x.MatMul(w)
	for range 3 {
		if d := product.Mul(2).Sub(want.Mul(2)).Abs().Max().Item(); d != 0 {
			t.Errorf("a product from inside is off by %v", d)
		}
		if d := wave.Sub(want.Sin()).Abs().Max().Item(); d != 0 {
			t.Errorf("a value from inside is off by %v", d)
		}
	}
	if d := out.Sub(want.Sin().Exp()).Abs().Max().Item(); d != 0 {
		t.Errorf("the output is off by %v", d)
	}
}
