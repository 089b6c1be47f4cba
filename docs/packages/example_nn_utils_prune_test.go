package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/nn/utils/prune"
)

// The smallest go: a piece of docs/packages/nn-utils-prune.md.
func Example_nnUtilsPruneTheSmallestGo() {
	l := &nn.Linear{Weight: nn.Parameter(lucid.New([]float32{0.1, -3, 0.2, 2}, 1, 4))}
	prune.L1Unstructured(l, "weight", prune.Share(0.5))
	fmt.Println(nn.Value(l, "weight").Detach(), nn.StateDict(l).Names())
	prune.Remove(l, "weight")
	fmt.Println(nn.StateDict(l).Names())
	// Output:
	// tensor([[ 0., -3.,  0.,  2.]]) [weight_orig weight_mask]
	// [weight]
}
