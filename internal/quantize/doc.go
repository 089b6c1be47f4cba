// Package quantize owns MLX's formats of quantized matrices: numbers of a few bits, packed into words of 32 bits from the low ones on,
// with a scale for each group of neighbours in a row. GGUF's block formats are in package ggml.
//
// Affine numbers are levels q with the value scale·q + bias. The others are small floats times a scale: e2m1 or e4m3 with scales that are
// powers of two (MXFP4, MXFP8), or e2m1 with scales in e4m3 (NVFP4). Results have the bits of MLX 0.32.4 on a CPU.
//
// The package knows nothing about devices or tensors.
package quantize
