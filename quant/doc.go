// Package quant holds quantized matrices: levels of a few bits with a scale for each group of neighbours in a row, as MLX has them, and
// the block formats of GGUF files.
//
//	packed, scales, biases := quant.QuantizeGroups(w, quant.Options{Bits: 4, GroupSize: 64})
//	y := quant.MatMulGroups(x, packed, scales, biases, quant.MatMulOptions{Options: quant.Options{Bits: 4, GroupSize: 64}})
//
// nn.Quantize replaces the layers of a model by quantized ones.
package quant
