package functional

import "github.com/lucid-go/lucid"

// DropPath sets whole examples (dim 0) of x to zero with probability P (nil: one half) and divides the others by 1-P:
// a residual branch is left out (Huang et al.).
func DropPath(x *lucid.Tensor, opts ...DropoutOptions) *lucid.Tensor {
	o := option("drop_path", opts)
	p, active := o.share("drop_path")
	if x.Dim() == 0 {
		refuse(lucid.ErrShapeMismatch, "drop_path", "x has no dimensions; want a batch")
	}
	if !active {
		return x
	}
	sizes := make([]int, x.Dim())
	for i := range sizes {
		sizes[i] = 1
	}
	sizes[0] = x.Size(0)
	return drop(x, p, sizes)
}

// DropBlockOptions: squares of BlockSize (0 means 7) are set to zero so that a share P (nil: one tenth) of the elements
// is; Eval passes x through.
type DropBlockOptions struct {
	BlockSize int
	P         *float64
	Eval      bool
}

// DropBlock sets squares of the planes of x, (B, C, H, W), to zero and scales the others so that the sum of the mask
// is kept (Ghiasi et al.).
func DropBlock(x *lucid.Tensor, opts ...DropBlockOptions) *lucid.Tensor {
	const op = "drop_block"
	o := option(op, opts)
	k, p := o.BlockSize, or(o.P, 0.1)
	if k == 0 {
		k = 7
	}
	switch {
	case !(p >= 0 && p <= 1):
		refuse(lucid.ErrValue, op, "P is %v; want a number from 0 to 1", p)
	case x.Dim() != 4:
		refuse(lucid.ErrShapeMismatch, op, "x has shape %v; want 4 dimensions", x.Shape())
	case k < 1 || k > x.Size(2) || k > x.Size(3):
		refuse(lucid.ErrValue, op, "BlockSize is %d for planes of %d by %d", k, x.Size(2), x.Size(3))
	}
	if o.Eval || p == 0 {
		return x
	}
	h, w := x.Size(2), x.Size(3)
	// A block is seeded where it lies whole in the plane.
	gamma := p / float64(k*k) * float64(h*w) / float64((h-k+1)*(w-k+1))
	seed := lucid.With{Device: x.Device()}.Rand(x.Size(0), x.Size(1), h-k+1, w-k+1).Lt(gamma).To(x.DType())
	seed = lucid.Pad(seed, []int{k - 1, k - 1, k - 1, k - 1})
	hit, _ := lucid.MaxPool2d(seed, []int{k}, lucid.MaxPoolOptions{Stride: []int{1}})
	keep := hit.Rsub(1)
	total := float64(x.NumElement())
	return x.Mul(keep).Mul(keep.Sum().ClampMin(1).Reciprocal().Mul(total))
}

// GlobalResponseNormOptions: Eps is nil for 1e-6.
type GlobalResponseNormOptions struct{ Eps *float64 }

// GlobalResponseNorm lets the channels of x, (B, C, H, W), compete: each is scaled by its length over the mean length
// of all, then by gamma, shifted by beta, of (C), and added to x (Woo et al.).
func GlobalResponseNorm(x, gamma, beta *lucid.Tensor, opts ...GlobalResponseNormOptions) *lucid.Tensor {
	o := option("global_response_norm", opts)
	if x.Dim() != 4 {
		refuse(lucid.ErrShapeMismatch, "global_response_norm", "x has shape %v; want 4 dimensions", x.Shape())
	}
	g := lucid.Norm(x, lucid.NormOptions{Dim: []int{2, 3}, KeepDim: true})
	n := g.Div(lucid.Mean(g, lucid.ReduceOptions{Dim: []int{1}, KeepDim: true}).Add(or(o.Eps, 1e-6)))
	return x.Mul(n).Mul(gamma.Reshape(1, -1, 1, 1)).Add(beta.Reshape(1, -1, 1, 1)).Add(x)
}
