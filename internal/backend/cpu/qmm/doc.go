// Package qmm multiplies rows of float32 with rows of weights in the block formats of package ggml: y = x·wᵀ.
//
// # Tiles
//
// Weights are packed once into tiles of 16 rows (Pack). A tile has a row in each 32-bit lane of a vector, so that a vector of
// quants is four neighbours in k of 16 rows, as VPDPBUSD takes them, and a vector of scales is one block of 16 rows. Quants keep
// the number of bits that they have in the format: low bits in the order of nibbles, higher bits in vectors of their own. Tiles
// have all that the blocks have, in about as many bytes: nothing is widened in memory.
//
// # Activations
//
// Rows of x are converted to int8, 32 elements with one float32 scale (QuantizeRows): the largest magnitude becomes 127. A record
// of 48 bytes has the 32 numbers, the scale, and what the kernel adds for each group of weights: the sum of the numbers times
// the offset of the format, as an int32, or for formats with minima the sum times the scale, as a float32.
//
// # Order of summation
//
// A product is the sum over groups (32 or 16 elements that have one scale), from first to last, of
//
//	float32(sum of int8 products)·(scale of w · scale of x), then minimum of w · (sum of x)
//
// by fused multiply-adds in float32, in one accumulator. The integer sums are exact in any order. So a row has the same bits
// whatever rows are multiplied with it, on any number of threads, and on any machine with fused multiply-add.
//
// # How a product is computed
//
// Up to eight rows run on the tile itself: quants are unpacked in registers and multiplied with all rows, at the speed of memory
// (Few). With AVX2, and on arm64 with SDOT, kernels take half of a tile and up to four rows. More rows share a panel: a part of k of
// two tiles is unpacked to bytes and float32 scales that stay in L1, and all rows are multiplied with it (Many). Meanwhile what is
// unpacked next is fetched. Without a panel, on arm64, they are several products of a few.
//
// AVX2 has no sums of bytes in 32 bits. Its kernels stay in 16 bits for a whole group, with the offset of the format taken off, which
// fits: records have other words there.
//
// Rows of bfloat16 and float16 have no tiles: they are multiplied as they are (ByRows). With x rounded to bfloat16 too, rows of bfloat16
// are a product of package gemm.
//
// Expand gives the float32 values of a tile, the same bits as ggml.Dequantize, for products with float32 activations.
//
// The assembly is written by internal/backend/cpu/asmgen; go generate writes the files.
package qmm

//go:generate go -C ../asmgen test . -generate
