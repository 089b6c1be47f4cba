package transforms

import (
	"runtime"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestCheckpointSavesMemoryEagerly: of blocks under Checkpoint an eager step keeps the inputs and nothing from inside, whatever
// handles they left behind; and the gradients are those without it, bit by bit.
func TestCheckpointSavesMemoryEagerly(t *testing.T) {
	if lucid.DefaultDevice() != lucid.CPU {
		t.Skip("counts memory of the CPU")
	}
	const layers, rows, width = 12, 512, 128
	lucid.Seed(1)
	weights := make([]*lucid.Tensor, layers)
	for i := range weights {
		weights[i] = lucid.Randn(width, width).Mul(0.05).Eval().RequiresGrad_(true)
	}
	x := lucid.Randn(rows, width).Eval()
	step := func(wrap func(func(*lucid.Tensor) *lucid.Tensor) func(*lucid.Tensor) *lucid.Tensor) (peak int64, grads []*lucid.Tensor) {
		runtime.GC()
		before := lucid.MemoryStats(lucid.CPU).Allocated
		lucid.ResetPeakMemory(lucid.CPU)
		h := x
		for _, w := range weights {
			h = wrap(func(h *lucid.Tensor) *lucid.Tensor {
				return h.MatMul(w).GELU().MatMul(w).Tanh().MatMul(w).Sigmoid().Mul(h).Add(h)
			})(h)
		}
		loss := h.Square().Mean()
		loss.Backward()
		all := []*lucid.Tensor{loss}
		for _, w := range weights {
			grads = append(grads, w.Grad().Clone())
			w.ZeroGrad()
		}
		if err := lucid.Eval(append(all, grads...)...); err != nil {
			t.Fatal(err)
		}
		return lucid.MemoryStats(lucid.CPU).Peak - before, grads
	}
	plain, want := step(func(f func(*lucid.Tensor) *lucid.Tensor) func(*lucid.Tensor) *lucid.Tensor { return f })
	spared, got := step(lucid.Checkpoint)
	if one := int64(rows * width * 4); spared > 3*layers*one || plain < 2*spared {
		t.Errorf("a plain step took %d values of a block's size, one with Checkpoint %d; want at most %d, and half of the plain one's",
			plain/one, spared/one, 3*layers)
	}
	for i := range want {
		if !lucid.Equal(want[i], got[i]) {
			t.Errorf("gradient %d differs", i)
		}
	}
}

// TestCheckpointInside: what a function under Checkpoint shows of its inside is right whenever it is read, also by others.
func TestCheckpointInside(t *testing.T) {
	lucid.Seed(2)
	w, x := lucid.Randn(16, 16).Eval(), lucid.Randn(16, 16).Eval()
	var product, wave *lucid.Tensor
	out := lucid.Checkpoint(func(x *lucid.Tensor) *lucid.Tensor {
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
