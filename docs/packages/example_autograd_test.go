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
