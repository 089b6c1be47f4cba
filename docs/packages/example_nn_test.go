package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// Modules: a piece of docs/packages/nn.md.
func Example_nnModules() {
	net := nn.NewSequential(nn.NewConv2d(1, 4, []int{3}), nn.NewReLU(), nn.NewFlatten(), nn.NewLinear(4*6*6, 10))
	fmt.Println(net.Forward(lucid.Zeros(2, 1, 8, 8)).Shape())
	fmt.Println(nn.NumParameters(net), nn.StateDict(net).Names())
	// Output:
	// [2 10]
	// 1490 [0.weight 0.bias 3.weight 3.bias]
}

// A table of a model: a piece of docs/packages/nn.md.
func Example_nnATableOfAModel() {
	net := nn.NewSequential(nn.NewLinear(4, 8), nn.NewTanh(), nn.NewLinear(8, 1))
	fmt.Print(nn.Summary(net, lucid.Zeros(2, 4)))
	// Output:
	// name    type        output  parameters
	// (self)  Sequential  [2 1]   0
	// 0       Linear      [2 8]   40
	// 1       Tanh        [2 8]   0
	// 2       Linear      [2 1]   9
	// 49 parameters, 49 of them trained
}
