package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/einops"
)

// Patterns: a piece of docs/packages/einops.md.
func Example_einopsPatterns() {
	x := lucid.Arange(12).Reshape(2, 6)
	fmt.Println(einops.Rearrange(x, "a (b c) -> b (a c)", einops.Options{AxesLengths: map[string]int{"c": 2}}).Shape())
	fmt.Println(einops.Reduce(x, "a (b 3) -> a b", "max"))
	fmt.Println(einops.Repeat(x, "a b -> n a b", einops.Options{AxesLengths: map[string]int{"n": 4}}).Shape())
	// Output:
	// [3 4]
	// tensor([[ 2,  5],
	//         [ 8, 11]])
	// [4 2 6]
}
