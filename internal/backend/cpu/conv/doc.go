// Package conv computes convolutions and their gradients, which are one op (internal/ops/conv.go).
//
// A convolution is a product: the filters, a matrix with a row for each output channel, times the im2col matrix, with a column for
// each output position that holds the inputs it reads. Most algorithms never write the second matrix. algorithm.go chooses by
// shapes and layouts alone, so that bits depend neither on values nor on threads:
//
//   - 1×1 filters: a GEMM on the operands in place, strip by strip of all images (pointwise.go).
//   - Filters that do not overlap, such as patches, and the transposed convolutions that are their gradients: one GEMM, on the
//     input or to a result in another order (patches.go).
//   - Output positions (positions.go), for float types with output channels enough for vectors: forward passes and gradients
//     to the input. A strip of the input is copied once, with its padding; scalars of it, at the output positions shifted
//     by a tap, are multiplied by vectors of filters, and the sums are transposed when they are written. An im2col matrix, with a
//     copy of the input for each tap, writes and reads nine times as much for 3×3 taps. A stride is
//     removed by copying each remainder to a plane of its own, and the dilated inputs of transposed convolutions by
//     phases (phase.go), so that neighbouring outputs always read neighbouring elements. Blocked layouts
//     of channels, as oneDNN uses them, were not taken: tensors would have to carry them from op to op.
//   - Direct (direct.go), the same for few output channels, or so few terms that the transpose would show: the lanes are
//     outputs.
//   - Filter gradients (filtergrad.go), whose sums are long and results small, by the NHWC kernels. With images as columns
//     (filtergrad_columns.go), if strides or few filters leave too little for that and images are many. As a GEMM (gemm.go) if
//     the filter has one tap.
//   - Depthwise with 3×3 taps and the gradient of such taps (depthwise3x3.go), with vectors: bound by loads, so
//     each input row is loaded once for all the taps that read it. The gradient of taps along a line is a dot product of rows for
//     each tap.
//   - Depthwise with a stride, dilation, narrow planes or other gradients of taps (lanes.go): planes of as many channels as a
//     vector has lanes are transposed, and a tap is a multiply-add of vectors, whatever it reads.
//   - Depthwise with five or seven rows of taps, and three of float64 (depthwise.go): some rows of outputs together,
//     so that a load serves several.
//   - Winograd (winograd.go), with vectors and only where the caller allowed it: a quarter of the products of 3×3
//     taps, at some ten times the error.
//   - NHWC output (nhwc_out.go): the products of 1×1 filters, and the sums of output positions, are written as they are; what
//     another algorithm computed is converted after it. An NHWC input is read in place
//     (nhwc.go): the terms of a tap are contiguous, and taps skip the positions they are outside
//     the input for, so nothing is copied or padded. Few positions with many filters are converted to NHWC for it (via_nhwc.go).
//   - Non-finite filters would make padding count, since most algorithms multiply by it; they are left out and added
//     at the end (nonfinite.go).
//   - bfloat16 in pairs, where the machine has VDPBF16PS or AMX (bf16.go): its im2col matrix is written, since half the
//     time for a product is worth more than that takes. Elsewhere half types are widened and rounded once.
//   - im2col (im2col.go): everything else, such as outputs narrower than their filter is wide. Blocks of
//     the matrix are written and multiplied while they are in the cache. Integers have a loop of their own (integer.go).
package conv
