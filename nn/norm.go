package nn

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// BatchNormOptions say how a batch norm is made; the zero value is PyTorch's default.
type BatchNormOptions struct {
	Eps               *float64     // nil: 1e-5
	Momentum          *float64     // share of the newest batch in the running statistics; nil: 0.1
	CumulativeAverage bool         // average all batches alike: PyTorch's momentum=None
	NoAffine          bool         // no weight and bias
	NoBias            bool         // no bias
	NoTracking        bool         // no running statistics
	ChannelsLast      bool         // the channels are the last dimension, as in MLX
	DType             lucid.DType  // of the parameters; zero: the default float
	Device            lucid.Device // of the parameters; zero: the default device
}

// batchNorm is what the batch norms share.
type batchNorm struct {
	Weight            *lucid.Tensor
	Bias              *lucid.Tensor
	RunningMean       *lucid.Tensor `nn:",buffer"`
	RunningVar        *lucid.Tensor `nn:",buffer"`
	NumBatchesTracked *lucid.Tensor `nn:",buffer"`
	o                 BatchNormOptions
	features          int
}

func (b *batchNorm) init(op string, features int, opts []BatchNormOptions) {
	b.o, b.features = door.Option(op, opts), features
	w := lucid.With{DType: b.o.DType, Device: b.o.Device}
	if !b.o.NoAffine {
		b.Weight = w.Ones(features).RequiresGrad_(true)
		if !b.o.NoBias {
			b.Bias = parameter(w, features)
		}
	}
	if !b.o.NoTracking {
		b.RunningMean, b.RunningVar = w.Zeros(features), w.Ones(features)
		b.NumBatchesTracked = lucid.With{DType: lucid.Int64, Device: b.o.Device}.Zeros()
	}
}

// Eps returns what is added to the variance, nil for the default.
func (b *batchNorm) Eps() *float64 { return b.o.Eps }

// ResetRunningStats forgets the running statistics.
func (b *batchNorm) ResetRunningStats() {
	if b.RunningMean != nil {
		b.RunningMean.Assign(0)
		b.RunningVar.Assign(1)
		b.NumBatchesTracked.Assign(0)
	}
}

func (b *batchNorm) run(m Module, op string, x *lucid.Tensor, training bool, dims ...int) *lucid.Tensor {
	ok := false
	for _, d := range dims {
		ok = ok || x.Dim() == d
	}
	if !ok {
		want := strings.Trim(strings.ReplaceAll(fmt.Sprint(dims), " ", " or "), "[]")
		refuse(lucid.ErrShapeMismatch, op, "x has shape %v; want %s dimensions", x.Shape(), want)
	}
	o := F.BatchNormOptions{Weight: Use(m, b.Weight), Bias: Use(m, b.Bias), Momentum: b.o.Momentum, Eps: b.o.Eps,
		ChannelsLast: b.o.ChannelsLast}
	if b.RunningMean == nil {
		o.Training = true
		return F.BatchNorm(x, o)
	}
	o.RunningMean, o.RunningVar = b.RunningMean, b.RunningVar
	if o.Training = training; !training {
		return F.BatchNorm(x, o)
	}
	lucid.NoGrad(func() { b.NumBatchesTracked.Add_(1) })
	if !b.o.CumulativeAverage {
		return F.BatchNorm(x, o)
	}
	// With a momentum of 1 copies of the running statistics become those of this batch alone.
	mean, variance := b.RunningMean.Detach().Clone(), b.RunningVar.Detach().Clone()
	o.RunningMean, o.RunningVar, o.Momentum = mean, variance, new(1.0)
	y := F.BatchNorm(x, o)
	lucid.NoGrad(func() {
		share := b.NumBatchesTracked.To(b.RunningMean.DType()).Reciprocal()
		b.RunningMean.Add_(mean.Sub(b.RunningMean).Mul(share))
		b.RunningVar.Add_(variance.Sub(b.RunningVar).Mul(share))
	})
	return y
}

// BatchNorm1d normalises the channels of (B, C) or (B, C, L).
type BatchNorm1d struct {
	Base
	batchNorm
}

// NewBatchNorm1d returns it for a number of channels.
func NewBatchNorm1d(features int, opts ...BatchNormOptions) *BatchNorm1d {
	m := &BatchNorm1d{}
	m.init("batch_norm1d", features, opts)
	return m
}

// Forward normalises x.
func (m *BatchNorm1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(m, "batch_norm1d", x, m.Training(), 2, 3))
}

// BatchNorm2d normalises the channels of (B, C, H, W).
type BatchNorm2d struct {
	Base
	batchNorm
}

// NewBatchNorm2d returns it for a number of channels.
func NewBatchNorm2d(features int, opts ...BatchNormOptions) *BatchNorm2d {
	m := &BatchNorm2d{}
	m.init("batch_norm2d", features, opts)
	return m
}

// Forward normalises x.
func (m *BatchNorm2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(m, "batch_norm2d", x, m.Training(), 4))
}

// BatchNorm3d normalises the channels of (B, C, D, H, W).
type BatchNorm3d struct {
	Base
	batchNorm
}

// NewBatchNorm3d returns it for a number of channels.
func NewBatchNorm3d(features int, opts ...BatchNormOptions) *BatchNorm3d {
	m := &BatchNorm3d{}
	m.init("batch_norm3d", features, opts)
	return m
}

// Forward normalises x.
func (m *BatchNorm3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(m, "batch_norm3d", x, m.Training(), 5))
}

// InstanceNormOptions say how an instance norm is made; the zero value is PyTorch's default.
type InstanceNormOptions struct {
	Eps               *float64     // nil: 1e-5
	Momentum          *float64     // nil: 0.1
	Affine            bool         // have weight and bias
	NoBias            bool         // have no bias, if Affine
	TrackRunningStats bool         // have running statistics, used in evaluation
	DType             lucid.DType  // of the parameters; zero: the default float
	Device            lucid.Device // of the parameters; zero: the default device
}

// instanceNorm is what the instance norms share.
type instanceNorm struct {
	batchNorm
	io InstanceNormOptions
}

func (b *instanceNorm) init(op string, features int, opts []InstanceNormOptions) {
	b.io = door.Option(op, opts)
	b.batchNorm.init(op, features, []BatchNormOptions{{Eps: b.io.Eps, Momentum: b.io.Momentum, NoAffine: !b.io.Affine, NoBias: b.io.NoBias,
		NoTracking: !b.io.TrackRunningStats, DType: b.io.DType, Device: b.io.Device}})
}

// run normalises x, with its spatial dimensions, which may lack a batch.
func (b *instanceNorm) run(m Module, op string, x *lucid.Tensor, training bool, spatial int) *lucid.Tensor {
	alone := x.Dim() == spatial+1
	if !alone && x.Dim() != spatial+2 {
		refuse(lucid.ErrShapeMismatch, op, "x has shape %v; want %d or %d dimensions", x.Shape(), spatial+1, spatial+2)
	}
	if alone {
		x = x.Unsqueeze(0)
	}
	o := F.InstanceNormOptions{Weight: Use(m, b.Weight), Bias: Use(m, b.Bias), Momentum: b.io.Momentum, Eps: b.io.Eps}
	if b.RunningMean != nil {
		o.RunningMean, o.RunningVar, o.RunningStats = b.RunningMean, b.RunningVar, !training
	}
	y := F.InstanceNorm(x, o)
	if alone {
		y = owned(y.Reshape(y.Shape()[1:]...))
	}
	return y
}

// InstanceNorm1d normalises every channel of every example of (B, C, L) or (C, L).
type InstanceNorm1d struct {
	Base
	instanceNorm
}

// NewInstanceNorm1d returns it for a number of channels.
func NewInstanceNorm1d(features int, opts ...InstanceNormOptions) *InstanceNorm1d {
	m := &InstanceNorm1d{}
	m.init("instance_norm1d", features, opts)
	return m
}

// Forward normalises x.
func (m *InstanceNorm1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(m, "instance_norm1d", x, m.Training(), 1))
}

// InstanceNorm2d normalises every channel of every example of (B, C, H, W) or (C, H, W).
type InstanceNorm2d struct {
	Base
	instanceNorm
}

// NewInstanceNorm2d returns it for a number of channels.
func NewInstanceNorm2d(features int, opts ...InstanceNormOptions) *InstanceNorm2d {
	m := &InstanceNorm2d{}
	m.init("instance_norm2d", features, opts)
	return m
}

// Forward normalises x.
func (m *InstanceNorm2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(m, "instance_norm2d", x, m.Training(), 2))
}

// InstanceNorm3d normalises every channel of every example of (B, C, D, H, W) or (C, D, H, W).
type InstanceNorm3d struct {
	Base
	instanceNorm
}

// NewInstanceNorm3d returns it for a number of channels.
func NewInstanceNorm3d(features int, opts ...InstanceNormOptions) *InstanceNorm3d {
	m := &InstanceNorm3d{}
	m.init("instance_norm3d", features, opts)
	return m
}

// Forward normalises x.
func (m *InstanceNorm3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, m.run(m, "instance_norm3d", x, m.Training(), 3))
}
