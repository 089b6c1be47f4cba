package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/masked"
)

// A piece of docs/packages/masked.md.
func Example_masked() {
	scores := lucid.New([]float32{1, 2, 9, 3, 9, 9}, 2, 3)
	seen := lucid.New([]bool{true, true, false, true, false, false}, 2, 3)
	row := lucid.ReduceOptions{Dim: []int{1}}
	of := masked.Over(scores, seen)
	fmt.Println(of.Mean(row), of.Amax(row))
	fmt.Println(of.Softmax(1))
	// Output:
	// tensor([1.5000, 3.0000]) tensor([2., 3.])
	// tensor([[0.2689, 0.7311, 0.0000],
	//         [1.0000, 0.0000, 0.0000]])
}
