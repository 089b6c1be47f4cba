package functional

import "github.com/lucid-go/lucid"

// DropPath sets whole examples (dim 0) of x to zero with probability P (nil: one half) and divides the others by 1-P:
// a residual branch is left out (Huang et al.).
func DropPath(x *lucid.Tensor, opts ...DropoutOptions) *lucid.Tensor {
	return lucid.DropPath(x, opts...)
}

// DropBlockOptions: squares of BlockSize (0 means 7) are set to zero so that a share P (nil: one tenth) of the elements
// is; Eval passes x through.
type DropBlockOptions = lucid.DropBlockOptions

// DropBlock sets squares of the planes of x, (B, C, H, W), to zero and scales the others so that the sum of the mask
// is kept (Ghiasi et al.).
func DropBlock(x *lucid.Tensor, opts ...DropBlockOptions) *lucid.Tensor {
	return lucid.DropBlock(x, opts...)
}

// GlobalResponseNormOptions: Eps is nil for 1e-6.
type GlobalResponseNormOptions = lucid.GlobalResponseNormOptions

// GlobalResponseNorm lets the channels of x, (B, C, H, W), compete: each is scaled by its length over the mean length
// of all, then by gamma, shifted by beta, of (C), and added to x (Woo et al.).
func GlobalResponseNorm(x, gamma, beta *lucid.Tensor, opts ...GlobalResponseNormOptions) *lucid.Tensor {
	return lucid.GlobalResponseNorm(x, gamma, beta, opts...)
}
