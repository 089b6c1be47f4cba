package lucid

import (
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// onDevice puts a constant on the device where creation goes now.
func (w With) onDevice(n *graph.Node) *Tensor {
	return w.made(func() *graph.Node {
		n.SetDevice(targetDevice())
		return n
	})
}

// Full makes a tensor of one value.
func Full(sizes []int, value any) *Tensor { return With{}.Full(sizes, value) }

// Full makes a tensor of one value; without a dtype given it has the number's default.
func (w With) Full(sizes []int, value any) *Tensor {
	return w.onDevice(ops.Full(sizes, value, ops.FullOptions{DType: w.DType}))
}

// Zeros makes a tensor of zeros.
func Zeros(sizes ...int) *Tensor { return With{}.Zeros(sizes...) }

// Zeros makes a tensor of zeros.
func (w With) Zeros(sizes ...int) *Tensor {
	return w.onDevice(ops.Zeros(sizes, ops.FullOptions{DType: w.DType}))
}

// Ones makes a tensor of ones.
func Ones(sizes ...int) *Tensor { return With{}.Ones(sizes...) }

// Ones makes a tensor of ones.
func (w With) Ones(sizes ...int) *Tensor {
	return w.onDevice(ops.Ones(sizes, ops.FullOptions{DType: w.DType}))
}

// Empty makes a tensor whose values do not matter; they are zeros.
func Empty(sizes ...int) *Tensor { return With{}.Empty(sizes...) }

// Empty makes a tensor whose values do not matter; they are zeros.
func (w With) Empty(sizes ...int) *Tensor { return w.Zeros(sizes...) }

// like makes a value from a tensor's facts; the tensor itself is not read.
func (w With) like(x *Tensor, f func(n *graph.Node, o ops.FullOptions) *graph.Node) *Tensor {
	n := acquire(x)
	defer release(n)
	return w.done(f(n, ops.FullOptions{DType: w.DType}))
}

// ZerosLike makes zeros of x's shape, dtype and device.
func ZerosLike(x *Tensor) *Tensor { return With{}.ZerosLike(x) }

// ZerosLike makes zeros of x's shape, and of its dtype and device where w names none.
func (w With) ZerosLike(x *Tensor) *Tensor { return w.like(x, ops.FilledZerosLike) }

// OnesLike makes ones of x's shape, dtype and device.
func OnesLike(x *Tensor) *Tensor { return With{}.OnesLike(x) }

// OnesLike makes ones of x's shape, and of its dtype and device where w names none.
func (w With) OnesLike(x *Tensor) *Tensor { return w.like(x, ops.FilledOnesLike) }

// EmptyLike makes a tensor like x whose values do not matter; they are zeros.
func EmptyLike(x *Tensor) *Tensor { return With{}.EmptyLike(x) }

// EmptyLike makes a tensor like x whose values do not matter; they are zeros.
func (w With) EmptyLike(x *Tensor) *Tensor { return w.ZerosLike(x) }

// FullLike makes a tensor of one value with x's shape, dtype and device.
func FullLike(x *Tensor, value any) *Tensor { return With{}.FullLike(x, value) }

// FullLike makes a tensor of one value with x's shape, and its dtype and device where w names none.
func (w With) FullLike(x *Tensor, value any) *Tensor {
	return w.like(x, func(n *graph.Node, o ops.FullOptions) *graph.Node { return ops.FilledLike(n, value, o) })
}

// as is With of t's dtype and device.
func (t *Tensor) as() With { return With{DType: t.DType(), Device: t.Device()} }

// NewZeros makes zeros of another shape with t's dtype and device.
func (t *Tensor) NewZeros(sizes ...int) *Tensor { return t.as().Zeros(sizes...) }

// NewOnes makes ones of another shape with t's dtype and device.
func (t *Tensor) NewOnes(sizes ...int) *Tensor { return t.as().Ones(sizes...) }

// NewEmpty makes a tensor of another shape with t's dtype and device whose values do not matter; they are zeros.
func (t *Tensor) NewEmpty(sizes ...int) *Tensor { return t.as().Empty(sizes...) }

// NewFull makes a tensor of one value with t's dtype and device.
func (t *Tensor) NewFull(sizes []int, value any) *Tensor { return t.as().Full(sizes, value) }

// NewTensor makes a tensor of Go data with t's dtype and device; see Of.
func (t *Tensor) NewTensor(data any) *Tensor { return t.as().Of(data) }
