package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/autograd"
)

// A piece of docs/packages/autograd.md.
func Example_autograd() {
	f := func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{in[0].Mul(in[1])} }
	x, y := lucid.New([]float32{1, 2}, 2), lucid.New([]float32{3, 4}, 2)
	out, pullback := autograd.VJPFunc(f, x, y) // f runs once
	fmt.Println(out[0], pullback(lucid.Ones(2))[0])
	j := autograd.JacobianN(f, autograd.JacobianOptions{Chunk: 1})(x, y)
	fmt.Println(j[0][1])
	// Output:
	// tensor([3., 8.]) tensor([3., 4.])
	// tensor([[1., 0.],
	//         [0., 2.]])
}

type line struct{ Slope, Offset *lucid.Tensor }

func (l line) at(x *lucid.Tensor) *lucid.Tensor { return x.Mul(l.Slope).Add(l.Offset) }

// Derivatives by a struct: a piece of docs/packages/autograd.md.
func Example_autogradTrees() {
	l := line{Slope: lucid.Scalar(2.0), Offset: lucid.Scalar(1.0)}
	x := lucid.New([]float32{1, 3}, 2)
	j := autograd.JacobianTree(func(l line) *lucid.Tensor { return l.at(x) })(l)
	fmt.Println(j.Slope, j.Offset)
	h := autograd.HessianTree(func(l line) *lucid.Tensor { return l.at(x).Square().Sum() })(l)
	fmt.Println(h["slope"].Slope.Item(), h["slope"].Offset.Item())
	// Output:
	// tensor([1., 3.]) tensor([1., 1.])
	// 20 8
}

// A piece of docs/packages/autograd.md.
func Example_autogradSaved() {
	w := lucid.New([]float32{0.5, -1, 2, 0.25}, 2, 2).RequiresGrad_(true)
	block := func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{in[0].MatMul(w).Tanh().Square()} }
	packed := 0
	hooked := autograd.SavedTensorHooks(block, autograd.Hooks{
		Pack:   func(t *lucid.Tensor) any { packed++; return t.To(lucid.BFloat16) },
		Unpack: func(p any) *lucid.Tensor { return p.(*lucid.Tensor).To(lucid.Float32) },
	})
	hooked(lucid.Ones(1, 2))[0].Sum().Backward()
	fmt.Println(packed, w.Grad().Shape())
	offloaded := autograd.SaveOnCPU(block)
	offloaded(lucid.Ones(1, 2))[0].Sum().Backward()
	// Output: 1 [2 2]
}
