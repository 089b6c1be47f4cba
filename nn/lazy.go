package nn

import (
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/scope"
)

// Lazy is a layer that is made when its first input, or a state that is loaded, shows how large it must be. Until then
// it has no parameters: make the optimizer afterwards, and make the layer outside of compiled functions. What it made
// has its names.
type Lazy[L Layer] struct {
	Base
	Made  L `nn:",inline"`
	build func(x *lucid.Tensor) L
	like  func(d *lucid.StateDict) []int // the shape of an input that fits a state; nil if the state does not say
	once  sync.Once
	ready atomic.Bool
}

// NewLazy returns a layer that build makes for its first input.
func NewLazy[L Layer](build func(x *lucid.Tensor) L) *Lazy[L] { return &Lazy[L]{build: build} }

// Forward makes the layer if it is not there, and applies it.
func (m *Lazy[L]) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	m.make(x)
	return Leave(m, x, m.Made.Forward(x))
}

func (m *Lazy[L]) make(x *lucid.Tensor) {
	if !m.ready.Load() && scope.Current().Trace != nil {
		refuse(lucid.ErrNotImplemented, "lazy",
			"a lazy layer would be made inside a compiled function, where its parameters could not stay; call Forward once before, or "+
				"load a state")
	}
	m.once.Do(func() {
		m.Made = m.build(x)
		SetTraining(m.Made, m.Training())
		m.ready.Store(true)
	})
}

// fromState makes the layer if a state says how large it is.
func (m *Lazy[L]) fromState(d *lucid.StateDict) {
	if m.ready.Load() || m.like == nil {
		return
	}
	if shape := m.like(d); shape != nil {
		m.make(lucid.Zeros(shape...))
	}
}

// stateful is a lazy layer.
type stateful interface{ fromState(d *lucid.StateDict) }

// sized gives a lazy layer the way to read its size from a state: dim of the tensor of that name, times a factor; in
// the shape it has the index at, the other sizes are 1.
func sized[L Layer](m *Lazy[L], dim, factor int, dims, at int, names ...string) *Lazy[L] {
	m.like = func(d *lucid.StateDict) []int {
		for _, name := range names {
			if t := d.Get(name); t != nil && t.Dim() > dim {
				shape := make([]int, dims)
				for i := range shape {
					shape[i] = 1
				}
				shape[at] = t.Size(dim) * factor
				return shape
			}
		}
		return nil
	}
	return m
}

// groupsOf returns the number of groups of a convolution's options.
func groupsOf(opts []ConvOptions) int {
	if len(opts) == 1 {
		return max(opts[0].Groups, 1)
	}
	return 1
}

// lazyLayer is one of them, whatever it makes.
type lazyLayer interface {
	shown() (made Module, name string)
}

// shown returns the layer for printing, nil if it was not made yet, and the name of its type.
func (m *Lazy[L]) shown() (made Module, name string) {
	if m.ready.Load() {
		made = m.Made
	}
	if t := reflect.TypeFor[L](); t.Kind() == reflect.Pointer {
		name = t.Elem().Name()
	}
	return made, name
}

// String prints what was made, or that nothing was.
func (m *Lazy[L]) String() string { return Repr(m) }

// HasUninitializedParameters reports whether the layer was not made yet.
func (m *Lazy[L]) HasUninitializedParameters() bool { return !m.ready.Load() }

// channelsOf returns the size of the channels of x, which has so many spatial dimensions behind.
func channelsOf(x *lucid.Tensor, spatial int) int { return x.Size(-1 - spatial) }

// NewLazyLinear is NewLinear whose input size is that of the first input.
func NewLazyLinear(out int, opts ...LinearOptions) *Lazy[*Linear] {
	return sized(NewLazy(func(x *lucid.Tensor) *Linear { return NewLinear(x.Size(-1), out, opts...) }), 1, 1, 1, 0, "weight")
}

// NewLazyConv1d is NewConv1d whose input channels are those of the first input.
func NewLazyConv1d(out int, kernel []int, opts ...ConvOptions) *Lazy[*Conv1d] {
	return sized(NewLazy(func(x *lucid.Tensor) *Conv1d { return NewConv1d(channelsOf(x, 1), out, kernel, opts...) }), 1,
		groupsOf(opts), 2, 0, "weight")
}

// NewLazyConv2d is NewConv2d whose input channels are those of the first input.
func NewLazyConv2d(out int, kernel []int, opts ...ConvOptions) *Lazy[*Conv2d] {
	return sized(NewLazy(func(x *lucid.Tensor) *Conv2d { return NewConv2d(channelsOf(x, 2), out, kernel, opts...) }), 1,
		groupsOf(opts), 3, 0, "weight")
}

// NewLazyConv3d is NewConv3d whose input channels are those of the first input.
func NewLazyConv3d(out int, kernel []int, opts ...ConvOptions) *Lazy[*Conv3d] {
	return sized(NewLazy(func(x *lucid.Tensor) *Conv3d { return NewConv3d(channelsOf(x, 3), out, kernel, opts...) }), 1,
		groupsOf(opts), 4, 0, "weight")
}

// NewLazyConvTranspose1d is NewConvTranspose1d whose input channels are those of the first input.
func NewLazyConvTranspose1d(out int, kernel []int, opts ...ConvTransposeOptions) *Lazy[*ConvTranspose1d] {
	return sized(NewLazy(func(x *lucid.Tensor) *ConvTranspose1d {
		return NewConvTranspose1d(channelsOf(x, 1), out, kernel, opts...)
	}), 0, 1, 2, 0, "weight")
}

// NewLazyConvTranspose2d is NewConvTranspose2d whose input channels are those of the first input.
func NewLazyConvTranspose2d(out int, kernel []int, opts ...ConvTransposeOptions) *Lazy[*ConvTranspose2d] {
	return sized(NewLazy(func(x *lucid.Tensor) *ConvTranspose2d {
		return NewConvTranspose2d(channelsOf(x, 2), out, kernel, opts...)
	}), 0, 1, 3, 0, "weight")
}

// NewLazyConvTranspose3d is NewConvTranspose3d whose input channels are those of the first input.
func NewLazyConvTranspose3d(out int, kernel []int, opts ...ConvTransposeOptions) *Lazy[*ConvTranspose3d] {
	return sized(NewLazy(func(x *lucid.Tensor) *ConvTranspose3d {
		return NewConvTranspose3d(channelsOf(x, 3), out, kernel, opts...)
	}), 0, 1, 4, 0, "weight")
}

// NewLazyBatchNorm1d is NewBatchNorm1d whose channels are those of the first input.
func NewLazyBatchNorm1d(opts ...BatchNormOptions) *Lazy[*BatchNorm1d] {
	return sized(NewLazy(func(x *lucid.Tensor) *BatchNorm1d { return NewBatchNorm1d(x.Size(1), opts...) }), 0, 1, 2, 1,
		"weight", "running_mean")
}

// NewLazyBatchNorm2d is NewBatchNorm2d whose channels are those of the first input.
func NewLazyBatchNorm2d(opts ...BatchNormOptions) *Lazy[*BatchNorm2d] {
	return sized(NewLazy(func(x *lucid.Tensor) *BatchNorm2d { return NewBatchNorm2d(x.Size(1), opts...) }), 0, 1, 2, 1,
		"weight", "running_mean")
}

// NewLazyBatchNorm3d is NewBatchNorm3d whose channels are those of the first input.
func NewLazyBatchNorm3d(opts ...BatchNormOptions) *Lazy[*BatchNorm3d] {
	return sized(NewLazy(func(x *lucid.Tensor) *BatchNorm3d { return NewBatchNorm3d(x.Size(1), opts...) }), 0, 1, 2, 1,
		"weight", "running_mean")
}

// NewLazyInstanceNorm1d is NewInstanceNorm1d whose channels are those of the first input.
func NewLazyInstanceNorm1d(opts ...InstanceNormOptions) *Lazy[*InstanceNorm1d] {
	return sized(NewLazy(func(x *lucid.Tensor) *InstanceNorm1d { return NewInstanceNorm1d(channelsOf(x, 1), opts...) }), 0, 1, 2, 0,
		"weight", "running_mean")
}

// NewLazyInstanceNorm2d is NewInstanceNorm2d whose channels are those of the first input.
func NewLazyInstanceNorm2d(opts ...InstanceNormOptions) *Lazy[*InstanceNorm2d] {
	return sized(NewLazy(func(x *lucid.Tensor) *InstanceNorm2d { return NewInstanceNorm2d(channelsOf(x, 2), opts...) }), 0, 1, 3, 0,
		"weight", "running_mean")
}

// NewLazyInstanceNorm3d is NewInstanceNorm3d whose channels are those of the first input.
func NewLazyInstanceNorm3d(opts ...InstanceNormOptions) *Lazy[*InstanceNorm3d] {
	return sized(NewLazy(func(x *lucid.Tensor) *InstanceNorm3d { return NewInstanceNorm3d(channelsOf(x, 3), opts...) }), 0, 1, 4, 0,
		"weight", "running_mean")
}
