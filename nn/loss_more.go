package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// GaussianNLLLoss computes the negative log likelihood of normal numbers.
type GaussianNLLLoss struct {
	Base
	o F.GaussianNLLLossOptions
}

// NewGaussianNLLLoss returns it.
func NewGaussianNLLLoss(opts ...F.GaussianNLLLossOptions) *GaussianNLLLoss {
	return &GaussianNLLLoss{o: door.Option("gaussian_nll_loss", opts)}
}

// Forward returns the loss.
func (m *GaussianNLLLoss) Forward(x, target, variance *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target, variance)
	return LeaveN(m, in, F.GaussianNLLLoss(in[0], in[1], in[2], m.o))[0]
}

// CTCLoss computes the negative log likelihood of sequences whose alignment is not known.
type CTCLoss struct {
	Base
	o F.CTCLossOptions
}

// NewCTCLoss returns it.
func NewCTCLoss(opts ...F.CTCLossOptions) *CTCLoss {
	return &CTCLoss{o: door.Option("ctc_loss", opts)}
}

// Forward returns the loss.
func (m *CTCLoss) Forward(logProbs, targets, inputLengths, targetLengths *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, logProbs, targets, inputLengths, targetLengths)
	return LeaveN(m, in, F.CTCLoss(in[0], in[1], in[2], in[3], m.o))[0]
}

// HingeEmbeddingLoss computes x where the target is 1, and what it lacks to the margin where it is -1.
type HingeEmbeddingLoss struct {
	Base
	o F.MarginLossOptions
}

// NewHingeEmbeddingLoss returns it.
func NewHingeEmbeddingLoss(opts ...F.MarginLossOptions) *HingeEmbeddingLoss {
	return &HingeEmbeddingLoss{o: door.Option("hinge_embedding_loss", opts)}
}

// Forward returns the loss.
func (m *HingeEmbeddingLoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	return LeaveN(m, in, F.HingeEmbeddingLoss(in[0], in[1], m.o))[0]
}

// MarginRankingLoss computes max(0, -target·(x1-x2) + margin).
type MarginRankingLoss struct {
	Base
	o F.MarginLossOptions
}

// NewMarginRankingLoss returns it.
func NewMarginRankingLoss(opts ...F.MarginLossOptions) *MarginRankingLoss {
	return &MarginRankingLoss{o: door.Option("margin_ranking_loss", opts)}
}

// Forward returns the loss.
func (m *MarginRankingLoss) Forward(x1, x2, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x1, x2, target)
	return LeaveN(m, in, F.MarginRankingLoss(in[0], in[1], in[2], m.o))[0]
}

// CosineEmbeddingLoss computes how far the cosine of two vectors is from what the target says.
type CosineEmbeddingLoss struct {
	Base
	o F.MarginLossOptions
}

// NewCosineEmbeddingLoss returns it.
func NewCosineEmbeddingLoss(opts ...F.MarginLossOptions) *CosineEmbeddingLoss {
	return &CosineEmbeddingLoss{o: door.Option("cosine_embedding_loss", opts)}
}

// Forward returns the loss.
func (m *CosineEmbeddingLoss) Forward(x1, x2, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x1, x2, target)
	return LeaveN(m, in, F.CosineEmbeddingLoss(in[0], in[1], in[2], m.o))[0]
}

// TripletMarginLoss computes max(0, margin + distance to positive - distance to negative).
type TripletMarginLoss struct {
	Base
	o F.TripletMarginLossOptions
}

// NewTripletMarginLoss returns it.
func NewTripletMarginLoss(opts ...F.TripletMarginLossOptions) *TripletMarginLoss {
	return &TripletMarginLoss{o: door.Option("triplet_margin_loss", opts)}
}

// Forward returns the loss.
func (m *TripletMarginLoss) Forward(anchor, positive, negative *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, anchor, positive, negative)
	return LeaveN(m, in, F.TripletMarginLoss(in[0], in[1], in[2], m.o))[0]
}

// SoftMarginLoss computes log(1 + exp(-target·x)).
type SoftMarginLoss struct {
	Base
	o F.LossOptions
}

// NewSoftMarginLoss returns it.
func NewSoftMarginLoss(opts ...F.LossOptions) *SoftMarginLoss {
	return &SoftMarginLoss{o: door.Option("soft_margin_loss", opts)}
}

// Forward returns the loss.
func (m *SoftMarginLoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	return LeaveN(m, in, F.SoftMarginLoss(in[0], in[1], m.o))[0]
}

// MultiLabelMarginLoss computes the margins between right and other classes.
type MultiLabelMarginLoss struct {
	Base
	o F.LossOptions
}

// NewMultiLabelMarginLoss returns it.
func NewMultiLabelMarginLoss(opts ...F.LossOptions) *MultiLabelMarginLoss {
	return &MultiLabelMarginLoss{o: door.Option("multi_label_margin_loss", opts)}
}

// Forward returns the loss.
func (m *MultiLabelMarginLoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	return LeaveN(m, in, F.MultiLabelMarginLoss(in[0], in[1], m.o))[0]
}

// MultiMarginLoss computes the margins between the right class and the others.
type MultiMarginLoss struct {
	Base
	Weight *lucid.Tensor `nn:",buffer"` // nil: all alike
	o      F.MultiMarginLossOptions
}

// NewMultiMarginLoss returns it.
func NewMultiMarginLoss(opts ...F.MultiMarginLossOptions) *MultiMarginLoss {
	o := door.Option("multi_margin_loss", opts)
	return &MultiMarginLoss{Weight: o.Weight, o: o}
}

// Forward returns the loss.
func (m *MultiMarginLoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	o := m.o
	o.Weight = m.Weight
	return LeaveN(m, in, F.MultiMarginLoss(in[0], in[1], o))[0]
}

// MultiLabelSoftMarginLoss computes the mean binary cross entropy of all classes.
type MultiLabelSoftMarginLoss struct {
	Base
	Weight *lucid.Tensor `nn:",buffer"` // nil: all alike
	o      F.WeightedLossOptions
}

// NewMultiLabelSoftMarginLoss returns it.
func NewMultiLabelSoftMarginLoss(opts ...F.WeightedLossOptions) *MultiLabelSoftMarginLoss {
	o := door.Option("multi_label_soft_margin_loss", opts)
	return &MultiLabelSoftMarginLoss{Weight: o.Weight, o: o}
}

// Forward returns the loss.
func (m *MultiLabelSoftMarginLoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	o := m.o
	o.Weight = m.Weight
	return LeaveN(m, in, F.MultiLabelSoftMarginLoss(in[0], in[1], o))[0]
}

// TripletMarginWithDistanceLoss is TripletMarginLoss with a distance of one's own.
type TripletMarginWithDistanceLoss struct {
	Base
	o F.TripletDistanceOptions
}

// NewTripletMarginWithDistanceLoss returns it.
func NewTripletMarginWithDistanceLoss(opts ...F.TripletDistanceOptions) *TripletMarginWithDistanceLoss {
	return &TripletMarginWithDistanceLoss{o: door.Option("triplet_margin_with_distance_loss", opts)}
}

// Forward returns the loss.
func (m *TripletMarginWithDistanceLoss) Forward(anchor, positive, negative *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, anchor, positive, negative)
	return LeaveN(m, in, F.TripletMarginWithDistanceLoss(in[0], in[1], in[2], m.o))[0]
}
