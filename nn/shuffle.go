package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// Upsample resamples the dimensions behind the first two.
type Upsample struct {
	Base
	o F.InterpolateOptions
}

// NewUpsample returns it; the options name a size or a factor.
func NewUpsample(o F.InterpolateOptions) *Upsample { return &Upsample{o: o} }

// NewUpsamplingNearest2d returns an Upsample that repeats the nearest element.
func NewUpsamplingNearest2d(o F.InterpolateOptions) *Upsample {
	o.Mode = "nearest"
	return NewUpsample(o)
}

// NewUpsamplingBilinear2d returns an Upsample that interpolates between corners.
func NewUpsamplingBilinear2d(o F.InterpolateOptions) *Upsample {
	o.Mode, o.AlignCorners = "bilinear", true
	return NewUpsample(o)
}

// Forward resamples x.
func (m *Upsample) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Interpolate(x, m.o))
}

// PixelShuffle moves channels into space: (B, C·r², H, W) to (B, C, H·r, W·r).
type PixelShuffle struct {
	Base
	Factor int
}

// NewPixelShuffle returns it for a factor.
func NewPixelShuffle(factor int) *PixelShuffle { return &PixelShuffle{Factor: factor} }

// Forward rearranges x.
func (m *PixelShuffle) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.PixelShuffle(x, m.Factor))
}

// PixelUnshuffle is the opposite of PixelShuffle.
type PixelUnshuffle struct {
	Base
	Factor int
}

// NewPixelUnshuffle returns it for a factor.
func NewPixelUnshuffle(factor int) *PixelUnshuffle { return &PixelUnshuffle{Factor: factor} }

// Forward rearranges x.
func (m *PixelUnshuffle) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.PixelUnshuffle(x, m.Factor))
}

// ChannelShuffle mixes channels of different groups.
type ChannelShuffle struct {
	Base
	Groups int
}

// NewChannelShuffle returns it for a number of groups.
func NewChannelShuffle(groups int) *ChannelShuffle { return &ChannelShuffle{Groups: groups} }

// Forward rearranges x.
func (m *ChannelShuffle) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.ChannelShuffle(x, m.Groups))
}

// Unfold gives the windows of images as columns.
type Unfold struct {
	Base
	kernel []int
	o      F.FoldOptions
}

// NewUnfold returns it.
func NewUnfold(kernel []int, opts ...F.FoldOptions) *Unfold {
	return &Unfold{kernel: kernel, o: door.Option("unfold", opts)}
}

// Forward cuts x in windows.
func (m *Unfold) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Unfold(x, m.kernel, m.o))
}

// Fold adds windows up to images.
type Fold struct {
	Base
	size, kernel []int
	o            F.FoldOptions
}

// NewFold returns it for images of a size.
func NewFold(outputSize, kernel []int, opts ...F.FoldOptions) *Fold {
	return &Fold{size: outputSize, kernel: kernel, o: door.Option("fold", opts)}
}

// Forward adds the windows of x up.
func (m *Fold) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Fold(x, m.size, m.kernel, m.o))
}

// CosineSimilarity is the cosine of the angle between vectors.
type CosineSimilarity struct {
	Base
	o F.CosineSimilarityOptions
}

// NewCosineSimilarity returns it.
func NewCosineSimilarity(opts ...F.CosineSimilarityOptions) *CosineSimilarity {
	return &CosineSimilarity{o: door.Option("cosine_similarity", opts)}
}

// Forward compares x1 with x2.
func (m *CosineSimilarity) Forward(x1, x2 *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x1, x2)
	return LeaveN(m, in, F.CosineSimilarity(in[0], in[1], m.o))[0]
}

// PairwiseDistance is the norm of the difference of vectors.
type PairwiseDistance struct {
	Base
	o F.PairwiseDistanceOptions
}

// NewPairwiseDistance returns it.
func NewPairwiseDistance(opts ...F.PairwiseDistanceOptions) *PairwiseDistance {
	return &PairwiseDistance{o: door.Option("pairwise_distance", opts)}
}

// Forward compares x1 with x2.
func (m *PairwiseDistance) Forward(x1, x2 *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x1, x2)
	return LeaveN(m, in, F.PairwiseDistance(in[0], in[1], m.o))[0]
}
