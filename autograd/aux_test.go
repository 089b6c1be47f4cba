package autograd_test

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/autograd"
)

// TestAux: what a function returns besides its outputs comes back, from one run, and has no part in derivatives.
func TestAux(t *testing.T) {
	runs := 0
	f := func(in []*lucid.Tensor) ([]*lucid.Tensor, map[string]*lucid.Tensor) {
		runs++
		y := in[0].Mul(in[1])
		return []*lucid.Tensor{y.Square()}, map[string]*lucid.Tensor{"y": y}
	}
	x, w := lucid.New([]float64{1, 2}, 2), lucid.New([]float64{3, -1}, 2)
	ys, pullback, aux := autograd.VJPFuncAux(f, x, w)
	g := pullback(lucid.Ones(2).Double())
	if numbersOf(g[0]) != "[18 4]" || numbersOf(ys[0]) != "[9 4]" || numbersOf(aux["y"]) != "[3 -2]" {
		t.Errorf("%v, %v, %v", ys, g, aux)
	}
	if runs != 1 {
		t.Errorf("the function ran %d times", runs)
	}
	for _, o := range []autograd.JacobianOptions{{}, {Forward: true, Chunk: 1}} {
		runs = 0
		j, aux := autograd.JacobianNAux(f, o)(x, w)
		if !lucid.Equal(j[0][1], lucid.New([]float64{6, 0, 0, -8}, 2, 2)) || numbersOf(aux["y"]) != "[3 -2]" || runs != 1 {
			t.Errorf("%+v: %v, %v in %d runs", o, j, aux, runs)
		}
	}
}

// TestWritingWhatIsSaved: PyTorch needs allow_mutation_on_saved_tensors for it. Here an in-place form gives a handle another value, and
// Backward has the one that was read.
func TestWritingWhatIsSaved(t *testing.T) {
	x := lucid.New([]float64{1, 2}, 2).RequiresGrad_(true)
	h := x.Mul(3)
	y := h.Square() // needs h
	lucid.NoGrad(func() { h.Mul_(100) })
	h.Fill_(7)
	y.Sum().Backward()
	if numbersOf(x.Grad()) != "[18 36]" || numbersOf(h) != "[7 7]" {
		t.Errorf("gradient %v, written %v", x.Grad(), h)
	}
}
