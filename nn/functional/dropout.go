package functional

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

func refuse(kind error, op, format string, args ...any) {
	panic(lucid.Errorf(kind, op, format, args...))
}

// dropChannels drops channels of x, which is (B, C, ...) with spatial dimensions behind, or (C, ...) without a batch.
func dropChannels(op string, x *lucid.Tensor, spatial int, opts []DropoutOptions) *lucid.Tensor {
	switch x.Dim() {
	case spatial + 2:
		return featureDropout(x, option(op, opts).op())
	case spatial + 1:
		return featureDropout(x.Unsqueeze(0), option(op, opts).op()).Squeeze(0)
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

// GumbelSoftmaxOptions are the options of GumbelSoftmax.
type GumbelSoftmaxOptions struct {
	Tau  float64 // the temperature; 0: 1
	Hard bool    // one-hot vectors, with the gradient of the soft ones
	Dim  *int    // dimension of the classes; nil: the last
}

// GumbelSoftmax draws from the distribution of the logits, so that gradients pass.
func GumbelSoftmax(logits *lucid.Tensor, opts ...GumbelSoftmaxOptions) *lucid.Tensor {
	o := door.Option("gumbel_softmax", opts)
	dim := door.Or(o.Dim, -1)
	g := lucid.EmptyLike(logits).Exponential_(1).Log().Neg()
	soft := logits.Add(g).Div(door.Count(o.Tau, 1)).Softmax(dim)
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
