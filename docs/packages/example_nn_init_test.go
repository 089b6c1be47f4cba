package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	nninit "github.com/lucid-go/lucid/nn/init"
)

// Filling a tensor: a piece of docs/packages/nn-init.md.
func Example_nnInitFillingATensor() {
	lucid.Seed(1)
	layer := nn.NewLinear(256, 128)
	nninit.KaimingNormal_(layer.Weight)
	nninit.Zeros_(layer.Bias)
	deviation := lucid.Std(layer.Weight).Item() // sqrt(2/256)
	fmt.Println(deviation > 0.087 && deviation < 0.090)
	// Output:
	// true
}
