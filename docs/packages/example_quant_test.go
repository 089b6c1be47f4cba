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

// Learned levels: a piece of docs/packages/quant.md.
func Example_quantLearned() {
	lucid.Seed(1)
	x := lucid.Randn(256, 64).Add(lucid.Randn(256, 1).Mul(3)) // columns that change together
	w := lucid.Randn(8, 64)
	o := quant.Options{Bits: 3, GroupSize: 32}
	off := func(packed, scales, biases *lucid.Tensor) float64 {
		v := quant.DequantizeGroups(packed, scales, biases, quant.DequantizeOptions{Options: o})
		return x.MatMul(w.Sub(v).Transpose(0, 1)).Square().Mean().Item()
	}
	nearest := off(quant.QuantizeGroups(w, o))
	learned := off(quant.GPTQ(w, x.Transpose(0, 1).MatMul(x), quant.GPTQOptions{Options: o}))
	fmt.Println(learned < nearest/2)
	// Output:
	// true
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
