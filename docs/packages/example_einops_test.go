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

func Example_einopsPack() {
	tokens, class := lucid.Zeros(8, 16, 32), lucid.Ones(8, 32)
	all, shapes := einops.Pack([]*lucid.Tensor{class, tokens}, "b * c")
	fmt.Println(all.Shape(), shapes)
	parts := einops.Unpack(all, shapes, "b * c")
	fmt.Println(parts[0].Shape(), parts[1].Shape())
	// Output:
	// [8 17 32] [[] [16]]
	// [8 32] [8 16 32]
}

func Example_einopsEinsum() {
	x, weight := lucid.Ones(8, 16, 32), lucid.Ones(64, 32)
	fmt.Println(einops.Einsum("batch time in, out in -> batch time out", x, weight).Shape())
	fmt.Println(einops.ParseShape(x, "batch _ width"))
	// Output:
	// [8 16 64]
	// map[batch:8 width:32]
}
