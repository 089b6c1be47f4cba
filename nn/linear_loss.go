package nn

import (
	"fmt"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
	F "github.com/lucid-go/lucid/nn/functional"
)

// LinearCrossEntropyLossOptions say how a LinearCrossEntropyLoss is made; the zero value is PyTorch's default.
type LinearCrossEntropyLossOptions struct {
	OutFeatures    []int         // further dimensions of the classes: logits are (N, C, d1, …); nil: none
	Bias           bool          // with a bias on the logits
	Weight         *lucid.Tensor // factor of each class; nil: all alike
	IgnoreIndex    *int          // nil: -100; only for class numbers
	Reduction      string        // "mean" (also by ""), "sum" or "none"
	LabelSmoothing float64       // share of each target that is spread over all classes
	BatchChunkSize int           // rows of logits that are made at once; 0: as many as the sizes suggest
	DType          lucid.DType   // of the parameters
	Device         lucid.Device  // of the parameters; zero: the default device
}

// LinearCrossEntropyLoss is a classifier and its loss in one: CrossEntropy of a Linear of the input, which never holds all logits
// where that pays. See F.LinearCrossEntropy.
type LinearCrossEntropyLoss struct {
	Base
	Weight *lucid.Tensor `nn:",buffer"` // nil: all alike
	Linear *Linear       // to all logits of a row, in one dimension
	sizes  []int         // of the logits of a row
	o      LinearCrossEntropyLossOptions
}

// NewLinearCrossEntropyLoss returns it for rows of in numbers and a number of classes.
func NewLinearCrossEntropyLoss(in, classes int, opts ...LinearCrossEntropyLossOptions) *LinearCrossEntropyLoss {
	o := door.Option("linear_cross_entropy_loss", opts)
	if o.Weight != nil && !slices.Equal(o.Weight.Shape(), []int{classes}) {
		fault.Throw(fault.Shape, "nn.LinearCrossEntropyLoss", "weight has shape %v; want one factor of each of %d classes",
			o.Weight.Shape(), classes)
	}
	if !(o.LabelSmoothing >= 0 && o.LabelSmoothing <= 1) {
		fault.Throw(fault.Value, "nn.LinearCrossEntropyLoss", "LabelSmoothing is %v; want 0 to 1", o.LabelSmoothing)
	}
	sizes := append([]int{classes}, o.OutFeatures...)
	out := shape.Of("nn.LinearCrossEntropyLoss", sizes...).Numel()
	return &LinearCrossEntropyLoss{Weight: o.Weight, sizes: sizes, o: o,
		Linear: NewLinear(in, out, LinearOptions{NoBias: !o.Bias, DType: o.DType, Device: o.Device})}
}

// Forward takes x of (N, in) or (in), and targets of (N, d1, …) class numbers or (N, C, d1, …) probabilities, to the loss.
func (m *LinearCrossEntropyLoss) Forward(x, target *lucid.Tensor) *lucid.Tensor {
	in := EnterN(m, x, target)
	o := F.LinearCrossEntropyOptions{Weight: m.Weight, IgnoreIndex: m.o.IgnoreIndex, Reduction: m.o.Reduction,
		LabelSmoothing: m.o.LabelSmoothing, BatchChunkSize: m.o.BatchChunkSize}
	w := Use(m.Linear, m.Linear.Weight)
	if m.Linear.Bias != nil {
		o.LinearBias = Use(m.Linear, m.Linear.Bias).Reshape(m.sizes...)
	}
	return LeaveN(m, in, F.LinearCrossEntropy(in[0], w.Reshape(append(slices.Clone(m.sizes), w.Size(1))...), in[1], o))[0]
}

func (m *LinearCrossEntropyLoss) extra() string {
	ignored := "None"
	if m.o.IgnoreIndex != nil {
		ignored = fmt.Sprint(*m.o.IgnoreIndex)
	}
	reduction := m.o.Reduction
	if reduction == "" {
		reduction = "mean"
	}
	chunks := "None"
	if m.o.BatchChunkSize != 0 {
		chunks = fmt.Sprintf("LinearCrossEntropyOptions(batch_chunk_size=%d)", m.o.BatchChunkSize)
	}
	return fmt.Sprintf("in_features=%d, num_classes=%d, out_features=%s, bias=%s, reduction=%s, ignore_index=%s, label_smoothing=%s"+
		", options=%s",
		m.Linear.Weight.Size(1), m.sizes[0], tuple(m.sizes[1:]), truth(m.Linear.Bias != nil), reduction, ignored,
		number(m.o.LabelSmoothing), chunks)
}
