package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// MSELoss computes (x-target)².
type MSELoss struct {
	Base
	o F.LossOptions
}

// NewMSELoss returns it.
func NewMSELoss(opts ...F.LossOptions) *MSELoss { return &MSELoss{o: door.Option("mse_loss", opts)} }

// Forward returns the loss.
func (m *MSELoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	return LeaveN(m, in, F.MSELoss(in[0], in[1], m.o))[0]
}

// L1Loss computes |x-target|.
type L1Loss struct {
	Base
	o F.LossOptions
}

// NewL1Loss returns it.
func NewL1Loss(opts ...F.LossOptions) *L1Loss { return &L1Loss{o: door.Option("l1_loss", opts)} }

// Forward returns the loss.
func (m *L1Loss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	return LeaveN(m, in, F.L1Loss(in[0], in[1], m.o))[0]
}

// SmoothL1Loss computes the absolute error, rounded off near zero.
type SmoothL1Loss struct {
	Base
	o F.SmoothL1LossOptions
}

// NewSmoothL1Loss returns it.
func NewSmoothL1Loss(opts ...F.SmoothL1LossOptions) *SmoothL1Loss {
	return &SmoothL1Loss{o: door.Option("smooth_l1_loss", opts)}
}

// Forward returns the loss.
func (m *SmoothL1Loss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	return LeaveN(m, in, F.SmoothL1Loss(in[0], in[1], m.o))[0]
}

// HuberLoss computes the squared error, linear far out.
type HuberLoss struct {
	Base
	o F.HuberLossOptions
}

// NewHuberLoss returns it.
func NewHuberLoss(opts ...F.HuberLossOptions) *HuberLoss {
	return &HuberLoss{o: door.Option("huber_loss", opts)}
}

// Forward returns the loss.
func (m *HuberLoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	return LeaveN(m, in, F.HuberLoss(in[0], in[1], m.o))[0]
}

// CrossEntropyLoss computes the negative logarithm of the probability that softmax of x gives to the target.
type CrossEntropyLoss struct {
	Base
	Weight *lucid.Tensor `nn:",buffer"` // nil: all alike
	o      F.CrossEntropyOptions
}

// NewCrossEntropyLoss returns it.
func NewCrossEntropyLoss(opts ...F.CrossEntropyOptions) *CrossEntropyLoss {
	o := door.Option("cross_entropy_loss", opts)
	return &CrossEntropyLoss{Weight: o.Weight, o: o}
}

// Forward returns the loss.
func (m *CrossEntropyLoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	o := m.o
	o.Weight = m.Weight
	return LeaveN(m, in, F.CrossEntropy(in[0], in[1], o))[0]
}

// NLLLoss computes the negative of logarithms of probabilities at the target classes.
type NLLLoss struct {
	Base
	Weight *lucid.Tensor `nn:",buffer"` // nil: all alike
	o      F.NLLLossOptions
}

// NewNLLLoss returns it.
func NewNLLLoss(opts ...F.NLLLossOptions) *NLLLoss {
	o := door.Option("nll_loss", opts)
	return &NLLLoss{Weight: o.Weight, o: o}
}

// Forward returns the loss.
func (m *NLLLoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	o := m.o
	o.Weight = m.Weight
	return LeaveN(m, in, F.NLLLoss(in[0], in[1], o))[0]
}

// BCELoss computes the cross entropy of probabilities and targets from 0 to 1.
type BCELoss struct {
	Base
	Weight *lucid.Tensor `nn:",buffer"` // nil: all alike
	o      F.BinaryCrossEntropyOptions
}

// NewBCELoss returns it.
func NewBCELoss(opts ...F.BinaryCrossEntropyOptions) *BCELoss {
	o := door.Option("bce_loss", opts)
	return &BCELoss{Weight: o.Weight, o: o}
}

// Forward returns the loss.
func (m *BCELoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	o := m.o
	o.Weight = m.Weight
	return LeaveN(m, in, F.BinaryCrossEntropy(in[0], in[1], o))[0]
}

// BCEWithLogitsLoss computes the cross entropy of sigmoid(x) and targets from 0 to 1.
type BCEWithLogitsLoss struct {
	Base
	Weight, PosWeight *lucid.Tensor `nn:",buffer"` // nil: all alike
	o                 F.BinaryCrossEntropyWithLogitsOptions
}

// NewBCEWithLogitsLoss returns it.
func NewBCEWithLogitsLoss(opts ...F.BinaryCrossEntropyWithLogitsOptions) *BCEWithLogitsLoss {
	o := door.Option("bce_with_logits_loss", opts)
	return &BCEWithLogitsLoss{Weight: o.Weight, PosWeight: o.PosWeight, o: o}
}

// Forward returns the loss.
func (m *BCEWithLogitsLoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	o := m.o
	o.Weight = m.Weight
	o.PosWeight = m.PosWeight
	return LeaveN(m, in, F.BinaryCrossEntropyWithLogits(in[0], in[1], o))[0]
}

// KLDivLoss computes target·(log(target) - x).
type KLDivLoss struct {
	Base
	o F.KLDivOptions
}

// NewKLDivLoss returns it.
func NewKLDivLoss(opts ...F.KLDivOptions) *KLDivLoss {
	return &KLDivLoss{o: door.Option("kl_div_loss", opts)}
}

// Forward returns the loss.
func (m *KLDivLoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	return LeaveN(m, in, F.KLDiv(in[0], in[1], m.o))[0]
}

// PoissonNLLLoss computes the negative log likelihood of counts.
type PoissonNLLLoss struct {
	Base
	o F.PoissonNLLLossOptions
}

// NewPoissonNLLLoss returns it.
func NewPoissonNLLLoss(opts ...F.PoissonNLLLossOptions) *PoissonNLLLoss {
	return &PoissonNLLLoss{o: door.Option("poisson_nll_loss", opts)}
}

// Forward returns the loss.
func (m *PoissonNLLLoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	return LeaveN(m, in, F.PoissonNLLLoss(in[0], in[1], m.o))[0]
}
