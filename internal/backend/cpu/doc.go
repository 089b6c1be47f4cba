// Package cpu is the device every program has. Elementwise programs run tile by tile through block kernels;
// other ops have a kernel each. Work is cut in blocks fixed by the sizes alone, so results have the same bits for
// any number of threads.
//
// # Convolutions
//
// All convolutions and their gradients are one op (internal/ops/conv.go), which this package computes in one of these ways.
// Each is chosen by the shapes alone:
//
//   - 1×1 kernels: a product of matrices, on the operands where they lie, strip by strip of all images (conv_point.go).
//   - Kernels that do not overlap, such as patches, and the transposed convolutions that are their gradients: one product, on
//     the input or to a result in another order (conv_patch.go).
//   - By places (conv_places.go), for float types with output channels enough for vectors: forward passes and gradients
//     to the input. A strip of the input is copied once, with its padding; scalars of it, at the places of outputs moved
//     by a tap, meet vectors of kernels (gemm.Positions), and the sums are turned on their way out. The usual way, a matrix
//     with a copy of the input for each tap, writes and reads nine times as much for 3×3 taps. A stride is
//     taken out by copying each remainder to a plane of its own, and the dilated inputs of transposed convolutions by
//     phases (conv_plan.go), so that neighbouring outputs always read neighbouring elements. Blocked layouts
//     of channels, as oneDNN keeps them, were not taken: tensors would have to carry them from op to op.
//   - Direct (conv_direct.go), the same for few output channels, or so few terms that turning would show: the lanes are
//     outputs (gemm.Direct).
//   - By sums (conv_sums.go): gradients to the kernels, whose sums are long and results small, by gemm.NHWC too. By columns
//     (conv_columns.go), if strides or few kernels leave too little for that and images are many. As a product (conv_product.go) if
//     the kernel has one tap.
//   - Depthwise with 3×3 taps and the gradient of such taps (conv_depthwise.go), with vectors: bound by loads, so
//     each input row is loaded once for all the taps that read it. The gradient of taps along a line is a product of rows for
//     each tap.
//   - Depthwise with a stride, dilation, narrow planes or other gradients of taps (conv_lanes.go): planes of as many channels as a
//     vector has lanes are turned, and a tap is a multiply-add of vectors, whatever it reads.
//   - Winograd (conv_winograd.go), with vectors and only where the caller allowed it: a quarter of the products of 3×3
//     taps, at some ten times the error.
//   - With channels last (conv_last.go) the products of 1×1 kernels, and the sums by places, are written as they stand; what
//     another way computed is turned behind it. An input that has its channels last too is read where it lies
//     (conv_abreast.go, gemm.NHWC): the terms of a tap follow each other, and taps leave out the places they are outside
//     the input for, so nothing is copied or padded. Few places with many kernels are turned for it (conv_turned.go).
//   - Depthwise with five or seven rows of taps, and three of float64 (conv_window.go): some rows of outputs together,
//     so that a load serves several (gemm.Depthwise).
//   - Kernels that are not finite would make padding count, since most ways multiply by it; they are left out and added
//     behind (conv_care.go).
//   - bfloat16 as products in pairs, where the machine has them (conv_paired.go): its second matrix is filled, since half the
//     time for a product is worth more than what filling takes. Elsewhere halves are widened and rounded once.
//   - Filled (conv_block.go): everything else, such as integers and outputs narrower than their kernel is wide. Blocks of
//     the matrix are filled and multiplied while they are in the cache.
package cpu
