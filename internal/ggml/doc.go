// Package ggml owns the block formats that GGUF files store weights in: the table of element types, and the conversion of
// rows of blocks to float32 and back.
//
// A row is a sequence of blocks; a block holds BlockSize elements in BlockBytes bytes. Dequantize gives the same bits as the
// format's Python reference for every type that it converts. Quantize gives the same bits for Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, TQ1_0, TQ2_0,
// BF16 and F16; for Q8_1, Q8_K, Q4_K, Q5_K and Q6_K the reference has no quantizer, and the one here searches for scales
// that minimise the squared error.
//
// The package knows nothing about files, devices or tensors.
package ggml
