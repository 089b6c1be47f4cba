package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// Losses: a piece of docs/packages/nn-functional.md.
func Example_nnFunctionalLosses() {
	scores := lucid.New([]float32{2, 0, 0, 3}, 2, 2)
	target := lucid.New([]int64{0, 0}, 2)
	fmt.Printf("%.4f\n", F.CrossEntropy(scores, target).Item())
	fmt.Println(F.CrossEntropy(scores, target, F.CrossEntropyOptions{Reduction: "none"}))
	// Output:
	// 1.5878
	// tensor([0.1269, 3.0486])
}
