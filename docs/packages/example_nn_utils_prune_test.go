package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/nn/utils/prune"
)

// A share, or a count: a piece of docs/packages/nn-utils-prune.md.
func Example_nnUtilsPruneAShareOrACount() {
	layer := nn.NewLinear(4, 2)
	prune.L1Unstructured(layer, "weight", prune.Share(0.5)) // the smaller half
	fmt.Println(nn.StateDict(layer).Names())
	prune.Remove(layer, "weight") // for good
	fmt.Println(layer.Weight.Eq(0).Sum().Item())
	// Output:
	// [bias weight_orig weight_mask]
	// 4
}
