package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn/utils"
)

// Clipping gradients: a piece of docs/packages/nn-utils.md.
func Example_nnUtilsClippingGradients() {
	w := lucid.New([]float32{3, 4}, 2).RequiresGrad_(true)
	w.Square().Sum().Div(2).Backward() // the gradient is w, its norm 5
	total := utils.ClipGradNorm([]*lucid.Tensor{w}, 1)
	fmt.Println(total.Item(), w.Grad())
	// Output:
	// 5 tensor([0.6000, 0.8000])
}
