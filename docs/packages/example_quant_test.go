package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/quant"
)

// Groups: a piece of docs/packages/quant.md.
func Example_quantGroups() {
	w := lucid.Arange(2*64).To(lucid.Float32).Div(127).Sub(0.5).Reshape(2, 64)
	o := quant.Options{Bits: 4, GroupSize: 32}
	packed, scales, biases := quant.QuantizeGroups(w, o)
	fmt.Println(packed.DType(), packed.Shape(), scales.Shape(), biases.Shape())
	y := quant.MatMulGroups(lucid.Ones(1, 64), packed, scales, biases, quant.MatMulOptions{Options: o})
	fmt.Printf("%.1f %.1f\n", y.Select(1, 0).Item(), y.Select(1, 1).Item())
	// Output:
	// uint32 [2 8] [2 2] [2 2]
	// -16.2 16.2
}

// Blocks: a piece of docs/packages/quant.md.
func Example_quantBlocks() {
	w := lucid.Arange(2*64).To(lucid.Float32).Div(127).Sub(0.5).Reshape(2, 64)
	rows := quant.QuantizeBlocks(w, "q8_0")
	x := lucid.Ones(1, 64)
	exact := quant.MatMulBlocks(x, rows, "q8_0")
	fast := quant.MatMulBlocks(x, rows, "q8_0", quant.BlockOptions{Fast: true})
	fmt.Printf("%.2f %.2f\n", exact.Select(1, 0).Item(), fast.Select(1, 0).Item())
	// Output:
	// -16.12 -16.12
}
