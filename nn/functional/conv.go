package functional

import "github.com/lucid-go/lucid"

// Conv1d slides kernels over (N, C, L) or (C, L): weight is (O, C/groups, K), bias (O). It is a cross-correlation.
func Conv1d(x *lucid.Tensor, weight *lucid.Tensor, bias *lucid.Tensor, o ...lucid.ConvOptions) *lucid.Tensor {
	return lucid.Conv1d(x, weight, bias, o...)
}

// Conv2d slides kernels over (N, C, H, W) or (C, H, W): weight is (O, C/groups, KH, KW), bias (O). It is a cross-
// correlation.
func Conv2d(x *lucid.Tensor, weight *lucid.Tensor, bias *lucid.Tensor, o ...lucid.ConvOptions) *lucid.Tensor {
	return lucid.Conv2d(x, weight, bias, o...)
}

// Conv3d slides kernels over (N, C, D, H, W) or (C, D, H, W): weight is (O, C/groups, KD, KH, KW), bias (O). It is a
// cross-correlation.
func Conv3d(x *lucid.Tensor, weight *lucid.Tensor, bias *lucid.Tensor, o ...lucid.ConvOptions) *lucid.Tensor {
	return lucid.Conv3d(x, weight, bias, o...)
}

// ConvTranspose1d is the gradient of Conv1d to its input, as a layer: weight is (C, O/groups, K).
func ConvTranspose1d(x *lucid.Tensor, weight *lucid.Tensor, bias *lucid.Tensor, o ...lucid.ConvTransposeOptions) *lucid.Tensor {
	return lucid.ConvTranspose1d(x, weight, bias, o...)
}

// ConvTranspose2d is the gradient of Conv2d to its input, as a layer: weight is (C, O/groups, KH, KW).
func ConvTranspose2d(x *lucid.Tensor, weight *lucid.Tensor, bias *lucid.Tensor, o ...lucid.ConvTransposeOptions) *lucid.Tensor {
	return lucid.ConvTranspose2d(x, weight, bias, o...)
}

// ConvTranspose3d is the gradient of Conv3d to its input, as a layer: weight is (C, O/groups, KD, KH, KW).
func ConvTranspose3d(x *lucid.Tensor, weight *lucid.Tensor, bias *lucid.Tensor, o ...lucid.ConvTransposeOptions) *lucid.Tensor {
	return lucid.ConvTranspose3d(x, weight, bias, o...)
}

// Fold sums windows laid out as UnfoldImage does into an image of the size given.
func Fold(x *lucid.Tensor, outputSize []int, kernelSize []int, o ...lucid.FoldOptions) *lucid.Tensor {
	return lucid.Fold(x, outputSize, kernelSize, o...)
}

// Pad adds elements before and after the dimensions, in pairs from the last dimension on; a negative number takes
// elements away.
func Pad(x *lucid.Tensor, pad []int, o ...lucid.PadOptions) *lucid.Tensor {
	return lucid.Pad(x, pad, o...)
}

// PixelShuffle moves channels into space: (…, C·r², H, W) becomes (…, C, H·r, W·r).
func PixelShuffle(x *lucid.Tensor, upscaleFactor int) *lucid.Tensor {
	return lucid.PixelShuffle(x, upscaleFactor)
}

// PixelUnshuffle undoes PixelShuffle: (…, C, H·r, W·r) becomes (…, C·r², H, W).
func PixelUnshuffle(x *lucid.Tensor, downscaleFactor int) *lucid.Tensor {
	return lucid.PixelUnshuffle(x, downscaleFactor)
}

// ChannelShuffle deals the channels (dim 1) out among groups.
func ChannelShuffle(x *lucid.Tensor, groups int) *lucid.Tensor {
	return lucid.ChannelShuffle(x, groups)
}
