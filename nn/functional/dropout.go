package functional

import (
	"math"

	"github.com/lucid-go/lucid"
)

// DropoutOptions: P is the share of elements dropped, nil meaning one half; Eval passes x through.
type DropoutOptions struct {
	P    *float64
	Eval bool // PyTorch's training=False
}

func option[T any](op string, opts []T) (o T) {
	if len(opts) > 1 {
		refuse(lucid.ErrValue, op, "got %d option structs; want at most one", len(opts))
	}
	if len(opts) == 1 {
		return opts[0]
	}
	return o
}

func or[T any](p *T, def T) T {
	if p == nil {
		return def
	}
	return *p
}

func refuse(kind error, op, format string, args ...any) {
	panic(lucid.Errorf(kind, op, format, args...))
}

// share returns the checked probability; active is false where nothing is to be dropped.
func (o DropoutOptions) share(op string) (p float64, active bool) {
	p = or(o.P, 0.5)
	if !(p >= 0 && p <= 1) {
		refuse(lucid.ErrValue, op, "p is %v; want a number from 0 to 1", p)
	}
	return p, !o.Eval && p > 0
}

// kept returns a mask of the given sizes, true with probability 1-p.
func kept(x *lucid.Tensor, p float64, sizes []int) *lucid.Tensor {
	return lucid.With{Device: x.Device()}.Rand(sizes...).Ge(p)
}

// Dropout sets elements to zero with probability P and divides the others by 1-P.
func Dropout(x *lucid.Tensor, opts ...DropoutOptions) *lucid.Tensor {
	o := option("dropout", opts)
	p, active := o.share("dropout")
	if !active {
		return x
	}
	return drop(x, p, x.Shape())
}

func drop(x *lucid.Tensor, p float64, sizes []int) *lucid.Tensor {
	if p == 1 {
		return x.Mul(0)
	}
	return lucid.Where(kept(x, p, sizes), x.Mul(1/(1-p)), 0)
}

// channels returns the sizes of a mask that is the same all over a channel: x is (B, C, ...) with spatial dimensions
// behind, or (C, ...) without a batch.
func channels(op string, x *lucid.Tensor, spatial int) []int {
	s := x.Shape()
	if len(s) != spatial+1 && len(s) != spatial+2 {
		refuse(lucid.ErrShapeMismatch, op, "x has shape %v; want %d or %d dimensions", s, spatial+1, spatial+2)
	}
	for i := len(s) - spatial; i < len(s); i++ {
		s[i] = 1
	}
	return s
}

func dropChannels(op string, x *lucid.Tensor, spatial int, opts []DropoutOptions) *lucid.Tensor {
	o := option(op, opts)
	p, active := o.share(op)
	sizes := channels(op, x, spatial)
	if !active {
		return x
	}
	return drop(x, p, sizes)
}

// Dropout1d drops whole channels of x, (B, C, L) or (C, L).
func Dropout1d(x *lucid.Tensor, opts ...DropoutOptions) *lucid.Tensor {
	return dropChannels("dropout1d", x, 1, opts)
}

// Dropout2d drops whole channels of x, (B, C, H, W) or (C, H, W).
func Dropout2d(x *lucid.Tensor, opts ...DropoutOptions) *lucid.Tensor {
	return dropChannels("dropout2d", x, 2, opts)
}

// Dropout3d drops whole channels of x, (B, C, D, H, W) or (C, D, H, W).
func Dropout3d(x *lucid.Tensor, opts ...DropoutOptions) *lucid.Tensor {
	return dropChannels("dropout3d", x, 3, opts)
}

// AlphaDropout drops elements so that mean and variance of selu's results are kept.
func AlphaDropout(x *lucid.Tensor, opts ...DropoutOptions) *lucid.Tensor {
	o := option("alpha_dropout", opts)
	p, active := o.share("alpha_dropout")
	if !active {
		return x
	}
	return alphaDrop(x, p, x.Shape())
}

// FeatureAlphaDropout is AlphaDropout of whole channels; x is (B, C, ...).
func FeatureAlphaDropout(x *lucid.Tensor, opts ...DropoutOptions) *lucid.Tensor {
	o := option("feature_alpha_dropout", opts)
	p, active := o.share("feature_alpha_dropout")
	s := x.Shape()
	if len(s) < 2 {
		refuse(lucid.ErrShapeMismatch, "feature_alpha_dropout", "x has shape %v; want at least 2 dimensions", s)
	}
	if !active {
		return x
	}
	for i := 2; i < len(s); i++ {
		s[i] = 1
	}
	return alphaDrop(x, p, s)
}

func alphaDrop(x *lucid.Tensor, p float64, sizes []int) *lucid.Tensor {
	if p == 1 {
		return x.Mul(0)
	}
	const low = -1.7580993408473766 // -scale·alpha of selu, what it gives far below 0
	a := 1 / math.Sqrt((low*low*p+1)*(1-p))
	b := -a * low * p
	return lucid.Where(kept(x, p, sizes), x, low).Mul(a).Add(b)
}

// RreluOptions say from which interval slopes are drawn; nil means 1/8 and 1/3. Without Training the slope is their
// mean.
type RreluOptions = lucid.RreluOptions

// Rrelu returns x where it is positive, and elsewhere x times a slope: drawn for every element with Training, the
// middle of the interval without.
func Rrelu(x *lucid.Tensor, opts ...RreluOptions) *lucid.Tensor {
	o := option("rrelu", opts)
	low, high := or(o.Lower, 1.0/8), or(o.Upper, 1.0/3)
	if !(low <= high) {
		refuse(lucid.ErrValue, "rrelu", "Lower is %v and Upper %v; want Lower at most Upper", low, high)
	}
	if !o.Training {
		return lucid.Rrelu(x, o)
	}
	slope := lucid.With{DType: x.DType(), Device: x.Device()}.Uniform(low, high, x.Shape()...)
	return lucid.Where(x.Gt(0), x, x.Mul(slope))
}

// GumbelSoftmaxOptions: Tau is the temperature, nil meaning 1; Hard gives one-hot vectors with the gradient of the
// soft ones; Dim is the dimension of the classes, nil meaning the last.
type GumbelSoftmaxOptions struct {
	Tau  *float64
	Hard bool
	Dim  *int
}

// GumbelSoftmax draws from the distribution of the logits, so that gradients pass.
func GumbelSoftmax(logits *lucid.Tensor, opts ...GumbelSoftmaxOptions) *lucid.Tensor {
	o := option("gumbel_softmax", opts)
	dim := or(o.Dim, -1)
	g := lucid.EmptyLike(logits).Exponential_(1).Log().Neg()
	soft := logits.Add(g).Div(or(o.Tau, 1)).Softmax(dim)
	if !o.Hard {
		return soft
	}
	_, at := lucid.MaxIndices(soft, dim, lucid.KeepOptions{KeepDim: true})
	if dim < 0 {
		dim += logits.Dim()
	}
	sizes := make([]int, logits.Dim())
	for i := range sizes {
		sizes[i] = 1
	}
	sizes[dim] = logits.Size(dim)
	hard := lucid.Arange(logits.Size(dim)).Reshape(sizes...).Eq(at).To(soft.DType())
	return StraightThrough(hard, soft)
}

// StraightThrough returns hard, with the gradient of soft.
func StraightThrough(hard, soft *lucid.Tensor) *lucid.Tensor {
	return hard.Detach().Sub(soft.Detach()).Add(soft)
}
