package functional

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// DropoutOptions: P is the share of elements dropped, nil meaning one half; Eval passes x through.
type DropoutOptions = lucid.DropoutOptions

func refuse(kind error, op, format string, args ...any) {
	panic(lucid.Errorf(kind, op, format, args...))
}

// Dropout sets elements to zero with probability P and divides the others by 1-P.
func Dropout(x *lucid.Tensor, opts ...DropoutOptions) *lucid.Tensor { return lucid.Dropout(x, opts...) }

// dropChannels drops channels of x, which is (B, C, ...) with spatial dimensions behind, or (C, ...) without a batch.
func dropChannels(op string, x *lucid.Tensor, spatial int, opts []DropoutOptions) *lucid.Tensor {
	switch x.Dim() {
	case spatial + 2:
		return lucid.FeatureDropout(x, opts...)
	case spatial + 1:
		return lucid.FeatureDropout(x.Unsqueeze(0), opts...).Squeeze(0)
	}
	refuse(lucid.ErrShapeMismatch, op, "x has shape %v; want %d or %d dimensions", x.Shape(), spatial+1, spatial+2)
	return nil
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
	return lucid.AlphaDropout(x, opts...)
}

// FeatureAlphaDropout is AlphaDropout of whole channels; x is (B, C, ...).
func FeatureAlphaDropout(x *lucid.Tensor, opts ...DropoutOptions) *lucid.Tensor {
	return lucid.FeatureAlphaDropout(x, opts...)
}

// RreluOptions say from which interval slopes are drawn; nil means 1/8 and 1/3. Without Training the slope is their
// mean.
type RreluOptions = lucid.RreluOptions

// Rrelu returns x where it is positive, and elsewhere x times a slope: drawn for every element with Training, the
// middle of the interval without.
func Rrelu(x *lucid.Tensor, opts ...RreluOptions) *lucid.Tensor { return lucid.Rrelu(x, opts...) }

// GumbelSoftmaxOptions: Tau is the temperature, nil meaning 1; Hard gives one-hot vectors with the gradient of the
// soft ones; Dim is the dimension of the classes, nil meaning the last.
type GumbelSoftmaxOptions struct {
	Tau  *float64
	Hard bool
	Dim  *int
}

// GumbelSoftmax draws from the distribution of the logits, so that gradients pass.
func GumbelSoftmax(logits *lucid.Tensor, opts ...GumbelSoftmaxOptions) *lucid.Tensor {
	o := door.Option("gumbel_softmax", opts)
	dim := door.Or(o.Dim, -1)
	g := lucid.EmptyLike(logits).Exponential_(1).Log().Neg()
	soft := logits.Add(g).Div(door.Or(o.Tau, 1)).Softmax(dim)
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
	hard := lucid.With{Device: logits.Device()}.Arange(logits.Size(dim)).Reshape(sizes...).Eq(at).To(soft.DType())
	return StraightThrough(hard, soft)
}

// StraightThrough returns hard, with the gradient of soft.
func StraightThrough(hard, soft *lucid.Tensor) *lucid.Tensor {
	return hard.Detach().Sub(soft.Detach()).Add(soft)
}
